# SPDX-License-Identifier: MIT
"""What stays of an array: distinct keys, runs of equal neighbours, and what flags or a predicate select."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Generic, Literal, NamedTuple, overload

import numpy as np

from . import _core
from ._arguments import (
    as_number, check_moved, check_no_gradient, moved_width, new_call, taken_beside, truth, untyped_call, values_beside,
)  # fmt: skip
from ._arrays import KEY_TYPES, Arrays, taken
from ._calls import Task, several_calls
from ._errors import Error
from ._sort import Sorts
from ._types import Comparator, Predicate, predicate_text
from ._typing import ArrayT, Elements, First, Numpy, OtherT, Second, Third


class Runs(NamedTuple, Generic[First, Second]):
    """What run_lengths gives."""

    values: First
    lengths: Second


class Unique(NamedTuple, Generic[First, Second, Third]):
    """What unique gives where counts or values are asked for; else None stands for them."""

    keys: First
    counts: Second
    values: Third


class Selected(NamedTuple, Generic[First, Second]):
    """What select gives of keys with values."""

    keys: First
    values: Second


class Partition(NamedTuple, Generic[First, Second]):
    """What partition gives. Without values None stands for them."""

    keys: First
    count: Any
    """How many of them the flags select."""
    values: Second


class Compacts(Sorts):
    @overload
    def unique(
        self, x: np.ndarray[Any, Elements], /, *, assume_sorted: bool = ..., descending: bool = ...,
        return_counts: Literal[False] = ..., values: None = None, comparator: str | Comparator | None = ...,
    ) -> np.ndarray[Any, Elements]: ...  # fmt: skip
    @overload
    def unique(
        self, x: ArrayT, /, *, assume_sorted: bool = ..., descending: bool = ..., return_counts: Literal[False] = ...,
        values: None = None, comparator: str | Comparator | None = ...,
    ) -> ArrayT: ...  # fmt: skip
    @overload
    def unique(
        self, x: np.ndarray[Any, Elements], /, *, assume_sorted: bool = ..., descending: bool = ...,
        return_counts: Literal[True], values: None = None, comparator: str | Comparator | None = ...,
    ) -> Unique[np.ndarray[Any, Elements], Numpy, None]: ...  # fmt: skip
    @overload
    def unique(
        self, x: ArrayT, /, *, assume_sorted: bool = ..., descending: bool = ..., return_counts: Literal[True],
        values: None = None, comparator: str | Comparator | None = ...,
    ) -> Unique[ArrayT, ArrayT, None]: ...  # fmt: skip
    @overload
    def unique(
        self, x: ArrayT, /, *, assume_sorted: bool = ..., descending: bool = ..., return_counts: Literal[False] = ...,
        values: OtherT, comparator: str | Comparator | None = ...,
    ) -> Unique[ArrayT, None, OtherT]: ...  # fmt: skip
    @overload
    def unique(
        self, x: Any, /, *, assume_sorted: bool = ..., descending: bool = ..., return_counts: bool = ...,
        values: Any = ..., comparator: str | Comparator | None = ...,
    ) -> Any: ...  # fmt: skip
    @several_calls
    def unique(
        self, x: Any, /, *, assume_sorted: bool = False, descending: bool = False, return_counts: bool = False,
        values: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """The distinct keys, in order.

        Result: an array of one axis; with `return_counts` or `values`, a triple of keys, how often each comes, and the
        value of the first of equal keys; None stands for what was not asked for.
        Order: keys come sorted. Numbers are equal if all of their bits are, so -0 and +0 are two. All NaNs are equal, and
        the result has NumPy's own. Records are equal if neither comes before the other, and the first is kept.
        Memory: the results at the length of `x`, and a sorted copy unless `assume_sorted`. To make NaNs equal takes
        another copy of floating-point numbers, on the processor only if there are NaNs, and a byte for each.
        Cost: sorting unless `assume_sorted`, then two reads. Waits for the number of results. Errors: no gradient goes
        through it.

        Args:
            assume_sorted: the keys are sorted already: of each run of equal neighbours the first is kept.
            values: an array that belongs to the keys; not with `return_counts`.

        >>> import lanesort, numpy
        >>> lanesort.unique(numpy.array([3, 1, 3, 2]))
        array([1, 2, 3])
        >>> lanesort.unique(numpy.array([3, 1, 3]), return_counts=True).counts
        array([1, 2])
        """
        lib, source = taken(x)
        assume_sorted, descending = truth("assume_sorted", assume_sorted), truth("descending", descending)
        return_counts = truth("return_counts", return_counts)
        if values is not None and return_counts:
            raise Error("values and counts are not given by one call; run_lengths counts sorted keys")
        if values is not None:
            values = taken_beside(lib, values, "values")
            if values.shape != source.shape:
                raise Error(f"there are values of shape {tuple(values.shape)} for keys of {tuple(source.shape)}")
            check_moved(values)
        check_no_gradient(lib, "unique", source, values)
        likes = source, values
        keys = self._grouped(lib, self._flat(lib, source), comparator)
        if values is not None:
            values = self._flat(lib, values)
        if not assume_sorted:
            how = descending, comparator, "automatic", False, 0
            if values is None:
                keys = taken(self._do(self._sort_keys(lib.given(keys), -1, True, None, None, None, how)))[1]
            else:
                pairs = self._sort_pairs(lib.given(keys), lib.given(values), -1, True, None, None, how)
                keys, values = (taken(part)[1] for part in self._do(pairs))
        distinct, lengths, kept = self._runs(lib, keys, values, likes, return_counts, comparator)
        if values is None and not return_counts:
            return distinct
        return Unique(distinct, lengths, kept)

    @overload
    def run_lengths(
        self, x: np.ndarray[Any, Elements], /, *, comparator: str | Comparator | None = ...
    ) -> Runs[np.ndarray[Any, Elements], Numpy]: ...
    @overload
    def run_lengths(self, x: ArrayT, /, *, comparator: str | Comparator | None = ...) -> Runs[ArrayT, ArrayT]: ...
    @overload
    def run_lengths(self, x: Any, /, *, comparator: str | Comparator | None = ...) -> Runs[Any, Any]: ...
    @several_calls
    def run_lengths(self, x: Any, /, *, comparator: str | Comparator | None = None) -> Runs[Any, Any]:
        """Runs of equal neighbours of an array of one axis: the key of each, and how many they are.

        Result: two arrays as long as there are runs; the lengths are integers of 64 bits.
        Order: that of `x`, which is not sorted first. Equal is as in `unique`.
        Memory: the results at the length of `x`, and a copy for NaNs as in `unique`. Cost: two reads. Waits for the number
        of runs. Errors: no gradient goes through it.

        >>> import lanesort, numpy
        >>> lanesort.run_lengths(numpy.array([7, 7, 1, 7]))
        Runs(values=array([7, 1, 7]), lengths=array([2, 1, 1]))
        """
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"runs are those of an array of one axis, but this one has {source.ndim}")
        check_no_gradient(lib, "run_lengths", source)
        keys = self._grouped(lib, self._flat(lib, source), comparator)
        return Runs(*self._runs(lib, keys, None, (source, None), True, comparator)[:2])

    def _runs(
        self, lib: Arrays, keys: Any, values: Any, likes: tuple[Any, Any], counts: bool,
        comparator: str | Comparator | None,
    ) -> list[Any]:  # fmt: skip
        """The distinct keys, their counts and the first values, of direct arrays, which were made of `likes`."""
        size = keys.shape[0]
        if size == 0 and comparator is None:
            lib.key_type(keys)
        distinct = lib.empty(keys, (size,))
        lengths = lib.empty(keys, (size,), "int64" if lib.index_bytes == 8 else "int32") if counts else None
        kept = lib.empty(values, (size,)) if values is not None else None
        call, answers, arrays = None, None, [keys, distinct]
        if size > 0:
            call = new_call("run_lengths" if counts else "unique", lib, keys, False, comparator)
            answers = lib.empty(keys, (1,), "int64")
            call.results, call.answers = lib.at(distinct), lib.at(answers)
            arrays.append(answers)
            if lengths is not None:
                call.lengths, call.length_bytes = lib.at(lengths), lib.item_bytes(lengths)
                arrays.append(lengths)
            if kept is not None:
                call.values, call.value_bytes, call.result_values = lib.at(values), lib.item_bytes(values), lib.at(kept)
                arrays += [values, kept]

        def finish() -> list[Any]:
            results = zip((distinct, lengths, kept), (likes[0], lengths, likes[1]), strict=True)
            return _heads(lib, results, answers)

        found: list[Any] = self._do((lib, call, arrays, comparator is not None, finish))
        return found

    @overload
    def select(
        self, x: np.ndarray[Any, Elements], flags: Any, /, *, values: None = None, inverted: bool = ..., parameter: Any = ...
    ) -> np.ndarray[Any, Elements]: ...
    @overload
    def select(
        self, x: ArrayT, flags: Any, /, *, values: None = None, inverted: bool = ..., parameter: Any = ...
    ) -> ArrayT: ...
    @overload
    def select(
        self, x: ArrayT, flags: Any, /, *, values: OtherT, inverted: bool = ..., parameter: Any = ...
    ) -> Selected[ArrayT, OtherT]: ...
    @overload
    def select(
        self, x: Any, flags: Any, /, *, values: Any = ..., inverted: bool = ..., parameter: Any = ...
    ) -> Any: ...
    @several_calls
    def select(
        self, x: Any, flags: Any, /, *, values: Any = None, inverted: bool = False, parameter: Any = None
    ) -> Any:
        """The elements whose flags are true, as ``x[flags]``, or of which a predicate holds.

        Result: an array of one axis; with `values`, the pair of it and their values.
        Order: that of `x`, row by row. Memory: the results at the length of `x`.
        Cost: a graphics card reads flags and elements once, a processor flags, or by a predicate elements, twice. Waits
        for the number of results.
        Errors: flags are truth values or bytes, one for each element, which has 1, 2, 4 or 8 bytes, whatever they are; a
        predicate needs a device that compiles; no gradient goes through.

        Args:
            flags: or a text such as ``"a < p"``, or a `Predicate`.
            values: an array that belongs to the keys.
            inverted: those whose flags are false.
            parameter: of the predicate, ``p``: a number of the type of `x`, or an array of one element, which may be
                a part of `x` on the device. Another one compiles nothing anew.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 4, 1])
        >>> lanesort.select(x, x > 1)
        array([3, 4])
        """
        lib, results, answers = self._parted("select", x, flags, values, inverted, parameter)
        selected = _heads(lib, results, answers)
        return selected[0] if values is None else Selected(*selected)

    @overload
    def partition(
        self, x: np.ndarray[Any, Elements], flags: Any, /, *, values: None = None, inverted: bool = ..., parameter: Any = ...
    ) -> Partition[np.ndarray[Any, Elements], None]: ...
    @overload
    def partition(
        self, x: ArrayT, flags: Any, /, *, values: None = None, inverted: bool = ..., parameter: Any = ...
    ) -> Partition[ArrayT, None]: ...
    @overload
    def partition(
        self, x: ArrayT, flags: Any, /, *, values: OtherT, inverted: bool = ..., parameter: Any = ...
    ) -> Partition[ArrayT, OtherT]: ...
    @overload
    def partition(
        self, x: Any, flags: Any, /, *, values: Any = ..., inverted: bool = ..., parameter: Any = ...
    ) -> Partition[Any, Any]: ...
    @several_calls
    def partition(
        self, x: Any, flags: Any, /, *, values: Any = None, inverted: bool = False, parameter: Any = None
    ) -> Partition[Any, Any]:
        """The elements whose flags are true, or of which a predicate holds, and the others behind them. (numpy's
        partition is `nth_element`.)

        Result: a triple: the elements, how many have true flags, and the values in the same order, or None. The number
        is an int, or on a queue or stream an array of no axis, so that nothing waits.
        Order: both parts keep that of `x`, row by row. Memory: the results.
        Cost: reads the flags, or by a predicate the elements, twice, and writes all once.
        Arguments, errors: as `select`.

        >>> import lanesort, numpy
        >>> x = numpy.array([3, 1, 4, 1])
        >>> lanesort.partition(x, x > 1)
        Partition(keys=array([3, 4, 1, 1]), count=2, values=None)
        """
        lib, results, answers = self._parted("partition", x, flags, values, inverted, parameter)
        if answers is None:
            answers = lib.upload(np.zeros(1, np.int64), results[0][0])
        parted = [lib.given(lib.restored(result, like)) for result, like in results]
        count: Any
        if lib.backend == "host":
            count = lib.number(answers)
        else:
            count = lib.given(lib.reshaped(lib.wide(answers, "int64"), ()))
        return Partition(parted[0], count, None if values is None else parted[1])

    def _parted(
        self, operation: str, x: Any, flags: Any, values: Any, inverted: bool, parameter: Any
    ) -> tuple[Arrays, list[tuple[Any, Any]], Any]:
        """Gives the elements, and the values if there are any, as they go and as they came; and how many are wanted."""
        lib, source = taken(x)
        moved = None if values is None else values_beside(lib, values, source)
        check_no_gradient(lib, "what flags or indices move", source, moved)
        keys = self._flat(lib, source)
        size = keys.shape[0]
        by_predicate = isinstance(flags, str | Predicate)
        inverted = truth("inverted", inverted)
        if by_predicate:
            call, deciding = self._call_by_predicate(operation, lib, keys, flags, parameter)
        else:
            call = untyped_call(operation, _bits_of(lib, keys), size)
            deciding = [self._flags_beside(lib, flags, source, parameter)]
            if size > 0:
                call.keys, call.flags = lib.at(keys), lib.at(deciding[0])
        results, arrays, answers = [(lib.empty(keys, (size,)), source)], [keys, *deciding], None
        if moved is not None:
            results.append((lib.empty(moved, (size,)), moved))
        if size > 0:
            answers = lib.empty(keys, (1,), "int64")
            call.results, call.answers = lib.at(results[0][0]), lib.at(answers)
            call.inverted = inverted
            arrays += [results[0][0], answers]
            if moved is not None:
                flat, kept = self._flat(lib, moved), results[1][0]
                call.values, call.result_values, call.value_bytes = lib.at(flat), lib.at(kept), moved_width(lib, flat)
                arrays += [flat, kept]
        self._do((lib, call if size > 0 else None, arrays, by_predicate, lambda: None))
        return lib, results, answers

    def _flags_beside(self, lib: Arrays, flags: Any, source: Any, parameter: Any) -> Any:
        if parameter is not None:
            raise Error("parameter= is that of a predicate, but there are flags")
        choice = taken_beside(lib, flags, "flags")
        if tuple(choice.shape) != tuple(source.shape) or lib.item_bytes(choice) != 1:
            raise Error(
                f"flags are truth values or bytes, one for each element, but these are of type {choice.dtype} and "
                f"shape {tuple(choice.shape)}, where the array has {tuple(source.shape)}"
            )
        return self._flat(lib, choice)

    def _call_by_predicate(
        self, operation: str, lib: Arrays, keys: Any, predicate: str | Predicate, parameter: Any
    ) -> tuple[_core.Call, list[Any]]:
        """Gives the arrays that the call reads besides, too."""
        dtype, width, place, read = None, 0, None, []
        if isinstance(parameter, bool | int | float | np.generic):
            # A record keeps its own type.
            kind = parameter.dtype if isinstance(parameter, np.void) else lib.numpy_dtype(keys)
            numbers = as_number("the parameter", parameter, kind)
            dtype, width = numbers.dtype, numbers.itemsize
            # Whole integers, of a width that every library has and lies at the address of any type.
            padded = np.zeros(-(-width // 8), np.int64).view(np.uint8)
            padded[:width] = np.frombuffer(numbers.tobytes(), np.uint8)
            read = [lib.upload(padded.view(np.int32), keys)]
            place = lib.at(read[0])
        elif parameter is not None:
            array = taken_beside(lib, parameter, "parameter")
            if math.prod(array.shape) != 1:
                raise Error(f"a parameter is one element, but the array has shape {tuple(array.shape)}")
            read = [self._flat(lib, array)]
            dtype, width, place = lib.numpy_dtype(read[0]), lib.item_bytes(array), lib.at(read[0])
        text = predicate_text(lib.numpy_dtype(keys), predicate, dtype)
        call = untyped_call(operation, 0, keys.shape[0])
        call.set_predicate(text.type, lib.item_bytes(keys), text.holds, text.declarations, text.parameter_type, width)
        if keys.shape[0] > 0:
            call.keys = lib.at(keys)
        if place is not None:
            call.parameter = place
        return call, read


def _heads(lib: Arrays, results: Iterable[tuple[Any, Any]], answers: Any) -> list[Any]:
    """As many elements of each result as the answer says, in the form of what they were made of."""
    number = 0 if answers is None else lib.number(answers)
    return [
        None if result is None else lib.given(lib.restored(lib.head(result, number), like)) for result, like in results
    ]


def _bits_of(lib: Arrays, x: Any) -> int:
    """The type of integers that elements of any type are moved as."""
    check_moved(x)
    bits = KEY_TYPES.get(f"u{8 * lib.item_bytes(x)}")
    if bits is None:
        raise Error(
            f"flags select elements of 1, 2, 4 or 8 bytes, but those of type {x.dtype} have {lib.item_bytes(x)}; "
            "select their indices"
        )
    return bits


_default = Compacts._default()
unique, run_lengths, select, partition = _default.unique, _default.run_lengths, _default.select, _default.partition

__all__ = ["Partition", "Runs", "Selected", "Unique", "partition", "run_lengths", "select", "unique"]

# SPDX-License-Identifier: MIT
"""What flags or a predicate select, and values that move by indices."""

from __future__ import annotations

import math
from typing import Any, overload

import numpy as np

from . import _core
from ._arrays import KEY_TYPES, Arrays, taken
from ._calls import OPERATIONS, VALUE_BYTES, Calls, as_number, truth
from ._errors import Error
from ._types import Partition, Predicate, Selected, predicate_text
from ._typing import ArrayT, Elements, Given, OtherT, same_library

_MOVED = "what flags or indices move"


class Moves(Calls):
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
        lib, likes, results, answers = self._parted("select", x, flags, values, inverted, parameter)
        number = 0 if answers is None else lib.number(answers)
        selected = [
            lib.given(lib.restored(lib.head(result, number), like))
            for result, like in zip(results, likes, strict=True)
        ]
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
        lib, likes, results, answers = self._parted("partition", x, flags, values, inverted, parameter)
        count: Any
        if answers is None:
            answers = lib.upload(np.zeros(1, np.int64), results[0])
        if lib.backend == "host":
            count = lib.number(answers)
        else:
            count = lib.given(lib.reshaped(lib.wide(answers, "int64"), ()))
        parted = [lib.given(lib.restored(result, like)) for result, like in zip(results, likes, strict=True)]
        return Partition(parted[0], count, None if values is None else parted[1])

    def _parted(
        self, operation: str, x: Any, flags: Any, values: Any, inverted: bool, parameter: Any
    ) -> tuple[Arrays, list[Any], list[Any], Any]:
        """Gives the elements, and the values if there are any, as they came and as they go; and how many are wanted."""
        lib, source = taken(x)
        moved = None if values is None else self._values_beside(lib, values, source)
        self._check_no_gradient(lib, _MOVED, source, moved)
        keys = self._flat(lib, source)
        size = keys.shape[0]
        by_predicate = isinstance(flags, str | Predicate)
        inverted = truth("inverted", inverted)
        if by_predicate:
            call, deciding = self._call_by_predicate(operation, lib, keys, flags, parameter)
        else:
            call = _core.Call(OPERATIONS[operation], self._bits_of(lib, keys), size)
            deciding = [self._flags_beside(lib, flags, source, parameter)]
            if size > 0:
                call.keys, call.flags = lib.at(keys), lib.at(deciding[0])
        results = lib.empty(keys, (size,))
        kept = None if moved is None else lib.empty(moved, (size,))
        answers = None
        if size > 0:
            answers = lib.empty(keys, (1,), "int64")
            call.results, call.answers = lib.at(results), lib.at(answers)
            call.inverted = inverted
            arrays = [keys, *deciding, results, answers]
            if kept is not None:
                flat = self._flat(lib, moved)
                call.values, call.result_values = lib.at(flat), lib.at(kept)
                call.value_bytes = self._width(lib, flat)
                arrays += [flat, kept]
            self._run(lib, call, arrays, by_predicate)
        else:
            self._ran_nothing()
        if moved is None:
            return lib, [source], [results], answers
        return lib, [source, moved], [results, kept], answers

    def _bits_of(self, lib: Arrays, x: Any) -> int:
        """The type of integers that elements of any type are moved as."""
        self._check_moved(x)
        bits = KEY_TYPES.get(f"u{8 * lib.item_bytes(x)}")
        if bits is None:
            raise Error(
                f"flags select elements of 1, 2, 4 or 8 bytes, but those of type {x.dtype} have {lib.item_bytes(x)}; "
                "select their indices"
            )
        return bits

    def _flags_beside(self, lib: Arrays, flags: Any, source: Any, parameter: Any) -> Any:
        if parameter is not None:
            raise Error("parameter= is that of a predicate, but there are flags")
        choice = self._taken_beside(lib, flags, "flags")
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
            array = self._taken_beside(lib, parameter, "parameter")
            if math.prod(array.shape) != 1:
                raise Error(f"a parameter is one element, but the array has shape {tuple(array.shape)}")
            read = [self._flat(lib, array)]
            dtype, width, place = lib.numpy_dtype(read[0]), lib.item_bytes(array), lib.at(read[0])
        text = predicate_text(lib, keys, predicate, dtype)
        call = _core.Call(OPERATIONS[operation], 0, keys.shape[0])
        call.set_predicate(text.type, lib.item_bytes(keys), text.holds, text.declarations, text.parameter_type, width)
        if keys.shape[0] > 0:
            call.keys = lib.at(keys)
        if place is not None:
            call.parameter = place
        return call, read

    @same_library
    def gather(self, x: Any, indices: Any, /, *, out: Any = None) -> Any:
        """Values from where indices tell: ``result[i] = x[indices[i]]``.

        Result: `out`, or an array of the type of `x` and the shape of `indices`. An index that is negative or too large
        gives a value of zeros; nothing else tells of it.
        Memory: the result. Cost: reads each index and writes each result once.
        Errors: `x` has one axis, of values of 1, 2, 4, 8 or 16 bytes, whatever they are; indices are integers of 32 or
        64 bits; no gradient goes through.

        >>> import lanesort, numpy
        >>> lanesort.gather(numpy.array([1.5, 2.5, 3.5]), numpy.array([2, 0, 2]))
        array([3.5, 1.5, 3.5])
        """
        lib, source, places = self._taken_to_move(x, indices)
        target = self._out(lib, out)
        self._check_no_gradient(lib, _MOVED, source, target)
        if target is not None:
            if tuple(target.shape) != tuple(places.shape) or target.dtype != source.dtype:
                raise Error(
                    f"out has shape {tuple(target.shape)} and type {target.dtype}, but must have "
                    f"{tuple(places.shape)} and {source.dtype}"
                )
            lib.check_written(target, "out")
            if out is x:
                raise Error("values are gathered to another array; permute_ brings them in order where they are")
        values, order = self._direct(lib, source, -1), self._flat(lib, places)
        shape = tuple(places.shape)
        work = self._result(lib, values, target, shape or (1,), -1, None)
        if order.shape[0] > 0:
            call = self._move("gather", lib, values, values.shape[0], order)
            call.values = lib.at(values) if values.shape[0] > 0 else (0, 0)
            call.result_values = lib.at(work)
            self._run(lib, call, [values, order, work], False)
        else:
            self._ran_nothing()
        result = work if work is target or shape else lib.reshaped(work, shape)
        result = self._deliver(lib, result, source, target, -1)
        if out is not None:
            return out
        return result[()] if shape == () and isinstance(result, np.ndarray) else result

    def scatter(self, x: Any, indices: Any, /, *, out: Given) -> Given:
        """Values to where indices tell: ``out[indices[i]] = x[i]``.

        Result: `out`, an array of one axis and of the type of `x`. Its other values stay as they are; what has an index
        that is negative or too large is left out.
        Order: of values with the same index one is kept, and nobody knows which.
        Memory: none where all are contiguous. Cost: reads each index and value once.
        Errors: as `gather`; there is an index for each value.

        >>> import lanesort, numpy
        >>> lanesort.scatter(numpy.array([7, 8]), numpy.array([3, 0]), out=numpy.zeros(4, int))
        array([8, 0, 0, 7])
        """
        lib, source, places = self._taken_to_move(x, indices)
        target = self._out(lib, out)
        if target is None:
            raise Error("out= is the array that values are scattered to")
        self._check_no_gradient(lib, _MOVED, source, target)
        if tuple(places.shape) != tuple(source.shape):
            raise Error(f"there are {source.shape[0]} values, but indices of shape {tuple(places.shape)}")
        if target.ndim != 1 or target.dtype != source.dtype:
            raise Error(
                f"out has shape {tuple(target.shape)} and type {target.dtype}, but must have one axis and type {source.dtype}"
            )
        if out is x:
            raise Error("values are scattered to another array")
        work = self._in_place(lib, target, "out")
        if source.shape[0] > 0 and target.shape[0] > 0:
            values, order = self._direct(lib, source, -1), self._flat(lib, places)
            call = self._move("scatter", lib, values, target.shape[0], order)
            call.values, call.result_values = lib.at(values), lib.at(work)
            self._run(lib, call, [values, order, work], False)
        else:
            self._ran_nothing()
        self._deliver(lib, work, target, target, -1)
        return out

    def permute_(self, x: Given, indices: Any, /) -> Given:
        """Brings values into the order of indices, in place: ``x[:] = x[indices]``.

        So one `argsort` sorts any number of arrays. Result: `x`.
        Memory: a copy of the values, for the time of the call. Cost: that copy and `gather`.
        Errors: as `gather`; there is an index for each value.

        >>> import lanesort, numpy
        >>> lanesort.permute_(numpy.array([10, 30, 20]), numpy.array([0, 2, 1]))
        array([10, 20, 30])
        """
        lib, source, places = self._taken_to_move(x, indices)
        self._check_no_gradient(lib, _MOVED, source)
        target = self._out(lib, x, "x")
        if tuple(places.shape) != tuple(source.shape):
            raise Error(f"there are {source.shape[0]} values, but indices of shape {tuple(places.shape)}")
        work = self._in_place(lib, target, "x")
        if source.shape[0] > 0:
            order = self._flat(lib, places)
            call = self._move("permute", lib, work, work.shape[0], order)
            call.values, call.second_count = lib.at(work), 0
            self._run(lib, call, [work, order], False)
        else:
            self._ran_nothing()
        self._deliver(lib, work, target, target, -1)
        return x

    def _taken_to_move(self, x: Any, indices: Any) -> tuple[Arrays, Any, Any]:
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"values of one axis are moved by indices, but these have {source.ndim}")
        places = self._taken_beside(lib, indices, "indices")
        self._check_index_type(lib, places, "they are")
        self._check_moved(source)
        return lib, source, places

    def _move(self, operation: str, lib: Arrays, values: Any, count: int, order: Any) -> _core.Call:
        call = _core.Call(OPERATIONS[operation], KEY_TYPES["u32"], count)  # the type of keys, of which there are none
        call.value_bytes = self._width(lib, values)
        call.second_count = math.prod(order.shape)
        call.indices, call.index_bytes = lib.at(order), lib.item_bytes(order)
        return call

    @staticmethod
    def _width(lib: Arrays, values: Any) -> int:
        width = lib.item_bytes(values)
        if width not in VALUE_BYTES:
            raise Error(f"values have 1, 2, 4, 8 or 16 bytes, but those of type {values.dtype} have {width}")
        return width

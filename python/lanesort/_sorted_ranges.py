# SPDX-License-Identifier: MIT
"""What is done with sorted keys."""

from __future__ import annotations

import math
from typing import Any, Literal, SupportsIndex, overload

import numpy as np

from ._arrays import Arrays, taken
from ._calls import OPERATIONS, axis_from_end, counted, truth, without
from ._errors import Error
from ._sorts import Sorts
from ._types import Comparator, Runs, SortedPairs, Unique
from ._typing import ArrayT, Elements, Given, Numpy, OtherT


class SortedRanges(Sorts):
    @overload
    def merge(
        self, a: ArrayT, b: Any, /, *, values: None = None, descending: bool = ..., stable: bool = ..., out: Any = ...,
        comparator: str | Comparator | None = ...,
    ) -> ArrayT: ...  # fmt: skip
    @overload
    def merge(
        self, a: Any, b: Any, /, *, values: tuple[Any, Any] | None = ..., descending: bool = ..., stable: bool = ...,
        out: Any = ..., comparator: str | Comparator | None = ...,
    ) -> Any: ...  # fmt: skip
    def merge(
        self, a: Any, b: Any, /, *, values: tuple[Any, Any] | None = None, descending: bool = False,
        stable: bool = True, out: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Merges two sorted arrays of one axis into a third.

        Result: a new array, in the byte order of `a`, or `out`; with `values`, a pair of arrays for `a` and `b`, the pair
        of keys and values.
        Order: both must be in the order that is asked for. Equal keys come as in `sort_by_key`; those of `a` come first.
        Memory: the result, and with values and `stable` an index of 4 bytes each. Cost: one phase of a sort.

        >>> import lanesort, numpy
        >>> lanesort.merge(numpy.array([1, 4]), numpy.array([2, 3, 5]))
        array([1, 2, 3, 4, 5])
        """
        lib, first = taken(a)
        descending, stable = truth("descending", descending), truth("stable", stable)
        second = self._taken_beside(lib, b, "the second array")
        for array in (first, second):
            if array.ndim != 1:
                raise Error(f"arrays of one axis are merged, but one has {array.ndim}")
        self._check_no_gradient(lib, "a merge", first, second)
        if not self._same_type(first, second):
            raise Error(f"keys of type {first.dtype} cannot be merged with keys of type {second.dtype}")
        refusal = "values= of a merge are two arrays of one type, for the first keys and for the second"
        if values is not None and (not isinstance(values, tuple | list) or len(values) != 2):
            raise Error(refusal)
        sources = [self._taken_beside(lib, array, "values") for array in values or ()]
        if sources and not self._same_type(*sources):
            raise Error(refusal)
        for array, keys in zip(sources, (first, second), strict=False):
            if array.shape != keys.shape:
                raise Error(f"there are {keys.shape[0]} keys, but values of shape {tuple(array.shape)}")
        shape = (first.shape[0] + second.shape[0],)
        for array in sources:
            self._check_moved(array)
        outs = [self._out(lib, out)] if values is None else self._pair_out(lib, out, "keys and values")
        for array, like in zip(outs, (first, *sources[:1]), strict=True):
            if array is None:
                continue
            if tuple(array.shape) != shape or array.dtype != like.dtype:
                raise Error(f"out must have shape {shape} and type {like.dtype}")
            lib.check_written(array, "out")
        parts = [self._direct(lib, array, -1) for array in (first, second, *sources)]
        merged = [
            self._result(lib, like, array, shape, -1, None)
            for array, like in zip(outs, (first, *sources[:1]), strict=True)
        ]
        if shape[0] > 0:
            call = self._call(OPERATIONS["merge"], lib, parts[0], descending, comparator)
            both = self._call(OPERATIONS["merge"], lib, merged[0], descending, comparator)
            both.keys, both.apart, both.middle = call.keys, True, first.shape[0]
            both.second_keys = lib.at(parts[1]) if second.shape[0] else (0, 0)
            both.results = lib.at(merged[0])
            if sources:
                both.value_bytes = lib.item_bytes(sources[0])
                both.values = lib.at(parts[2]) if first.shape[0] else (0, 0)
                both.second_values = lib.at(parts[3]) if second.shape[0] else (0, 0)
                both.result_values = lib.at(merged[1])
            if stable and (sources or comparator is not None):
                both.stable = True
            self._run(lib, both, [*parts, *merged], comparator is not None)
        else:
            self._ran_nothing()
        results = [
            self._deliver(lib, work, like, array, -1)
            for work, like, array in zip(merged, (first, *sources[:1]), outs, strict=True)
        ]
        if values is None:
            return results[0] if out is None else out
        if out is not None:
            results = [result if given is None else given for result, given in zip(results, out, strict=True)]
        return SortedPairs(*results)

    @overload
    def merge_(
        self, x: Given, middle: SupportsIndex, /, *, values: None = None, descending: bool = ..., stable: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> Given: ...  # fmt: skip
    @overload
    def merge_(
        self, x: Any, middle: SupportsIndex, /, *, values: Any, descending: bool = ..., stable: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> Any: ...  # fmt: skip
    def merge_(
        self, x: Any, middle: SupportsIndex, /, *, values: Any = None, descending: bool = False, stable: bool = True,
        comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """Merges two sorted ranges that lie side by side, in place. The second begins at key `middle`.

        Result: `x`; with `values`, one for each key, the pair of both.
        Order: as `merge`. Memory: none; with values or a comparator, and `stable`, an index of 4 bytes each.
        Cost: one phase of a sort.

        >>> import lanesort, numpy
        >>> lanesort.merge_(numpy.array([1, 4, 2, 3, 5]), 2)
        array([1, 2, 3, 4, 5])
        """
        lib, source = taken(x)
        if source.ndim != 1:
            raise Error(f"arrays of one axis are merged, but this one has {source.ndim}")
        descending, stable = truth("descending", descending), truth("stable", stable)
        middle = counted("middle", middle, source.shape[0])
        sources = [source] if values is None else [source, self._values_beside(lib, values, source)]
        self._check_no_gradient(lib, "a merge", *sources)
        names = ("x", "values")
        for array, given, name in zip(sources, (x, values), names, strict=False):
            if array is not given:
                self._out(lib, given, name)
        self._check_apart(lib, *sources)
        works = [self._in_place(lib, array, name) for array, name in zip(sources, names, strict=False)]
        if middle not in (0, source.shape[0]):
            call = self._call(OPERATIONS["merge"], lib, works[0], descending, comparator)
            call.middle = middle
            if values is not None:
                call.values, call.value_bytes = lib.at(works[1]), lib.item_bytes(works[1])
            if stable and (values is not None or comparator is not None):
                call.stable = True
            self._run(lib, call, works, comparator is not None)
        else:
            self._ran_nothing()
        for work, array in zip(works, sources, strict=True):
            self._deliver(lib, work, array, array, -1)
        return x if values is None else SortedPairs(x, values)

    @overload
    def is_sorted(
        self, x: np.ndarray[Any, Any], /, *, axis: SupportsIndex = ..., descending: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> bool | Any: ...  # fmt: skip
    @overload
    def is_sorted(
        self, x: Any, /, *, axis: SupportsIndex = ..., descending: bool = ..., comparator: str | Comparator | None = ...
    ) -> Any: ...
    def is_sorted(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, comparator: str | Comparator | None = None
    ) -> Any:
        """Whether the keys along an axis are in the order that `sort` would give them.

        Result: truth values, of the shape of `x` without the axis; of one axis in host memory a bool. On a queue or
        stream it is an array, so that nothing waits; pyopencl's has 1 and 0.
        Memory: the result, and 8 bytes for each block of keys; what is not contiguous is copied.
        Cost: reads all keys once.

        >>> import lanesort, numpy
        >>> lanesort.is_sorted(numpy.array([1, 2, 2]))
        True
        >>> lanesort.is_sorted(numpy.array([[1, 2], [2, 1]]))
        array([ True, False])
        """
        lib, source, answers = self._answers(OPERATIONS["is_sorted"], x, axis, descending, comparator)
        sorted_axes = lib.truth(answers)
        if source.ndim == 1 and lib.backend == "host":
            return bool(sorted_axes[0])
        return lib.given(lib.reshaped(sorted_axes, without(source.shape, axis_from_end(source, axis))))

    @overload
    def is_sorted_until(
        self, x: np.ndarray[Any, Any], /, *, axis: SupportsIndex = ..., descending: bool = ...,
        comparator: str | Comparator | None = ...,
    ) -> int | Any: ...  # fmt: skip
    @overload
    def is_sorted_until(
        self, x: Any, /, *, axis: SupportsIndex = ..., descending: bool = ..., comparator: str | Comparator | None = ...
    ) -> Any: ...
    def is_sorted_until(
        self, x: Any, /, *, axis: SupportsIndex = -1, descending: bool = False, comparator: str | Comparator | None = None
    ) -> Any:
        """How many keys along an axis, from the first on, are in order.

        Result: integers of 64 bits (of 32 in jax without its 64-bit types), in the form of those of `is_sorted`.
        Memory, cost: as `is_sorted`.

        >>> import lanesort, numpy
        >>> lanesort.is_sorted_until(numpy.array([1, 3, 2]))
        2
        """
        lib, source, answers = self._answers(OPERATIONS["is_sorted_until"], x, axis, descending, comparator)
        if source.ndim == 1 and lib.backend == "host":
            return lib.number(answers)
        shape = without(source.shape, axis_from_end(source, axis))
        return lib.given(lib.reshaped(lib.wide(answers, "int64"), shape))

    def _answers(
        self, operation: int, x: Any, axis: SupportsIndex, descending: bool, comparator: str | Comparator | None
    ) -> tuple[Arrays, Any, Any]:
        lib, source = taken(x)
        axis = axis_from_end(source, axis)
        descending = truth("descending", descending)
        if lib.is_differentiated(source):
            source = source.detach()
        keys = self._direct(lib, source, axis)
        rows = math.prod(without(source.shape, axis))
        if math.prod(source.shape) == 0:
            if comparator is None:
                lib.key_type(keys)
            self._ran_nothing()
            return lib, source, lib.filled(source, (rows,), "int64", int(operation == OPERATIONS["is_sorted"]))
        answers = lib.empty(keys, (rows,), "int64")
        call = self._call(operation, lib, keys, descending, comparator)
        call.answers = lib.at(answers)
        self._run(lib, call, [keys, answers], comparator is not None)
        return lib, source, answers

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
    def unique(
        self, x: Any, /, *, assume_sorted: bool = False, descending: bool = False, return_counts: bool = False,
        values: Any = None, comparator: str | Comparator | None = None,
    ) -> Any:  # fmt: skip
        """The distinct keys, in order.

        Result: an array of one axis; with `return_counts` or `values`, a triple of keys, how often each comes, and the
        value of the first of equal keys; None stands for what was not asked for.
        Order: that of `sort`. Numbers are equal if all of their bits are, so -0 and +0 are two. All NaNs are equal, and
        the result has NumPy's own. Records are equal if neither comes before the other, and the first is kept.
        Memory: the results at the length of `x`, and a sorted copy unless `assume_sorted`. To make NaNs equal takes
        another copy of floating-point numbers, on the processor only if there are NaNs, and a byte for each.
        Cost: a sort unless `assume_sorted`, then two reads. Waits for the number of results. Errors: no gradient goes
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
            values = self._taken_beside(lib, values, "values")
            if values.shape != source.shape:
                raise Error(f"there are values of shape {tuple(values.shape)} for keys of {tuple(source.shape)}")
            self._check_moved(values)
        self._check_no_gradient(lib, "unique", source, values)
        likes = source, values
        keys = self._grouped(lib, self._flat(lib, source), comparator)
        if values is not None:
            values = self._flat(lib, values)
        if not assume_sorted:
            if values is None:
                keys = taken(self.sort(lib.given(keys), descending=descending, comparator=comparator))[1]
            else:
                keys, values = (
                    taken(part)[1]
                    for part in self.sort_by_key(
                        lib.given(keys), lib.given(values), descending=descending, comparator=comparator
                    )
                )
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
        self._check_no_gradient(lib, "run_lengths", source)
        keys = self._grouped(lib, self._flat(lib, source), comparator)
        return Runs(*self._runs(lib, keys, None, (source, None), True, comparator)[:2])

    def _runs(
        self, lib: Arrays, keys: Any, values: Any, likes: tuple[Any, Any], counts: bool,
        comparator: str | Comparator | None,
    ) -> tuple[Any, Any, Any]:  # fmt: skip
        """Of direct arrays, which were made of `likes`."""
        size = keys.shape[0]
        if size == 0 and comparator is None:
            lib.key_type(keys)
        index = "int64" if lib.index_bytes == 8 else "int32"
        distinct = lib.empty(keys, (size,))
        lengths = lib.empty(keys, (size,), index) if counts else None
        kept = lib.empty(values, (size,)) if values is not None else None
        number = 0
        if size > 0:
            answers = lib.empty(keys, (1,), "int64")
            call = self._call(OPERATIONS["run_lengths"] if counts else OPERATIONS["unique"], lib, keys, False, comparator)
            call.results = lib.at(distinct)
            call.answers = lib.at(answers)
            arrays = [keys, distinct, answers]
            if lengths is not None:
                call.lengths = lib.at(lengths)
                call.length_bytes = lib.item_bytes(lengths)
                arrays.append(lengths)
            if kept is not None:
                call.values, call.value_bytes = lib.at(values), lib.item_bytes(values)
                call.result_values = lib.at(kept)
                arrays += [values, kept]
            self._run(lib, call, arrays, comparator is not None)
            number = lib.number(answers)
        else:
            self._ran_nothing()
        return tuple(
            None if array is None else lib.given(lib.restored(lib.head(array, number), like))
            for array, like in ((distinct, likes[0]), (lengths, lengths), (kept, likes[1]))
        )  # type: ignore[return-value]

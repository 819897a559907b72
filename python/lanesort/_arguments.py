# SPDX-License-Identifier: MIT
"""Arguments of operations: checked, and entered in a call."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np

from . import _core
from ._arrays import KEY_TYPES, Arrays, taken
from ._errors import Error
from ._types import BinaryOperator, Comparator, comparator_text, operator_text

_OPERATIONS = {name: number for number, name in enumerate(_core.operations)}
VALUE_BYTES = frozenset((1, 2, 4, 8, 16))
_INDEX_TYPES = frozenset(KEY_TYPES[name] for name in ("u32", "i32", "u64", "i64"))
MOST = (1 << 63) - 1
_SCHEDULES = {name: number for number, name in enumerate(_core.schedules)}


def _integer(name: str, number: Any) -> int:
    """An argument that is an integer. To Python True would be 1."""
    try:
        if not isinstance(number, bool):
            return operator.index(number)
    except TypeError:
        pass
    raise TypeError(f"{name} is of type {type(number).__name__}, but must be an integer")


def truth(name: str, given: Any) -> bool:
    """An argument that is a flag. To Python "no" and 2 would be true."""
    if given is True or given is False:
        return given
    if isinstance(given, np.bool_):
        return bool(given)
    raise TypeError(f"{name} is of type {type(given).__name__}, but must be a bool")


def axis_from_end(x: Any, axis: SupportsIndex) -> int:
    """From the end: -1 is the last."""
    ndim: int = x.ndim
    if ndim == 0:
        raise Error("an array of 0 dimensions has no axis to go along")
    if type(axis) is not int:
        axis = _integer("axis", axis)
    if not -ndim <= axis < ndim:
        raise Error(f"there is no axis {axis} in an array of {ndim} dimensions")
    return axis if axis < 0 else axis - ndim


def counted(name: str, number: Any, most: int) -> int:
    whole = number if type(number) is int else _integer(name, number)
    if not 0 <= whole <= most:
        raise Error(f"{name} is {whole}, but must be from 0 to {most}")
    return whole


def as_number(what: str, number: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A number as one of that type, which it has to be one of. Only fractions are rounded, to floating-point numbers."""
    dtype = dtype.newbyteorder("=")
    try:
        with np.errstate(over="ignore"):
            result = np.asarray(number, dtype)
        if dtype.kind == "f":
            fits = math.isinf(number) or not math.isinf(result)
            if isinstance(number, int | np.integer):
                fits = float(result) == int(number)
        else:
            fits = dtype.kind not in "iub" or bool(result == number)
    except (OverflowError, TypeError, ValueError):
        fits = False
    if not fits:
        raise Error(f"{what} {number} is no number of type {dtype}")
    return result


def without(shape: Sequence[int], axis: int) -> tuple[int, ...]:
    place = len(shape) + axis
    return tuple(shape[:place]) + tuple(shape[place + 1 :])


def are_several(values: Any) -> bool:
    """Whether values are several arrays, and not one, such as a list of numbers."""
    if not isinstance(values, tuple | list):
        return False
    return not np.isscalar(values[0]) if values else isinstance(values, tuple)


def check_target(lib: Arrays, x: Any, out: Any, what: str) -> None:
    if out is not x and (out.shape != x.shape or out.dtype != x.dtype):
        raise Error(
            f"{what} has shape {tuple(out.shape)} and type {out.dtype}, but must have {tuple(x.shape)} and {x.dtype}"
        )
    lib.check_written(out, what)


def check_apart(lib: Arrays, *targets: Any) -> None:
    for first, second in itertools.combinations([target for target in targets if target is not None], 2):
        if lib.share_memory(first, second):
            raise Error("two arrays that are written to overlap in memory, but have to be apart")


def deliver(lib: Arrays, work: Any, like: Any, target: Any, axis: int, out: Any = None) -> Any:
    """A result in its place: `target`, for which the caller gave `out`, or a new array."""
    if work is target:
        lib.written(target)
    else:
        result = lib.restored(work, like)
        if axis != -1:
            result = lib.moved(result, axis)
        if target is None:
            return lib.given(result)
        lib.assign(target, result)
    return lib.given(target) if out is None else out


def deliver_in_shape(
    lib: Arrays, work: Any, like: Any, target: Any, shape: tuple[int, ...], out: Any, dtype: str | None = None
) -> Any:
    """The same in that shape, where a result without an axis is a number. If a type is named, `empty` made room for it."""
    if dtype is not None:
        work = lib.wide(work, dtype)
    shaped = work if work.ndim == len(shape) else lib.reshaped(work, shape)
    result = deliver(lib, shaped, shaped if like is None else like, target, -1, out)
    return result[()] if out is None and shape == () and isinstance(result, np.ndarray) else result


def untyped_call(operation: str, key_type: int, count: int) -> _core.Call:
    """A call on elements of which only the key type is said yet."""
    return _core.Call(_OPERATIONS[operation], key_type, count)


def new_call(
    operation: str, lib: Arrays, keys: Any, descending: bool = False, comparator: str | Comparator | None = None,
    combining: BinaryOperator | None = None,
) -> _core.Call:  # fmt: skip
    shape = keys.shape
    count = math.prod(shape)
    descends = descending is not False and truth("descending", descending)
    if combining is not None:
        call = untyped_call(operation, 0, count)
        set_operator(lib, call, keys, combining, False)
    elif comparator is None:
        call = _core.Call(_OPERATIONS[operation], lib.key_type(keys), count)
        if descends:
            call.set_descending(True)
    else:
        if descends:
            raise Error("records have the order of their comparator, so no other can be asked for")
        text = comparator_text(lib.numpy_dtype(keys), comparator)
        call = untyped_call(operation, 0, count)
        call.set_comparator(text.type, lib.item_bytes(keys), text.before, text.declarations)
    if len(shape) > 1:
        call.row_length = shape[-1]
    if count > 0:
        call.keys = lib.at(keys)
    return call


def set_operator(lib: Arrays, call: _core.Call, x: Any, combining: BinaryOperator, of_values: bool) -> None:
    text = operator_text(lib.numpy_dtype(x), combining)
    call.set_operator(
        text.type, lib.item_bytes(x), text.combine, text.identity, text.declarations, text.transform, of_values
    )


def taken_beside(lib: Arrays, x: Any, what: str) -> Any:
    other, array = taken(x)
    if other is not lib:
        raise Error(f"{what} is an array of {other.name}, but the first array is one of {lib.name}")
    return array


def out_array(lib: Arrays, out: Any, what: str = "out") -> Any:
    """An array of the caller's that is written to."""
    if out is None:
        return None
    array = taken_beside(lib, out, what)
    # What has to be copied to be seen is elsewhere each time.
    if lib.name == "numpy" and array is not out and array.size and not np.may_share_memory(array, taken(out)[1]):
        raise Error(f"{what} is of type {type(out).__name__}, which shows no memory to write to")
    return array


def same_elements(a: Any, b: Any) -> bool:
    """Whether both are of one type, in whatever byte order: each is copied to the machine's."""
    if a.dtype == b.dtype:
        return True
    return isinstance(a, np.ndarray) and bool(a.dtype.newbyteorder("=") == b.dtype.newbyteorder("="))


def values_beside(lib: Arrays, values: Any, keys: Any) -> Any:
    """An array with one value for each key."""
    array = taken_beside(lib, values, "values")
    if array.shape != keys.shape:
        raise Error(
            f"the values have shape {tuple(array.shape)}, but the keys have {tuple(keys.shape)}; there must be one "
            "for each key"
        )
    check_moved(array)
    return array


def pair_out(lib: Arrays, out: Any, what: str) -> tuple[Any, Any]:
    """Two arrays of the caller's, either of which may be None."""
    if out is None:
        return None, None
    if not isinstance(out, tuple | list) or len(out) != 2:
        raise Error(f"out= is a pair of arrays, for {what}")
    first, second = (out_array(lib, array) for array in out)
    check_apart(lib, first, second)
    return first, second


def check_moved(values: Any) -> None:
    """Raises Error for values that are more than their bytes."""
    if isinstance(values, np.ndarray) and values.dtype.hasobject:
        raise Error("values that are Python's objects cannot be moved; move their indices")


def moved_width(lib: Arrays, values: Any) -> int:
    width = lib.item_bytes(values)
    if width not in VALUE_BYTES:
        raise Error(f"values have 1, 2, 4, 8 or 16 bytes, but those of type {values.dtype} have {width}")
    return width


def check_index_type(lib: Arrays, indices: Any, what: str = "out is") -> None:
    try:
        is_index = lib.key_type(indices) in _INDEX_TYPES
    except Error:  # a type of which there are no keys
        is_index = False
    if not is_index:
        raise Error(f"indices are integers of 32 or 64 bits, but {what} of type {indices.dtype}")


def index_out(lib: Arrays, out: Any, shape: tuple[int, ...]) -> Any:
    """An array of the caller's for indices or counts."""
    target = out_array(lib, out)
    if target is not None:
        if tuple(target.shape) != shape:
            raise Error(f"out has shape {tuple(target.shape)}, but must have {shape}")
        check_index_type(lib, target)
        lib.check_written(target, "out")
    return target


def typed_out(lib: Arrays, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """An array of the caller's for results of that type, in whatever byte order."""
    target = out_array(lib, out)
    if target is not None:
        kind = lib.numpy_dtype(target)
        if tuple(target.shape) != shape or kind.newbyteorder("=") != dtype:
            raise Error(f"out has shape {tuple(target.shape)} and type {kind}, but must have {shape} and {dtype}")
        lib.check_written(target, "out")
    return target


def place_segments(lib: Arrays, call: _core.Call, keys: Any, segments: Any) -> list[Any]:
    """Gives the arrays that the call reads besides."""
    if segments is None:
        return []
    if keys.ndim != 1:
        raise Error(f"segments are parts of an array of one dimension, but this one has {keys.ndim}")
    other, offsets = taken(segments)
    if math.prod(offsets.shape) > 0 and other.numpy_dtype(offsets).kind not in "iu":
        raise Error(f"the offsets of segments are of type {offsets.dtype}, but must be integers")
    if other.backend == "host":
        offsets = other.seen(offsets)
        if offsets.ndim != 1 or offsets.size == 0:
            raise Error("segments are given by where each begins, and where the last one ends")
        if offsets[0] < 0:
            raise Error(f"the first segment begins at key {offsets[0]}, but keys count from 0")
        end = int(offsets[-1])
        if offsets.dtype.kind == "u" and offsets.dtype.itemsize == 8:  # the largest would become negative
            offsets = np.minimum(offsets, np.uint64(MOST))
        offsets = np.ascontiguousarray(offsets, np.int64)
        lengths = np.diff(offsets)
        if lengths.size and lengths.min() < 0:
            raise Error("the offsets of segments do not ascend")
        if end > keys.shape[0]:
            raise Error(
                f"the last segment ends at key {end}, but there are {keys.shape[0]}", code="out_of_range"
            )
        call.longest = max(int(lengths.max(initial=0)), 1)
        offsets = lib.upload(offsets, keys)
    elif other is not lib or offsets.ndim != 1 or not lib.is_direct(offsets):
        raise Error("the offsets of segments lie elsewhere than the keys, or are no contiguous array of one axis")
    else:
        check_index_type(lib, offsets, "the offsets of segments are")
    call.segments = offsets.shape[0] - 1
    call.offset_bytes = lib.item_bytes(offsets)
    if call.longest == 0:
        call.longest = keys.shape[0]
    call.segment_offsets = lib.at(offsets)
    return [offsets]


def covers_all(segments: Any, count: int) -> bool:
    """Whether segments are known to have all keys between them: those whose offsets lie in host memory."""
    lib, offsets = taken(segments)
    is_list = lib.backend == "host" and offsets.ndim == 1 and offsets.shape[0] > 0 and offsets.dtype.kind in "iu"
    return is_list and bool(offsets[0] == 0) and bool(offsets[-1] == count)


def check_no_gradient(lib: Arrays, what: str, *arrays: Any) -> None:
    if any(array is not None and lib.is_differentiated(array) for array in arrays):
        raise Error(f"no gradient goes through {what}; detach the arrays")


def choose_way(call: _core.Call, schedule: str, data_independent: bool, extra_bytes: SupportsIndex) -> None:
    """What the caller says of how it is to be sorted."""
    if type(schedule) is not str or schedule != "automatic":
        if not isinstance(schedule, str) or schedule not in _SCHEDULES:
            raise Error(f"there is no schedule {schedule!r}, only {', '.join(_SCHEDULES)}")
        call.schedule = _SCHEDULES[schedule]
    if data_independent is not False and truth("data_independent", data_independent):
        call.data_independent = True
    if type(extra_bytes) is not int or extra_bytes != 0:
        call.extra_bytes = counted("extra_bytes", extra_bytes, MOST)

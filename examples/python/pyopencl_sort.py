#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sorts a PyOpenCL array in place, on its own queue, through lanesort's C interface.

    python3 pyopencl_sort.py /path/to/liblanesort_c.so

Needs python3-pyopencl. Nothing is copied: lanesort works in the array's own buffer, and the host waits once, for the
check.
"""
import ctypes
import sys

import numpy
import pyopencl
import pyopencl.array

# lanesort_key_type and lanesort_order of lanesort/lanesort.h; its operation 0 is the sort.
KEY_TYPES = {"uint8": 1, "int8": 2, "uint16": 3, "int16": 4, "uint32": 5, "int32": 6, "uint64": 7, "int64": 8,
             "float16": 9, "float32": 10, "float64": 11}
ASCENDING, DESCENDING = 1, 2


class Segments(ctypes.Structure):
    """lanesort_segments"""
    _fields_ = [("memory", ctypes.c_void_p), ("offset", ctypes.c_size_t), ("count", ctypes.c_size_t),
                ("longest", ctypes.c_size_t), ("bytes", ctypes.c_size_t)]


class Values(ctypes.Structure):
    """lanesort_values"""
    _fields_ = [("memory", ctypes.c_void_p), ("offset", ctypes.c_size_t), ("bytes", ctypes.c_size_t)]


class Place(ctypes.Structure):
    """lanesort_place"""
    _fields_ = [("memory", ctypes.c_void_p), ("offset", ctypes.c_size_t)]


class Request(ctypes.Structure):
    """lanesort_request"""
    _fields_ = [("operation", ctypes.c_int32), ("memory", ctypes.c_void_p), ("offset", ctypes.c_size_t),
                ("count", ctypes.c_size_t), ("type", ctypes.c_int32), ("order", ctypes.c_int32),
                ("comparator", ctypes.c_void_p), ("predicate", ctypes.c_void_p), ("row_length", ctypes.c_size_t),
                ("segments", Segments), ("in_place", ctypes.c_int32), ("apart", ctypes.c_int32),
                ("limited", ctypes.c_int32), ("nan_last", ctypes.c_int32), ("stable", ctypes.c_int32),
                ("schedule", ctypes.c_int32), ("data_independent", ctypes.c_int32), ("reduction", ctypes.c_int32),
                ("extra_bytes", ctypes.c_uint64), ("first", ctypes.c_size_t), ("k", ctypes.c_size_t),
                ("middle", ctypes.c_size_t), ("values", Values), ("second", Place), ("second_values", Place),
                ("indices", Values), ("lengths", Values), ("results", Place), ("result_values", Place),
                ("answers", Place), ("limit", Place), ("flags", Place), ("parameter", Place),
                ("inverted", ctypes.c_int32), ("second_count", ctypes.c_size_t), ("bins", ctypes.c_size_t),
                ("bounded", ctypes.c_int32), ("lower", ctypes.c_uint64), ("upper", ctypes.c_uint64),
                ("value_type", ctypes.c_int32), ("binary_operator", ctypes.c_void_p)]


class Lanesort:
    """The functions of liblanesort_c that this program uses; each raises RuntimeError where its status is not 0."""

    def __init__(self, path):
        self._library = ctypes.CDLL(path)
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._declare("lanesort_opencl_create", ctypes.POINTER(pointer), pointer, pointer, pointer)
        self._declare("lanesort_opencl_enqueue", pointer, pointer, ctypes.POINTER(Request), size,
                      ctypes.POINTER(pointer), ctypes.POINTER(pointer))
        self._library.lanesort_last_error.restype = ctypes.c_char_p
        self._library.lanesort_version.restype = ctypes.c_char_p
        self._library.lanesort_destroy.argtypes = [pointer]
        self._library.lanesort_destroy.restype = None

    def _declare(self, name, *arguments):
        function = getattr(self._library, name)
        function.argtypes = arguments
        function.restype = ctypes.c_int32
        function.errcheck = self._raise

    def _raise(self, status, function, arguments):
        if status != 0:
            raise RuntimeError(self._library.lanesort_last_error().decode())

    @property
    def version(self):
        return self._library.lanesort_version().decode()

    def sorter(self, queue):
        """A sorter in the queue's context, for the queue's device."""
        handle = ctypes.c_void_p()
        self._library.lanesort_opencl_create(ctypes.byref(handle), queue.context.int_ptr, queue.device.int_ptr, None)
        return Sorter(self._library, handle)


class Sorter:
    """Use it in a `with` statement, which destroys it at its end."""

    def __init__(self, library, handle):
        self._library, self._handle = library, handle

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._library.lanesort_destroy(self._handle)

    def sort(self, array, order=ASCENDING, rows=False, wait_for=()):
        """Enqueues the sort of a contiguous pyopencl.array.Array on its queue, and gives the event of its end. With
        `rows`, each row of the last axis is sorted by itself."""
        if not array.flags.c_contiguous:
            raise ValueError("the array is not contiguous, row after row")
        request = Request(memory=array.base_data.int_ptr, offset=array.offset // array.dtype.itemsize,
                          count=array.size, type=KEY_TYPES[array.dtype.name], order=order,
                          row_length=array.shape[-1] if rows else 0)
        waits = [event.int_ptr for event in (*array.events, *wait_for)]
        finished = ctypes.c_void_p()
        self._library.lanesort_opencl_enqueue(self._handle, array.queue.int_ptr, request, len(waits),
                                              (ctypes.c_void_p * len(waits))(*waits), ctypes.byref(finished))
        event = pyopencl.Event.from_int_ptr(finished.value, retain=False)
        array.add_event(event)  # so that PyOpenCL's own commands on the array wait for the sort
        return event


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        context = pyopencl.create_some_context(interactive=False)
    except (pyopencl.Error, RuntimeError) as missing:
        sys.exit(f"pyopencl_sort: there is no OpenCL device: {missing}")
    queue = pyopencl.CommandQueue(context)
    lanesort = Lanesort(sys.argv[1])
    random = numpy.random.default_rng(1)
    numbers = random.standard_normal(500_000, dtype=numpy.float32)
    table = random.integers(0, 1000, (200, 321), dtype=numpy.int64)

    with lanesort.sorter(queue) as sorter:
        array = pyopencl.array.to_device(queue, numbers)
        sorter.sort(array)
        part = array[1000:2000]  # in the middle of the same buffer
        sorter.sort(part, DESCENDING)
        rows = pyopencl.array.to_device(queue, table)
        sorter.sort(rows, rows=True)

        expected = numpy.sort(numbers)
        expected[1000:2000] = expected[1000:2000][::-1].copy()
        right = numpy.array_equal(array.get(), expected) and numpy.array_equal(rows.get(), numpy.sort(table))
        try:
            sorter.sort(pyopencl.array.to_device(pyopencl.CommandQueue(pyopencl.Context([queue.device])), numbers))
            right = False
        except RuntimeError as refused:
            print(f"an array of another context is refused: {refused}")

    print(f"lanesort {lanesort.version}, {queue.device.name}: "
          f"{'sorted, and nothing else touched' if right else 'WRONG'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

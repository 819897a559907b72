# SPDX-License-Identifier: MIT
"""Texts for the compiler of a device, and plans: what calls are given and give besides arrays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._errors import Error

__all__ = ["BinaryOperator", "Command", "Comparator", "Plan", "Predicate"]

_C_TYPES = {
    np.dtype(numpy_name): c_name
    for numpy_name, c_name in {
        "bool": "uchar", "u1": "uchar", "i1": "char", "u2": "ushort", "i2": "short", "u4": "uint", "i4": "int",
        "u8": "ulong", "i8": "long", "f4": "float", "f8": "double",
    }.items()
}  # fmt: skip


class Comparator(NamedTuple):
    """An order of your own, as text for the device's compiler: OpenCL C 1.2 or CUDA C++.

    A plain text given as ``comparator=`` is `before`; the type is then made of the array's: a struct with the fields of
    a numpy record type. The order must be strict and weak. It is code, to be trusted as such.
    """

    before: str
    """An expression of ``a`` and ``b``: whether a comes before b."""
    type: str
    """The name of their type."""
    declarations: str = ""
    """What comes before it: the type's definition, functions."""


class Predicate(NamedTuple):
    """Which elements are wanted, as text for the device's compiler, as an order is of `Comparator`.

    A plain text given in its place is `holds`; the types are then made of the arrays'.
    """

    holds: str
    """An expression of ``a``, and of ``p``, its parameter: whether a is wanted."""
    type: str
    """The name of the elements' type."""
    declarations: str = ""
    """What comes before it: the types' definitions, functions."""
    parameter_type: str = ""
    """The name of the parameter's type; empty: it has none."""


class BinaryOperator(NamedTuple):
    """What two elements are combined to, as text for the device's compiler, as an order is of `Comparator`.

    Elements are numbers, records, or anything else of up to 64 bytes, and so is what they are combined to. The operator
    must be associative, as far as its results are to mean something, but need not be commutative: ``a`` is always of
    elements in front of those of ``b``.
    """

    combine: str
    """An expression of ``a`` and ``b``: what a, then b, are combined to."""
    identity: str
    """An expression: what no elements are combined to."""
    type: str = ""
    """The name of the elements' type. Empty: that of the array; a numpy record type is defined in front of the
    declarations as ``lanesort_python_record``."""
    declarations: str = ""
    """What comes before the expressions: the type's definition, functions."""
    transform: str = ""
    """Of two arrays: an expression of ``a`` and ``b``, what one element of each becomes. Empty: none."""


class Command(NamedTuple):
    """One command of a call. Each begins when the one before it has ended."""

    name: str
    """Of the kernel; or "copy", or "zero"."""
    groups: int
    """Work-groups of a kernel."""
    work_items: int
    """Of a work-group."""
    bytes: int
    """That are copied or zeroed."""


class Plan(NamedTuple):
    """What a call enqueues, known before it runs."""

    commands: tuple[Command, ...]
    """In order."""
    report: dict[str, Any]
    """Launches, synchronisations and device memory, as Sorter.report, without times."""


def check_texts(what: str, *texts: Any) -> None:
    """Raises Error for what the library cannot be given as a text."""
    for text in texts:
        try:
            text.encode()
        except (AttributeError, UnicodeEncodeError):
            raise Error(f"{what}: {text!r} is no text") from None
        if "\0" in text:
            raise Error(f"{what}: {text!r} has the character 0, which ends a text")


def comparator_text(dtype: np.dtype[Any], comparator: str | Comparator) -> Comparator:
    if isinstance(comparator, Comparator):
        check_texts("comparator", *comparator)
        return comparator
    if not isinstance(comparator, str):
        raise Error(f"a comparator is a text or a lanesort.Comparator, not of type {type(comparator).__name__}")
    check_texts("comparator", comparator)
    return Comparator(comparator, *_type_of(dtype, "record", "a lanesort.Comparator"))


def predicate_text(dtype: np.dtype[Any], predicate: str | Predicate, parameter: np.dtype[Any] | None) -> Predicate:
    if isinstance(predicate, Predicate):
        check_texts("predicate", *predicate)
        return predicate
    check_texts("predicate", predicate)
    name, declarations = _type_of(dtype, "record", "a lanesort.Predicate")
    if parameter is None:
        return Predicate(predicate, name, declarations)
    parameter_type, more = _type_of(parameter, "parameter", "a lanesort.Predicate")
    return Predicate(predicate, name, declarations + more, parameter_type)


def operator_text(dtype: np.dtype[Any], combining: BinaryOperator) -> BinaryOperator:
    check_texts("operator", *combining)
    if dtype.hasobject:
        raise Error("Python's objects cannot be combined by an operator")
    if combining.type:
        return combining
    name, declarations = _type_of(dtype, "record", "the operator a type")
    return combining._replace(type=name, declarations=declarations + combining.declarations)


def _type_of(dtype: np.dtype[Any], what: str, instead: str) -> tuple[str, str]:
    """The name of C's type for a numpy type, and its definition, if it has fields."""
    if dtype.names is None:
        if dtype not in _C_TYPES:
            raise Error(f"no type of C is known for the type {dtype}; give {instead}")
        return _C_TYPES[dtype], ""
    fields, end, widest = [], 0, 1
    assert dtype.fields is not None
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        if field not in _C_TYPES or not name.isidentifier() or not name.isascii():
            raise Error(f"no type of C is known for the field {name} of type {field}; give {instead}")
        if offset != -(-end // field.itemsize) * field.itemsize:
            raise Error(f"the field {name} is not where C has it; make the type with numpy.dtype(.., align=True)")
        end, widest = offset + field.itemsize, max(widest, field.itemsize)
        fields.append(f"{_C_TYPES[field]} {name};")
    if dtype.itemsize != -(-end // widest) * widest:
        raise Error("the records have other bytes than C gives them; make the type with numpy.dtype(.., align=True)")
    kind = f"lanesort_python_{what}"
    return kind, f"typedef struct {{ {' '.join(fields)} }} {kind};"

# SPDX-License-Identifier: MIT
"""What a type checker is told of results, which are of the library that the array came from.

What numpy's type of an array says of its elements is only said of a result that has the same. A list, or a column of
pandas, becomes an array of numpy's, and so its type is not that of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

if TYPE_CHECKING:
    # With a default, so that the plain name of a result goes on to be a type; Python has that from 3.13 on.
    from typing_extensions import TypeVar as WithDefault

    First = WithDefault("First", default=Any)
    Second = WithDefault("Second", default=Any)
    Third = WithDefault("Third", default=Any)
else:
    First, Second, Third = TypeVar("First"), TypeVar("Second"), TypeVar("Third")

P = ParamSpec("P")
S = TypeVar("S")
T = TypeVar("T", covariant=True)
Given = TypeVar("Given")
"""What is changed in place, and given back."""


class Array(Protocol):
    """An array of a library whose results are of the same type. pandas, polars and xarray have no `itemsize`."""

    @property
    def dtype(self) -> Any: ...
    @property
    def itemsize(self) -> Any: ...


ArrayT = TypeVar("ArrayT", bound=Array)
OtherT = TypeVar("OtherT", bound=Array)
Numpy = np.ndarray[Any, Any]
Elements = TypeVar("Elements", bound=np.dtype[Any])


class Method(Protocol[T]):
    def __get__(self, instance: object, owner: type | None = None) -> T: ...


class _SameType(Protocol[P]):
    @overload
    def __call__(self, x: ArrayT, /, *args: P.args, **options: P.kwargs) -> ArrayT: ...
    @overload
    def __call__(self, x: Any, /, *args: P.args, **options: P.kwargs) -> Any: ...


class _SameLibrary(Protocol[P]):
    @overload
    def __call__(self, x: Numpy, /, *args: P.args, **options: P.kwargs) -> Numpy: ...
    @overload
    def __call__(self, x: ArrayT, /, *args: P.args, **options: P.kwargs) -> ArrayT: ...
    @overload
    def __call__(self, x: Any, /, *args: P.args, **options: P.kwargs) -> Any: ...


def same_type(method: Callable[Concatenate[S, Any, P], Any]) -> Method[_SameType[P]]:
    """The result is an array of the type of the first one."""
    return cast("Method[_SameType[P]]", method)


def same_library(method: Callable[Concatenate[S, Any, P], Any]) -> Method[_SameLibrary[P]]:
    """The result is an array of the library of the first one, but may have other elements."""
    return cast("Method[_SameLibrary[P]]", method)

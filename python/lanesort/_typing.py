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
    from ._types import Groups, SortedPairs, TopK

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


class _Method(Protocol[T]):
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


class _SamePair(Protocol[P]):
    @overload
    def __call__(
        self, keys: ArrayT, values: OtherT, /, *args: P.args, **options: P.kwargs
    ) -> SortedPairs[ArrayT, OtherT]: ...
    @overload
    def __call__(
        self, keys: ArrayT, values: Any, /, *args: P.args, **options: P.kwargs
    ) -> SortedPairs[ArrayT, Any]: ...
    @overload
    def __call__(self, keys: Any, values: Any, /, *args: P.args, **options: P.kwargs) -> SortedPairs[Any, Any]: ...


class _Best(Protocol[P]):
    @overload
    def __call__(
        self, x: np.ndarray[Any, Elements], /, *args: P.args, **options: P.kwargs
    ) -> TopK[np.ndarray[Any, Elements], Numpy]: ...
    @overload
    def __call__(self, x: ArrayT, /, *args: P.args, **options: P.kwargs) -> TopK[ArrayT, ArrayT]: ...
    @overload
    def __call__(self, x: Any, /, *args: P.args, **options: P.kwargs) -> TopK[Any, Any]: ...


class _Grouped(Protocol[P]):
    @overload
    def __call__(
        self, keys: ArrayT, values: Numpy, /, *args: P.args, **options: P.kwargs
    ) -> Groups[ArrayT, Numpy]: ...
    @overload
    def __call__(
        self, keys: ArrayT, values: OtherT, /, *args: P.args, **options: P.kwargs
    ) -> Groups[ArrayT, OtherT]: ...
    @overload
    def __call__(self, keys: Any, values: Any, /, *args: P.args, **options: P.kwargs) -> Groups[Any, Any]: ...


def same_type(method: Callable[Concatenate[S, Any, P], Any]) -> _Method[_SameType[P]]:
    """The result is an array of the type of the first one."""
    return cast("_Method[_SameType[P]]", method)


def same_library(method: Callable[Concatenate[S, Any, P], Any]) -> _Method[_SameLibrary[P]]:
    """The result is an array of the library of the first one, but may have other elements."""
    return cast("_Method[_SameLibrary[P]]", method)


def same_pair(method: Callable[Concatenate[S, Any, Any, P], Any]) -> _Method[_SamePair[P]]:
    """The results are a pair of the types of the first two arrays."""
    return cast("_Method[_SamePair[P]]", method)


def best(method: Callable[Concatenate[S, Any, P], Any]) -> _Method[_Best[P]]:
    """The results are keys of the first array and their indices."""
    return cast("_Method[_Best[P]]", method)


def grouped(method: Callable[Concatenate[S, Any, Any, P], Any]) -> _Method[_Grouped[P]]:
    """The results are keys of the first array and, of the library of the second, what was made of its groups."""
    return cast("_Method[_Grouped[P]]", method)

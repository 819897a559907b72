# SPDX-License-Identifier: MIT
"""What goes wrong, and how it is told."""

from . import _core


class Error(RuntimeError):
    """The one exception of this package; its text is a sentence for a person.

    Attributes:
        code: what kind of thing went wrong, as a word: ``"invalid_argument"``, ``"out_of_memory"``, ``"no_device"`` ..
        call: the device call that failed, by name; empty where none was made.
        status: its numeric status, or 0.
        build_log: the log of the device's compiler, where it refused a kernel; else empty.

    >>> import lanesort
    >>> lanesort.sort(["b", "a"])
    Traceback (most recent call last):
    lanesort._errors.Error: elements of type <U1 cannot be sorted, reduced or scanned; those that can are bool, integers \
of 8 to 64 bits, float16, float32, float64 and, with a comparator or an operator, records
    """

    def __init__(
        self, sentence: str, *, code: str = "invalid_argument", call: str = "", status: int = 0, build_log: str = ""
    ) -> None:
        lines = [line.strip() for line in build_log.splitlines() if line.strip()]
        if lines:
            sentence += ": " + next((line for line in lines if "error" in line.lower()), lines[0])
        super().__init__(sentence)
        self.code = code
        self.call = call
        self.status = status
        self.build_log = build_log


_core.set_error_type(Error)


def wrong_type(dtype: object) -> Error:
    """For elements of that type."""
    hint = "; leave out None and what else is no number" if str(dtype) == "object" else ""
    return Error(
        f"elements of type {dtype} cannot be sorted, reduced or scanned; those that can are bool, integers of 8 to 64 bits, "
        f"float16, float32, float64 and, with a comparator or an operator, records{hint}"
    )

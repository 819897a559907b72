"""The library itself, for the package's own use."""

from collections.abc import Sequence
from typing import Any


version: str

def set_error_type(arg: object, /) -> None: ...

operations: tuple[str, ...]

key_types: tuple[str, ...]

schedules: tuple[str, ...]

class Device:
    """A device that sorts, as devices() and find_device() give it."""

    @property
    def backend(self) -> str:
        """"CUDA", "OpenCL", or "CPU", the built-in one."""

    @property
    def platform(self) -> str:
        """The implementation."""

    @property
    def name(self) -> str:
        """Its name, as the driver gives it."""

    @property
    def vendor(self) -> str:
        """Who made it, as the driver gives it."""

    @property
    def version(self) -> str:
        """Of the device, as the driver gives it."""

    @property
    def driver(self) -> str:
        """The driver's version."""

    @property
    def compute_units(self) -> int:
        """Cores, or multiprocessors."""

    @property
    def global_bytes(self) -> int:
        """All of its memory."""

    @property
    def max_allocation_bytes(self) -> int:
        """Of it, in one array."""

    @property
    def host_unified_memory(self) -> bool:
        """It sorts host memory without a copy."""

    @property
    def compiles(self) -> bool:
        """It compiles kernels, which comparators need."""

    @property
    def kind(self) -> str:
        """"cpu", "gpu" or "other"."""

    def __repr__(self) -> str: ...

def report_of_nothing() -> dict[str, Any]: ...

def discover() -> tuple[list[str], list[Device], list[str]]: ...

def built_in_device() -> Device: ...

def find_device(selector: str = '') -> Device: ...

def examine() -> tuple[list[tuple[str, str, str, str]], int, int]: ...

def address(arg: object, /) -> int: ...

class Call:
    def __init__(self, operation: int, key_type: int, count: int) -> None: ...

    @property
    def count(self) -> int: ...

    @property
    def stable(self) -> bool: ...

    @stable.setter
    def stable(self, arg: bool, /) -> None: ...

    @property
    def in_place(self) -> bool: ...

    @in_place.setter
    def in_place(self, arg: bool, /) -> None: ...

    @property
    def apart(self) -> bool: ...

    @apart.setter
    def apart(self, arg: bool, /) -> None: ...

    @property
    def row_length(self) -> int: ...

    @row_length.setter
    def row_length(self, arg: int, /) -> None: ...

    @property
    def segments(self) -> int: ...

    @segments.setter
    def segments(self, arg: int, /) -> None: ...

    @property
    def longest(self) -> int: ...

    @longest.setter
    def longest(self, arg: int, /) -> None: ...

    @property
    def middle(self) -> int: ...

    @middle.setter
    def middle(self, arg: int, /) -> None: ...

    @property
    def first(self) -> int: ...

    @first.setter
    def first(self, arg: int, /) -> None: ...

    @property
    def offset_bytes(self) -> int: ...

    @offset_bytes.setter
    def offset_bytes(self, arg: int, /) -> None: ...

    @property
    def value_bytes(self) -> int: ...

    @value_bytes.setter
    def value_bytes(self, arg: int, /) -> None: ...

    @property
    def value_type(self) -> int: ...

    @value_type.setter
    def value_type(self, arg: int, /) -> None: ...

    @property
    def index_bytes(self) -> int: ...

    @index_bytes.setter
    def index_bytes(self, arg: int, /) -> None: ...

    @property
    def length_bytes(self) -> int: ...

    @length_bytes.setter
    def length_bytes(self, arg: int, /) -> None: ...

    @property
    def data_independent(self) -> bool: ...

    @data_independent.setter
    def data_independent(self, arg: bool, /) -> None: ...

    @property
    def extra_bytes(self) -> int: ...

    @extra_bytes.setter
    def extra_bytes(self, arg: int, /) -> None: ...

    @property
    def schedule(self) -> int: ...

    @schedule.setter
    def schedule(self, arg: int, /) -> None: ...

    @property
    def reduction(self) -> int: ...

    @reduction.setter
    def reduction(self, arg: int, /) -> None: ...

    @property
    def limited(self) -> bool: ...

    @limited.setter
    def limited(self, arg: bool, /) -> None: ...

    @property
    def nan_last(self) -> bool: ...

    @nan_last.setter
    def nan_last(self, arg: bool, /) -> None: ...

    @property
    def inverted(self) -> bool: ...

    @inverted.setter
    def inverted(self, arg: bool, /) -> None: ...

    @property
    def second_count(self) -> int: ...

    @second_count.setter
    def second_count(self, arg: int, /) -> None: ...

    @property
    def bins(self) -> int: ...

    @bins.setter
    def bins(self, arg: int, /) -> None: ...

    @property
    def bounded(self) -> bool: ...

    @bounded.setter
    def bounded(self, arg: bool, /) -> None: ...

    @property
    def lower(self) -> int: ...

    @lower.setter
    def lower(self, arg: int, /) -> None: ...

    @property
    def upper(self) -> int: ...

    @upper.setter
    def upper(self, arg: int, /) -> None: ...

    def set_narrow_indices(self, arg0: int, arg1: int, /) -> None: ...

    def set_descending(self, arg: bool, /) -> None: ...

    def set_comparator(self, arg0: str, arg1: int, arg2: str, arg3: str, /) -> None: ...

    def set_predicate(self, arg0: str, arg1: int, arg2: str, arg3: str, arg4: str, arg5: int, /) -> None: ...

    def set_operator(self, type: str, bytes: int, combine: str, identity: str, declarations: str, transform: str, of_values: bool) -> None: ...

    @property
    def keys(self) -> tuple[int, int]: ...

    @keys.setter
    def keys(self, arg: tuple[int, int], /) -> None: ...

    @property
    def values(self) -> tuple[int, int]: ...

    @values.setter
    def values(self, arg: tuple[int, int], /) -> None: ...

    @property
    def second_keys(self) -> tuple[int, int]: ...

    @second_keys.setter
    def second_keys(self, arg: tuple[int, int], /) -> None: ...

    @property
    def second_values(self) -> tuple[int, int]: ...

    @second_values.setter
    def second_values(self, arg: tuple[int, int], /) -> None: ...

    @property
    def indices(self) -> tuple[int, int]: ...

    @indices.setter
    def indices(self, arg: tuple[int, int], /) -> None: ...

    @property
    def segment_offsets(self) -> tuple[int, int]: ...

    @segment_offsets.setter
    def segment_offsets(self, arg: tuple[int, int], /) -> None: ...

    @property
    def results(self) -> tuple[int, int]: ...

    @results.setter
    def results(self, arg: tuple[int, int], /) -> None: ...

    @property
    def result_values(self) -> tuple[int, int]: ...

    @result_values.setter
    def result_values(self, arg: tuple[int, int], /) -> None: ...

    @property
    def lengths(self) -> tuple[int, int]: ...

    @lengths.setter
    def lengths(self, arg: tuple[int, int], /) -> None: ...

    @property
    def answers(self) -> tuple[int, int]: ...

    @answers.setter
    def answers(self, arg: tuple[int, int], /) -> None: ...

    @property
    def limit(self) -> tuple[int, int]: ...

    @limit.setter
    def limit(self, arg: tuple[int, int], /) -> None: ...

    @property
    def flags(self) -> tuple[int, int]: ...

    @flags.setter
    def flags(self, arg: tuple[int, int], /) -> None: ...

    @property
    def parameter(self) -> tuple[int, int]: ...

    @parameter.setter
    def parameter(self, arg: tuple[int, int], /) -> None: ...

class Sorter:
    def __init__(self, device: Device, device_bytes: int = 0) -> None: ...

    @staticmethod
    def cuda(arg: int, /) -> Sorter: ...

    @staticmethod
    def opencl(arg0: int, arg1: int, /) -> Sorter: ...

    def run(self, arg: Call, /) -> None: ...

    def run_on_ranks(self, arg0: Call, arg1: object, arg2: int, /) -> None: ...

    def enqueue_on_ranks(self, arg0: Call, arg1: object, arg2: int, arg3: int, arg4: bool, /) -> None: ...

    def enqueue(self, call: Call, queue: int, wait_for: Sequence[int] = []) -> int: ...

    def prepare(self, arg: Call, /) -> None: ...

    def release(self) -> None: ...

    def commands_of(self, arg0: Call, arg1: bool, /) -> tuple[list[tuple[str, int, int, int]], dict[str, Any]]: ...

    @property
    def report(self) -> dict[str, Any]: ...

    @property
    def backend(self) -> str: ...

    @property
    def device_name(self) -> str: ...

    @property
    def note(self) -> str: ...

def cuda_device_of(arg: int, /) -> int: ...

def refuse_on_ranks(arg0: object, arg1: str, arg2: str, /) -> None: ...

class Recorded:
    def __init__(self, sorter: object, call: Call, queue: int) -> None: ...

    def enqueue(self, wait_for: Sequence[int] = []) -> int: ...

    @property
    def is_replayed(self) -> bool: ...

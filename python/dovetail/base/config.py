"""Settings: process-wide values that a thread can override for the length of a `with` block."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable
from typing import Any, NamedTuple

from dovetail.base import spans
from dovetail.base.setting import Fixed as Fixed
from dovetail.base.setting import Option as Option
from dovetail.base.setting import Override as _Override
from dovetail.base.setting import changed as changed
from dovetail.base.setting import on_change as on_change
from dovetail.base.setting import options as _options
from dovetail.base.setting import state as state

enable_x64 = Option(
    "enable_x64", False, "Keep 64-bit element types; without it they are truncated to 32 bits."
)
explicit_x64_dtypes = Option(
    "explicit_x64_dtypes",
    "warn",
    "What to do without `enable_x64` when a 64-bit element type is asked for by name: 'warn' and "
    "truncate it, 'error', or 'allow' it.",
    choices=("warn", "error", "allow"),
)
numpy_dtype_promotion = Option(
    "numpy_dtype_promotion",
    "standard",
    "Whether arrays of different element types promote implicitly; 'strict' refuses all but weak "
    "scalars.",
    choices=("standard", "strict"),
)
numpy_rank_promotion = Option(
    "numpy_rank_promotion",
    "allow",
    "What to do when arrays of different ranks are broadcast together.",
    choices=("allow", "warn", "raise"),
)
allow_f16_reductions = Option(
    "allow_f16_reductions",
    True,
    "Let `lax.reduce_sum` add numbers of float16 and bfloat16, whose sum keeps few digits.",
)
default_matmul_precision = Option(
    "default_matmul_precision",
    None,
    "The least precision of matrix products. All are computed with the precision of their element "
    "type, which meets any.",
    choices=(None, "default", "high", "highest", "bfloat16", "tensorfloat32", "float32"),
)


class _DisableJit(Option[bool]):
    """The setting of that name, whose value JAX calls `disable`."""

    def __call__(self, disable: Any = True) -> _Override:
        """Override the value for the length of a `with` block or a call."""
        return super().__call__(disable)


disable_jit = _DisableJit("disable_jit", False, "Call jitted functions as plain Python.")
debug_nans = Option(
    "debug_nans", False, "Raise FloatingPointError where an op, compiled or not, gives NaN."
)
debug_infs = Option(
    "debug_infs", False, "Raise FloatingPointError where an op, compiled or not, gives infinity."
)
check_tracer_leaks = Option(
    "check_tracer_leaks",
    False,
    "Raise LeakedTracerError at the end of a trace of which a tracer is still referred to.",
)
no_tracing = Option("no_tracing", False, "Raise RuntimeError where `jit` would trace a function.")
no_execution = Option(
    "no_execution", False, "Raise RuntimeError where a jitted function would run."
)
log_compiles = Option(
    "log_compiles",
    False,
    "Log what `jit` traces and compiles, and how long it takes, as warnings; else for debugging.",
)
explain_sharding = Option(
    "explain_sharding",
    False,
    "Log, as warnings, which ops all devices of a mesh compute on whole dimensions of sharded "
    "arrays, and why a program on several devices runs on one.",
)
explain_cache_misses = Option(
    "explain_cache_misses", False, "Log why `jit` traces a function again, as warnings."
)
compile_in_process = Option(
    "compile_in_process",
    False,
    "Run the compiler in this process, where a fault of its own ends this process.",
)
merge_small_ops = Option(
    "merge_small_ops",
    True,
    "Merge groups of small ops of programs for the CPU, each into code that one thread runs; else "
    "all are spread over the threads.",
)
enable_compilation_cache = Option(
    "enable_compilation_cache", True, "Keep compiled programs on disk."
)


def _as_size(value: Any) -> int:
    try:
        size = int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        size = -2
    if size < -1:
        raise ValueError(
            f"compilation_cache_max_size must be a number of bytes, or -1, got: {value!r}"
        )
    return size


compilation_cache_max_size: Option[int] = Option(
    "compilation_cache_max_size",
    1 << 32,
    "How many bytes compiled programs take on disk, those used last; -1 for no limit.",
    check=_as_size,
    accepts="an int",
    example=1 << 30,
)
compile = Option(
    "compile",
    "auto",
    "When `jit` compiles: 'now', and calls wait for it; 'never', and programs are evaluated op by "
    "op; 'auto', in the background, and what is quick to evaluate does not wait.",
    choices=("auto", "now", "never"),
)
specialize_sizes = Option(
    "specialize_sizes",
    True,
    "Compile programs of their own, in the background, for the sizes with which functions of "
    "symbolic sizes are called most; only with 'auto' for `compile`.",
)
default_prng_impl = Option(
    "default_prng_impl",
    "threefry2x32",
    "The generator of the keys that `random.key` makes, and that raw keys are of.",
    choices=("threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32"),
)
threefry_partitionable = Option(
    "threefry_partitionable",
    True,
    "Let each random number depend on the key and its own place only; without it the numbers of "
    "arrays are others, as those of older programs are.",
)
random_seed_offset: Option[int] = Option(
    "random_seed_offset",
    0,
    "What is added to all seeds of random keys.",
    check=operator.index,
    accepts="an int",
    example=1,
)
high_dynamic_range_gumbel = Option(
    "high_dynamic_range_gumbel",
    False,
    "Draw two numbers for each sample of `random.gumbel`, for more precision where it is rare.",
)
debug_key_reuse = Option(
    "debug_key_reuse", False, "Raise KeyReuseError where a typed random key is used twice."
)
legacy_prng_key = Option(
    "legacy_prng_key",
    "allow",
    "What to do when `dovetail.random` is given a raw key, as `PRNGKey` makes them.",
    choices=("allow", "warn", "error"),
)
enable_custom_prng = Option(
    "enable_custom_prng", False, "Let `random.PRNGKey` make typed keys, as `random.key` does."
)
compilation_cache_dir: Option[Any] = Option(
    "compilation_cache_dir",
    None,
    "Where compiled programs are kept; None for the directory that DOVETAIL_CACHE_DIR names.",
    check=lambda value: None if value is None else os.fspath(value),
    accepts="a path, or None",
    example="build/cache",
)


dump: Option[Any] = Option(
    "dump",
    None,
    "Where each compiled program is written, as IR after each phase, with what reproduces it; None "
    "for nowhere.",
    check=lambda value: None if value is None else os.fspath(value),
    accepts="a path, or None",
    example="build/dump",
)


def _as_names(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise ValueError(f"platforms must be names with commas between, or None, got: {value!r}")
    return value or None


def _as_count(value: Any) -> int:
    try:
        count = int(value) if isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        count = 0
    if count < 1:
        raise ValueError(f"num_cpu_devices must be an int of at least 1, got: {value!r}")
    return count


platforms = Fixed(
    "platforms",
    None,
    "The platforms that may be used, such as 'cuda,cpu'; the first one's devices are the default. "
    "None for all that there are, with CPUs first.",
    check=_as_names,
)
platform_name = Fixed(
    "platform_name",
    None,
    "The platform whose devices are the default; None for the first of `platforms`.",
    check=_as_names,
)
num_cpu_devices = Fixed(
    "num_cpu_devices",
    1,
    "How many devices the CPU is, each of which runs programs of its own.",
    check=_as_count,
)

cpu_collectives_implementation = Option(
    "cpu_collectives_implementation",
    "tcp",
    "How processes exchange data, for `distributed.initialize`: by 'tcp', or by 'mpi', which needs "
    "mpi4py and an MPI that threads may call.",
    choices=("tcp", "mpi"),
)

_LEVELS = ("allow", "log", "log_explicit", "disallow_explicit", "disallow")

transfer_guard_host_to_device = Option(
    "transfer_guard_host_to_device",
    "allow",
    "What to do about transfers of NumPy arrays and numbers to devices. Explicit ones, by "
    "`device_put`, are let alone unless the level says so.",
    choices=_LEVELS,
)
transfer_guard_device_to_device = Option(
    "transfer_guard_device_to_device",
    "allow",
    "What to do about transfers between devices, which `device_put` makes explicitly.",
    choices=_LEVELS,
)
transfer_guard_device_to_host = Option(
    "transfer_guard_device_to_host",
    "allow",
    "What to do about transfers of arrays to NumPy, from devices that do not share the host's "
    "memory. Explicit ones, by `device_get`, are let alone unless the level says so.",
    choices=_LEVELS,
)
transfer_guard = Option(
    "transfer_guard",
    "allow",
    "What to do about transfers in all directions.",
    choices=_LEVELS,
    also=(
        *(transfer_guard_host_to_device, transfer_guard_device_to_device),
        transfer_guard_device_to_host,
    ),
)

# Examples that are not a function's or a class's own.
__test__ = {name: option.__doc__ for name, option in _options.items()}

# The settings that traced and compiled programs depend on.
_TRACED: list[Option[Any]] = [
    enable_x64,
    explicit_x64_dtypes,
    numpy_dtype_promotion,
    numpy_rank_promotion,
    allow_f16_reductions,
    default_prng_impl,
    threefry_partitionable,
    random_seed_offset,
    high_dynamic_range_gumbel,
    debug_key_reuse,
    legacy_prng_key,
    enable_custom_prng,
    merge_small_ops,
]


def trace_for(option: Option[Any]) -> None:
    """Make the value of a setting part of the trace cache's key.

    Args:
      option: the setting.

    Example:
      >>> from dovetail.base import config
      >>> from dovetail.base.user_context import UserContext
      >>> config.trace_for(UserContext(1))
    """
    _TRACED.append(option)
    changed()


class Snapshot(NamedTuple):
    """The settings that calls of compiled functions depend on.

    Attributes:
      trace_key: the values of the settings that a traced program depends on.
      disable_jit: whether functions are called as plain Python.
      checks: values that results are checked for: `nan`, `inf`; usually none.
      guards: whether some transfers are logged or forbidden.
      recording: whether a profiler trace is active, which records all calls.
      place: where uncommitted arrays are; None for the first device.

    Example:
      >>> from dovetail.base import config
      >>> with config.debug_nans(True):
      ...     config.snapshot().checks
      ('nan',)
    """

    trace_key: tuple[Any, ...]
    disable_jit: bool
    checks: tuple[str, ...]
    guards: bool
    recording: bool
    place: Any

    @property
    def is_plain(self) -> bool:
        """True if a call only runs its program, so that C++ may make it."""
        return not (self.disable_jit or self.checks or self.guards or self.recording)


def _no_default_place() -> Any:
    return None


# The device of uncommitted arrays; `placement`, a later layer, provides it.
default_place: Callable[[], Any] = _no_default_place


# Replaced rather than cleared: a snapshot from before the change may still be under construction.
_snapshots: dict[tuple[Any, ...], Snapshot] = {}


def snapshot() -> Snapshot:
    """The settings that apply here, at the cost of reading one.

    Returns:
      A `Snapshot`; the same object for the same overrides.

    Example:
      >>> from dovetail.base import config
      >>> with config.disable_jit(True):
      ...     config.snapshot().disable_jit
      True
    """
    overrides, snapshots = state.get(), _snapshots
    known = snapshots.get(overrides)
    if known is None:
        key = (*[option.value for option in _TRACED], compile.value == "never")
        # Leaks are detected while tracing, so turning the check on causes retracing.
        key += (check_tracer_leaks.value,)
        checks = ("nan",) * debug_nans.value + ("inf",) * debug_infs.value
        guards = any(part.value != "allow" for part in transfer_guard.parts[1:])
        known = Snapshot(
            key, disable_jit.value, checks, guards, spans.recorder is not None, default_place()
        )
        snapshots[overrides] = known
    return known


def _forget_snapshots() -> None:
    global _snapshots
    _snapshots = {}


on_change(_forget_snapshots)


def checking_leaks() -> _Override:
    """Check traces for leaked tracers, for the length of a `with` block.

    Returns:
      A context manager: `check_tracer_leaks(True)`.

    Example:
      >>> from dovetail import config
      >>> with config.checking_leaks():
      ...     config.check_tracer_leaks.value
      True
    """
    return check_tracer_leaks(True)

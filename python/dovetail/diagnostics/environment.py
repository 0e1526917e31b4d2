"""The devices, process and live arrays of a running program."""

from __future__ import annotations

import gc
import importlib.metadata
import os
import platform
from typing import Any

from dovetail.arrays.array import Array, ArrayMethods, ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.arrays.keys import is_keys
from dovetail.base.documentation import documented
from dovetail.base.setting import options
from dovetail.compiler.module_files import default_cache
from dovetail.ops.operands import as_operand
from dovetail.placement import devices as placement
from dovetail.placement import platforms
from dovetail.placement.devices import Device
from dovetail.programs import jitted
from dovetail.runtime.notes import architecture
from dovetail.tracing.key_references import KeyRef
from dovetail.tracing.references import AbstractRef, Ref
from dovetail.tracing.varying import part_type

# What a report names: the packages that compute and compile, and those that a program may use, too.
_PACKAGES = (
    *("dovetail", "numpy", "scipy", "ml_dtypes", "optree", "safetensors"),
    *("iree-base-compiler", "iree-base-runtime"),
)
_OTHERS = ("jax", "jaxlib", "mpi4py", "torch")
# The beginnings of the names of variables that change what programs do.
_VARIABLES = ("DOVETAIL_", "IREE_", "JAX_", "XLA_", "OMP_", "OPENBLAS_", "MKL_")

_DEVICES = """
    Args:
      backend: a platform, such as "cpu"; None for the default.

    Returns:
      An int.

    Raises:
      RuntimeError: there is no such device.
"""


def default_backend() -> str:
    """The platform on which functions run by default.

    Example:
      >>> import dovetail as dt
      >>> dt.default_backend()
      'cpu'
    """
    return platforms.devices()[0].platform


def devices(backend: str | None = None) -> list[Device]:
    """The devices of a platform: CPUs of all processes, others of this one.

    Args:
      backend: a platform: "cpu", "cuda", "rocm", "vulkan", "metal", or "gpu" for one of CUDA and
        ROCm; None for the one on which functions run by default.

    Returns:
      A list of devices.

    Raises:
      RuntimeError: the platform does not exist, has no devices on this machine, or may not be used.

    Example:
      >>> import dovetail as dt
      >>> dt.devices("cpu")
      [CpuDevice(id=0)]
    """
    return list(platforms.devices(backend))


def local_devices(
    process_index: int | None = None, backend: str | None = None, host_id: int | None = None
) -> list[Device]:
    """The devices of one process.

    Args:
      process_index: the number of the process; None for this one.
      backend: a platform, such as "cpu"; None for the default.
      host_id: JAX's older name of `process_index`, which takes precedence.

    Returns:
      A list of devices.

    Raises:
      ValueError: there is no such process.
      RuntimeError: there is no such device.

    Example:
      >>> import dovetail as dt
      >>> dt.local_devices(backend="cpu")
      [CpuDevice(id=0)]
    """
    index = host_id if process_index is None else process_index
    count = process_count(backend)
    if index is None:
        index = placement.process_index()
    elif not 0 <= index < count:
        raise ValueError(f"Unknown process_index {index}: it must be below {count}, got: {index}")
    return [device for device in devices(backend) if device.process_index == index]


@documented(_DEVICES)
def device_count(backend: str | None = None) -> int:
    """The number of devices of all processes.

    Example:
      >>> import dovetail as dt
      >>> dt.device_count()
      1
    """
    return len(devices(backend))


@documented(_DEVICES)
def local_device_count(backend: str | None = None) -> int:
    """The number of devices of this process.

    Example:
      >>> import dovetail as dt
      >>> dt.local_device_count()
      1
    """
    return len(local_devices(backend=backend))


@documented(_DEVICES)
def process_index(backend: str | None = None) -> int:
    """The number of this process among those that share a program.

    Example:
      >>> import dovetail as dt
      >>> dt.process_index()
      0
    """
    devices(backend)
    return placement.process_index()


@documented(_DEVICES)
def process_count(backend: str | None = None) -> int:
    """The number of processes that share a program.

    Example:
      >>> import dovetail as dt
      >>> dt.process_count()
      1
    """
    devices(backend)
    return placement.process_count()


@documented(_DEVICES)
def process_indices(backend: str | None = None) -> list[int]:
    """The numbers of all processes.

    Returns:
      A list of ints.

    Example:
      >>> import dovetail as dt
      >>> dt.process_indices()
      [0]
    """
    return list(range(process_count(backend)))


# JAX's older names.
host_id, host_count, host_ids = process_index, process_count, process_indices


def effects_barrier() -> None:
    """Wait for the side effects of all programs; they are complete when a call returns.

    Example:
      >>> import dovetail as dt
      >>> dt.effects_barrier()
    """


@documented(_DEVICES)
def live_arrays(platform: str | None = None) -> list[Array]:
    """All arrays of a platform that are still referenced, and not deleted.

    Args:
      platform: a platform such as "cpu"; None for the default.

    Returns:
      A list of arrays.

    Example:
      >>> import dovetail as dt, dovetail.numpy as dnp
      >>> x = dnp.arange(3)
      >>> any(array is x for array in dt.live_arrays())
      True
    """
    wanted = devices(platform)[0].platform
    arrays = [x for x in gc.get_objects() if type(x) is Array and not x.is_deleted()]
    return [array for array in arrays if any(d.platform == wanted for d in array.devices())]


def clear_caches() -> None:
    """Drop everything that was traced, compiled or cached in this process.

    Example:
      >>> import dovetail as dt
      >>> dt.clear_caches()
    """
    jitted.forget_all()


def typeof(x: Any) -> Any:
    """The shape and element type of an array or a number, whether that type is weak, and the
    sharding over explicit axes of a mesh.

    Args:
      x: an array, a tracer, keys, a NumPy array, a number, a `ShapeDtypeStruct` or a reference.

    Returns:
      A `ShapedArray`; for a reference, an `AbstractRef` of one.

    Raises:
      TypeError: `x` is none of these.

    Example:
      >>> import dovetail as dt
      >>> dt.typeof(1.5)
      ShapedArray(float32[], weak_type=True)
    """
    if isinstance(x, KeyRef):
        # The words are of another shape.
        return AbstractRef(ShapedArray(x.shape, x.dtype))
    if type(x) is Ref:
        return x.aval
    if isinstance(x, ShapeDtypeStruct) and x.is_ref:
        return AbstractRef(x.aval)
    known = isinstance(x, (ArrayMethods, ShapeDtypeStruct)) or is_keys(x)
    aval = x.aval if known else as_operand("typeof", x).aval
    manual = part_type(x)
    return aval.update(manual=manual) if any(manual) else aval


def print_environment_info(return_string: bool = False) -> str | None:
    """Print, or return, what a bug report should include: versions, the machine, and the settings
    and environment variables that are not the default ones.

    The command `dovetail env` does the same.

    Args:
      return_string: whether to return the text instead of printing it.

    Returns:
      The text, with one line per item, or None.

    Example:
      >>> import dovetail as dt
      >>> text = dt.print_environment_info(return_string=True)
      >>> text.splitlines()[-1]
      'devices: cpu:0'
    """
    lines = [f"{name}: {_version(name)}" for name in _PACKAGES]
    lines += [f"{name}: {found}" for name in _OTHERS if (found := _version(name))]
    lines += [f"python: {platform.python_version()}", f"machine: {platform.platform()}"]
    lines.append(f"processor: {architecture()}, {_processor()}, {os.cpu_count()} threads")
    lines.append(f"compiled programs: {default_cache().directory or 'not kept'}")
    lines += [
        f"setting: {name}={option.value!r}"
        for name, option in sorted(options.items())
        if option.value != option.default
    ]
    lines += [
        f"variable: {name}={value}"
        for name, value in sorted(os.environ.items())
        if name.startswith(_VARIABLES)
    ]
    lines.append(f"devices: {', '.join(map(str, devices()))}")
    text = "\n".join(lines)
    if return_string:
        return text
    print(text)
    return None


def _version(package: str) -> str | None:
    """The installed version of a package; None if there is none."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    """The processor's name, on Linux."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            names = [line.partition(":")[2] for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return names[0].strip() if names else platform.processor() or "unknown"

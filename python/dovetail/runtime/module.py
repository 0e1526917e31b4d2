"""Module files as Python objects: `load("m.vmfb").predict(params, x)`."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from iree.runtime import VmModule

from . import foreign
from .buffer import Buffer
from .devices import INSTANCE, SHARE_ALIGNMENT, Device, get_device
from .executable import Executable, LoadedModule
from .module_file import Bytes, check
from .notes import Notes, architecture
from .parameters import PathLike, parameters_module
from .signature import Signature
from .spmd import SPMD_KEY, SpmdFunction, is_spmd
from .tree import Arguments, unflatten

# Executable formats in the archive, and the drivers that run them.
_DRIVER_OF_FORMAT = {
    "_cuda_nvptx_fb.": "cuda",
    "_rocm_hsaco_fb.": "hip",
    "_vulkan_spirv_fb.": "vulkan",
    "_metal_msl_fb.": "metal",
}
# Executable formats for the machine's own architecture.
_CODE_OF_ARCHITECTURE = {
    "x86_64": "_embedded_elf_x86_64.",
    "aarch64": "_embedded_elf_arm_64.",
    "riscv64": "_embedded_elf_riscv_64.",
}


class Function:
    """A function of a loaded module.

    With a Dovetail signature it takes and returns pytrees; without, arrays. Threads may call it at
    the same time.

    Args:
      module: the module.
      name: the function's name.

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = arith.addf %x, %x : tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> twice = runtime.load(vmfb).twice
      >>> twice
      <function twice(float32[2]) -> (float32[2])>
      >>> twice(np.ones(2, np.float32)).numpy()
      array([2., 2.], dtype=float32)
    """

    def __init__(self, module: LoadedModule, name: str) -> None:
        self.name = name
        self.signature = Signature.from_reflection(module.function(name).reflection)
        self._executable = Executable(module, name)
        self._arguments = None if self.signature is None else Arguments(name, self.signature)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function.

        Args:
          *args: arrays, or pytrees of arrays, as in the signature.
          **kwargs: arguments by name, if the signature names them.

        Returns:
          `Buffer`s: the signature's pytree; without trees one, a tuple, or None.

        Raises:
          TypeError: the number or structure of the arguments, a shape or a dtype is wrong.
        """
        signature, arguments = self.signature, self._arguments
        if signature is None or arguments is None:
            if kwargs:
                raise TypeError(f"{self.name} takes no arguments by name, got: {', '.join(kwargs)}")
            return _flat_result(self._executable(args))
        results = self._executable(arguments.flatten(args, kwargs))
        if signature.in_tree is None:
            return _flat_result(results)
        return unflatten(signature.out_tree, results)

    def __repr__(self) -> str:
        return f"<function {self.name}{'(…)' if self.signature is None else self.signature}>"


class Module:
    """A loaded module file. `module.f` and `module["f"]` are its function `f`.

    Args:
      loaded: the module, bound to a device.

    Attributes:
      notes: the file's metadata, `Notes`; None if another program wrote it.

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
      ...   %y = arith.addf %x, %x : tensor<2xf32>
      ...   return %y : tensor<2xf32>
      ... }''')
      >>> module = runtime.load(vmfb)
      >>> module.functions, module.device
      (['twice'], Device('local-task'))
    """

    def __init__(self, loaded: LoadedModule) -> None:
        self._loaded = loaded
        self.notes = notes_of(loaded.module)
        self._functions: dict[str, Any] = {
            name: (SpmdFunction if self._is_spmd(name) else Function)(loaded, name)
            for name in loaded.names
        }

    def _is_spmd(self, name: str) -> bool:
        return SPMD_KEY in self._loaded.function(name).reflection

    @property
    def functions(self) -> list[str]:
        """The names of the functions."""
        return list(self._functions)

    @property
    def device(self) -> Device:
        """The device that runs it."""
        return self._loaded.device

    def __getitem__(self, name: str) -> Any:
        try:
            return self._functions[name]
        except KeyError:
            raise KeyError(self._unknown(name)) from None

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_functions"][name]
        except KeyError:
            raise AttributeError(self._unknown(name)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._functions]

    def __repr__(self) -> str:
        return f"<module {self._loaded.module.name} on {self.device.name}: {self._listing()}>"

    def _unknown(self, name: str) -> str:
        return f"the module has no function {name!r}; it has: {self._listing()}"

    def _listing(self) -> str:
        return ", ".join(self.__dict__.get("_functions", ())) or "none"


def load(
    path_or_bytes: PathLike | Bytes,
    device: str | Device = "auto",
    *,
    parameters: PathLike | Mapping[str, PathLike] | None = None,
    verify: bool = True,
    imports: Sequence[VmModule] = (),
    libraries: Sequence[PathLike] = (),
) -> Module:
    """Loads a module file.

    Args:
      path_or_bytes: the file, or its bytes.
      device: a device's name, or a `Device`; `auto` is the device that the file is for, on the CPU
        `local-task`, which uses all cores. `local-sync` has less latency for small calls.
      parameters: the file with the module's parameters (`.irpa`, `.safetensors` or `.gguf`), or a
        dict of files by scope; by default the file that the module names, in the same folder. The
        file must not be written to while the module is in use.
      verify: whether to read files of parameters that have a digest in full and compare it.
      imports: VM modules with the functions that the module imports.
      libraries: native libraries with the functions that the module calls, as far as they are not
        registered by `dovetail.ffi`; `dovetail inspect` lists them.

    Returns:
      The module.

    Raises:
      FileNotFoundError: there is no such file, or none with the module's parameters.
      ValueError: the file is not a module file, is damaged, or cannot run on the device; a library
        cannot be loaded, or a function is in none of them.

    Example:
      >>> import os, tempfile
      >>> import dovetail as dt
      >>> with tempfile.TemporaryDirectory() as directory:
      ...     path = os.path.join(directory, "twice.vmfb")
      ...     dt.jit(lambda x: x + x).lower(np.ones(2, np.float32)).compile().save(path)
      ...     module = dt.runtime.load(path)
      >>> module.main(np.ones(2, np.float32)).numpy()
      array([2., 2.], dtype=float32)
    """
    name, folder = "the data", None
    if isinstance(path_or_bytes, str | os.PathLike):
        name, folder = repr(os.fspath(path_or_bytes)), Path(path_or_bytes).parent
    module, members = read_module(path_or_bytes)
    notes = notes_of(module)
    if is_spmd(module):
        if device != "auto":
            raise ValueError(
                f"{name} is a program for several devices, which must be device='auto', got: "
                f"{device!r}"
            )
        # Each of them is such a device.
        device = "local-sync"
    if device == "auto":
        device = _driver(members)
    if not isinstance(device, Device):
        device = get_device(device)
    missing = notes.missing_in_processor() if notes is not None and device.on_host else []
    if missing:
        raise ValueError(
            f"{name} needs a processor with {', '.join(missing)}, which this one is without; "
            "compile it for another target, such as 'cpu:x86-64-v3' or 'cpu-generic'"
        )
    wanted = {} if notes is None else notes.parameters
    given = parameters_module(wanted, parameters, folder, name, verify)
    if libraries or (notes is not None and notes.foreign):
        foreign.load({} if notes is None else notes.foreign, libraries, name)
    try:
        loaded = LoadedModule(module, device, imports if given is None else [*imports, given])
    except Exception as error:
        raise ValueError(
            f"{name} cannot run on device {device.name!r}: {_reason(str(error), notes)}; compile "
            "it for that device, or load it with device='auto'"
        ) from error
    if loaded.foreign is not None:
        loaded.foreign.origin = (), name
    return Module(loaded)


def read_module(path_or_bytes: PathLike | Bytes) -> tuple[VmModule, list[str]]:
    """Reads a module file, without a device to run it on.

    Returns:
      The module, and the names of the files packed in it.

    Raises:
      FileNotFoundError: there is no such file.
      ValueError: the file is not a module file, or is damaged.
    """
    if isinstance(path_or_bytes, str | os.PathLike):
        name, data = repr(os.fspath(path_or_bytes)), _read(path_or_bytes)
    else:
        name, data = "the data", _aligned(path_or_bytes)
    members = check(data.data, name)
    try:
        return VmModule.wrap_buffer(INSTANCE, data), members
    except Exception as error:  # IREE's status codes come as exceptions of many types
        raise ValueError(
            f"{name} is not an IREE module file that this version of IREE reads: {error}; "
            "compile it again with the IREE version that is to run it"
        ) from error


def notes_of(module: VmModule) -> Notes | None:
    """A module file's notes; None if another program wrote it."""
    for name in module.function_names:
        function = module.lookup_function(name)
        notes = None if function is None else Notes.from_reflection(function.reflection)
        if notes is not None:
            return notes
    return None


def _reason(error: str, notes: Notes | None) -> str:
    """The reason why a module cannot be loaded on a device, from IREE's message."""
    unfit = "not found or unavailable" in error or "does not support any variant" in error
    if unfit and notes is not None:
        return f"it was compiled for {', '.join(notes.targets)}"
    needed = re.search(r'not found or unavailable: #hal.device.target<"(\w+)"', error)
    return f"it was compiled for {needed[1]!r} devices" if needed else error


def _driver(members: Sequence[str]) -> str:
    own = _CODE_OF_ARCHITECTURE.get(architecture(), "")
    if not any(own in member for member in members if own):
        for member in members:
            for marker, driver in _DRIVER_OF_FORMAT.items():
                if marker in member:
                    return driver
    return "local-task"


def _read(path: str | os.PathLike[str]) -> np.ndarray:
    # Not mapped: a file that is overwritten later must not change a running program.
    with open(path, "rb") as file:
        data = _empty(os.fstat(file.fileno()).st_size)
        size = file.readinto(data.data)
    return data[:size]


def _aligned(data: Bytes) -> np.ndarray:
    copy = _empty(len(data))
    copy[:] = np.frombuffer(data, np.uint8)
    return copy


def _empty(size: int) -> np.ndarray:
    """Returns bytes with the alignment that IREE requires of a module."""
    raw = np.empty(size + SHARE_ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % SHARE_ALIGNMENT
    return raw[start : start + size]


def _flat_result(results: list[Buffer]) -> Any:
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)

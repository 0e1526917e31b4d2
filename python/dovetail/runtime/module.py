"""Module files as Python objects: `load("m.vmfb").predict(params, x)`."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from iree.runtime import VmModule

from .buffer import Buffer
from .devices import INSTANCE, SHARE_ALIGNMENT, Device, get_device
from .executable import Executable, LoadedModule
from .module_file import Bytes, check
from .signature import Signature
from .tree import Arguments, unflatten

# What the archive calls its executables, and the driver that runs them.
_DRIVER_OF_FORMAT = {
    "_cuda_nvptx_fb.": "cuda",
    "_rocm_hsaco_fb.": "hip",
    "_vulkan_spirv_fb.": "vulkan",
    "_metal_msl_fb.": "metal",
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
      >>> from dovetail.compile import compile_module
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
          *args: arrays, or pytrees of arrays, as the signature has them.
          **kwargs: arguments by name, where the signature names them.

        Returns:
          `Buffer`s: the pytree of the signature; without trees one, a tuple, or None.

        Raises:
          TypeError: number or structure of the arguments, or a dtype, is wrong.
          ValueError: a shape is wrong.
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

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compile import compile_module
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
        self._functions = {name: Function(loaded, name) for name in loaded.names}

    @property
    def functions(self) -> list[str]:
        """The names of the functions."""
        return list(self._functions)

    @property
    def device(self) -> Device:
        """The device that runs it."""
        return self._loaded.device

    def __getitem__(self, name: str) -> Function:
        try:
            return self._functions[name]
        except KeyError:
            raise KeyError(self._unknown(name)) from None

    def __getattr__(self, name: str) -> Function:
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
    path_or_bytes: str | os.PathLike[str] | Bytes,
    device: str | Device = "auto",
    *,
    imports: Sequence[VmModule] = (),
) -> Module:
    """Loads a module file.

    Args:
      path_or_bytes: the file, or its bytes.
      device: a device's name, or a `Device`; `auto` takes the device which the file is for, on the
        CPU `local-task`, which uses all cores. `local-sync` answers small calls sooner.
      imports: VM modules with the functions that the module imports.

    Returns:
      The module.

    Raises:
      FileNotFoundError: there is no such file.
      ValueError: it is not a module file, is damaged, or cannot run on the device.

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
    if isinstance(path_or_bytes, str | os.PathLike):
        name, data = repr(os.fspath(path_or_bytes)), _read(path_or_bytes)
    else:
        name, data = "the data", _aligned(path_or_bytes)
    members = check(data.data, name)
    if device == "auto":
        device = _driver(members)
    try:
        module = VmModule.wrap_buffer(INSTANCE, data)
    except Exception as error:  # IREE's status codes come as exceptions of many types
        raise ValueError(
            f"{name} is not an IREE module file that this version of IREE reads: {error}; "
            "compile it again with the IREE version that is to run it"
        ) from error
    if not isinstance(device, Device):
        device = get_device(device)
    try:
        loaded = LoadedModule(module, device, imports)
    except Exception as error:
        needed = re.search(r'not found or unavailable: #hal.device.target<"(\w+)"', str(error))
        reason = f"it was compiled for {needed[1]!r} devices" if needed else str(error)
        raise ValueError(
            f"{name} cannot run on device {device.name!r}: {reason}; compile it for that device, "
            "or load it with device='auto'"
        ) from error
    return Module(loaded)


def _driver(members: Sequence[str]) -> str:
    for member in members:
        for marker, driver in _DRIVER_OF_FORMAT.items():
            if marker in member:
                return driver
    return "local-task"


def _read(path: str | os.PathLike[str]) -> np.ndarray:
    # Not mapped: a file that is overwritten later must not change a program that runs.
    with open(path, "rb") as file:
        data = _empty(os.fstat(file.fileno()).st_size)
        size = file.readinto(data.data)
    return data[:size]


def _aligned(data: Bytes) -> np.ndarray:
    copy = _empty(len(data))
    copy[:] = np.frombuffer(data, np.uint8)
    return copy


def _empty(size: int) -> np.ndarray:
    """Returns bytes which are aligned as IREE wants a module to be."""
    raw = np.empty(size + SHARE_ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % SHARE_ALIGNMENT
    return raw[start : start + size]


def _flat_result(results: list[Buffer]) -> Any:
    if not results:
        return None
    return results[0] if len(results) == 1 else tuple(results)

"""The platforms of devices, as the objects that JAX has for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base.config import enable_x64
from dovetail.diagnostics import environment
from dovetail.exporting.stablehlo import load
from dovetail.programs.jit import jit


class Backend:
    """The devices of a platform.

    Args:
      platform: its name.
    """

    def __init__(self, platform: str) -> None:
        self.platform = platform
        self.platform_version = f"dovetail, {platform}"

    def devices(self) -> list[Any]:
        """Its devices."""
        return environment.devices(self.platform)

    def local_devices(self) -> list[Any]:
        """Its devices that belong to this process."""
        return environment.local_devices(backend=self.platform)

    def device_count(self) -> int:
        """The number of its devices."""
        return environment.device_count(self.platform)

    def local_device_count(self) -> int:
        """The number of its devices that belong to this process."""
        return environment.local_device_count(self.platform)

    def process_index(self) -> int:
        """The number of this process."""
        return environment.process_index()

    def compile_and_load(
        self, computation: Any, executable_devices: Any = None, compile_options: Any = None
    ) -> LoadedExecutable:
        """A program in StableHLO, compiled.

        Args:
          computation: a module, its text, or its bytecode.
          executable_devices, compile_options: ignored.
        """
        is_text = isinstance(computation, (str, bytes))
        return LoadedExecutable(self, computation if is_text else str(computation))


class LoadedExecutable:
    """A compiled program.

    Args:
      client: the platform.
      program: the program, in StableHLO.
    """

    def __init__(self, client: Backend, program: str | bytes) -> None:
        self.client = client
        self._function = jit(load(program))

    def execute(self, arguments: Sequence[Any], device: Any = None) -> list[Array]:
        """The results of a call.

        Args:
          arguments: arrays.
          device: ignored.
        """
        # Programs have the types that they state.
        with enable_x64(True):
            outs = self._function(*map(np.asarray, arguments))
        return list(outs) if isinstance(outs, (tuple, list)) else [outs]


def get_backend(platform: str | None = None) -> Backend:
    """A platform, by default the one that arrays are created on.

    Args:
      platform: its name.

    Raises:
      RuntimeError: there is no such platform.

    Example:
      >>> from dovetail.as_jax.jax.extend import backend
      >>> backend.get_backend("cpu").platform
      'cpu'
    """
    name = platform or environment.default_backend()
    environment.devices(name)
    return Backend(name)


def backends() -> dict[str, Backend]:
    """The platforms in use, by name."""
    names = {environment.default_backend(), "cpu"}
    return {name: get_backend(name) for name in sorted(names)}

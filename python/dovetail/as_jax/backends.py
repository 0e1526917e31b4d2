"""The platforms of devices, as the objects that JAX has for them."""

from __future__ import annotations

from typing import Any

from dovetail.diagnostics import environment


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

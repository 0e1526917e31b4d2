"""Loads and calls compiled modules. Needs only NumPy, ml_dtypes and the IREE runtime."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .buffer import Buffer as Buffer
    from .buffer import put as put
    from .communicator import CollectiveError as CollectiveError
    from .devices import Device as Device
    from .devices import get_device as get_device
    from .executable import Executable as Executable
    from .executable import LoadedModule as LoadedModule
    from .foreign import TargetError as TargetError
    from .host_functions import HostFunction as HostFunction
    from .host_functions import HostFunctions as HostFunctions
    from .memory import OutOfMemoryError as OutOfMemoryError
    from .module import Function as Function
    from .module import Module as Module
    from .module import load as load
    from .module_file import save as save
    from .notes import Notes as Notes
    from .participants import Participants as Participants
    from .participants import SpmdExecutable as SpmdExecutable
    from .parts import Parts as Parts
    from .processes import initialize as initialize
    from .processes import shutdown as shutdown
    from .signature import ArraySpec as ArraySpec
    from .signature import Signature as Signature
    from .tcp import TcpTransport as TcpTransport
    from .transports import Transport as Transport

# The modules of public names, imported on first access. If the package imported them eagerly, a
# thread importing the package and another importing one of the modules could deadlock, which Python
# resolves by handing out a partially initialized module.
_MODULES = {
    "ArraySpec": "signature",
    "Buffer": "buffer",
    "CollectiveError": "communicator",
    "Device": "devices",
    "Executable": "executable",
    "Function": "module",
    "HostFunction": "host_functions",
    "HostFunctions": "host_functions",
    "LoadedModule": "executable",
    "Module": "module",
    "Notes": "notes",
    "OutOfMemoryError": "memory",
    "Participants": "participants",
    "Parts": "parts",
    "Signature": "signature",
    "SpmdExecutable": "participants",
    "TargetError": "foreign",
    "TcpTransport": "tcp",
    "Transport": "transports",
    "get_device": "devices",
    "initialize": "processes",
    "load": "module",
    "put": "buffer",
    "save": "module_file",
    "shutdown": "processes",
}

__all__ = sorted(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})

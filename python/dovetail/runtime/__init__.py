"""Loads and calls compiled modules. Needs NumPy, ml_dtypes and the IREE runtime only."""

from .buffer import Buffer as Buffer
from .buffer import put as put
from .devices import Device as Device
from .devices import get_device as get_device
from .executable import Executable as Executable
from .executable import LoadedModule as LoadedModule
from .host_functions import HostFunction as HostFunction
from .host_functions import HostFunctions as HostFunctions
from .memory import OutOfMemoryError as OutOfMemoryError
from .module import Function as Function
from .module import Module as Module
from .module import load as load
from .module_file import save as save
from .notes import Notes as Notes
from .signature import ArraySpec as ArraySpec
from .signature import Signature as Signature

__all__ = [
    "ArraySpec",
    "Buffer",
    "Device",
    "Executable",
    "Function",
    "HostFunction",
    "HostFunctions",
    "LoadedModule",
    "Module",
    "Notes",
    "OutOfMemoryError",
    "Signature",
    "get_device",
    "load",
    "put",
    "save",
]

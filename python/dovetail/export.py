"""Functions that outlive their process: `export(f, …)` writes files that run without Python.

The module is callable: it is the function `dovetail.export_files.export`. Its attributes are those
of JAX's module: `export.export(jit(f))(…)` stores a function as a program that can be sent, called,
differentiated and batched.
"""

from __future__ import annotations

import sys
import types
from typing import cast

from dovetail.exporting.exported import (
    DisabledSafetyCheck,
    Exported,
    default_export_platform,
    deserialize,
    export,
    maximum_supported_calling_convention_version,
    minimum_supported_calling_convention_version,
)
from dovetail.exporting.files import export as _export
from dovetail.exporting.serialization import (
    register_namedtuple_serialization,
    register_pytree_node_serialization,
)
from dovetail.exporting.shapes import symbolic_args_specs, symbolic_shape
from dovetail.symbolic import SymbolicScope, is_symbolic_dim, max_dim, min_dim

__all__ = [
    "DisabledSafetyCheck",
    "Exported",
    "SymbolicScope",
    "default_export_platform",
    "deserialize",
    "export",
    "is_symbolic_dim",
    "max_dim",
    "maximum_supported_calling_convention_version",
    "min_dim",
    "minimum_supported_calling_convention_version",
    "register_namedtuple_serialization",
    "register_pytree_node_serialization",
    "symbolic_args_specs",
    "symbolic_shape",
]


class ExportModule(types.ModuleType):
    """A module that is also the function that writes files.

    Example:
      >>> import os, tempfile
      >>> import dovetail as dt
      >>> with tempfile.TemporaryDirectory() as folder:
      ...     path = os.path.join(folder, "twice.vmfb")
      ...     _ = dt.export(lambda x: x + x, dt.ShapeDtypeStruct((2,), "float32"), path=path)
      ...     dt.runtime.load(path).main([1, 2]).numpy()
      array([2., 4.], dtype=float32)
    """

    DisabledSafetyCheck = DisabledSafetyCheck
    Exported = Exported
    SymbolicScope = SymbolicScope
    __call__ = staticmethod(_export)
    default_export_platform = staticmethod(default_export_platform)
    deserialize = staticmethod(deserialize)
    export = staticmethod(export)
    is_symbolic_dim = staticmethod(is_symbolic_dim)
    max_dim = staticmethod(max_dim)
    min_dim = staticmethod(min_dim)
    register_namedtuple_serialization = staticmethod(register_namedtuple_serialization)
    register_pytree_node_serialization = staticmethod(register_pytree_node_serialization)
    symbolic_args_specs = staticmethod(symbolic_args_specs)
    symbolic_shape = staticmethod(symbolic_shape)


this_module = cast(ExportModule, sys.modules[__name__])
this_module.__class__ = ExportModule

"""Has Python import Dovetail's modules under JAX's names."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

import jax_gaps
import jax_names

_MODULES = jax_names.names_of_modules()


class StandIn(ModuleType):
    """A module of JAX: the names of Dovetail's module, and placeholders for all others."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and not name.startswith(("__version__", "__array_")):
            raise AttributeError(name)
        full = f"{self.__name__}.{name}"
        target = self.__dict__.get("_target")
        if target is not None and hasattr(target, name):
            value = getattr(target, name)
            known = full in _MODULES or full in jax_names.ALIASES
            return (
                importlib.import_module(full) if isinstance(value, ModuleType) and known else value
            )
        if full in _MODULES:
            return importlib.import_module(full)
        if not jax_gaps.while_importing():
            raise jax_gaps.MissingNameError(jax_gaps.describe(full))
        if name[0].isupper() and name.endswith(("Error", "Warning")):
            return type(name, (Exception,), {})
        return jax_gaps.Missing(full)

    def __dir__(self) -> list[str]:
        target = self.__dict__.get("_target")
        names = {*self.__dict__, *(dir(target) if target is not None else ())}
        return sorted(name for name in names if not name.startswith("_"))


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and makes the modules below `jax`, and `jaxlib`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        known = name in _MODULES or name in jax_names.ALIASES or jax_names.file_of(name) is not None
        if not (name == "jaxlib" or name.startswith("jax.")):
            return None
        if not (known or name == "jaxlib" or name.startswith("jax._src.lib")):
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = []
        return spec

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return StandIn(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        target = jax_names.target_of(module.__name__)
        module.__dict__["_target"] = None
        if target is not None:
            try:
                module.__dict__["_target"] = importlib.import_module(target)
            except ModuleNotFoundError as error:
                if not (error.name or "").startswith("dovetail"):
                    raise
        file = jax_names.file_of(module.__name__)
        if file is not None:
            module.__dict__["__file__"] = str(file)
            exec(compile(file.read_text(), file, "exec"), module.__dict__)


def install() -> None:
    """From now on, imports of modules of JAX are served here."""
    sys.meta_path.insert(0, Finder())

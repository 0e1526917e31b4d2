"""Has Python import Dovetail's modules under JAX's names."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from dovetail.as_jax import missing, names

# Modules that JAX has under other names than Dovetail, and `jaxlib`.
_OWN = "dovetail.as_jax."
# Alternatives, asked first: the file to execute for a module of JAX, if there is one.
file_sources: list[Callable[[str], Path | None]] = []


def target_of(name: str) -> str | None:
    """The module of Dovetail that a module of JAX is.

    Args:
      name: the name in JAX, such as `jax.numpy`.

    Returns:
      The name of the module of Dovetail, or None.

    Example:
      >>> from dovetail.as_jax import finder
      >>> finder.target_of("jax.numpy"), finder.target_of("jax.core")
      ('dovetail.numpy', 'dovetail.as_jax.jax.core')
    """
    candidates = [_OWN + name]
    if name in names.ALIASES:
        candidates.append(names.ALIASES[name])
    elif name in names.MODULES:
        candidates.append("dovetail" + name.removeprefix("jax"))
    return next(filter(_exists, candidates), None)


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _file_of(name: str) -> Path | None:
    return next(filter(None, (source(name) for source in file_sources)), None)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads `jax`, `jaxlib` and the modules below them."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The specification of a module of JAX; None for others, and for those JAX lacks too."""
        if fullname.partition(".")[0] not in ("jax", "jaxlib"):
            return None
        if not (_file_of(fullname) or target_of(fullname) or missing.is_module(fullname)):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of Dovetail where Python looks for that of JAX."""
        name = module.__name__
        file, target = _file_of(name), target_of(name)
        found = importlib.import_module(target) if target is not None else None
        if file is not None:
            _answer(module, name, found)
            module.__dict__["__file__"] = str(file)
            exec(compile(file.read_text(), file, "exec"), module.__dict__)
        elif found is None:
            missing.note(name)
            _answer(module, name, is_empty=True)
        elif name in names.ALIASES:
            _answer(module, name, found)
        else:
            # Of the module that Python has made, nothing is kept: there is one already.
            sys.modules[name] = found
            _answer(found, name)
            if any(each.startswith(f"{name}.") for each in names.MODULES):
                # A package in JAX: Python asks the finder for the modules in it.
                found.__dict__.setdefault("__path__", [])


def _answer(
    module: ModuleType, name: str, other: ModuleType | None = None, is_empty: bool = False
) -> None:
    """Give a module of a name in JAX what it answers for names that it lacks: those of another
    module, or placeholders.
    """
    own = module.__dict__.get("__getattr__")
    if getattr(own, "is_for_jax", False):
        return

    def __getattr__(attribute: str) -> Any:
        full = f"{name}.{attribute}"
        if _file_of(full) or _is_here(full):
            return importlib.import_module(full)
        if other is not None and hasattr(other, attribute):
            return getattr(other, attribute)
        try:
            if own is not None:
                return own(attribute)
            raise AttributeError(f"module {module.__name__!r} has no attribute {attribute!r}")
        except AttributeError as error:
            return missing.instead_of(name, attribute, sys._getframe(1), error, is_empty)

    __getattr__.is_for_jax = True  # type: ignore[attr-defined]
    module.__dict__["__getattr__"] = __getattr__
    # Modules that are loaded already, by Dovetail's own name.
    for child, value in list(module.__dict__.items()):
        full = f"{name}.{child}"
        if isinstance(value, ModuleType) and full in names.MODULES:
            _answer(value, full)


def _is_here(name: str) -> bool:
    """Whether a name of JAX is a module that Dovetail has, too."""
    return not name.rpartition(".")[2].startswith("__") and target_of(name) is not None


_finder = Finder()


def install() -> None:
    """From now on, imports of JAX are served here.

    Raises:
      ImportError: JAX itself has been imported already.

    Example:
      >>> from dovetail.as_jax import finder
      >>> finder.install()  # once more, without effect
    """
    if _finder in sys.meta_path:
        return
    loaded = sys.modules.get("jax")
    if loaded is not None:
        version, file = (getattr(loaded, name, None) for name in ("__version__", "__file__"))
        raise ImportError(
            "dovetail.as_jax must be imported before the first `import jax`, got: jax "
            f"{version} loaded from {file}; "
            "import it first, or run `python -m dovetail.as_jax` or `pytest -p dovetail.as_jax`"
        )
    sys.meta_path.insert(0, _finder)

"""Names of JAX that Dovetail lacks: they can be imported, and are an error when they are used."""

from __future__ import annotations

import dis
import importlib
import sys
from collections.abc import Callable
from types import FrameType, UnionType
from typing import Any, NamedTuple, NoReturn

from dovetail.as_jax import names
from dovetail.base import locations

_CO_OPTIMIZED = 1  # of functions, not of the bodies of modules and classes
_IMPORT_FROM = dis.opmap["IMPORT_FROM"]
_ATTRIBUTE = {dis.opmap[name] for name in ("LOAD_ATTR", "LOAD_METHOD") if name in dis.opmap}
_COMPREHENSIONS = ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>")

# Makers of messages, asked first; for a suite of tests that sorts its failures.
describe: Callable[[str], str] | None = None
# Whether all code may do with placeholders what the bodies of modules may.
is_lenient = False


class MissingNameError(AttributeError, NotImplementedError):
    """A program used a name of JAX that Dovetail lacks."""


class Request(NamedTuple):
    """A name that a program asked for, and which does not exist.

    Attributes:
      name: the name in JAX, such as `jax.profiler.ProfileData`.
      where: the file and line that first asked for it.
      is_used: whether it was used, which is an error, or only imported.
    """

    name: str
    where: str
    is_used: bool

    def __str__(self) -> str:
        return f"{self.name} ({'used' if self.is_used else 'imported'} at {self.where})"


_requests: dict[str, Request] = {}
_placeholders: dict[str, Any] = {}


def report() -> list[Request]:
    """The names that the program has asked for so far, and that do not exist.

    Returns:
      A list of `Request`s, by name: those of JAX that Dovetail lacks, and those that neither has.

    Example:
      >>> import dovetail.as_jax
      >>> from jax.profiler import ProfileData
      >>> [(request.name, request.is_used) for request in dovetail.as_jax.report()]
      [('jax.profiler.ProfileData', False)]
    """
    return sorted(_requests.values())


def note(name: str, is_used: bool = False, frame: FrameType | None = None) -> None:
    """Record that a program asked for a name, at the line of a frame or of the user."""
    frame = frame or locations.user_frame()
    while frame is not None and _is_of_import(frame.f_code.co_filename):
        frame = frame.f_back
    where = "?" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"
    before = _requests.get(name)
    if before is None:
        _requests[name] = Request(name, where, is_used)
    elif is_used and not before.is_used:
        _requests[name] = before._replace(is_used=True)


def _is_of_import(file: str) -> bool:
    return (
        file.startswith("<frozen importlib")
        or file == importlib.__file__
        or locations.is_internal(file)
    )


def is_module(name: str) -> bool:
    """Whether JAX has a module of that name, which Dovetail need not have."""
    return _is_listed_module(name) or name.startswith(names.FOLDERS)


def is_listed(module: str, name: str) -> bool:
    """Whether a module of JAX has a name that Dovetail's lacks."""
    return name in names.MISSING.get(module, ()) or _is_listed_module(f"{module}.{name}")


def _is_listed_module(name: str) -> bool:
    return name in names.MODULES or name in names.MISSING


def instead_of(
    module: str, name: str, frame: FrameType, error: AttributeError, is_empty: bool = False
) -> Any:
    """What a module gives for a name that it lacks: a placeholder, or an error.

    Args:
      module: the module's name in JAX.
      name: that which it lacks.
      frame: the code that asks for it.
      error: the error that the module has for it.
      is_empty: whether Dovetail lacks the whole module.

    Returns:
      A placeholder, for an import and for the body of a module that is being imported.

    Raises:
      AttributeError: JAX lacks it too, the name is only asked for (`hasattr`), or it is used.
    """
    full = f"{module}.{name}"
    opcode = frame.f_code.co_code[frame.f_lasti]
    # Python looks for a name in a module before it looks for a module of that name.
    is_import = opcode == _IMPORT_FROM or (is_empty and frame.f_code.co_name == "_handle_fromlist")
    is_probe = not is_import and opcode not in _ATTRIBUTE
    if name.startswith("__") or (is_probe and not is_lenient):
        raise error
    is_of_jax = is_lenient or is_listed(module, name)
    if is_of_jax and _is_listed_module(full):
        return importlib.import_module(full)
    if is_of_jax and (is_import or _is_importing(frame)):
        note(full, frame=frame)
        if full not in _placeholders:
            _placeholders[full] = _placeholder(full)
        return _placeholders[full]
    note(full, not is_import, frame)
    if is_of_jax:
        raise _error(full)
    raise error


def _placeholder(name: str) -> Any:
    """What stands for a name; for a class of errors, a class that can be caught."""
    last = name.rpartition(".")[2]
    if last.endswith(("Error", "Warning")):
        return type(last, (Exception,), {"__module__": __name__})
    return Missing(name)


def _is_importing(frame: FrameType | None) -> bool:
    """True in the body of a module or a class, and in functions that a module calls while it is
    being imported: there a name need not be what it says yet.
    """
    is_direct = True
    while frame is not None and not is_lenient:
        code = frame.f_code
        if not code.co_flags & _CO_OPTIMIZED:
            module = sys.modules.get(frame.f_globals.get("__name__", ""))
            if is_direct or getattr(getattr(module, "__spec__", None), "_initializing", False):
                return True
        elif code.co_name not in _COMPREHENSIONS:
            is_direct = False
        frame = frame.f_back
    return is_lenient


def fail(name: str) -> NoReturn:
    """Raise the error of the use of a name that is missing."""
    note(name, is_used=True)
    raise _error(name)


def _error(name: str) -> MissingNameError:
    if describe is not None:
        return MissingNameError(describe(name))
    remedies = (text for ends, text in names.REMEDIES if any(part in name for part in ends))
    remedy = next(remedies, "use what docs/jax_libraries.md lists in its place, or leave it out")
    return MissingNameError(
        f"{name}: Dovetail lacks this name of JAX {names.VERSION}, got: a use of it "
        f"{locations.here()}; {remedy}. dovetail.as_jax.report() lists all that the program missed"
    )


class Missing:
    """Stands for a name that is missing. The bodies of modules and classes can decorate functions
    with it, derive classes from it and write it in annotations; nothing is an instance of it.

    Args:
      name: the name in JAX.
    """

    def __init__(self, name: str) -> None:
        self.__dict__.update(_name=name, __name__=name.rpartition(".")[2], __module__=__name__)

    def _fail(self) -> NoReturn:
        fail(self._name)

    def _check_importing(self) -> None:
        if not _is_importing(sys._getframe(2)):
            self._fail()

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        fail = self._fail

        class Base:
            """Stands for a class that is missing."""

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                if not _is_importing(sys._getframe(1)):
                    fail()

            def __getattr__(self, name: str) -> Any:
                if name.startswith("__"):
                    raise AttributeError(name)
                fail()

        return (Base,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """A placeholder or, for a function to decorate, one that is an error when called."""
        self._check_importing()
        if len(args) != 1 or kwargs or isinstance(args[0], Missing) or not callable(args[0]):
            return Missing(self._name)
        if isinstance(args[0], type):
            return args[0]

        def decorated(*args: Any, **kwargs: Any) -> Any:
            self._fail()

        decorated.__name__ = getattr(args[0], "__name__", "f")
        return decorated

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self._check_importing()
        return Missing(f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._check_importing()

    def __setitem__(self, item: Any, value: Any) -> None:
        self._check_importing()

    def __getitem__(self, item: Any) -> Missing:
        self._check_importing()
        return self

    def __iter__(self) -> Any:
        self._check_importing()
        return iter(())

    def __enter__(self) -> Any:
        self._fail()

    def __exit__(self, *exception: object) -> None:
        self._fail()

    def __instancecheck__(self, instance: Any) -> bool:
        return False

    def __subclasscheck__(self, subclass: Any) -> bool:
        return False

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __or__(self, other: Any) -> Any:
        # Nothing is an instance of what is missing.
        return other if isinstance(other, (type, UnionType)) else self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<missing {self._name}>"

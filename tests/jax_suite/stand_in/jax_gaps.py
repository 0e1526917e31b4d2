"""Placeholders for names that Dovetail lacks: tests can import them, and fail when they use one."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import jax_names

_CO_OPTIMIZED = 1  # of functions, not of the bodies of modules and classes

# Until pytest has collected the tests, all placeholders are let through.
collecting = True


class MissingNameError(AttributeError):
    """A test used what Dovetail, or the stand-in, does not have."""


def describe(name: str) -> str:
    """The name, and whether it is JAX's public interface."""
    return f"{'INTERNAL' if jax_names.is_internal(name) else 'PUBLIC'} {name}"


def while_importing() -> bool:
    """True if a placeholder is used by a module's or a class's body, not by a test."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back
    while frame is not None and not collecting:
        if not frame.f_code.co_flags & _CO_OPTIMIZED:
            return True
        if frame.f_code.co_name not in ("<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"):
            return False
        frame = frame.f_back
    return collecting


class Missing:
    """Stands for a name that is not there."""

    def __init__(self, name: str) -> None:
        self.__dict__.update(_name=name, __name__=name.rpartition(".")[2], __module__="jax_gaps")

    def _error(self) -> MissingNameError:
        return MissingNameError(describe(self._name))

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (object,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not while_importing():
            raise self._error()
        if len(args) != 1 or kwargs or isinstance(args[0], Missing) or not callable(args[0]):
            return Missing(self._name)
        if isinstance(args[0], type):
            return args[0]

        def decorated(*_args: Any, **_kwargs: Any) -> Any:
            raise self._error()

        decorated.__name__ = getattr(args[0], "__name__", "f")
        return decorated

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if while_importing():
            return Missing(f"{self._name}.{name}")
        raise MissingNameError(describe(f"{self._name}.{name}"))

    def __setattr__(self, name: str, value: Any) -> None:
        pass

    def __setitem__(self, item: Any, value: Any) -> None:
        pass

    def __iter__(self) -> Any:
        if while_importing():
            return iter(())
        raise self._error()

    def __getitem__(self, item: Any) -> Any:
        if while_importing():
            return self
        raise self._error()

    def __enter__(self) -> Any:
        raise self._error()

    def __exit__(self, *exception: object) -> None:
        raise self._error()

    def __instancecheck__(self, instance: Any) -> bool:
        raise self._error()

    def __add__(self, other: Any) -> Any:
        return other

    __radd__ = __add__

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __repr__(self) -> str:
        return f"<missing {self._name}>"

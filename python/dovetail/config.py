"""Settings: process-wide values that a thread can override for the length of a `with` block."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

T = TypeVar("T", bool, str)

_options: dict[str, Option[Any]] = {}
# All that is overridden here, as one object: equal overrides are the same object.
state: ContextVar[tuple[Any, ...]] = ContextVar("state", default=())
_states: dict[tuple[Any, ...], tuple[Any, ...]] = {(): state.get()}
_listeners: list[Callable[[], Any]] = []

_BOOLEANS = {
    "1": True,
    "true": True,
    "on": True,
    "0": False,
    "false": False,
    "off": False,
    "": False,
}


class Option(Generic[T]):
    """One setting. Its first value is that of the environment variable `DOVETAIL_<NAME>`, else
    `default`.

    `option.value` reads it, `with option(value):` overrides it in this context.

    >>> with enable_x64(True):
    ...     enable_x64.value
    True
    """

    def __init__(
        self, name: str, default: T, doc: str, choices: tuple[T, ...] | None = None
    ) -> None:
        self.name = name
        self.choices = choices
        self.__doc__ = doc
        self._override: ContextVar[T] = ContextVar(name)
        self._value: T = default
        text = os.environ.get(f"DOVETAIL_{name.upper()}")
        if text is not None:
            self._value = self._parse(text, type(default))
        _options[name] = self

    @property
    def value(self) -> T:
        """The value that holds here."""
        return self._override.get(self._value)

    def set(self, value: T) -> None:
        """Change the process-wide value."""
        self._value = self._checked(value)
        for listener in _listeners:
            listener()

    @contextmanager
    def __call__(self, value: T) -> Iterator[None]:
        """Override the value in this context, for the length of a `with` block."""
        token = self._override.set(self._checked(value))
        _update_state()
        try:
            yield
        finally:
            self._override.reset(token)
            _update_state()

    def _parse(self, text: str, kind: type) -> Any:
        if kind is bool:
            if text.lower() not in _BOOLEANS:
                raise ValueError(f"DOVETAIL_{self.name.upper()} must be 0 or 1, got {text!r}")
            return _BOOLEANS[text.lower()]
        return self._checked(text)  # type: ignore[arg-type]

    def _checked(self, value: T) -> T:
        accepted = self.choices or ((True, False) if isinstance(self._value, bool) else None)
        if accepted is not None and value not in accepted:
            raise ValueError(
                f"{self.name} must be one of {', '.join(map(repr, accepted))}, got {value!r}"
            )
        return bool(value) if isinstance(self._value, bool) else value  # type: ignore[return-value]


def _update_state() -> None:
    overrides = [(name, option._override.get(None)) for name, option in _options.items()]
    values = tuple((name, value) for name, value in overrides if value is not None)
    state.set(_states.setdefault(values, values))


def on_change(listener: Callable[[], Any]) -> None:
    """Have a function called when a setting of the whole process changes."""
    _listeners.append(listener)


enable_x64 = Option(
    "enable_x64", False, "Keep 64-bit element types; without it they are truncated to 32 bits."
)
numpy_dtype_promotion = Option(
    "numpy_dtype_promotion",
    "standard",
    "Whether arrays of different element types promote implicitly; 'strict' refuses all but weak "
    "scalars.",
    choices=("standard", "strict"),
)
numpy_rank_promotion = Option(
    "numpy_rank_promotion",
    "allow",
    "What to do when arrays of different ranks are broadcast together.",
    choices=("allow", "warn", "raise"),
)


def update(name: str, value: Any) -> None:
    """Change a setting for the whole process; a `jax_` before the name is ignored.

    >>> update("enable_x64", False)
    """
    option = _options.get(name.removeprefix("jax_"))
    if option is None:
        raise AttributeError(
            f"no setting is named {name!r}; the settings are {', '.join(_options)}"
        )
    option.set(value)


def read(name: str) -> Any:
    """The value of a setting, by name."""
    option = _options.get(name.removeprefix("jax_"))
    if option is None:
        raise AttributeError(
            f"no setting is named {name!r}; the settings are {', '.join(_options)}"
        )
    return option.value

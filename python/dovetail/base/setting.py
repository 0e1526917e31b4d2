"""The base of settings: process-wide values that a thread can override in a `with` block."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from typing import Any, Generic, TypeVar

T = TypeVar("T")

# All settings by name.
options: dict[str, Option[Any]] = {}
# All overrides here, as one object: equal overrides are the same object.
state: ContextVar[tuple[Any, ...]] = ContextVar("state", default=())
_states: dict[tuple[Any, ...], tuple[Any, ...]] = {(): state.get()}
_listeners: list[Callable[[], Any]] = []
# Marks a value that is not overridden; settings may be None.
_NOTHING = object()

_TRUE = ("1", "true", "t", "yes", "y", "on")
_FALSE = ("0", "false", "f", "no", "n", "off", "")


# The docstring of each setting.
_DOCUMENTATION = """{doc}

Args:
  value: what it is within a `with` block or a function: {accepts}.

Returns:
  A context manager that is a decorator too.

Example:
  >>> from dovetail import config
  >>> with config.{name}({example!r}):
  ...     config.{name}.value
  {example!r}
"""


_FIXED_DOCUMENTATION = """{doc}

It is set for the whole process, before the first use of a device.

Args:
  value: nothing: there is no other value for a part of the program.

Returns:
  Nothing.

Raises:
  TypeError: at each call.

Example:
  >>> from dovetail import config
  >>> config.update({name!r}, {default!r})
"""


class Option(Generic[T]):
    """One setting. Its initial value is that of the environment variable `DOVETAIL_<NAME>`, or
    `default`.

    `option.value` reads it; `with option(value):`, or `@option(value)` before a function, overrides
    it there.

    Args:
      name: its name.
      default: its initial value.
      doc: its description, one line or two.
      choices: its possible values; by default True or False.
      check: instead of `choices`, maps a requested value to the one that is stored.
      accepts: with `check`, a description of the possible values.
      example: with `check`, a possible value.
      also: settings with the same choices that change together with this one.

    >>> from dovetail.config import enable_x64
    >>> with enable_x64(True):
    ...     enable_x64.value
    True
    """

    def __init__(
        self,
        name: str,
        default: T,
        doc: str,
        choices: tuple[Any, ...] = (True, False),
        check: Callable[[Any], T] | None = None,
        accepts: str = "",
        example: Any = None,
        also: Sequence[Option[T]] = (),
    ) -> None:
        self.parts: tuple[Option[T], ...] = (self, *also)
        self.name = self.__name__ = name
        self.choices = choices
        self.check = check
        if not check:
            example = next(choice for choice in reversed(choices) if choice != default)
            accepts = f"one of {', '.join(map(repr, choices))}"
        if True in choices and not check:
            accepts += "; by default True"
        self.__doc__ = _DOCUMENTATION.format(doc=doc, name=name, accepts=accepts, example=example)
        self._override: ContextVar[T] = ContextVar(name)
        self.default = self._value = default
        self._uses: list[Callable[[], Any]] = []
        text = os.environ.get(f"DOVETAIL_{name.upper()}")
        if text is not None:
            self._value = self.parse(text)
        options[name] = self

    @property
    def value(self) -> T:
        """The value that applies here."""
        return self._override.get(self._value)

    def set(self, value: T) -> None:
        """Change the process-wide value."""
        value = self._checked(value)
        for option in self.parts:
            option._value = value
            option._use(value)
        changed()

    def __call__(self, new_val: Any = ...) -> Override:
        """Override the value, by default with True, for the length of a `with` block or a call."""
        if new_val is ...:
            if True not in self.choices:
                raise TypeError(
                    f"{self.name} needs a value, one of {', '.join(map(repr, self.choices))}"
                )
            new_val = True
        return Override(self, self._checked(new_val))

    def __bool__(self) -> bool:
        raise TypeError(f"a setting is neither true nor false; read {self.name}.value")

    def __repr__(self) -> str:
        return f"<setting {self.name} = {self.value!r}>"

    def when_used(self, prepare: Callable[[], Any]) -> None:
        """Call a function, now or as soon as the setting is anything but false."""
        self._uses.append(prepare)
        self._use(self._value)

    def _use(self, value: T) -> None:
        while value and self._uses:
            self._uses.pop()()

    def parse(self, text: str) -> T:
        """The value that the text of an environment variable means."""
        if True not in self.choices or self.check:
            return self._checked(text)
        word = text.lower()
        if word not in _TRUE + _FALSE:
            raise ValueError(f"DOVETAIL_{self.name.upper()} must be 0 or 1, got: {text!r}")
        return word in _TRUE  # type: ignore[return-value]

    def _checked(self, value: Any) -> T:
        if self.check:
            return self.check(value)
        if value not in self.choices:
            raise ValueError(
                f"{self.name} must be one of {', '.join(map(repr, self.choices))}, got: {value!r}"
            )
        # True rather than 1.
        return self.choices[self.choices.index(value)]


class Fixed(Option[T]):
    """A setting of the whole process, which cannot be changed once it has been used.

    >>> from dovetail import config
    >>> config.num_cpu_devices.value
    1
    """

    def __init__(self, name: str, default: T, doc: str, check: Callable[[Any], T]) -> None:
        super().__init__(name, default, doc, check=check)
        self.__doc__ = _FIXED_DOCUMENTATION.format(doc=doc, name=name, default=default)
        self.is_used = False
        # Asked for the value at the first use, if there is a function: None leaves it as it is.
        self.ask: Callable[[], T | None] = lambda: None

    def use(self) -> T:
        """The value, which is final from now on."""
        if not self.is_used:
            asked = self.ask()
            if asked is not None:
                super().set(asked)
            self.is_used = True
        return self._value

    def set(self, value: T) -> None:
        """Change the value, unless it has been used."""
        if self.is_used and self._checked(value) != self._value:
            raise RuntimeError(
                f"{self.name} config should be updated before backends are initialized, that is "
                f"before any device is used, got: {value!r} in place of {self._value!r}; set it "
                "right after `import dovetail`, or set "
                f"DOVETAIL_{self.name.upper()} for the process"
            )
        super().set(value)

    def __call__(self, new_val: Any = ...) -> Override:
        """An error: a `with` block cannot have its own value."""
        raise TypeError(
            f"{self.name} is a setting of the whole process; call "
            f"dovetail.config.update({self.name!r}, {new_val!r})"
        )


class Override(ContextDecorator):
    """Overrides a setting for the length of a `with` block, or of calls of a function."""

    def __init__(self, option: Option[Any], value: Any) -> None:
        self._option = option
        self._new = value
        self._tokens: list[list[Token[Any]]] = []

    def _recreate_cm(self) -> Override:
        # Calls of one function may overlap.
        return Override(self._option, self._new)

    def __enter__(self) -> None:
        self._option._use(self._new)
        self._tokens.append([part._override.set(self._new) for part in self._option.parts])
        _update_state()

    def __exit__(self, *error: object) -> None:
        for part, token in zip(self._option.parts, self._tokens.pop(), strict=True):
            part._override.reset(token)
        _update_state()


def _update_state() -> None:
    overrides = [(name, option._override.get(_NOTHING)) for name, option in options.items()]
    values = tuple((name, value) for name, value in overrides if value is not _NOTHING)
    state.set(_states.setdefault(values, values))


def changed() -> None:
    """Invalidate all caches that depend on process-wide settings.

    Example:
      >>> from dovetail.base import config
      >>> config.changed()
    """
    for listener in _listeners:
        listener()


def on_change(listener: Callable[[], Any]) -> None:
    """Call a function whenever a process-wide setting changes.

    Args:
      listener: a function without arguments; it is never removed.

    Example:
      >>> from dovetail.base import config
      >>> config.on_change(lambda: None)
    """
    _listeners.append(listener)

"""Settings: process-wide values that a thread can override for the length of a `with` block."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable
from contextlib import ContextDecorator
from contextvars import ContextVar, Token
from types import ModuleType
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")

_options: dict[str, Option[Any]] = {}
# All that is overridden here, as one object: equal overrides are the same object.
state: ContextVar[tuple[Any, ...]] = ContextVar("state", default=())
_states: dict[tuple[Any, ...], tuple[Any, ...]] = {(): state.get()}
_listeners: list[Callable[[], Any]] = []

_TRUE = ("1", "true", "t", "yes", "y", "on")
_FALSE = ("0", "false", "f", "no", "n", "off", "")


# How each setting describes itself.
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


class Option(Generic[T]):
    """One setting. Its first value is that of the environment variable `DOVETAIL_<NAME>`, else
    `default`.

    `option.value` reads it; `with option(value):`, or `@option(value)` before a function, overrides
    it there.

    Args:
      name: what it is called.
      default: its first value.
      doc: what it does, one line or two.
      choices: what it may be; by default True or False.
      check: in place of `choices`, gives the value to keep for one that is asked for.
      accepts: with `check`, what it may be, in words.
      example: with `check`, a value.

    >>> with enable_x64(True):
    ...     enable_x64.value
    True
    """

    def __init__(
        self,
        name: str,
        default: T,
        doc: str,
        choices: tuple[T, ...] = (True, False),  # type: ignore[assignment]
        check: Callable[[Any], T] | None = None,
        accepts: str = "",
        example: Any = None,
    ) -> None:
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
        self._value: T = default
        self._uses: list[Callable[[], Any]] = []
        text = os.environ.get(f"DOVETAIL_{name.upper()}")
        if text is not None:
            self._value = self._parse(text)
        _options[name] = self

    @property
    def value(self) -> T:
        """The value that holds here."""
        return self._override.get(self._value)

    def set(self, value: T) -> None:
        """Change the process-wide value."""
        self._value = self._checked(value)
        self._use(self._value)
        changed()

    def __call__(self, value: Any = ...) -> _Override:
        """Override the value, by default with True, for the length of a `with` block or a call."""
        if value is ...:
            if True not in self.choices:
                raise TypeError(
                    f"{self.name} needs a value, one of {', '.join(map(repr, self.choices))}"
                )
            value = True
        return _Override(self, self._checked(value))

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

    def _parse(self, text: str) -> T:
        if True not in self.choices or self.check:
            return self._checked(text)
        word = text.lower()
        if word not in _TRUE + _FALSE:
            raise ValueError(f"DOVETAIL_{self.name.upper()} must be 0 or 1, got {text!r}")
        return word in _TRUE  # type: ignore[return-value]

    def _checked(self, value: Any) -> T:
        if self.check:
            return self.check(value)
        if value not in self.choices:
            raise ValueError(
                f"{self.name} must be one of {', '.join(map(repr, self.choices))}, got {value!r}"
            )
        # True rather than 1.
        return self.choices[self.choices.index(value)]


class _Override(ContextDecorator):
    """The length of a `with` block, or of calls of a function, with another value of a setting."""

    def __init__(self, option: Option[Any], value: Any) -> None:
        self._option = option
        self._new = value
        self._tokens: list[Token[Any]] = []

    def _recreate_cm(self) -> _Override:
        # Calls of one function may overlap.
        return _Override(self._option, self._new)

    def __enter__(self) -> None:
        self._option._use(self._new)
        self._tokens.append(self._option._override.set(self._new))
        _update_state()

    def __exit__(self, *error: object) -> None:
        self._option._override.reset(self._tokens.pop())
        _update_state()


def _update_state() -> None:
    overrides = [(name, option._override.get(None)) for name, option in _options.items()]
    values = tuple((name, value) for name, value in overrides if value is not None)
    state.set(_states.setdefault(values, values))


def changed() -> None:
    """Have all forgotten that depends on the settings of the whole process.

    Example:
      >>> from dovetail import config
      >>> config.changed()
    """
    for listener in _listeners:
        listener()


def on_change(listener: Callable[[], Any]) -> None:
    """Have a function called when a setting of the whole process changes.

    Args:
      listener: a function without arguments; it is kept for good.

    Example:
      >>> from dovetail import config
      >>> config.on_change(lambda: None)
    """
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
default_matmul_precision = Option(
    "default_matmul_precision",
    None,
    "The least precision of matrix products. All are computed with the precision of their element "
    "type, which meets any.",
    choices=(None, "default", "high", "highest", "bfloat16", "tensorfloat32", "float32"),
)
disable_jit = Option("disable_jit", False, "Call jitted functions as plain Python.")
debug_nans = Option(
    "debug_nans", False, "Raise FloatingPointError where an op, compiled or not, gives NaN."
)
debug_infs = Option(
    "debug_infs", False, "Raise FloatingPointError where an op, compiled or not, gives infinity."
)
check_tracer_leaks = Option(
    "check_tracer_leaks",
    False,
    "Raise LeakedTracerError at the end of a trace of which a tracer is still referred to.",
)
no_tracing = Option("no_tracing", False, "Raise RuntimeError where `jit` would trace a function.")
log_compiles = Option(
    "log_compiles",
    False,
    "Log what `jit` traces and compiles, and how long it takes, as warnings; else for debugging.",
)
explain_cache_misses = Option(
    "explain_cache_misses", False, "Log why `jit` traces a function again, as warnings."
)
compile_in_process = Option(
    "compile_in_process",
    False,
    "Run the compiler in this process, where a fault of its own ends this process.",
)
enable_compilation_cache = Option(
    "enable_compilation_cache", True, "Keep compiled programs on disk."
)
default_prng_impl = Option(
    "default_prng_impl",
    "threefry2x32",
    "The generator of the keys that `random.key` makes, and that raw keys are of.",
    choices=("threefry2x32", "threefry4x32", "rbg", "unsafe_rbg", "philox2x32", "philox4x32"),
)
threefry_partitionable = Option(
    "threefry_partitionable",
    True,
    "Let each random number depend on the key and its own place only; without it the numbers of "
    "arrays are others, as those of older programs are.",
)
random_seed_offset: Option[int] = Option(
    "random_seed_offset",
    0,
    "What is added to all seeds of random keys.",
    check=operator.index,
    accepts="an int",
    example=1,
)
high_dynamic_range_gumbel = Option(
    "high_dynamic_range_gumbel",
    False,
    "Draw two numbers for each sample of `random.gumbel`, for more precision where it is rare.",
)
debug_key_reuse = Option(
    "debug_key_reuse", False, "Raise KeyReuseError where a typed random key is used twice."
)
legacy_prng_key = Option(
    "legacy_prng_key",
    "allow",
    "What to do when `dovetail.random` is given a raw key, as `PRNGKey` makes them.",
    choices=("allow", "warn", "error"),
)
enable_custom_prng = Option(
    "enable_custom_prng", False, "Let `random.PRNGKey` make typed keys, as `random.key` does."
)
compilation_cache_dir: Option[Any] = Option(
    "compilation_cache_dir",
    None,
    "Where compiled programs are kept; None for the directory that DOVETAIL_CACHE_DIR names.",
    check=lambda value: None if value is None else os.fspath(value),
    accepts="a path, or None",
    example="build/cache",
)

# Examples that are not a function's or a class's own.
__test__ = {name: option.__doc__ for name, option in _options.items()}

# What a traced program depends on.
_TRACED = (
    enable_x64,
    numpy_dtype_promotion,
    numpy_rank_promotion,
    default_prng_impl,
    threefry_partitionable,
    random_seed_offset,
    high_dynamic_range_gumbel,
    debug_key_reuse,
    legacy_prng_key,
    enable_custom_prng,
)


class Snapshot(NamedTuple):
    """What calls of compiled functions ask of the settings.

    Attributes:
      trace_key: the values of those that a traced program depends on.
      disable_jit: whether functions are called as plain Python.
      checks: whether results are looked at.

    Example:
      >>> from dovetail import config
      >>> with config.debug_nans(True):
      ...     config.snapshot().checks
      True
    """

    trace_key: tuple[Any, ...]
    disable_jit: bool
    checks: bool


_snapshots: dict[tuple[Any, ...], Snapshot] = {}


def snapshot() -> Snapshot:
    """The settings that hold here, at the cost of reading one.

    Returns:
      A `Snapshot`; where the same overrides hold, the same object.

    Example:
      >>> from dovetail import config
      >>> with config.disable_jit(True):
      ...     config.snapshot().disable_jit
      True
    """
    overrides = state.get()
    known = _snapshots.get(overrides)
    if known is None:
        key = tuple([option.value for option in _TRACED])
        checks = debug_nans.value or debug_infs.value
        known = _snapshots[overrides] = Snapshot(key, disable_jit.value, checks)
    return known


on_change(_snapshots.clear)


def checking_leaks() -> _Override:
    """Check traces for leaked tracers, for the length of a `with` block.

    Returns:
      A context manager: `check_tracer_leaks(True)`.

    Example:
      >>> from dovetail import config
      >>> with config.checking_leaks():
      ...     config.check_tracer_leaks.value
      True
    """
    return check_tracer_leaks(True)


def _find(name: str) -> Option[Any]:
    option = _options.get(name.removeprefix("jax_"))
    if option is None:
        raise AttributeError(
            f"no setting is named {name!r}; the settings are {', '.join(_options)}"
        )
    return option


def update(name: str, value: Any) -> None:
    """Change a setting for the whole process.

    Args:
      name: the setting; a `jax_` before it is ignored.
      value: what it is from now on.

    Raises:
      AttributeError: there is no such setting.
      ValueError: it cannot have this value.

    Example:
      >>> from dovetail import config
      >>> config.update("enable_x64", False)
    """
    _find(name).set(value)


def read(name: str) -> Any:
    """The value of a setting, by name.

    Args:
      name: the setting; a `jax_` before it is ignored.

    Returns:
      The value that holds here.

    Raises:
      AttributeError: there is no such setting.

    Example:
      >>> from dovetail import config
      >>> config.read("numpy_rank_promotion")
      'allow'
    """
    return _find(name).value


def __getattr__(name: str) -> Any:
    """The value of `jax_<name>`, and those of all settings as `values`."""
    if name == "values":
        return {option: read(option) for option in _options}
    if name.startswith("jax_"):
        return read(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Settings(ModuleType):
    """This module, in which assignment to a setting is an error instead of its end."""

    def __setattr__(self, name: str, value: Any) -> None:
        setting = name.removeprefix("jax_")
        if setting in _options and value is not _options[setting]:
            raise AttributeError(
                f"a setting cannot be assigned to; call dovetail.config.update({setting!r}, "
                f"{value!r})"
            )
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Settings

"""Errors of tracing, and errors about arguments with the user's location."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator

import numpy as np

from dovetail.base import locations
from dovetail.base.locations import here
from dovetail.base.trace_stack import refuse_recording


class JAXTypeError(TypeError):
    """Base class of type errors raised while tracing, under JAX's name."""


class JAXIndexError(IndexError):
    """Base class of index errors raised while tracing, under JAX's name."""


class MismatchError(TypeError, ValueError):
    """Arguments that do not match each other or a known type; JAX raises either class."""


class TransformError(MismatchError, NotImplementedError):
    """The compiler cannot transform the program as requested; it belongs to JAX's classes for such
    errors.
    """


class TracerError(JAXTypeError):
    """A tracer was used where only a known array can be."""


class ConcretizationTypeError(TracerError):
    """Python code needs a value that is unknown while a function is traced."""


class TracerBoolConversionError(ConcretizationTypeError):
    """Python tested the truth of a value that is unknown while a function is traced."""


class TracerIntegerConversionError(ConcretizationTypeError):
    """Python code needs an index that is unknown while a function is traced."""


class NonConcreteBooleanIndexError(ConcretizationTypeError, JAXIndexError):
    """A mask with unknown values was used as an index: the result's shape depends on them."""


class TracerArrayConversionError(TracerError):
    """NumPy was given a tracer."""


class LeakedTracerError(TracerError):
    """A tracer was used after, or outside, the function whose tracing created it."""


class ClosedOverError(TransformError, LeakedTracerError):
    """A derivative with respect to a value that a function with a custom rule closes over."""


class ShardingTypeError(TypeError):
    """Over explicit axes of a mesh, it is ambiguous how the result of an op is sharded."""


class InconclusiveDimensionOperation(Exception):
    """A question about symbolic sizes has different answers for different sizes."""


class UnknownSizeError(NotImplementedError):
    """A size that is known only when the program runs is needed earlier."""


class JaxprTypeError(TypeError):
    """A program as data is not well formed."""


class KeyReuseError(TypeError):
    """A random key was used a second time."""


# The module where users find them, and which tracebacks show.
for _error in [value for value in globals().values() if isinstance(value, type)]:
    if issubclass(_error, Exception):
        _error.__module__ = "dovetail.errors"

# JAX's names for them.
UnexpectedTracerError = LeakedTracerError
JaxRuntimeError = RuntimeError


def warn(
    message: str, stacklevel: int | None = None, category: type[Warning] = UserWarning
) -> None:
    """Warn at the user's line; a `stacklevel` counts as in `warnings.warn`."""
    # A cached call would not warn.
    refuse_recording()
    if stacklevel is None:
        stacklevel, frame, user = 1, sys._getframe(1), locations.user_frame()
        while frame is not None and frame is not user:
            stacklevel, frame = stacklevel + 1, frame.f_back
    warnings.warn(message, category, stacklevel=stacklevel + 1)


@contextlib.contextmanager
def needed_for(purpose: str) -> Iterator[None]:
    """State, in errors about unknown values, the purpose for which the value is needed."""
    try:
        yield
    except ConcretizationTypeError as error:
        error.args = (f"{error}. {purpose}",)
        raise


def explained(error: Exception, kind: type[Exception] | None = None) -> Exception:
    """The compiler's error with the user's line, by default a `TransformError`."""
    message, file, line = error.args
    where = f"{file}:{line}" if file else locations.describe(locations.location())
    if kind is None:
        kind = ClosedOverError if "a value that it closes over" in message else TransformError
    return kind(f"{message} (at {where})")


def type_error(message: str) -> TypeError:
    """A TypeError with the location in the user's program."""
    return TypeError(f"{message}, {here()}")


def float0_error() -> TypeError:
    """The error for operands of type `float0`."""
    return type_error(
        "float0s do not support any operations by design, as they hold nothing: they are "
        "derivatives of integers"
    )


def value_error(message: str) -> ValueError:
    """A ValueError with the location in the user's program."""
    return ValueError(f"{message}, {here()}")


def axis_error(message: str) -> np.exceptions.AxisError:
    """NumPy's error about axes, which is a ValueError and an IndexError, with the user's
    location.
    """
    return np.exceptions.AxisError(f"{message}, {here()}")


def index_error(message: str) -> IndexError:
    """An IndexError with the location in the user's program."""
    return IndexError(f"{message}, {here()}")

"""Errors of tracing, each with what was expected, what came, where, and what to do."""

from __future__ import annotations


class TracerError(TypeError):
    """A tracer was used where only a known array can be."""


class ConcretizationTypeError(TracerError):
    """Python asked for a value that is not known while a function is traced."""


class TracerBoolConversionError(ConcretizationTypeError):
    """Python asked whether a value is true that is not known while a function is traced."""


class TracerIntegerConversionError(ConcretizationTypeError):
    """Python asked for an index that is not known while a function is traced."""


class NonConcreteBooleanIndexError(ConcretizationTypeError):
    """A mask whose value is not known was used as an index: the result's shape depends on it."""


class TracerArrayConversionError(TracerError):
    """NumPy was given a tracer."""


class LeakedTracerError(TracerError):
    """A tracer was used after, or outside, the function whose tracing made it."""


# JAX's name for it.
UnexpectedTracerError = LeakedTracerError

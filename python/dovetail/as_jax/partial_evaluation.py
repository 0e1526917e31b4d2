"""Which results of a function are known if only some of its arguments are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import numpy as dnp
from dovetail.arrays.array import ShapedArray
from dovetail.arrays.keys import is_keys
from dovetail.base.trace_stack import current
from dovetail.jaxprs.making import make_jaxpr
from dovetail.programs.inspection import eval_shape
from dovetail.programs.jit import jit
from dovetail.tracing.tracer import Tracer
from dovetail.trees.wrapped import WrappedFun


class PartialVal(tuple[Any, ...]):
    """A value that is known, `(None, value)`, or of which only the type is, `(type, None)`."""

    @classmethod
    def known(cls, const: Any) -> PartialVal:
        """A known value."""
        return cls((None, const))

    @classmethod
    def unknown(cls, aval: ShapedArray) -> PartialVal:
        """An unknown value of a type."""
        return cls((aval, None))

    def is_known(self) -> bool:
        """Whether the value is known."""
        return self[0] is None

    def get_known(self) -> Any:
        """The value, None if it is not known."""
        return self[1]

    def get_aval(self) -> ShapedArray | None:
        """The type of an unknown value."""
        return self[0]


def trace_to_jaxpr_nounits(
    fun: WrappedFun, pvals: Sequence[PartialVal], instantiate: bool = False
) -> tuple[None, list[PartialVal], tuple[()]]:
    """The results of a function of leaves of which some are unknown.

    The function is traced to find the results that depend on unknown arguments. The others are
    computed by a second call, in a program where unknown arguments are zeros.

    Args:
      fun: the function, as `jax.api_util.flatten_fun` makes it.
      pvals: its arguments.
      instantiate: ignored.

    Returns:
      (None, results, ()): `PartialVal`s. There is no jaxpr of the unknown part.

    Example:
      >>> from dovetail.as_jax.jax.extend import linear_util
      >>> from dovetail.as_jax.jax.interpreters import partial_eval
      >>> unknown = partial_eval.PartialVal.unknown(ShapedArray((2,), "float32"))
      >>> f = linear_util.wrap_init(lambda x, y: [2 * x, y + 1])
      >>> _, results, _ = partial_eval.trace_to_jaxpr_nounits(f, [unknown, unknown.known(1)])
      >>> [result.is_known() for result in results], results[1].get_known()
      ([False, True], 2)
    """
    types = [aval for aval, _ in pvals if aval is not None]
    found: list[Any] = []

    def call(*given: Any) -> list[Any]:
        rest = iter(given)
        return fun.call_wrapped(*(v if aval is None else next(rest) for aval, v in pvals))

    def note(*given: Any) -> None:
        found.extend(_found(result, len(given)) for result in call(*given))

    eval_shape(note, *map(_description, types))
    if _KNOWN in found:
        # What depends on the zeros is dead code of this program.
        values = jit(
            lambda: [
                value if each is _KNOWN else None
                for each, value in zip(
                    found, call(*(dnp.zeros(aval.shape, aval.dtype) for aval in types)), strict=True
                )
            ]
        )()
        found = [v if f is _KNOWN else f for f, v in zip(found, values, strict=True)]
    results = [f if isinstance(f, PartialVal) else PartialVal.known(f) for f in found]
    return None, results, ()


def trace_to_jaxpr_dynamic(
    fun: WrappedFun, in_avals: Sequence[ShapedArray]
) -> tuple[Any, list[Any], list[Any]]:
    """The jaxpr of a function of leaves.

    Args:
      fun: the function, as `jax.api_util.flatten_fun` makes it: it returns a list of leaves.
      in_avals: the types of its arguments.

    Returns:
      (the jaxpr, the types of its results, the values of its `constvars`).

    Example:
      >>> from dovetail.as_jax.jax.extend import linear_util
      >>> f = linear_util.wrap_init(lambda x, y: [2 * x + y])
      >>> jaxpr, types, consts = trace_to_jaxpr_dynamic(f, [ShapedArray((2,), "float32")] * 2)
      >>> [str(equation.primitive) for equation in jaxpr.eqns], [each.shape for each in types]
      (['mul', 'add'], [(2,)])
    """
    closed = make_jaxpr(fun.call_wrapped)(*map(_description, in_avals))
    return closed.jaxpr, list(closed.out_avals), list(closed.consts)


def _description(aval: ShapedArray) -> Any:
    """The description of an array of a type, which may be one of keys."""
    return eval_shape(lambda: dnp.zeros(aval.shape, aval.dtype))


# A result that is computed from known values only.
_KNOWN = object()


def _found(result: Any, count: int) -> Any:
    """A result: an unknown `PartialVal` if it depends on the first arguments of the trace in
    progress; `_KNOWN` if the trace computes it from other values; else the result itself.
    """
    trace = current()
    array = result._data if is_keys(result) else result
    if not isinstance(array, Tracer) or trace is None or array._trace is not trace:
        return result
    if any(trace.position_of(number) < count for number in trace.arguments_of(array.number)):
        return PartialVal.unknown(result.aval)
    return _KNOWN

"""Primitives that programs define: ops of the dialect that know their rules by name."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.keys import is_key_type
from dovetail.base import late
from dovetail.base.errors import type_error
from dovetail.base.mlir_types import dtype_name
from dovetail.base.trace_stack import outside_of_traces, refuse_recording, resumed, stack
from dovetail.symbolic.size import has_sizes
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.bind import has_tracers
from dovetail.tracing.trace import Operand
from dovetail.trees.pytree import flatten, unflatten

Function = Callable[..., Any]

# Kinds of traces of functions that are compiled as a whole; others, JAX would evaluate op by op.
_COMPILED = ("jit", "pmap", "shard_map")


class Primitive:
    """An operation that a program or a library defines, with all its rules.

    In traced functions a call is an op; passes ask for its rules when they need them. Elsewhere,
    `bind` calls the implementation.

    Args:
      name: the primitive's name.

    Example:
      >>> import dovetail.as_jax
      >>> from jax.extend.core import Primitive
      >>> double_p = Primitive("double")
      >>> @double_p.def_impl
      ... def double(x):
      ...     return x + x
      >>> double_p.bind(2.0)
      4.0
    """

    multiple_results = False
    call_primitive = False
    map_primitive = False

    def __init__(self, name: str) -> None:
        self.name = name

    def bind(self, *args: Any, **params: Any) -> Any:
        """The results for arguments.

        Args:
          args: arrays.
          params: what the rules take by name.

        Returns:
          An array, or a list of arrays if the primitive has `multiple_results`.

        Raises:
          NotImplementedError: there is no implementation or, in a traced function, no abstract
            evaluation. Other rules are asked for when they are needed.
        """
        traces = stack.traces
        if traces and traces[-1].is_for_equations:
            return late.user_traces.process(self, args, params)
        return self._bound(*args, **params)

    def _bound(self, *args: Any, **params: Any) -> Any:
        """What `bind` returns, unless a trace of the program processes the equation."""
        refuse_recording()
        leaves = flatten(args)[0]
        if not stack.traces:
            if stack.suspended and has_tracers(leaves):
                with resumed():
                    return self.bind(*args, **params)
            return self.impl(*args, **params)
        return self._emit(args, params)

    def _emit(self, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Append the op to the trace in progress."""
        # Lazily, since rules know primitives.
        from dovetail.transforms.primitive_rules import PrimitiveRules  # lazy

        args = tuple(_operand(arg, f"argument {i} of {self}") for i, arg in enumerate(args))
        leaves, spec = flatten(args)
        outs, effects = self._types([arg.aval for arg in args], params)
        in_progress = stack.traces[-1]
        rules = PrimitiveRules(
            self, params, [leaf.aval for leaf in leaves], spec, outs, self._may_use_impl()
        )
        in_progress.module.keep(rules)
        emitted = in_progress.emit(
            "primitive",
            leaves,
            {"primitive": self.name, "rules": rules.name, "has_side_effect": bool(effects)},
            [(aval.shape, dtype_name(aval.dtype)) for aval in outs],
            [aval.weak_type for aval in outs],
            lambda *values: self._evaluated(spec, values, params),
            {},
        )
        results = in_progress.state_types(emitted, outs)
        return results if self.multiple_results else results[0]

    def _types(
        self, avals: Sequence[ShapedArray], params: dict[str, Any]
    ) -> tuple[list[ShapedArray], Any]:
        """The types of the results, and the effects."""
        outs, effects = self.abstract_eval(*avals, **params), None
        if isinstance(outs, _WithEffects):
            outs, effects = outs
        outs = list(outs) if self.multiple_results else [outs]
        for aval in (*avals, *outs):
            if has_sizes(aval.shape):
                raise NotImplementedError(
                    f"{self}.bind: arrays must have known shapes, got: {aval}; call the primitive "
                    "in a function that is traced without symbolic sizes"
                )
        for aval in outs:
            if is_key_type(aval.dtype):
                raise NotImplementedError(
                    f"{self}.bind: results must be arrays of numbers, got: {aval}; return "
                    "random.key_data of the key"
                )
        return outs, effects

    def _evaluated(
        self, spec: Any, values: Sequence[np.ndarray], params: dict[str, Any]
    ) -> list[np.ndarray]:
        """The results by the implementation, for values."""
        args = unflatten(spec, [Array(value, False, None) for value in values])
        with outside_of_traces():
            outs = self.impl(*args, **params)
        outs = list(outs) if self.multiple_results else [outs]
        return [as_operand(out, f"result of {self}")._value() for out in outs]

    @staticmethod
    def _may_use_impl() -> bool:
        """Whether, without a lowering, the implementation may compute the op on the host."""
        return rule_in_progress.may_use_impl and not any(
            trace.kind in _COMPILED for trace in stack.traces
        )

    def impl(self, *args: Any, **params: Any) -> Any:
        """Compute the results from arrays; `def_impl` sets it."""
        raise NotImplementedError(f"Evaluation rule for '{self}' not implemented")

    def abstract_eval(self, *args: Any, **params: Any) -> Any:
        """Compute the types of the results; `def_abstract_eval` sets it."""
        raise NotImplementedError(f"Abstract evaluation for '{self}' not implemented")

    def def_impl(self, impl: Function) -> Function:
        """Set the function that computes the results from concrete arrays."""
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval: Function) -> Function:
        """Set the function that computes the types of the results from those of the arguments."""
        self.abstract_eval = abstract_eval
        return abstract_eval

    def def_effectful_abstract_eval(self, abstract_eval: Function) -> Function:
        """Set the function that computes the types of the results, and the effects."""

        def with_effects(*args: Any, **params: Any) -> Any:
            return _WithEffects(abstract_eval(*args, **params))

        self.abstract_eval = with_effects
        return abstract_eval

    def def_custom_bind(self, bind: Function) -> Function:
        """Set the function that `bind` is."""
        self.bind = bind
        return bind

    def bind_with_trace(self, trace: Any, args: Any, avals: Any, params: dict[str, Any]) -> Any:
        """What `bind` returns in a trace, such as `jax.extend.core.take_current_trace` gives."""
        with late.user_traces.set_current_trace(trace):
            return self.bind(*args, **params)

    def get_bind_params(self, params: dict[str, Any]) -> dict[str, Any]:
        """The keywords with which `bind` makes an equation of these parameters."""
        return params

    def __repr__(self) -> str:
        return self.name


class _RuleInProgress(threading.local):
    """Whether the op of the rule that this thread traces may be computed by the implementation."""

    may_use_impl = True


rule_in_progress = _RuleInProgress()


class _WithEffects(tuple[Any, ...]):
    """The types of the results, and the effects."""


class UndefinedPrimal:
    """A value of which a transpose rule computes the cotangent.

    Args:
      aval: its type.
    """

    __slots__ = ("aval",)

    def __init__(self, aval: ShapedArray) -> None:
        self.aval = aval

    def __repr__(self) -> str:
        return f"UndefinedPrimal({self.aval})"


# The rules that programs register, by primitive.
jvps: dict[Any, Function] = {}
transposes: dict[Any, Function] = {}
batchers: dict[Any, Function] = {}
# (size, name of the axis, None, arguments, positions of the batch) instead of the last two.
axis_batchers: dict[Any, Function] = {}
# An `AxisData` in their place.
fancy_batchers: dict[Any, Function] = {}
lowerings: dict[Any, Function] = {}


def _operand(arg: Any, what: str) -> Operand:
    try:
        return as_operand(arg, what) if not hasattr(type(arg), "is_key_array") else arg
    except TypeError as error:
        raise type_error(str(error)) from None

"""Primitives that users define: they are called by their implementation or their lowering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dovetail.base.errors import type_error
from dovetail.base.trace_stack import derivative_order, stack
from dovetail.tracing.tracer import Tracer

Rule = Callable[..., Any]
# Kinds of traces of functions of one element of a batch, or of one device.
_BATCHED = ("vmap", "pmap", "shard_map", "smap")


class Primitive:
    """An operation that a program or a library defines.

    Its rules can be registered as in JAX, but transforms do not apply them yet: a call is one of
    the implementation or, in compiled functions, of the function that is its lowering. A call that
    is to be differentiated or batched is an error.

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

    call_primitive = False
    map_primitive = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.multiple_results = False
        self.impl: Rule | None = None
        self.abstract_eval: Rule | None = None
        self.lowering: Rule | None = None

    def bind(self, *args: Any, **params: Any) -> Any:
        """The results for arguments.

        Args:
          args: arrays.
          params: what the implementation takes by name.

        Returns:
          What the implementation returns or, in a compiled function, the lowering.

        Raises:
          TypeError: there is no such function, or the call is to be differentiated or batched.
        """
        traces = stack.traces
        is_traced = bool(traces) or any(isinstance(arg, Tracer) for arg in args)
        if derivative_order() or any(trace.kind in _BATCHED for trace in traces):
            fault, rule = "a call that is differentiated or batched", None
        elif is_traced:
            fault, rule = "a call in a traced function", self.lowering
        else:
            fault, rule = "a call outside of them", self.impl
        if rule is None:
            raise type_error(
                f"Primitive.bind: a primitive that is not Dovetail's own ({self.name!r}) can only "
                "be called with a lowering by mlir.lower_fun in traced functions, with an "
                f"implementation outside of them, and not under grad and vmap, got: {fault}; write "
                "it with custom_jvp, custom_vjp, custom_vmap or pure_callback"
            )
        return rule(*args, **params)

    def def_impl(self, impl: Rule) -> Rule:
        """Set the function that computes the results from concrete arrays."""
        self.impl = impl
        return impl

    def def_abstract_eval(self, abstract_eval: Rule) -> Rule:
        """Set the function that computes the types of the results."""
        self.abstract_eval = abstract_eval
        return abstract_eval

    def def_effectful_abstract_eval(self, abstract_eval: Rule) -> Rule:
        """Set the function that computes the types of the results, and the effects."""
        return self.def_abstract_eval(abstract_eval)

    def def_custom_bind(self, bind: Rule) -> Rule:
        """Set the function that `bind` is."""
        self.bind = bind
        return bind

    def __repr__(self) -> str:
        return self.name


def registration(table: dict[Any, Any]) -> Rule:
    """A function that registers a rule, or several, for a primitive."""

    def register(primitive: Primitive, *rules: Any) -> None:
        table[primitive] = rules[0] if len(rules) == 1 else rules

    return register

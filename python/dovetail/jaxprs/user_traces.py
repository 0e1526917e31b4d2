"""Traces that programs define: what happens to each equation, while a function runs.

Ops that are applied under such a trace are read as equations, which the trace processes one by one:
of a request, such as a gradient, those of the function that it makes.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.keys import is_keys
from dovetail.base import errors
from dovetail.base.errors import ConcretizationTypeError, LeakedTracerError
from dovetail.base.locations import here
from dovetail.base.mlir_types import Type
from dovetail.base.trace_stack import derivative_order, stack, suspended
from dovetail.jaxprs.evaluation import jaxpr_as_fun
from dovetail.jaxprs.higher_order import custom_jvp_call_p, custom_vjp_call_p
from dovetail.jaxprs.structure import Atom, Jaxpr, Literal, Var
from dovetail.jaxprs.view import View
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.references import type_of
from dovetail.tracing.trace import Operand, Trace
from dovetail.tracing.tracer import AnyTracer, Tracer
from dovetail.trees.wrapped import wrap_init


class TraceTag:
    """What tells the traces of one transform from others."""


class UserTrace:
    """A trace that a program defines, by methods that process equations.

    Example:
      >>> class Counting(UserTrace):
      ...     def process_primitive(self, primitive, tracers, params):
      ...         names.append(primitive.name)
      ...         with set_current_trace(self.parent):
      ...             return primitive.bind(*tracers, **params)
      >>> names, trace = [], Counting()
      >>> with take_current_trace() as trace.parent, set_current_trace(trace):
      ...     y = dnp.exp(dnp.float32(0)) + 1
      >>> names, y
      (['exp', 'add'], Array(2., dtype=float32))
    """

    # What hands on equations to it, once it is set.
    relay: Relay | None = None

    def __init__(self) -> None:
        self._is_valid = True
        self._weakref = weakref.ref(self)

    @property
    def main(self) -> Any:
        """The tag of the transform, if the trace has one."""
        return getattr(self, "tag", None)

    def invalidate(self) -> None:
        """Let `is_valid` be False: the trace has ended."""
        self._is_valid = False

    def is_valid(self) -> bool:
        """Whether the trace has not ended."""
        return self._is_valid

    def full_raise(self, x: Any) -> Any:
        """The value itself."""
        return x

    def stage_value(self, val: Any) -> Any:
        """A value as one of the trace."""
        raise NotImplementedError(f"{type(self).__name__} must override stage_value")

    def process_primitive(self, primitive: Any, tracers: Sequence[Any], params: Any) -> Any:
        """The result of an equation, or a sequence of them if the primitive has several.

        Args:
          primitive: the primitive.
          tracers: the operands: arrays, and what the trace itself has returned.
          params: the parameters.
        """
        raise NotImplementedError(f"{type(self).__name__} must override process_primitive")

    def process_custom_jvp_call(
        self, primitive: Any, fun: Any, jvp: Any, tracers: Sequence[Any], *, symbolic_zeros: bool
    ) -> Sequence[Any]:
        """The results of a call of a function that has a rule for its derivative.

        Args:
          primitive: the primitive.
          fun, jvp: the function and its rule, with `call_wrapped`.
          tracers: the operands.
          symbolic_zeros: whether the rule takes them.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must override process_custom_jvp_call for functions of "
            "custom_jvp"
        )

    def process_custom_vjp_call(
        self,
        primitive: Any,
        fun: Any,
        fwd: Any,
        bwd: Any,
        tracers: Sequence[Any],
        *,
        out_trees: Any,
        symbolic_zeros: bool,
    ) -> Sequence[Any]:
        """The same for a rule of reverse mode.

        Args:
          primitive: the primitive.
          fun, fwd, bwd: the function and its rules.
          tracers: the operands.
          out_trees: the structures of results and residuals.
          symbolic_zeros: whether the rule takes them.
        """
        raise NotImplementedError(
            f"{type(self).__name__} must override process_custom_vjp_call for functions of "
            "custom_vjp"
        )

    def __repr__(self) -> str:
        return type(self).__name__


class _TracerType(type):
    """The class of `UserTracer`: the values of all traces are its instances."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is UserTracer and isinstance(instance, Tracer)
        )

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or (
            cls is UserTracer and issubclass(subclass, Tracer)
        )


class UserTracer(AnyTracer, metaclass=_TracerType):
    """A value of a trace that a program defines, with an array's properties and methods.

    Args:
      trace: the trace.
      aval: the type, an attribute that classes may compute.
    """

    # No class derived from `Tracer`: Python would ask its comparisons first, and swap operands.
    __slots__ = ("__weakref__", "_line_info", "_trace", "aval")
    _trace: Any
    aval: ShapedArray

    def __init__(self, trace: Any, aval: ShapedArray) -> None:
        self._trace = trace
        self.aval = aval  # pyright: ignore[reportIncompatibleMethodOverride]

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        """The sizes of the dimensions."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype:  # type: ignore[override]
        """The element type."""
        return self.aval.dtype

    @property
    def weak_type(self) -> bool:  # type: ignore[override]
        """Whether the element type yields to those of other operands."""
        return self.aval.weak_type

    def full_lower(self) -> Any:
        """The value itself."""
        return self

    def to_concrete_value(self) -> Any:
        """The elements, if they are known."""
        return None

    def concrete(self, error: Any) -> np.ndarray:
        """The elements, if they are known."""
        value = self.to_concrete_value()
        if value is None:
            raise error(
                "Abstract tracer value encountered where concrete value is expected: the value "
                f"must be known, got: {self!r} {here()}"
            )
        return np.asarray(value)

    def _value(self) -> np.ndarray:
        return self.concrete(ConcretizationTypeError)

    def __bool__(self) -> bool:
        if self.size != 1:
            return super().__bool__()
        return bool(self.concrete(errors.TracerBoolConversionError).reshape(())[()])

    def __index__(self) -> int:
        if self.shape == () and self.dtype.kind in "iu":
            return int(self.concrete(errors.TracerIntegerConversionError))
        return super().__index__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.concrete(errors.TracerArrayConversionError), dtype)

    def description(self) -> str:
        """What the value is in messages."""
        return f"a value of {self._trace}"

    @property
    def _data(self) -> Any:
        raise self.leaked()

    def outlived(self) -> Any:
        """The value where it is used outside of the trace."""
        raise self.leaked()

    def leaked(self) -> LeakedTracerError:
        """The error of a use outside of the trace."""
        return LeakedTracerError(
            "Encountered an unexpected tracer: a value must be used in the trace that made it, "
            f"got: {self!r} {here()}"
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}<{self.aval}>"

    __str__ = __repr__


class _Evaluation(UserTrace):
    """What there is outside of all traces."""

    def process_primitive(self, primitive: Any, tracers: Sequence[Any], params: Any) -> Any:
        """The result of an equation."""
        with set_current_trace(self):
            return primitive.bind(*tracers, **params)


_EVALUATION = _Evaluation()


class Relay(Trace):
    """The trace in progress while a program's own is: it hands on what it gets as equations.

    Args:
      user: the program's trace.
    """

    is_for_equations = True
    value_class: ClassVar[Callable[..., Any]] = UserTracer

    def __init__(self, user: Any) -> None:
        # Rules are part of equations, whether a derivative needs them or not.
        order = derivative_order() + 1
        super().__init__("trace of a library", repr(user), False, (), order=order)
        self.function.finish([])
        self.user = user
        # Functions of several ops are equations.
        self.literals = {}

    def constant(
        self, value: np.ndarray, weak_type: bool = False, shape: tuple[int, ...] = ()
    ) -> Any:
        """An array that is known."""
        return Array(np.broadcast_to(value, shape) if shape else value, weak_type)

    def state_types(self, values: Sequence[Any], avals: Sequence[ShapedArray]) -> list[Any]:
        """The values, whose types the program's trace states."""
        return list(values)

    def emit(
        self,
        name: str,
        operands: Sequence[Operand],
        attributes: dict[str, Any],
        results: Sequence[Type] | None,
        weak_types: Iterable[bool],
        evaluate: Callable[..., Any],
        keywords: dict[str, Any],
        *,
        takes_sizes: bool = False,
    ) -> list[Any]:
        """Process the equations that an op is."""
        types = [type_of(operand) for operand in operands]
        try:
            module = _core.wrap(name, attributes, types, results)
            module.expand_requests("main")
        except _core.CompilerError as error:
            raise errors.explained(error) from None
        return self._processed(module, operands)

    def splice(
        self, callee: evaluation.Callee, operands: Sequence[Operand], results: Sequence[ShapedArray]
    ) -> list[Any]:
        """Process the equations of a function."""
        module = callee.module.clone()
        module.expand_requests(callee.function.name)
        module.keep_as_main(callee.function.name)
        return self._processed(module, operands)

    def _processed(self, module: _core.Module, operands: Sequence[Operand]) -> list[Any]:
        avals = [operand.aval for operand in operands]
        closed = View(module).body(module.program("main"), in_avals=avals)
        with suspended():
            return self._results(closed.jaxpr, operands)

    def _results(self, jaxpr: Jaxpr, operands: Sequence[Operand]) -> list[Any]:
        env: dict[Var, Any] = dict(zip(jaxpr.invars, operands, strict=True))

        def read(atom: Atom) -> Any:
            if not isinstance(atom, Literal):
                return env[atom]
            return Array(np.asarray(atom.val), atom.aval.weak_type)

        for eqn in jaxpr.eqns:
            made = self.result(eqn.primitive, [read(atom) for atom in eqn.invars], eqn.params)
            outs = made if eqn.primitive.multiple_results else [made]
            env.update(zip(eqn.outvars, outs, strict=True))
        return [as_operand(read(atom), f"result of {self.user}") for atom in jaxpr.outvars]

    def result(self, primitive: Any, operands: list[Any], params: dict[str, Any]) -> Any:
        """What the program's trace makes of an equation, outside of the traces in progress."""
        if primitive is custom_jvp_call_p:
            fun, jvp = _functions(params, "jvp_jaxpr_fun")
            return self.user.process_custom_jvp_call(
                primitive, fun, jvp, operands, symbolic_zeros=params["symbolic_zeros"]
            )
        if primitive is custom_vjp_call_p:
            fun, fwd, bwd = _functions(params, "fwd_jaxpr_thunk", "bwd")
            return self.user.process_custom_vjp_call(
                primitive,
                fun,
                fwd,
                bwd,
                operands,
                out_trees=params["out_trees"],
                symbolic_zeros=params["symbolic_zeros"],
            )
        return self.user.process_primitive(primitive, operands, params)


def process(primitive: Any, args: Sequence[Any], params: dict[str, Any]) -> Any:
    """What the program's trace in progress makes of a call of `bind`.

    Args:
      primitive: the primitive.
      args, params: those of the call.
    """
    relay: Any = stack.traces[-1]
    operands = [
        x if is_keys(x) else as_operand(x, f"operand {i} of {primitive}")
        for i, x in enumerate(args)
    ]
    with suspended():
        return relay.result(primitive, operands, params)


def _functions(params: dict[str, Any], *rules: str) -> Sequence[Any]:
    """A function and its rules, which parameters have as they are or as programs."""
    if "subfuns" in params:
        return params["subfuns"]
    functions = jaxpr_as_fun(params["call_jaxpr"]), *(params[rule] for rule in rules)
    return [wrap_init(function) for function in functions]


class take_current_trace:
    """Apply ops within the block outside of the trace in progress, which is given.

    Example:
      >>> with take_current_trace() as trace:
      ...     print(trace)
      _Evaluation
    """

    # Not a generator: one that is dropped in a block would end the block when it is collected.
    __slots__ = ("_outer",)

    def __enter__(self) -> Any:
        self._outer = stack.traces, stack.suspended
        stack.traces, stack.suspended = [], stack.traces or stack.suspended
        if not stack.suspended:
            return _EVALUATION
        trace = stack.suspended[-1]
        return trace.user if isinstance(trace, Relay) else trace

    def __exit__(self, *error: object) -> None:
        stack.traces, stack.suspended = self._outer


class set_current_trace:
    """Apply ops within the block in a trace.

    Args:
      trace: what `take_current_trace` gave, or a trace that the program defines. That begins within
        the trace that is in progress when it is set for the first time.
      check_leaks: ignored; `checking_leaks` watches.
    """

    __slots__ = ("_outer", "_trace")

    def __init__(self, trace: Any, check_leaks: bool = False) -> None:
        self._trace = trace

    def __enter__(self) -> None:
        self._outer = stack.traces, stack.suspended
        stack.traces, stack.suspended = _with_outer(self._trace), []

    def __exit__(self, *error: object) -> None:
        stack.traces, stack.suspended = self._outer


def _with_outer(trace: Any) -> list[Trace]:
    """A trace in progress, after those around it."""
    if trace is None or trace is _EVALUATION:
        return []
    inner: Trace | None = trace if isinstance(trace, Trace) else _relay(trace)
    chain = []
    while inner is not None:
        chain.append(inner)
        inner = inner.parent
    return chain[::-1]


def _relay(trace: Any) -> Relay:
    """What hands on equations to a program's trace."""
    if trace.relay is None:
        traces = stack.traces
        stack.traces = traces or stack.suspended
        try:
            trace.relay = Relay(trace)
        finally:
            stack.traces = traces
    return trace.relay

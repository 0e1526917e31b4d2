"""Jitted functions: traced once per signature, compiled, and called as one program."""

from __future__ import annotations

import atexit
import functools
import inspect
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import config, monitoring, spans
from dovetail.base.locations import here
from dovetail.base.trace_stack import current, derivative_order, is_for_shapes, stack
from dovetail.placement import platforms
from dovetail.placement.shardings import Place, Sharding, common_place, place_on
from dovetail.programs import cache, log
from dovetail.programs.cache import ProgramCache, cache_of
from dovetail.programs.call_equations import equation_of_call
from dovetail.programs.call_parts import (
    described_leaf,
    extracted,
    final_place,
    flat_spec,
    is_odd,
    pinned,
    sharding_of,
)
from dovetail.programs.donation import donated_leaves, warn_of_useless
from dovetail.programs.execution import Execution
from dovetail.programs.options import Options
from dovetail.programs.program import Program, Signature
from dovetail.programs.references import array_type, referred, with_arrays, with_references
from dovetail.programs.stages import Lowered, Traced
from dovetail.programs.stated_shardings import with_in_shardings, with_out_shardings
from dovetail.symbolic.solve import shapes_at
from dovetail.tracing import evaluation
from dovetail.tracing.arguments import LeafNames, as_operand, name_of, parameter_names, results_of
from dovetail.tracing.axes import Axis
from dovetail.tracing.bind import zeros
from dovetail.tracing.call_keys import check_hashable, incomparable
from dovetail.tracing.composed import makes_equations
from dovetail.tracing.functions import References, TracedFunction, call, trace
from dovetail.tracing.references import Ref, check_references
from dovetail.tracing.trace import Operand, Tracer
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten, unflatten

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses

Statics = tuple[tuple[int | str, Hashable], ...]


class _Call(NamedTuple):
    """The arguments of one call; `key` identifies its program."""

    key: tuple[Any, ...]
    spec: Any
    statics: Statics
    leaves: list[Operand]
    place: Place | None


class _Inlined(NamedTuple):
    """A jitted function as traced into the module of an outer trace."""

    callee: evaluation.Callee
    traced: TracedFunction


# All objects with a cache of calls.
jitted_functions: weakref.WeakSet[Jitted] = weakref.WeakSet()


@atexit.register
def forget_all() -> None:
    """Drop all cached programs and calls.

    Also at exit: tree structures and cached calls hold users' classes in ways that the garbage
    collector cannot see, and extensions report objects that are still alive.
    """
    for jitted in list(jitted_functions):
        jitted.clear_cache()
    cache.clear_all()
    config.changed()


class _SignatureOfFunction:
    """The attribute of a jitted function that `inspect.signature` reads; its class has none."""

    def __get__(self, jitted: Jitted | None, owner: type) -> inspect.Signature:
        if jitted is None:
            raise AttributeError("__signature__")
        return inspect.signature(jitted._function)


class Jitted(_core.CompiledCalls):
    """A function that is traced and compiled at its first call with each signature.

    A call like an earlier one runs its program in C++; any other reaches `_call`.
    """

    # The kind of its traces, in messages.
    _kind = "jit"
    # Whether all `jit`s of one function with the same options share their programs.
    _shares = True
    # Named axes that are bound outside of any trace.
    _axes: Mapping[Hashable, Axis] = {}

    __signature__ = _SignatureOfFunction()

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        super().__init__(options.static_argnums, options.static_argnames)
        functools.update_wrapper(self, function)
        self._function = function
        self._name = name_of(function)
        self._options = options
        self._cache = cache_of(function, options) if self._shares else ProgramCache()
        self._executions, self._uses = self._cache.executions, self._cache.uses
        jitted_functions.add(self)

    def __repr__(self) -> str:
        return f"<jit of {self._name}>"

    def _call(self, *args: Any, **kwargs: Any) -> Any:
        """Run the compiled program, which the first call creates."""
        settings = config.snapshot()
        if settings.disable_jit:
            return self._function(*args, **kwargs)
        call = self._parse(args, kwargs)
        return self._run(call, args, kwargs, settings)

    def _run(self, call: _Call, args: Any, kwargs: dict[str, Any], settings: Any) -> Any:
        if current() is not None or stack.suspended or Tracer in map(type, call.leaves):
            return self._inline(call)
        if config.no_execution.value:
            raise RuntimeError(
                f"no jitted function may run while no_execution is on, got: a call of "
                f"`{self._name}` {here()}"
            )
        execution, uses = self._found(call)
        run = execution.run if uses is None else functools.partial(uses.call, execution.run)
        refs = execution.program.refs
        if refs is not None:
            self._check_references(call, refs.captured)
            return refs.run(execution, [*call.leaves, *refs.captured])
        result, calls = self._answered(call, execution, run)
        # Cached for the settings that apply now.
        is_free = config.snapshot() is settings and not config.debug_key_reuse.value
        if execution.invocation is not None and is_free:
            leaves = self._leaves(args, kwargs)
            self._cache_call(args, kwargs, leaves, execution.invocation, calls)
        return result

    def _found(self, call: _Call) -> tuple[Execution, Uses | None]:
        """The execution that answers a call, and with `debug_key_reuse` its uses of random keys."""
        try:
            execution = self._executions.get(call.key)
        except Exception as error:
            raise incomparable(call.key, self._executions, self._name) from error
        if execution is None:
            with self._cache.lock:
                execution = self._executions.get(call.key)
                if execution is None:
                    execution = self._executions[call.key] = self._execution_of(call)
        return execution, self._uses_of(call) if config.debug_key_reuse.value else None

    def _answered(
        self, call: _Call, execution: Execution, run: Callable[[Sequence[Operand]], Any]
    ) -> tuple[Any, int]:
        """The result, and how many calls like this one C++ may answer; -1 for all."""
        return run(call.leaves), -1

    def _uses_of(self, call: _Call) -> Uses | None:
        """The uses of random keys in a call."""
        if call.key not in self._uses:
            # Compiled while `debug_key_reuse` was off.
            self._trace(call)
        return self._uses.get(call.key)

    def _leaves(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The leaves of the arguments that are not static, as passed."""
        args, kwargs, _ = self._without_statics(args, kwargs)
        return flatten((args, kwargs))[0]

    def _execution_of(self, call: _Call) -> Execution:
        """A new program for a call, not yet evaluated or compiled."""
        avals = [leaf.aval for leaf in call.leaves]
        log.explain(self._name, self._executions, call.key, self._names(call), self._function)
        with log.timed("tracing", self._name, avals):
            program = self._program_of(call)
        return Execution(program, self._options.compile)

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """Trace for the given arguments, which may be `ShapeDtypeStruct`s, without compiling.

        Example:
          >>> import dovetail as dt
          >>> print(dt.jit(lambda x: x + x).lower(dt.ShapeDtypeStruct((2,), "float32")).as_text())
          module {
            func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
              %0 = dovetail.add %arg0, %arg0 : tensor<2xf32>
              return %0 : tensor<2xf32>
            }
          }
        """
        return Lowered(self._program_of(self._parse(args, kwargs, described=True)))

    def trace(self, *args: Any, **kwargs: Any) -> Traced:
        """Trace for the given arguments, which may be `ShapeDtypeStruct`s.

        Example:
          >>> import dovetail as dt
          >>> dt.jit(lambda x: x + 1).trace(2).out_info
          ShapeDtypeStruct(shape=(), dtype=int32, weak_type=True)
        """
        return Traced(self._program_of(self._parse(args, kwargs, described=True)))

    def eval_shape(self, *args: Any, **kwargs: Any) -> Any:
        """The shapes and element types of the results, without computing them."""
        call = self._parse(args, kwargs, described=True)
        # Descriptions have no derivatives, also of arrays that have. It is made here, and not once:
        # `live_arrays` would list it.
        without_tangent = Array(np.zeros((), np.bool_))
        traced = self._trace(call, [without_tangent] * len(call.leaves), kind="eval_shape")
        specs = [
            ShapeDtypeStruct(a.shape, a.dtype, sharding=a.explicit, weak_type=a.weak_type)
            for a in traced.avals[: len(traced.avals) - len(traced.written)]
        ]
        return unflatten(traced.extra, specs)

    def clear_cache(self) -> None:
        """Drop all cached programs."""
        self._forget()
        self._cache.clear()

    def _parse(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], described: bool = False
    ) -> _Call:
        """Flatten and check the arguments of a call; `described` allows descriptions of arrays."""
        statics: Statics = ()
        if self._options.static_argnums or self._options.static_argnames:
            args, kwargs, statics = self._without_statics(args, kwargs)
        if not kwargs and set(map(type, args)) == {Array}:
            values, spec = list(args), flat_spec(len(args))
        else:
            values, spec = set_float0_aside(*flatten((args, kwargs)))
        types = []
        for i, value in enumerate(values):
            if described:
                value = values[i] = described_leaf(value)
            if type(value) is Ref:
                types.append((*value.aval.inner_aval, Ref))
                continue
            if type(value) is not Array and not (described and isinstance(value, ShapeDtypeStruct)):
                if isinstance(value, ShapeDtypeStruct) and is_for_shapes():
                    value = zeros(value.aval)
                what = LeafNames(self._function, args, kwargs).at(i) if is_odd(value) else ""
                value = values[i] = as_operand(value, what, copy=False)
            is_typed = type(value) is Tracer and value._trace.mesh is not None
            types.append(value.aval if is_typed else (value.shape, value.dtype, value.weak_type))
        if self._options.in_shardings is not None:
            values = self._sharded(values, args, kwargs, statics)
        # Equal static arguments of different types, such as 1 and True, make different programs.
        kinds = tuple([type(value) for _, value in statics])
        place = self._place(values, args, kwargs)
        key = spec, tuple(types), statics, kinds, config.snapshot().trace_key, place
        if place is not None and place.sharding.num_devices > 1:
            key = *key, *[value._place for value in values]
        call = _Call(key, spec, statics, values, place)
        self._check_references(call)
        return call

    def _sharded(
        self,
        leaves: Sequence[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        statics: Statics,
    ) -> list[Any]:
        """The arguments where `in_shardings` states."""
        if kwargs:
            raise ValueError(
                "pjit does not support kwargs when in_shardings is specified. got: "
                f"{', '.join(kwargs)} of `{self._name}` {here()}"
            )
        fixed = {which for which, _ in statics}
        prefix = self._options.in_shardings
        return with_in_shardings(self._function, self._name, prefix, leaves, args, fixed)

    def _place(
        self, leaves: Sequence[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Place | None:
        """The device that the program for these arguments is committed to, if any."""
        asked = self._options.place
        if asked is not None:
            return asked

        def describe(number: int) -> str:
            return LeafNames(self._function, args, kwargs)[number]

        return common_place(leaves, self._name, describe)

    def _without_statics(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any], Statics]:
        count = len(args)
        numbers = sorted({n % count for n in self._options.static_argnums if -count <= n < count})
        by_name = [name for name in self._options.static_argnames if name in kwargs]
        statics = [*((n, args[n]) for n in numbers), *((name, kwargs[name]) for name in by_name)]
        for which, value in statics:
            check_hashable(which, value, self._name)
        dynamic = tuple([None if n in numbers else value for n, value in enumerate(args)])
        return dynamic, {k: v for k, v in kwargs.items() if k not in by_name}, tuple(statics)

    def _trace(
        self,
        call: _Call,
        origins: Sequence[Operand] | None = None,
        kind: str | None = None,
        refs: References = "held",
    ) -> TracedFunction:
        if config.no_tracing.value:
            raise RuntimeError(
                f"no function may be traced while no_tracing is on, got: a call of `{self._name}` "
                f"with new types of arguments {here()}; make that call once before"
            )

        def python(*tracers: Tracer) -> tuple[list[Operand], Any]:
            in_progress = current()
            if in_progress is not None and in_progress.parent is None:
                in_progress.given = call.place or place_on(platforms.first(), False)
            args, kwargs = unflatten(call.spec, tracers)
            args = list(args)
            for which, value in call.statics:
                if isinstance(which, int):
                    args[which] = value
                else:
                    kwargs[which] = value
            result = self._function(*args, **kwargs)
            outs, out_spec = set_float0_aside(*flatten(result))
            outs = [
                pinned(out) for out in with_out_shardings(self._options.out_shardings, outs, result)
            ]
            return results_of(self._function, outs, out_spec), out_spec

        avals = [leaf.aval for leaf in call.leaves]
        with spans.step("trace", monitoring.TRACE_EVENT, self._name):
            names = self._names(call)
            kind, name = kind or self._kind, self._name
            axes = self._axes
            traced = trace(python, avals, names, kind, name, axes=axes, origins=origins, refs=refs)
        if traced.uses is not None:
            self._uses[call.key] = traced.uses
        return traced

    def _names(self, call: _Call) -> LeafNames:
        args, kwargs = unflatten(call.spec, range(len(call.leaves)))
        return LeafNames(self._function, args, kwargs)

    def _inline(self, jit_call: _Call) -> Any:
        """Call the function within the trace in progress."""
        in_progress = current()
        # Programs are shared within a module, like its functions; the key is that of compiled
        # programs; a program that will be differentiated more often has more rules of its own.
        known = {} if in_progress is None else in_progress.root.jitted
        if in_progress is not None and self._options.place is not None:
            in_progress.root.commit_to(jit_call.place)
        axes = None if in_progress is None else (*in_progress.axes.items(),)
        key = self._cache, jit_call.key, axes, derivative_order()
        try:
            inlined = known.get(key)
        except Exception as error:
            others = [other[1] for other in known if isinstance(other, tuple)]
            raise incomparable(jit_call.key, others, self._name) from error
        if inlined is None:
            traced = self._trace(jit_call, jit_call.leaves, refs="taken")
            inlined = _Inlined(evaluation.Callee(traced.function), traced)
            has_tracers = any(getattr(x, "_trace", None) is not None for x in traced.captured)
            if not has_tracers and not traced.asked_origins:
                known[key] = inlined
        traced = inlined.traced
        self._check_references(jit_call, traced.captured)
        operands = [*jit_call.leaves, *traced.captured]
        label = None
        if self._kind == "jit" and makes_equations():
            results = self._stated_results(traced.extra, traced.avals)
            label = equation_of_call(self._name, self._options, jit_call, results, traced.avals)
        outs = call(inlined.callee, operands, traced.avals, label)
        if traced.uses is not None:
            traced.uses.apply(jit_call.leaves, outs)
        return unflatten(traced.extra, outs)

    def _check_references(self, call: _Call, captured: Sequence[Any] = ()) -> None:
        if Ref in map(type, call.leaves):
            check_references(self._kind, self._name, call.leaves, self._names(call), captured)

    def _program_of(self, call: _Call) -> Program:
        # No derivative begins at the arguments of a whole program, unless requested later.
        traced = self._trace(call, None if derivative_order() else call.leaves)
        module = traced.function.module
        if current() is None:
            module.keep_as_main(traced.function.name)
        else:
            module = extracted(traced)
        args, _ = unflatten(call.spec, range(len(call.leaves)))
        donated = donated_leaves(self._options, call.spec, len(call.leaves))
        self._check_references(call, traced.captured)
        refs, traced = referred(call.leaves, traced)
        spec, out_spec, leaves = call.spec, traced.extra, call.leaves
        if refs is not None:
            spec, leaves = with_references(spec, refs.captured), [*leaves, *refs.captured]
            out_spec = with_arrays(out_spec, len(refs.written))
        if donated:
            warn_of_useless(self._name, donated, [leaf.aval for leaf in call.leaves], traced.avals)
        avals = tuple(array_type(leaf.aval) for leaf in leaves)
        signature = Signature(spec, call.statics, avals)
        return Program(
            self._name,
            module,
            signature,
            self._names(call),
            parameter_names(self._function, len(args)),
            traced.captured,
            traced.avals,
            out_spec,
            donated if refs is None else tuple(sorted({*donated, *refs.written})),
            final_place(self._name, call.place, traced),
            functools.partial(self._traced_at, call) if signature.is_symbolic else None,
            shardings=tuple(map(sharding_of, [*leaves, *traced.captured])),
            refs=refs,
            stated_results=self._stated_results(traced.extra, traced.avals),
        )

    def _stated_results(
        self, out_spec: Any, avals: Sequence[ShapedArray]
    ) -> tuple[Sharding | None, ...]:
        """How `out_shardings` states that results are sharded; of `avals`, the first are theirs."""
        prefix = self._options.out_shardings
        if prefix is None:
            return ()
        wanted = prefix.for_each(unflatten(out_spec, avals[: out_spec.num_leaves]), "jit")
        return tuple(
            None if sharding is None else platforms.sharding_meant(sharding, "jit out_shardings")
            for sharding in wanted
        )

    def _traced_at(self, call: _Call, sizes: Mapping[str, int]) -> Program:
        """The program for known sizes instead of symbolic ones."""
        avals = [leaf.aval for leaf in call.leaves]
        shapes = shapes_at([aval.shape for aval in avals], sizes)
        leaves: list[Any] = [
            ShapeDtypeStruct(shape, aval.dtype, weak_type=aval.weak_type)
            for shape, aval in zip(shapes, avals, strict=True)
        ]
        return self._program_of(call._replace(leaves=leaves))

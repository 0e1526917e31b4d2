"""`jit` with symbolic shapes: one traced and compiled program for all sizes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import config
from dovetail.base.bounded import Bounded
from dovetail.base.errors import value_error
from dovetail.programs.execution import Execution
from dovetail.programs.hot_sizes import HotSizes
from dovetail.programs.jitted import Jitted, _Call
from dovetail.programs.options import Options
from dovetail.symbolic.parse import shape as parsed
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import has_sizes
from dovetail.symbolic.solve import Solution, check_solved, solved, unify
from dovetail.tracing.arguments import LeafNames
from dovetail.tracing.trace import Operand
from dovetail.trees.pytree import broadcast_prefix, count_leaves, unflatten

if TYPE_CHECKING:
    from dovetail.tracing.key_reuse import Uses


class DynamicJitted(Jitted):
    """A function with symbolic shapes: a program serves all sizes that the constraints allow.

    Within another function, it is traced for the sizes there.

    Args:
      function: the function.
      options: how it is compiled.
      shapes: the texts of shapes, a prefix of the tree of its positional arguments.
      scope: the scope of the names in them.
      known: the symbolic shapes of all arguments, instead of texts.
    """

    _shares = False

    def __init__(
        self,
        function: Callable[..., Any],
        options: Options,
        shapes: Any,
        scope: SymbolicScope,
        known: Sequence[tuple[Any, ...]] | None = None,
    ) -> None:
        super().__init__(function, options)
        self._shapes = shapes
        self._scope = scope
        self._known = known
        # Solutions for the names in terms of argument sizes, by the symbolic shapes.
        self._solutions: Bounded[tuple[Any, ...], list[Solution]] = Bounded()
        # Symbolic shapes by structure, ranks and whether an argument is already symbolic.
        self._patterns: Bounded[tuple[Any, ...], list[tuple[Any, ...] | None]] = Bounded()
        self._hot_sizes = HotSizes(options.compile)

    def clear_cache(self) -> None:
        """Drop all cached programs."""
        super().clear_cache()
        self._hot_sizes.clear()

    def _parse(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], described: bool = False
    ) -> _Call:
        call = super()._parse(args, kwargs, described)
        return self._generalized(call) if described else call

    def _found(self, call: _Call) -> tuple[Execution, Uses | None]:
        specialized = self._hot_sizes.execution(call.key)
        if specialized is not None and not config.debug_key_reuse.value:
            return specialized, None
        return super()._found(self._generalized(call))

    def _answered(
        self, call: _Call, execution: Execution, run: Callable[[Sequence[Operand]], Any]
    ) -> tuple[Any, int]:
        was_compiled = execution.is_compiled
        start = time.perf_counter()
        result = run(call.leaves)
        seconds = time.perf_counter() - start
        program = execution.program
        if not program.signature.is_symbolic or program.mesh is not None:
            return result, -1
        if was_compiled:
            self._hot_sizes.note(call.key, seconds, program, [leaf.shape for leaf in call.leaves])
        return result, self._hot_sizes.calls(call.key)

    def _generalized(self, call: _Call) -> _Call:
        """The call with symbolic shapes instead of those of the arrays.

        Raises:
          ValueError: the arrays' sizes do not have these shapes, or break a constraint.
        """
        avals = [leaf.aval for leaf in call.leaves]
        shapes = self._symbolic(call, avals)
        key = tuple(shapes)
        solutions = self._solutions.get(key)
        if solutions is None:
            solutions = solved(self._scope, shapes)
            check_solved(self._scope, shapes, solutions)
            self._solutions[key] = solutions
        if not any(has_sizes(aval.shape) for aval in avals):
            names = self._names(call)
            actual = [aval.shape for aval in avals]
            unify(self._scope, solutions, shapes, actual, [names.at(i) for i in range(len(avals))])
        leaves: list[Any] = [
            ShapeDtypeStruct(shape, aval.dtype, weak_type=aval.weak_type)
            for shape, aval in zip(shapes, avals, strict=True)
        ]
        types = tuple((leaf.shape, leaf.dtype, leaf.weak_type) for leaf in leaves)
        return call._replace(key=(call.key[0], types, *call.key[2:]), leaves=leaves)

    def _symbolic(self, call: _Call, avals: Sequence[ShapedArray]) -> list[tuple[Any, ...]]:
        """The symbolic shapes for a call."""
        key = call.spec, tuple([(len(aval.shape), has_sizes(aval.shape)) for aval in avals])
        patterns = self._patterns.get(key)
        if patterns is None:
            patterns = self._patterns_of(call, avals)
            self._patterns[key] = patterns
        return [
            aval.shape
            if pattern is None
            else tuple([n if s is None else s for s, n in zip(pattern, aval.shape, strict=True)])
            for pattern, aval in zip(patterns, avals, strict=True)
        ]

    def _patterns_of(
        self, call: _Call, avals: Sequence[ShapedArray]
    ) -> list[tuple[Any, ...] | None]:
        """The symbolic shapes; None stands for an array's own size, or for its shape."""
        if self._known is not None:
            is_like = len(self._known) == len(avals) and all(
                len(shape) == aval.ndim for shape, aval in zip(self._known, avals, strict=True)
            )
            return list(self._known if is_like else [None] * len(avals))
        args, kwargs = unflatten(call.spec, range(len(avals)))
        try:
            texts = broadcast_prefix(self._shapes, args, "dynamic_shapes")
        except ValueError as error:
            raise value_error(
                f"dynamic_shapes of `{self._name}` must have one text, None or a tree of them for "
                f"each positional argument: {error}"
            ) from None
        texts += [None] * count_leaves(kwargs)
        patterns: list[tuple[Any, ...] | None] = []
        for i, (text, aval) in enumerate(zip(texts, avals, strict=True)):
            if text is None or has_sizes(aval.shape):
                patterns.append(None)
                continue
            if not isinstance(text, str):
                raise TypeError(
                    f"dynamic_shapes must be texts such as 'b, 784' or None, got: {text!r}"
                )
            try:
                parsed(text, self._scope, aval.shape)
                patterns.append(parsed(text, self._scope, [None] * aval.ndim))
            except ValueError as error:
                name = LeafNames(self._function, args, kwargs).at(i)
                raise ValueError(f"{name}: {error}") from None
        return patterns

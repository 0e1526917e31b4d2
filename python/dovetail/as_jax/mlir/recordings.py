"""Functions in MLIR that lowerings write, as traced functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dovetail.as_jax.mlir.bindings import func, ir
from dovetail.as_jax.mlir.types import type_of_aval
from dovetail.base.errors import type_error
from dovetail.exporting.stablehlo import load
from dovetail.tracing.arguments import as_operand
from dovetail.transforms.primitive_rules import LoweringContext


class Recording:
    """A function in MLIR while a lowering writes it: traced values become arguments of it, and its
    values become traced values by a call of what it has so far.
    """

    def __init__(self) -> None:
        self.context = ir.Context()
        self.context.allow_unregistered_dialects = True
        self._location = ir.Location.unknown(self.context)
        self._captured: list[Any] = []
        self._places: dict[int, Any] = {}
        self._num_results = 0

    def __enter__(self) -> Recording:
        self.context.__enter__()
        self._location.__enter__()
        self.module = ir.Module.create()
        with ir.InsertionPoint(self.module.body):
            self._function = func.FuncOp("main", ir.FunctionType.get([], []))
            self._block = self._function.add_entry_block()
        self._point = ir.InsertionPoint(self._block)
        self._point.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        for each in (self._point, self._location, self.context):
            each.__exit__(*exception)

    def value(self, traced: Any) -> Any:
        """A traced value, or one of MLIR, as the latter."""
        if isinstance(traced, ir.Value):
            return traced
        if id(traced) not in self._places:
            operand = as_operand(traced, "a value in a lowering")
            argument = self._block.add_argument(type_of_aval(operand.aval), self._location)
            # The value itself is kept, too, so that its number is that of no other.
            self._captured.append((traced, operand))
            self._places[id(traced)] = argument
        return self._places[id(traced)]

    def traced(self, values: Sequence[Any]) -> list[Any]:
        """Values of MLIR, or traced ones, as the latter."""
        wanted = [x for x in values if isinstance(x, ir.Value)]
        if not wanted:
            return list(values)
        for x in wanted:
            block = x.owner if isinstance(x.owner, ir.Block) else x.owner.operation.block
            if block != self._block:
                raise NotImplementedError(
                    "a lowering can trace functions of values outside of the regions that it "
                    f"writes, got: {x}; write what is done with them by ops of StableHLO"
                )
        outs = iter(self._called(wanted))
        return [next(outs) if isinstance(x, ir.Value) else x for x in values]

    def _called(self, wanted: Sequence[Any]) -> list[Any]:
        types = [argument.type for argument in self._block.arguments], [x.type for x in wanted]
        self._function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*types))
        with ir.InsertionPoint(self._block):
            end = func.ReturnOp(list(wanted))
        text = str(self.module)
        end.operation.erase()
        if self._num_results and "has_side_effect = true" in text:
            raise NotImplementedError(
                "a lowering with ops that have effects can return values once, got: another use "
                "of them in a traced function; do it in one of the two"
            )
        self._num_results += 1
        outs = load(text)(*(operand for _, operand in self._captured))
        return list(outs) if len(wanted) > 1 else [outs]


class Context(LoweringContext):
    """What a lowering that writes ops is told of an application.

    Attributes:
      avals_in, avals_out, primitive: as for other lowerings.
      context: the context of MLIR.
      module: the module in which the ops are.
      symbol_table: its functions.
      platforms: those for which the ops are.
    """

    platforms = ("cpu",)

    def __init__(self, of: LoweringContext, recording: Recording) -> None:
        super().__init__(of.primitive, of.avals_in, of.avals_out)
        self._of, self._recording = of, recording
        self.context, self.module = recording.context, recording.module
        self.symbol_table = ir.SymbolTable(self.module.operation)

    def applied(self, function: Callable[..., Sequence[Any]], args: Sequence[Any]) -> list[Any]:
        """The results of a function of traced values, for values of MLIR."""
        recording = self._recording
        outs = function(*recording.traced([x.result if _is_op(x) else x for x in args]))
        return [recording.value(out) for out in outs]

    def replace(self, **changes: Any) -> Context:
        """The same with other attributes."""
        changed = Context(self._of, self._recording)
        changed.__dict__.update(changes)
        return changed


def recorded(rule: Any, context: LoweringContext, args: Sequence[Any], params: Any) -> list[Any]:
    """The results of a lowering that writes ops, of traced values."""
    with Recording() as recording:
        values = [recording.value(x) for x in args]
        results = rule(Context(context, recording), *values, **params)
        return recording.traced(flat_values(results))


def _is_op(x: Any) -> bool:
    return isinstance(x, (ir.OpView, ir.Operation))


def flat_values(results: Any) -> list[Any]:
    """The values that a lowering returned, each alone or in a list."""
    if isinstance(results, ir.Value):
        return [results]
    if _is_op(results):
        return list(results.results)
    if not isinstance(results, Iterable):
        raise type_error(f"a lowering must return a list of values, got: {results!r}")
    return [value for each in results for value in flat_values(each)]

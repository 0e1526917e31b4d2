"""Calls of functions of which the program says what a device computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base.errors import value_error
from dovetail.placement.attributes import axis_texts, sharding_attribute
from dovetail.placement.mesh_contexts import use_abstract_mesh
from dovetail.placement.meshes import AbstractMesh, AxisType, Mesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.shardings import Sharding
from dovetail.tracing.arguments import name_of, results_of
from dovetail.tracing.axes import Axis
from dovetail.tracing.functions import apply, trace
from dovetail.tracing.trace import Operand, Tracer
from dovetail.transforms.custom_derivatives.calls import Call
from dovetail.transforms.program_rules import ProgramRules, Question, Rule
from dovetail.trees.pytree import flatten, unflatten
from dovetail.trees.treedef import PyTreeDef

# The factor of each dimension of the arguments, then of the results; -1 for none.
FactorsOfDims = Sequence[Sequence[int]]
FactorsOf = Callable[[Sequence[ShapedArray], Sequence[ShapedArray]], FactorsOfDims | None]


def call_partitioned(call: Call, partition: Callable[..., Any], factors_of: FactorsOf) -> Any:
    """Emit a call of a function to the trace in progress.

    Args:
      call: the function and its arguments.
      partition: takes the static arguments, the mesh, the arguments and the results as
        `ShapeDtypeStruct`s with their shardings; it returns the mesh, the function of a device's
        parts, and the shardings of its results and of its arguments.
      factors_of: the factors of the arguments and the results of these types; None for none.
    """
    primal = trace(call.primal, call.avals, call.names, "jit", call.name, call.leaves)
    rule = _PartitionRule(partition, call, primal.avals, primal.extra)
    primal.function.module.keep(rule)
    factors = factors_of(call.avals, primal.avals)
    outs = apply(
        "custom_partition",
        primal,
        [*call.leaves, *primal.captured],
        primal.avals,
        rules=rule.name,
        operandSegmentSizes=(len(call.leaves), len(primal.captured)),
        **({} if factors is None else {"factors": tuple(map(tuple, factors))}),
    )
    if primal.uses is not None:
        primal.uses.apply(call.leaves, outs)
    return unflatten(primal.extra, outs)


class _PartitionRule(ProgramRules):
    """What the program says of the partition of one call.

    Args:
      python: the user's rule.
      call: the call.
      out_avals: the types of the results.
      out_spec: their tree.
    """

    def __init__(
        self,
        python: Callable[..., Any],
        call: Call,
        out_avals: Sequence[ShapedArray],
        out_spec: Any,
    ) -> None:
        super().__init__(name_of(python))
        self.python, self.called, self.statics = python, call.name, list(call.statics)
        self.avals, self.spec = call.avals, call.spec
        self.out_avals, self.out_spec = list(out_avals), out_spec

    def rule(self, question: Question) -> Rule:
        """The function of the parts, and the shardings for which it is."""
        mesh = question.shardings[0].mesh
        shapes = [
            ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding)
            for aval, sharding in zip(
                [*self.avals, *self.out_avals], question.shardings, strict=True
            )
        ]
        count = len(self.avals)
        made = self.python(
            *self.statics,
            mesh,
            unflatten(self.spec, shapes[:count]),
            unflatten(self.out_spec, shapes[count:]),
        )
        if not isinstance(made, (tuple, list)) or len(made) != 4:
            raise value_error(
                f"{self._title()} must return a mesh, a function of a device's parts, the "
                f"shardings of the results and those of the arguments, got: {made!r}"
            )
        _, function, out_shardings, in_shardings = made
        given = self._shardings(in_shardings, self.spec, self.avals, mesh)
        returned = self._shardings(out_shardings, self.out_spec, self.out_avals, mesh)
        parts = _parts(self.avals, given)
        return Rule(
            lambda *tracers: (self._traced(function, tracers, mesh, returned), []),
            parts,
            [f"argument {i} of `{name_of(function)}`" for i in range(count)],
            name_of(function),
            _axes(mesh),
            [
                sharding_attribute(sharding, len(aval.shape))
                for sharding, aval in zip(
                    [*given, *returned], [*self.avals, *self.out_avals], strict=True
                )
            ],
        )

    def _title(self) -> str:
        return f"the rule `{name_of(self.python)}` for the partition of `{self.called}`"

    def _shardings(
        self, tree: Any, spec: Any, avals: Sequence[ShapedArray], mesh: Mesh | AbstractMesh
    ) -> list[NamedSharding]:
        """Those that the user's rule returned, one for each leaf."""
        found = PyTreeDef(spec).flatten_up_to(tree)
        for sharding in found:
            if not isinstance(sharding, Sharding):
                raise value_error(
                    f"Custom Partitioning rules must return Sharding, got: {sharding!r} by "
                    f"{self._title()}"
                )
            if (
                not isinstance(sharding, NamedSharding)
                or sharding.mesh.shape_tuple != mesh.shape_tuple
            ):
                raise value_error(
                    f"{self._title()} must return `NamedSharding`s over the axes "
                    f"{mesh.shape_tuple} of the mesh that it is given, got: {sharding!r}"
                )
        for sharding, aval in zip(found, avals, strict=True):
            sharding.check_compatible_aval(aval.shape)
        return found

    def _traced(
        self,
        function: Callable[..., Any],
        tracers: Sequence[Tracer],
        mesh: Mesh | AbstractMesh,
        returned: Sequence[NamedSharding],
    ) -> list[Operand]:
        """The parts of the results."""
        manual = dict.fromkeys(mesh.axis_names, AxisType.Manual)
        with use_abstract_mesh(mesh.abstract_mesh.update_axis_types(manual)):
            result = function(*unflatten(self.spec, tracers))
        outs, spec = flatten(result)
        operands = results_of(function, outs, spec)
        wanted = _parts(self.out_avals, returned)
        if [(x.shape, x.dtype) for x in operands] != [(x.shape, x.dtype) for x in wanted]:
            raise value_error(
                f"Mismatch in result shapes. {[x.aval for x in operands]} vs {wanted}: the "
                f"function that {self._title()} returns must compute a device's parts of the "
                f"results, got: {[str(x.aval) for x in operands]}"
            )
        return operands


def _parts(avals: Sequence[ShapedArray], shardings: Sequence[NamedSharding]) -> list[ShapedArray]:
    """The types of a device's parts."""
    return [
        ShapedArray(sharding.shard_shape(aval.shape), aval.dtype)
        for aval, sharding in zip(avals, shardings, strict=True)
    ]


def _axes(mesh: Mesh | AbstractMesh) -> dict[Any, Axis]:
    """The axes of a mesh for the collectives of a function of parts."""
    texts = zip(mesh.axis_names, axis_texts(mesh), strict=True)
    return {name: Axis(text, mesh.shape[name], True, False) for name, text in texts}

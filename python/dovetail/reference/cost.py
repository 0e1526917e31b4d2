"""How long the evaluation of a program takes, estimated from the shapes in it.

The rates are those of NumPy on one core of a server, within a factor of about three; they only have
to tell milliseconds from seconds.
"""

from __future__ import annotations

from collections.abc import Sequence

from dovetail._core import Instruction
from dovetail.reference.op import CALL, MOVE, OPS, Call, Cost, Shape, count, slowness
from dovetail.reference.program import Program


def cost_of(program: Program, inputs: Sequence[Shape]) -> Cost:
    """How long the evaluation of a program takes.

    Args:
      program: the program.
      inputs: the shapes of its arguments.
    """
    shapes: dict[int, Shape] = dict(zip(program.inputs, inputs, strict=True))
    total = Cost(0.0)
    for instruction in program.instructions:
        operands = [shapes[i] for i in instruction.operands]
        shapes.update(zip(instruction.results, instruction.shapes, strict=True))
        total = total.plus(_cost_of_op(instruction, operands))
    return total


def _cost_of_op(instruction: Instruction, operands: Sequence[Shape]) -> Cost:
    attributes, elements = instruction.attributes, instruction.elements
    known = OPS.get(instruction.op)
    cost = known.cost if known else MOVE
    if callable(cost):
        cost = cost(Call(operands, instruction.shapes, elements, attributes, cost_of))
        if isinstance(cost, Cost):
            return cost
    else:
        largest = max(map(count, (*operands, *instruction.shapes)), default=0)
        cost *= largest * slowness(elements)
    has_effects = attributes.get("effect", "none") != "none" or attributes.get(
        "has_side_effect", False
    )
    return Cost(CALL + cost, has_effects=has_effects)

"""Loops and branches: their bodies are programs made ready to run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dovetail.reference.op import CALL, PASS, Call, Cost, op

Array = np.ndarray[Any, Any]
Body = Callable[[Sequence[Any]], list[Any]]


def _cost_of_scan(call: Call) -> Cost:
    operands, attributes = call.operands, call.attributes
    carries, xs, consts, _ = attributes["operandSegmentSizes"]
    rows = [shape[1:] for shape in operands[carries : carries + xs]]
    inner = (*operands[:carries], *rows, *operands[carries + xs : carries + xs + consts])
    body = call.cost_of(attributes["regions"][0], inner).plus(Cost(PASS))
    length = attributes["length"]
    if length < 0 and xs:
        length = operands[carries][0]
    return body._replace(is_bounded=False) if length < 0 else Cost(CALL).plus(body, length)


@op("scan", cost=_cost_of_scan)
def scan(
    *operands: Array,
    regions: Sequence[Body],
    length: int,
    reverse: bool,
    operandSegmentSizes: Sequence[int],
    shapes: Sequence[Sequence[int]],
    elements: Sequence[np.dtype],
) -> tuple[Array, ...]:
    """The final carries, followed by the stacked results of all iterations."""
    num_inits, num_xs, num_consts, has_count = operandSegmentSizes
    carries = list(operands[:num_inits])
    xs = operands[num_inits : num_inits + num_xs]
    consts = operands[num_inits + num_xs : num_inits + num_xs + num_consts]
    if length < 0:
        length = max(int(operands[-1]), 0) if has_count else len(xs[0])
    stacks: list[list[Array]] = [[] for _ in shapes[num_inits:]]
    steps = reversed(range(length)) if reverse else range(length)
    (body,) = regions
    for i in steps:
        outs = body([*carries, *[x[i] for x in xs], *consts])
        carries = outs[:num_inits]
        for stack, out in zip(stacks, outs[num_inits:], strict=True):
            stack.append(out)
    if stacks and not length:
        slices = [shape[1:] for shape in shapes[num_inits:]]
        if any(size < 0 for shape in slices for size in shape):
            # Only the body knows what size a result would have.
            outs = body([*carries, *[np.zeros(x.shape[1:], x.dtype) for x in xs], *consts])
            slices = [out.shape for out in outs[num_inits:]]
        empty = zip(slices, elements[num_inits:], strict=True)
        return (*carries, *[np.zeros((0, *shape), element) for shape, element in empty])
    return (*carries, *[np.stack(stack[::-1] if reverse else stack) for stack in stacks])


def _cost_of_while(call: Call) -> Cost:
    total = Cost(PASS, is_bounded=False)
    for region in call.attributes["regions"]:
        total = total.plus(call.cost_of(region, call.operands))
    return total


@op("while", cost=_cost_of_while)
def while_loop(
    *operands: Array,
    regions: Sequence[Body],
    operandSegmentSizes: Sequence[int],
    max_steps: int | None = None,
) -> tuple[Array, ...]:
    """The carries when the predicate holds no more, which is after `max_steps` at the latest."""
    count = operandSegmentSizes[0]
    carries, consts = list(operands[:count]), operands[count:]
    cond, body = regions
    while cond([*carries, *consts])[0]:
        carries = body([*carries, *consts])
    return tuple(carries)


def _cost_of_case(call: Call) -> Cost:
    regions = call.attributes["regions"]
    branches = [call.cost_of(region, call.operands[1:]) for region in regions]
    return Cost(
        CALL + max(branch.seconds for branch in branches),
        all(branch.is_bounded for branch in branches),
        any(branch.has_effects for branch in branches),
    )


@op("case", cost=_cost_of_case)
def case(index: Array, *args: Array, regions: Sequence[Body]) -> tuple[Array, ...]:
    """The results of the branch with that number, or the nearest there is."""
    return tuple(regions[min(max(int(index), 0), len(regions) - 1)](args))

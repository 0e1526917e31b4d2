"""Bounds of sizes and proofs about them, for all values that the constraints allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from dovetail.symbolic.size import Monomial, Size, terms_of

Interval = tuple[float, float]

# The maximum number of facts that a proof may combine.
_DEPTH = 3


class Variable(NamedTuple):
    """The meaning of a polynomial's variable.

    Attributes:
      op: `name`, or `div`, `mod`, `max` or `min` of two sizes.
      args: the two sizes.
      low, high: its bounds, if it is a name.
    """

    op: str
    args: tuple[Any, ...] = ()
    low: float = 1
    high: float = math.inf


Lookup = Callable[[str], Variable]


def _times(x: float, y: float) -> float:
    return 0 if x == 0 or y == 0 else x * y


def _product(x: Interval, y: Interval) -> Interval:
    corners = [_times(a, b) for a in x for b in y]
    return min(corners), max(corners)


def interval(size: Any, lookup: Lookup) -> Interval:
    """The smallest and the largest value, as far as they follow from those of the variables."""
    low: float = 0
    high: float = 0
    for monomial, c in terms_of(size).items():
        a, b = _product((c, c), _of_monomial(monomial, lookup))
        low, high = low + a, high + b
    return low, high


def _of_monomial(monomial: Monomial, lookup: Lookup) -> Interval:
    total: Interval = (1, 1)
    for text, power in monomial:
        one = _of_variable(lookup(text), lookup)
        for _ in range(power):
            total = _product(total, one)
        if power % 2 == 0:
            total = max(total[0], 0), total[1]
    return total


def _floor(x: float) -> float:
    return x if math.isinf(x) else math.floor(x)


def _of_variable(variable: Variable, lookup: Lookup) -> Interval:
    if variable.op == "name":
        return variable.low, variable.high
    (a, b), (c, d) = (interval(arg, lookup) for arg in variable.args)
    if variable.op == "max":
        return max(a, c), max(b, d)
    if variable.op == "min":
        return min(a, c), min(b, d)
    if variable.op == "mod":
        if c <= 0:
            return -math.inf, math.inf
        return 0, min(d - 1, b) if a >= 0 else d - 1
    if c <= 0:
        return -math.inf, math.inf
    corners = [_over(x, y) for x in (a, b) for y in (c, d)]
    return min(corners), max(corners)


def _over(x: float, y: float) -> float:
    """The quotient of bounds, rounded down."""
    if math.isinf(y):
        return 0 if x >= 0 else -1
    return x if math.isinf(x) else _floor(x // y)


def _facts(size: Any, lookup: Lookup, seen: set[str]) -> Iterator[Any]:
    """Nonnegative sizes implied by the meanings of the variables."""
    for monomial in terms_of(size):
        for text, _ in monomial:
            if text in seen:
                continue
            seen.add(text)
            variable = lookup(text)
            if variable.op == "name":
                continue
            x, y = variable.args
            scope = (x if type(x) is Size else y).scope
            value = Size(scope, {((text, 1),): 1})
            if variable.op == "max":
                yield from (value - x, value - y)
            elif variable.op == "min":
                yield from (x - value, y - value)
            elif variable.op == "div" and interval(y, lookup)[0] > 0:
                yield from (x - y * value, y * value + y - 1 - x)
            elif variable.op == "mod" and interval(y, lookup)[0] > 0:
                yield y - 1 - value
                if interval(x, lookup)[0] >= 0:
                    yield x - value
            yield from _facts(x, lookup, seen)
            yield from _facts(y, lookup, seen)


def is_nonnegative(size: Any, facts: list[Any], lookup: Lookup) -> bool:
    """True if a size is proved to be nonnegative.

    Args:
      size: the size.
      facts: sizes that are 0 or more.
      lookup: maps variables to their meanings.
    """
    if interval(size, lookup)[0] >= 0:
        return True
    size = _without_quotients(size, lookup)
    if not isinstance(size, Size):
        return size >= 0
    own = [fact for fact in _facts(size, lookup, set()) if type(fact) is Size]
    return _follows(size, [*facts, *own], lookup, _DEPTH)


def _without_quotients(size: Any, lookup: Lookup) -> Any:
    """A multiple of a size in which remainders replace quotients by constants, since more is known
    about remainders.
    """
    while isinstance(size, Size):
        for monomial in size.terms:
            variable = lookup(monomial[0][0]) if len(monomial) == 1 else None
            if variable and variable.op == "div" and isinstance(variable.args[1], int):
                size = size * variable.args[1]
                break
        else:
            break
    return size


def _follows(size: Any, facts: list[Any], lookup: Lookup, depth: int) -> bool:
    """True if a size is a nonnegative combination of facts and of terms that are nonnegative by
    their bounds.
    """
    if interval(size, lookup)[0] >= 0:
        return True
    if depth == 0:
        return False
    terms = terms_of(size)
    for fact in facts:
        for monomial, c in fact.terms.items():
            own = terms.get(monomial, 0)
            if not monomial or own * c <= 0:
                continue
            divisor = math.gcd(own, c)
            rest = abs(c) // divisor * size - abs(own) // divisor * fact
            if _follows(rest, facts, lookup, depth - 1):
                return True
    return False

"""Determines the sizes of names from the shapes of arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dovetail.base.errors import value_error
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import Size, made

Shape = tuple[Any, ...]


class Solution(NamedTuple):
    """A name's size: (dimension `dimension` of array `array` - rest) / factor."""

    name: str
    array: int
    dimension: int
    factor: int
    rest: Any


def scope_of(shapes: Sequence[Shape]) -> SymbolicScope | None:
    """The scope of the sizes in shapes.

    Raises:
      ValueError: they are of several scopes.
    """
    scope = None
    for shape in shapes:
        for size in shape:
            if type(size) is Size:
                if scope is not None:
                    scope.check_same(size.scope)
                scope = size.scope
    return scope


def solved(scope: SymbolicScope, shapes: Sequence[Shape]) -> list[Solution]:
    """Solutions for the names in shapes, in terms of the arrays' sizes, in evaluation order."""
    known: dict[str, None] = {}
    solutions: list[Solution] = []
    wanted = scope.names_in([size for shape in shapes for size in shape])
    while True:
        found = _next(scope, shapes, known)
        if found is None:
            break
        known[found.name] = None
        solutions.append(found)
    return solutions if wanted else []


def unsolved(
    scope: SymbolicScope, shapes: Sequence[Shape], solutions: Sequence[Solution]
) -> list[str]:
    """The names in shapes that cannot be determined."""
    known = {solution.name for solution in solutions}
    names = scope.names_in([size for shape in shapes for size in shape])
    return [name for name in names if name not in known]


def check_solved(
    scope: SymbolicScope, shapes: Sequence[Shape], solutions: Sequence[Solution]
) -> None:
    """Reject shapes from which a name cannot be determined."""
    missing = unsolved(scope, shapes, solutions)
    if missing:
        raise value_error(
            f"each name must follow from a size that is linear in it alone, such as 'b' or "
            f"'2*b + 1', got: no such size for {', '.join(missing)} in "
            f"{', '.join(map(str, shapes))}"
        )


def _next(scope: SymbolicScope, shapes: Sequence[Shape], known: dict[str, None]) -> Solution | None:
    """A solution for a name that is not known yet; sizes that are a name alone come first."""
    best: tuple[int, Solution] | None = None
    for i, shape in enumerate(shapes):
        for d, size in enumerate(shape):
            if type(size) is not Size:
                continue
            unknown = [name for name in scope.names_in([size]) if name not in known]
            if len(unknown) != 1:
                continue
            found = _linear(scope, size, unknown[0], i, d)
            if found is not None and (best is None or _effort(found) < best[0]):
                best = _effort(found), found
    return None if best is None else best[1]


def _effort(solution: Solution) -> int:
    is_plain = type(solution.rest) is int and solution.rest == 0
    return 0 if is_plain and solution.factor == 1 else 1 if type(solution.rest) is int else 2


def _linear(
    scope: SymbolicScope, size: Size, name: str, array: int, dimension: int
) -> Solution | None:
    """The solution of a size for a name in which it is linear."""
    rest = dict(size.terms)
    factor = 0
    for monomial, c in size.terms.items():
        if len(monomial) != 1:
            continue
        text, power = monomial[0]
        part = scope.name_of_variable(text)
        if part is not None and part[0] == name and power == 1:
            if c % part[1]:
                return None
            factor = c // part[1]
            del rest[monomial]
    others = made(scope, rest)
    if factor == 0 or name in scope.names_in([others]):
        return None
    return Solution(name, array, dimension, factor, others)


def unify(
    scope: SymbolicScope,
    solutions: Sequence[Solution],
    shapes: Sequence[Shape],
    actual: Sequence[Shape],
    names: Sequence[Any],
) -> dict[str, Any]:
    """The sizes of names for which arrays have given shapes, which may be symbolic
    in another scope.

    Args:
      scope: the scope of the names.
      solutions: the formulas of the names in terms of the arrays' sizes.
      shapes: the symbolic shapes.
      actual: the arrays' shapes.
      names: the arrays' names in messages.

    Raises:
      ValueError: no sizes of the names give these shapes, or they break constraints; or this does
        not follow from what is known of symbolic ones.
    """
    values: dict[str, Any] = {}
    origin: dict[str, tuple[int, int]] = {}

    # Only messages need the names, which are slow to compute.
    def where(d: int, i: int) -> str:
        return f"dimension {d} of {names[i]}"

    for name, i, d, factor, rest in solutions:
        size = actual[i][d]
        value, remainder = divmod(size - scope.value(rest, values), factor)
        if remainder != 0:
            raise value_error(
                f"{where(d, i)} must be {shapes[i][d]}, got: {size}, for which {name} is no integer"
            )
        wanted = _broken_bounds(scope, name, value)
        if wanted:
            raise value_error(
                f"sizes must satisfy {', '.join(wanted)}, got: {name} = {value} from "
                f"{where(d, i)}, which is {shapes[i][d]} = {size}"
            )
        values[name], origin[name] = value, (d, i)
    for shape, sizes, array in zip(shapes, actual, names, strict=True):
        for d, (size, got) in enumerate(zip(shape, sizes, strict=True)):
            expected = scope.value(size, values)
            if expected == got:
                continue
            if type(size) is not Size:
                raise value_error(f"dimension {d} of {array} must be {size}, got: {got}")
            needed = scope.names_in([size])
            by = ", ".join(f"{n} = {values[n]} by {where(*origin[n])}" for n in needed)
            raise value_error(
                f"dimension {d} of {array} must be {size} = {expected} ({by}), got: {got}"
            )
    for fact in scope.facts:
        is_known = set(scope.names_in([fact])) <= set(values)
        if is_known and not _is_at_least(scope.value(fact, values), 0):
            given = ", ".join(f"{n} = {values[n]}" for n in scope.names_in([fact]))
            raise value_error(f"constraints ask for {fact} >= 0, got: {given}")
    return values


def check_shapes(
    shapes: Sequence[Shape], actual: Sequence[Shape], names: Sequence[str]
) -> dict[str, Any]:
    """The sizes of names for which arrays have given shapes; like `unify`."""
    scope = scope_of(shapes)
    assert scope is not None
    quoted = [f"`{name}`" for name in names]
    return unify(scope, solved(scope, shapes), shapes, actual, quoted)


def _is_at_least(value: Any, least: Any) -> bool:
    """Whether a size is known to be that large."""
    difference = value - least
    return (
        difference.scope.is_nonnegative(difference) if type(difference) is Size else value >= least
    )


def _broken_bounds(scope: SymbolicScope, name: str, value: Any) -> list[str]:
    """The constraints of a name that a value violates, or may violate."""
    low, high = scope.bounds(scope.name(name))
    multiple = scope.multiples[name]
    wanted = []
    if not _is_at_least(value, low):
        wanted.append(f"{name} >= {low}")
    if not math.isinf(high) and not _is_at_least(int(high), value):
        wanted.append(f"{name} <= {high}")
    if value % multiple != 0:
        wanted.append(f"{name} % {multiple} == 0")
    return wanted


def shapes_at(shapes: Sequence[Shape], sizes: Mapping[str, int]) -> list[tuple[int, ...]]:
    """Shapes for given sizes of the names.

    Raises:
      ValueError: a name has no size, or the sizes break constraints.
    """
    scope = scope_of(shapes)
    names = [] if scope is None else scope.names_in([size for shape in shapes for size in shape])
    if scope is None or {*names} != {*sizes}:
        raise value_error(
            f"each name in the program's shapes must get its size, {', '.join(names) or 'none'}, "
            f"got: {', '.join(f'{name}={size}' for name, size in sizes.items()) or 'none'}"
        )
    actual = [tuple(scope.value(size, dict(sizes)) for size in shape) for shape in shapes]
    labels = [f"argument {i}" for i in range(len(shapes))]
    unify(scope, solved(scope, shapes), shapes, actual, labels)
    return actual


def sizes_in(shapes: Sequence[Shape], actual: Sequence[tuple[int, ...]]) -> dict[str, int]:
    """The sizes of the names in symbolic shapes, for arrays with the shapes `actual`.

    Raises:
      ValueError: no sizes of the names give these shapes, or they break constraints.
    """
    scope = scope_of(shapes)
    if scope is None:
        return {}
    labels = [f"argument {i}" for i in range(len(shapes))]
    return unify(scope, solved(scope, shapes), shapes, actual, labels)


# The value assumed for an unknown size where an estimate is needed.
_EXPECTED = 256


def expected_shape(shape: Shape) -> tuple[int, ...]:
    """A likely shape, for estimates."""
    scope = scope_of([shape])
    if scope is None:
        return shape
    names = {}
    for name in scope.names_in(shape):
        low, high = scope.bounds(scope.name(name))
        names[name] = int(min(max(_EXPECTED, low), high))
    return tuple(scope.value(size, names) for size in shape)

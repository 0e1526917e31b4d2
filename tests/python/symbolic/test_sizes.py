"""Symbolic sizes: arithmetic, comparisons by constraints, texts, and the sizes of names."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

import dovetail as dt
from dovetail import export
from dovetail.errors import InconclusiveDimensionOperation, UnknownSizeError
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.solve import check_solved, solved, unify


def sizes(text: str, *constraints: str) -> tuple[Any, ...]:
    return export.symbolic_shape(text, constraints=constraints)


# Written in Python, for sizes and for ints.
EXPRESSIONS: list[Callable[[Any, Any], Any]] = [
    lambda b, c: b + c - 2 * b + 3,
    lambda b, c: (b + 1) * (c - 1) * 2,
    lambda b, c: (5 * b + 3) // 4 - c // 3,
    lambda b, c: (b * c * 8) // b % 5,
    lambda b, c: (b * b + 2 * b + 1) // (b + 1),
    lambda b, c: b // 3 * 3 + b % 3,
    lambda b, c: 7 // b + b % c,
    lambda b, c: 2 * (b // 2) + (c % 2) * b,
    lambda b, c: (b - 7) // 4 * c,
    lambda b, c: (3 - b) % 4,
    lambda b, c: b**3 - c**2,
    lambda b, c: -(-b // 2) + abs(b - c),
    lambda b, c: export.max_dim(b, 3) * export.min_dim(c, b),
    lambda b, c: divmod(b + c, 4)[1] + divmod(b, 2)[0],
    lambda b, c: (b + c) // (b * 2) + 10 % b,
]


@pytest.mark.parametrize("i", range(len(EXPRESSIONS)))
def test_arithmetic_is_that_of_ints(i: int) -> None:
    scope = SymbolicScope()
    b, c = export.symbolic_shape("b, c", scope=scope)
    symbolic = EXPRESSIONS[i](b, c)
    for x, y in itertools.product(range(1, 12), range(1, 8)):
        assert scope.value(symbolic, {"b": x, "c": y}) == EXPRESSIONS[i](x, y)


@pytest.mark.parametrize("i", range(len(EXPRESSIONS)))
def test_bounds_hold(i: int) -> None:
    scope = SymbolicScope(["b <= 9", "c <= 5", "c >= 2"])
    b, c = export.symbolic_shape("b, c", scope=scope)
    low, high = scope.bounds(EXPRESSIONS[i](b, c))
    values = [EXPRESSIONS[i](x, y) for x, y in itertools.product(range(1, 10), range(2, 6))]
    assert low <= min(values)
    assert max(values) <= high


def test_equal_sizes_are_written_alike() -> None:
    b, c = sizes("b, c")
    assert (b + 1) * (b - 1) == b * b - 1
    assert (b * c * 4) // (2 * c) == 2 * b
    assert b + c - b == c
    assert b - b == 0
    assert hash(2 * b) == hash(b + b)
    assert {(b, 3): 1}[(b + 0, 3)] == 1
    assert str(2 * b * c - b // 2 + 1) == "2*b*c - (b//2) + 1"


def test_multiples() -> None:
    (b,) = sizes("b", "b % 8 == 0", "b <= 64")
    assert b % 4 == 0
    assert b // 2 * 2 == b
    assert b >= 8
    assert str(b) == "b"
    assert str(b // 8 + b) == "9*(b//8)"


def test_comparisons_that_constraints_decide() -> None:
    b, s, d = sizes("b, s, d", "s <= b", "b <= 4096", "d == 2*b", "mod(s, 2) == 0")
    assert d == 2 * b
    assert d > b
    assert b >= s
    assert b + 1 > s
    assert b <= 5000
    assert b // 2 <= b
    assert b % 3 < 3
    assert (b + 2) // 3 * 3 >= b
    assert export.min_dim(b, 7) <= 7
    assert b - export.min_dim(b, 7) >= 0
    assert 2 * b + 1 != 2 * d
    assert s != 3
    assert s >= 2
    assert not s > b
    assert bool(b)


def test_undecided_comparisons_suggest_a_constraint() -> None:
    b, c = sizes("b, c", "b <= 9")
    for question in (lambda: b > 3, lambda: b == 3, lambda: b != c, lambda: b < c):
        with pytest.raises(InconclusiveDimensionOperation, match="add a constraint") as error:
            question()
        assert "test_sizes.py" in str(error.value)
    assert max(b, 1) is b
    assert b.__gt__("x") is NotImplemented


def test_functions_that_need_a_known_size_report_it() -> None:
    (b,) = sizes("b")
    for use in (int, float, range, lambda x: [1, 2][x:], lambda x: [0] * x):
        with pytest.raises(UnknownSizeError, match="known only when the program runs"):
            use(b)
    with pytest.raises(UnknownSizeError, match="in the function that is traced"):
        dt.numpy.array(b)


@pytest.mark.parametrize(
    ("text", "constraints", "message"),
    [
        ("b +", (), "must be made of names"),
        ("b / 2", (), "must be made of names"),
        ("b - 5", (), "must be 0 or more under"),
        ("..., 3", (), "needs a shape"),
        ("b", ("b < 1",), "must leave sizes"),
        ("b", ("b <= 7", "b % 8 == 0"), "must leave sizes"),
        ("b", ("b ! 3",), "must be made of names"),
        ("b", ("b + 3",), "must compare two sizes"),
        ("b", ("(b + 1) % 4 == 0",), "of a name"),
    ],
)
def test_texts_that_are_rejected(text: str, constraints: tuple[str, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sizes(text, *constraints)


def test_sizes_of_two_scopes_do_not_mix() -> None:
    (b,), (c,) = sizes("b"), sizes("c")
    with pytest.raises(ValueError, match="of one SymbolicScope"):
        _ = b + c


def test_shapes_like_others() -> None:
    assert str(export.symbolic_shape("(b, ..., 2*b)", like=(9, 1, 2, 18))) == "(b, 1, 2, 2*b)"
    assert str(export.symbolic_shape("_, b", like=(4, 5))) == "(4, b)"
    with pytest.raises(ValueError, match="one size for each dimension"):
        export.symbolic_shape("b, c", like=(1, 2, 3))


def unified(constraints: list[str], shapes: list[str], actual: list[Any]) -> dict[str, int]:
    scope = SymbolicScope(constraints)
    symbolic = [export.symbolic_shape(shape, scope=scope) for shape in shapes]
    solutions = solved(scope, symbolic)
    check_solved(scope, symbolic, solutions)
    names = [f"`{'xyz'[i]}`" for i in range(len(shapes))]
    return unify(scope, solutions, symbolic, actual, names)


def test_names_follow_from_arrays() -> None:
    shapes = ["2*b + 1, s", "b + s, b*s"]
    assert unified([], shapes, [(9, 3), (7, 12)]) == {"b": 4, "s": 3}
    assert unified(["b % 4 == 0"], ["b//4, b"], [(2, 8)]) == {"b": 8}


@pytest.mark.parametrize(
    ("shapes", "actual", "message"),
    [
        (["b, 3", "b"], [(4, 3), (5,)], r"dimension 0 of `y` must be b = 4 \(b = 4 by dimension 0"),
        (["b, 3"], [(4, 2)], "dimension 1 of `x` must be 3, got: 2"),
        (["2*b"], [(5,)], "for which b is no integer"),
        (["b"], [(0,)], "must satisfy b >= 1, got: b = 0 from dimension 0 of `x`"),
        (["b"], [(4097,)], "must satisfy b <= 4096"),
        (["s", "b"], [(5,), (4,)], "constraints ask for b - s >= 0, got: b = 4, s = 5"),
        (["b*c"], [(4,)], "each name must follow from a size that is linear in it alone"),
    ],
)
def test_arrays_that_do_not_fit(shapes: list[str], actual: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        unified(["b <= 4096", "s <= b"], shapes, actual)

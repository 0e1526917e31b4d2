"""Exported functions that call others: of the same name, and of symbolic sizes for such sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import export
from dovetail.export import Exported


def exported(function: Any, shape: str, constraints: Sequence[str] = ()) -> Exported:
    sizes = export.symbolic_shape(shape, constraints=constraints)
    return export.export(dt.jit(function))(dt.ShapeDtypeStruct(sizes, "float32"))


def again(made: Exported) -> Exported:
    return export.deserialize(made.serialize())


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize("read", [False, True])
def test_functions_of_one_name(depth: int, read: bool) -> None:
    made = exported(lambda x: x + 1, "3")
    for _ in range(depth):
        inner = again(made) if read else made
        made = exported(lambda x, inner=inner: inner.call(x) * 2, "3")
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(made.call(x), (x + 1) * 2**depth)
    np.testing.assert_array_equal(dt.jit(again(made).call)(x), (x + 1) * 2**depth)
    np.testing.assert_array_equal(dt.grad(lambda x: made.call(x).sum())(x), [2**depth] * 3)


@pytest.mark.parametrize(
    ("inner", "outer", "inner_constraints", "constraints"),
    [
        ("b, 3", "c, 3", (), ()),
        ("b, 3", "2*c, 3", (), ()),
        ("2*b, 3", "4*c, 3", (), ()),
        ("b, d", "c, c + 1", (), ()),
        ("b, 3", "c, 3", ("b >= 4",), ("c >= 4",)),
        ("b, d", "c, e", ("b >= d",), ("c >= e",)),
        ("b, max(b, 3)", "c, max(c, 3)", (), ()),
    ],
)
def test_symbolic_sizes_for_symbolic_sizes(
    inner: str, outer: str, inner_constraints: Sequence[str], constraints: Sequence[str]
) -> None:
    called = exported(lambda x: dnp.concatenate([x, x]) * x.shape[0], inner, inner_constraints)
    made = exported(lambda x: called.call(x) + 1, outer, constraints)
    rows = 4 if outer != "c, c + 1" else 2
    columns = {"c, max(c, 3)": 4}.get(outer, 3)
    x = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    for each in (made, again(made)):
        np.testing.assert_array_equal(each.call(x), np.concatenate([x, x]) * rows + 1)
        gradient = dt.grad(lambda x, each=each: each.call(x).sum())(x)
        np.testing.assert_array_equal(gradient, np.full_like(x, 2 * rows))


@pytest.mark.parametrize(
    ("inner", "outer", "constraints", "message"),
    [
        ("b, b", "c, d", (), r"dimension 1 of `args\[0\]` must be b = c .*, got: d"),
        ("2*b", "c", (), r"must be 2\*b, got: c"),
        ("b", "c", ("b >= 4",), r"sizes must satisfy b >= 4, got: b = c"),
        ("b", "c", ("b <= 4",), r"sizes must satisfy b <= 4, got: b = c"),
        ("b, d", "c, e", ("b >= d",), r"constraints ask for b - d >= 0, got: b = c, d = e"),
        ("b, 3", "c, d", (), r"dimension 1 of `args\[0\]` must be 3, got: d"),
    ],
)
def test_symbolic_sizes_that_may_not_fit(
    inner: str, outer: str, constraints: Sequence[str], message: str
) -> None:
    called = exported(lambda x: x + 1, inner, constraints)
    with pytest.raises(ValueError, match=message):
        exported(lambda x: called.call(x), outer)


def test_second_derivatives_with_integers() -> None:
    def f(x: Any, n: Any) -> Any:
        return dnp.sin(x) * n.astype(x.dtype), n + 1

    x, n, ones = np.array([0.5, 1], np.float32), np.array([3, 4], np.int32), np.ones(2, np.float32)
    none = np.zeros(2, dt.float0)
    first = again(export.export(dt.jit(f))(x, n)).vjp()
    of_x, of_n = first.call(x, n, ones, none)
    np.testing.assert_allclose(of_x, n * np.cos(x), rtol=1e-6)
    assert of_n.dtype == dt.float0
    second = again(first.vjp())
    found = second.call(x, n, ones, ones)
    np.testing.assert_allclose(found[0], -n * np.sin(x), rtol=1e-6)


def test_derivatives_of_derivatives_at_symbolic_sizes() -> None:
    made = again(exported(lambda x: x.T * x.T, "a, 4"))
    x, ones = np.arange(12, dtype=np.float32).reshape(3, 4), np.ones((4, 3), np.float32)
    _, pull = dt.vjp(made.call, x)
    (found,) = dt.vjp(pull, ones)[1]((x,))
    np.testing.assert_allclose(found, (2 * x * x).T)
    value, tangent = dt.jvp(pull, (ones,), (2 * ones,))
    np.testing.assert_allclose(value[0], 2 * x)
    np.testing.assert_allclose(tangent[0], 4 * x)
    np.testing.assert_allclose(dt.vmap(pull)(ones[None])[0], 2 * x[None])
    np.testing.assert_allclose(dt.jit(lambda c: pull(c)[0] * 2)(ones), 4 * x)
    np.testing.assert_allclose(dt.grad(lambda c: (pull(c)[0] * x).sum())(ones), (2 * x * x).T)

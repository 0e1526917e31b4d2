"""Reductions over named axes, beside dimensions, against those of the whole batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

X = np.arange(24, dtype=np.float32).reshape(4, 2, 3) ** 2 % 7
# Axes of an element of the batch, and those of the batch that they are.
AXES: list[tuple[Any, Any]] = [
    ("i", 0),
    (("i",), (0,)),
    (("i", 0), (0, 1)),
    ((-1, "i"), (2, 0)),
    (["i", 0, 1], (0, 1, 2)),
]


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("axis", "of_batch"), AXES, ids=str)
@pytest.mark.parametrize(
    "name",
    [
        *("sum", "max", "min", "mean", "amax", "amin", "var", "std", "ptp", "average"),
        *("count_nonzero", "nansum", "nanmean", "nanvar", "nanstd"),
    ],
)
def test_values(name: str, axis: Any, of_batch: Any, compiled: bool) -> None:
    function = getattr(dnp, name)
    batched = dt.vmap(lambda x: function(x, axis=axis), axis_name="i")
    got = (dt.jit(batched) if compiled else batched)(X)
    want = getattr(np, name)(X, axis=of_batch)
    np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), rtol=1e-6)
    assert got.shape == (4, *want.shape)


def test_method_and_options() -> None:
    got = dt.vmap(lambda x: x - x.sum(axis="i"), axis_name="i")(np.arange(3))
    np.testing.assert_array_equal(got, [-3, -2, -1])
    kept = dt.vmap(lambda x: dnp.sum(x, ("i", 1), keepdims=True), axis_name="i")(X)
    np.testing.assert_array_equal(kept[0], X.sum((0, 2))[:, None])
    masked = dt.vmap(lambda x: dnp.sum(x, ("i", 0), where=x > 3), axis_name="i")(X)
    np.testing.assert_array_equal(masked[0], X.sum((0, 1), where=X > 3))


def test_gradient() -> None:
    def loss(x: Any) -> Any:
        return dnp.sum(dt.vmap(lambda row: dnp.mean(row, ("i", 0)) ** 2, axis_name="i")(x))

    whole = dt.grad(lambda x: 4 * dnp.sum(dnp.mean(x, (0, 1)) ** 2))
    np.testing.assert_allclose(dt.grad(loss)(X), whole(X), rtol=1e-5)


@pytest.mark.parametrize(("axis", "of_batch"), AXES, ids=str)
@pytest.mark.parametrize("name", ["mean", "var", "std", "sum", "nanmean", "nanvar"])
def test_values_with_a_mask(name: str, axis: Any, of_batch: Any) -> None:
    mask = X != 4
    function = getattr(dnp, name)
    got = dt.vmap(lambda x, m: function(x, axis=axis, where=m), axis_name="i")(X, mask)
    want = getattr(np, name)(X, axis=of_batch, where=mask)
    np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), rtol=1e-5)


@pytest.mark.parametrize(("axis", "of_batch"), AXES, ids=str)
def test_log_domain(axis: Any, of_batch: Any) -> None:
    x, of_batch = X - 3, tuple(np.atleast_1d(of_batch))
    for name in ("logsumexp", "logmeanexp"):
        function = getattr(dt.nn, name)
        got = dt.vmap(lambda e, f=function: f(e, axis=axis), axis_name="i")(x)
        want = function(x, axis=of_batch)
        np.testing.assert_allclose(got, np.broadcast_to(want, got.shape), rtol=1e-5, err_msg=name)
    for name in ("softmax", "log_softmax", "standardize"):
        function = getattr(dt.nn, name)
        got = dt.vmap(lambda e, f=function: f(e, axis=axis), axis_name="i")(x)
        np.testing.assert_allclose(
            got, function(x, axis=of_batch), rtol=1e-4, atol=1e-6, err_msg=name
        )


def test_variances_with_options() -> None:
    got = dt.vmap(lambda x: dnp.var(x, "i", ddof=1, keepdims=True), axis_name="i")(X)
    np.testing.assert_allclose(got[0], X.var(0, ddof=1), rtol=1e-5)
    half = X.astype(np.float16)
    got = dt.vmap(lambda x: dnp.mean(x, "i"), axis_name="i")(half)
    np.testing.assert_array_equal(got[0], half.mean(0, dtype=np.float32).astype(np.float16))
    value, count = dt.vmap(lambda x: dnp.average(x, ("i", 0), returned=True), axis_name="i")(X)
    np.testing.assert_allclose(value[0], X.mean((0, 1)), rtol=1e-6)
    np.testing.assert_array_equal(count, np.full((4, 3), 8))


def test_reductions_without_collective() -> None:
    for name in ("prod", "any", "all", "nanprod", "nanmax"):
        with pytest.raises(NotImplementedError, match="all_gather"):
            dt.vmap(lambda x, n=name: getattr(dnp, n)(x, axis="i"), axis_name="i")(X)


def test_unbound_name() -> None:
    with pytest.raises(NameError, match="unbound axis name: j"):
        dnp.sum(X, axis="j")

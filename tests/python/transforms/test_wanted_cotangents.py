"""Pullbacks that add cotangents to references, or leave some out; sums over a batch."""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

X, Y = np.arange(3, dtype=np.float32), np.full(3, 2, np.float32)


def pull_of_products() -> dt.typing.Any:
    return dt.vjp(lambda x, tree: (x * tree["y"]).sum(), X, {"y": Y})[1]


def test_each_cotangent_goes_where_it_is_wanted() -> None:
    pull, total = pull_of_products(), dt.new_ref(dnp.ones(3))
    x_bar, tree_bar = pull.with_refs(total, {"y": dt.ad.GradValue()})(1.0)
    assert x_bar == dt.ad.GradRef()
    np.testing.assert_array_equal(total[...], 1 + Y)
    np.testing.assert_array_equal(tree_bar["y"], X)
    assert pull.with_refs(dt.ad.DontWant(), {"y": total})(1.0) == (
        dt.ad.DidntWant(),
        {"y": dt.ad.GradRef()},
    )
    np.testing.assert_array_equal(total[...], 1 + Y + X)


def test_what_is_not_wanted_is_not_computed() -> None:
    pull = dt.vjp(lambda x, y: (x * y).sum(), X, Y)[1]
    f = dt.jit(lambda c: pull.with_refs(dt.ad.DontWant(), dt.ad.GradValue())(c))
    first, second = f(1.0)
    assert first == dt.ad.DidntWant()
    np.testing.assert_array_equal(second, X)
    assert f.lower(1.0).as_text("simplify").count("dovetail.mul") == 1


def test_gradients_of_steps_are_accumulated() -> None:
    @dt.jit
    def accumulated(x: dt.Array) -> dt.Array:
        total = dt.new_ref(dnp.zeros(3))

        def step(carry: None, i: dt.Array) -> tuple[None, None]:
            dt.vjp(lambda w: dnp.sin(w * i).sum(), x)[1].with_refs(total)(1.0)
            return carry, None

        lax.scan(step, None, dnp.arange(3.0))
        return dt.freeze(total)

    wanted = sum(i * np.cos(i * X) for i in range(3))
    np.testing.assert_allclose(accumulated(X), wanted, rtol=1e-6)


def test_errors() -> None:
    pull = pull_of_products()
    with pytest.raises(dt.errors.MismatchError, match="with_refs: there must be a reference"):
        pull.with_refs(dt.ad.DontWant())(1.0)


def test_results_of_vmap_that_are_summed() -> None:
    rows = np.arange(6, dtype=np.float32).reshape(2, 3)

    def f(x: dt.Array) -> tuple[dt.Array, dt.Array, float]:
        return x * x, x.sum(), 3.0

    squares, sums, three = dt.vmap(f, out_axes=(None, 0, None), sum_match=True)(rows)
    np.testing.assert_array_equal(squares, (rows * rows).sum(0))
    np.testing.assert_array_equal(sums, rows.sum(1))
    assert float(three) == 3
    loss = lambda x: dt.vmap(lambda r: r * r, out_axes=None, sum_match=True)(x).sum()  # noqa: E731
    np.testing.assert_array_equal(dt.jit(dt.grad(loss))(rows), 2 * rows)
    with pytest.raises(ValueError, match="out_axes"):
        dt.vmap(f, out_axes=None)(rows)


def test_other_objects_ask_for_the_cotangent() -> None:
    total = dt.new_ref(dnp.zeros(3))
    pull = dt.vjp(lambda x, y: (x * y).sum(), dnp.ones(3), 2.0)[1]
    added, returned = pull.with_refs(total, object())(1.0)
    assert isinstance(added, dt.ad.GradRef)
    assert float(returned) == 3
    np.testing.assert_array_equal(total[...], [2, 2, 2])

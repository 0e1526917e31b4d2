"""Pullbacks as trees, and the two halves of reverse mode."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

X = np.linspace(0.1, 1.0, 6, dtype="float32").reshape(2, 3)
W = np.linspace(-1.0, 1.0, 12, dtype="float32").reshape(3, 4)


def f(x, w):
    return dnp.sin(x @ w)


def test_pullbacks_go_through_jit():
    value, pull = dt.vjp(f, X, W)
    expected = pull(value)
    for got, wanted in zip(dt.jit(pull)(value), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
    _, returned = dt.jit(lambda x, w: dt.vjp(f, x, w))(X, W)
    applied = dt.jit(lambda pull, ct: pull(ct))(returned, value)
    for got, wanted in zip(applied, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)
    # All pullbacks of one trace have one structure.
    _, other = dt.jit(lambda x, w: dt.vjp(f, x, w))(X, W)
    assert dt.tree.structure(other) != dt.tree.structure(pull)
    assert [leaf.shape for leaf in dt.tree.leaves(pull)] == [
        leaf.shape for leaf in dt.tree.leaves(returned)
    ]


def test_pullbacks_of_batches():
    xs = np.stack([X, 2 * X])
    _, pulls = dt.vmap(lambda x: dt.vjp(f, x, W))(xs)
    got = dt.vmap(lambda pull, ct: pull(ct)[0])(pulls, np.ones((2, 2, 4), np.float32))
    for i in range(2):
        _, pull = dt.vjp(f, xs[i], W)
        np.testing.assert_allclose(got[i], pull(np.ones((2, 4), np.float32))[0], rtol=1e-6)


@pytest.mark.parametrize("jitted", [True, False])
def test_halves_of_reverse_mode(jitted):
    traced = []

    def counted(x, w):
        traced.append(None)
        return f(x, w), {"mean": x.mean()}

    fwd, bwd = dt.fwd_and_bwd(counted, (0, 1), has_aux=True, jitted=jitted)
    for scale in (1, 2, 3):
        value, residuals, aux = fwd(scale * X, W)
        wanted, pull = dt.vjp(f, scale * X, W)
        np.testing.assert_allclose(value, wanted, rtol=1e-6)
        np.testing.assert_allclose(aux["mean"], scale * X.mean(), rtol=1e-6)
        for got, expected in zip(bwd(residuals, value), pull(value), strict=True):
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-7)
    assert len(traced) == (1 if jitted else 3)


def test_halves_with_respect_to_one_argument():
    fwd, bwd = dt.fwd_and_bwd(lambda n, x, *, power: n * x**power, argnums=-1)
    value, residuals = fwd(2, 3.0, power=2)
    assert float(value) == 18.0
    assert float(bwd(residuals, 1.0)) == 12.0
    with pytest.raises(TypeError, match="argnums"):
        dt.fwd_and_bwd(f, "x")  # pyright: ignore[reportArgumentType]


def test_halves_within_other_transforms():
    fwd, bwd = dt.fwd_and_bwd(lambda x: dnp.sin(x) * x, 0)

    def gradient(x):
        _, residuals = fwd(x)
        return bwd(residuals, 1.0)

    x = np.array([0.5, 1.5], np.float32)
    np.testing.assert_allclose(dt.vmap(gradient)(x), np.cos(x) * x + np.sin(x), rtol=1e-6)
    second = dt.vmap(dt.grad(gradient))(x)
    np.testing.assert_allclose(second, 2 * np.cos(x) - x * np.sin(x), rtol=1e-5)


def test_other_structures_of_cotangents():
    _, pull = dt.vjp(lambda x: (x, x), 1.0)
    with pytest.raises(TypeError, match="unexpected tree structure"):
        pull(1.0)

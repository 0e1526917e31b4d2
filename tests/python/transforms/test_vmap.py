"""vmap: the place of the batch dimension in arguments and results, trees, closures, nesting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp

X = np.random.default_rng(0).normal(size=(3, 4, 5)).astype(np.float32)


@pytest.mark.parametrize("in_axis", [0, 1, 2, -1, -3])
@pytest.mark.parametrize("out_axis", [0, 1, -1])
def test_axes(in_axis: int, out_axis: int) -> None:
    def f(x: Any) -> Any:
        return x - dnp.max(x, axis=0) + dnp.sum(x)

    rows = [np.asarray(f(dnp.array(row))) for row in np.moveaxis(X, in_axis, 0)]
    result = dt.vmap(f, in_axes=in_axis, out_axes=out_axis)(X)
    np.testing.assert_allclose(result, np.stack(rows, axis=out_axis), rtol=1e-5, atol=1e-5)


def test_arguments_without_a_batch() -> None:
    y = np.arange(5, dtype=np.float32)
    result = dt.vmap(lambda x, y: x @ y, in_axes=(0, None))(X, y)
    np.testing.assert_allclose(result, X @ y, rtol=1e-5)
    np.testing.assert_allclose(
        dt.vmap(lambda x, y: x @ y, in_axes=[0, None])(X, y), X @ y, rtol=1e-5
    )
    # Such a value is known, so Python may ask for it.
    scaled = dt.vmap(lambda x, s: x * 2 if s > 0 else x, in_axes=(0, None))(X, 1.0)
    np.testing.assert_array_equal(scaled, 2 * X)


def test_trees_of_axes() -> None:
    tree = {"a": X, "b": (X[:, 0], 2.0)}
    axes = ({"a": 1, "b": (-1, None)},)

    def f(t: Any) -> Any:
        return {"sum": dnp.sum(t["a"]) * t["b"][1], "vector": t["b"][0]}

    # Both have 5 or 4 along their axis.
    tree["a"] = X[:, :4, :]
    tree["b"] = (X[:, 1, :4], 2.0)
    result = dt.vmap(f, in_axes=axes, out_axes={"sum": 0, "vector": 1})(tree)
    np.testing.assert_allclose(result["sum"], X[:, :4, :].sum((0, 2)) * 2, rtol=1e-4)
    np.testing.assert_array_equal(result["vector"], X[:, 1, :4])
    np.testing.assert_allclose(
        dt.vmap(lambda t: t["a"], in_axes=({"a": 0, "b": None},))({"a": X, "b": (1.0, 2.0)}), X
    )


def test_results_without_a_batch() -> None:
    y = dnp.arange(3.0)
    both = dt.vmap(lambda x, y: (x + y, y * 2), in_axes=(0, None), out_axes=(0, None))(
        X[..., :3], y
    )
    assert both[0].shape == (3, 4, 3)
    np.testing.assert_array_equal(both[1], [0, 2, 4])
    # With an axis they are repeated.
    repeated = dt.vmap(lambda x, y: y * 2, in_axes=(0, None), out_axes=1)(X, y)
    np.testing.assert_array_equal(repeated, np.repeat([[0], [2], [4]], 3, axis=1))


def test_keywords_and_size() -> None:
    result = dt.vmap(lambda x, y: x + y)(X[:, 0, 0], y=X[:, 1, 1])
    np.testing.assert_allclose(result, X[:, 0, 0] + X[:, 1, 1])
    repeated = dt.vmap(lambda x: (x, x + 1), in_axes=None, out_axes=(0, None), axis_size=3)(1.0)
    np.testing.assert_array_equal(repeated[0], [1, 1, 1])
    assert float(repeated[1]) == 2
    np.testing.assert_array_equal(dt.vmap(lambda x: x, axis_size=3)(X), X)


def test_nesting_and_closures() -> None:
    def outer(x: Any, y: Any) -> Any:
        return dt.vmap(lambda z: x * z + dnp.sum(y))(y)

    x, y = X[:, 0, 0], X[:, 1, :]
    np.testing.assert_allclose(
        dt.vmap(outer)(x, y), x[:, None] * y + y.sum(1, keepdims=True), rtol=1e-5
    )
    table = dt.vmap(dt.vmap(lambda a, b: a * b, (None, 0)), (0, None))(x, y[0])
    np.testing.assert_allclose(table, np.outer(x, y[0]), rtol=1e-6)
    thrice = dt.vmap(dt.vmap(dt.vmap(lambda a: a * a)))(X)
    np.testing.assert_allclose(thrice, X * X)


def test_per_example_gradients() -> None:
    w = np.ones(5, np.float32)

    def loss(w: Any, x: Any) -> Any:
        return dnp.sum(dnp.tanh(x @ w) ** 2)

    gradients = dt.vmap(dt.grad(loss), in_axes=(None, 0))(w, X)
    one_by_one = np.stack([dt.grad(loss)(w, x) for x in X])
    np.testing.assert_allclose(gradients, one_by_one, rtol=1e-5)
    total = dt.grad(lambda w: dnp.sum(dt.vmap(loss, (None, 0))(w, X)))(w)
    np.testing.assert_allclose(total, one_by_one.sum(0), rtol=1e-5)


def test_one_trace_whatever_the_batch() -> None:
    calls = 0

    def f(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x * 2

    dt.vmap(f)(np.ones((1000, 2), np.float32))
    assert calls == 1


def test_other_leaves_are_passed_unchanged() -> None:
    x = dnp.arange(3.0)
    sine = dt.vmap(lambda x, f: f(x), in_axes=(0, None))(x, dnp.sin)
    np.testing.assert_allclose(sine, np.sin(np.arange(3)), rtol=1e-6)

    def f(params: Any, x: Any, mode: Any) -> Any:
        assert mode is marker
        assert params["name"] == "dense"
        return params["w"] * x

    marker = object()
    axes = ({"w": 0, "name": None}, None, None)
    out = dt.vmap(f, in_axes=axes)({"w": x, "name": "dense"}, 2.0, marker)
    np.testing.assert_array_equal(out, [0, 2, 4])
    with pytest.raises(TypeError, match=r"argument to `f` .* at path mode"):
        dt.vmap(f, in_axes=(axes[0], None, 0))({"w": x, "name": "dense"}, 2.0, marker)


@pytest.mark.parametrize("axes", [True, (dnp.zeros(2),), ("x",), ({"a": 1.5},)])
def test_axes_are_ints(axes: Any) -> None:
    with pytest.raises(TypeError, match="vmap in_axes must be an int, None, or"):
        dt.vmap(lambda x: x, in_axes=axes)
    with pytest.raises(TypeError, match="vmap out_axes must be an int, None, or"):
        dt.vmap(lambda x: x, out_axes=axes)


class Anything:
    """A function whose attributes are made up."""

    def __call__(self, x: Any) -> Any:
        return 2 * x

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__", "__annotations__", "__doc__"):
            return (name,)
        raise AttributeError(name)


@pytest.mark.parametrize(
    "transform",
    [dt.vmap, dt.jit, dt.checkpoint, dt.jacfwd, dt.jacrev, lambda f: dt.vmap(dt.grad(f))],
)
def test_functions_whose_name_is_no_string(transform: Any) -> None:
    transformed = transform(Anything())
    assert np.sum(transformed(np.array([1, 2], np.float32))) in (4, 6)


def test_values_that_depend_on_no_argument_are_known():
    """Functions may keep them, as caches do."""
    kept = []

    def f(x):
        kept.append(x + 1)
        return kept[-1], 2.0

    outs = dt.vmap(f, in_axes=None, out_axes=(0, None), axis_size=3)(dnp.arange(2.0))
    np.testing.assert_array_equal(outs[0], [[1, 2]] * 3)
    assert outs[1] == 2
    np.testing.assert_array_equal(kept[0] * 2, [2, 4])


def test_arguments_without_a_batch_are_what_was_passed() -> None:
    passed = True, 2.0, np.float32(3), np.ones(2)
    seen = []

    def f(x: Any, *rest: Any) -> Any:
        seen.append(rest)
        return x * rest[1] * rest[2] if rest[0] else x

    mapped = dt.vmap(f, in_axes=(0, *[None] * 4))
    for g in (
        mapped,
        dt.jit(lambda x, *_: mapped(x, *passed)),
        dt.vmap(dt.grad(f), (0, None, None, None, None)),
    ):
        np.testing.assert_allclose(g(np.ones(3, np.float32), *passed), 6)
    assert all(a is b for rest in seen for a, b in zip(rest, passed, strict=True))


def test_descriptions_among_arguments() -> None:
    """They are described for an element of the batch, and count for its size."""
    described = dt.ShapeDtypeStruct((3, 4), np.float32)

    def function(x: Any, like: Any) -> Any:
        assert type(like) is dt.ShapeDtypeStruct
        return dnp.broadcast_to(x, like.shape)

    x = np.arange(3.0, dtype=np.float32)
    assert dt.vmap(function)(x, described).shape == (3, 4)
    assert dt.vmap(function, (0, None))(x, described).shape == (3, 3, 4)
    assert dt.vmap(function, (None, -1))(x, described).shape == (4, 3)
    assert dt.vmap(lambda like: dnp.ones(like.shape))(described).shape == (3, 4)
    with pytest.raises(ValueError, match="inconsistent sizes"):
        dt.vmap(function, (0, 1))(x, described)


def test_values_on_the_host_of_what_is_traced() -> None:
    """`device_get` leaves them alone, under every transform."""
    x = np.arange(3.0, dtype=np.float32)
    got = dt.vmap(dt.grad(lambda v: dt.device_get(v) ** 2))(x)
    np.testing.assert_allclose(got, 2 * x)
    np.testing.assert_allclose(dt.jit(lambda v: dt.device_get({"a": v})["a"] + 1)(x), x + 1)

"""pmap on eight devices of one CPU, against vmap; run by `test_devices`."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

X = np.random.default_rng(0).normal(size=(8, 4, 6)).astype(np.float32)

RING = [(i, (i + 1) % 8) for i in range(8)]

CALLS: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
    (lambda a: dnp.sin(a), (X,), {}),
    (lambda a: lax.psum(a, "i") * lax.axis_index("i"), (X,), {}),
    (lambda a, b: a @ b, (X, X[0].T), {"in_axes": (0, None)}),
    (lambda a: a.T, (X,), {"in_axes": 1, "out_axes": 2}),
    (lambda a: a.T, (X,), {"in_axes": -1, "out_axes": -1}),
    (lambda t: {"s": lax.pmean(t["a"], "i"), "d": t["b"] - 1}, ({"a": X, "b": X[:, 0, 0]},), {}),
    (lambda a: (a, lax.psum(1, "i")), (X,), {"out_axes": (0, None)}),
    (lambda a: lax.ppermute(a, "i", RING), (X,), {}),
    (lambda a: lax.precv(lax.psend(a, "i", RING), a, "i", RING) * a, (X,), {}),
    (dt.grad(lambda a: dnp.sum(lax.precv(lax.psend(a * a, "i", RING), a, "i", RING))), (X,), {}),
    (dt.grad(lambda a: dnp.sum(lax.psum(a, "i") ** 2)), (X,), {}),
]


@pytest.mark.parametrize("i", range(len(CALLS)))
def test_is_vmap(i: int) -> None:
    f, args, options = CALLS[i]
    got, want = (t(f, axis_name="i", **options)(*args) for t in (dt.pmap, dt.vmap))
    for a, b in zip(dt.tree.leaves(got), dt.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_static_and_keyword_arguments() -> None:
    f = dt.pmap(lambda a, n, k: a**n + k, static_broadcasted_argnums=1)
    np.testing.assert_allclose(
        f(X, 2, k=np.arange(8.0)), X**2 + np.arange(8.0)[:, None, None], 1e-5
    )


def test_inferred_specs() -> None:
    """Over explicit axes, arguments are partitioned as they are sharded."""
    mesh = dt.make_mesh((4, 2), ("x", "y"))
    x = dt.device_put(X[0, 0, :4], dt.NamedSharding(mesh, dt.P("x")))
    shapes = []

    def part(a: Any, b: Any) -> Any:
        shapes.append((a.shape, b.shape))
        return a + b[0]

    f = dt.shard_map(part, mesh=mesh, out_specs=dt.P("x"))
    np.testing.assert_array_equal(f(x, np.zeros(8, np.float32)), x)
    assert shapes == [((1,), (8,))]
    zeros = np.zeros(8, np.float32)
    np.testing.assert_array_equal(dt.jit(f)(x, zeros), x)
    assert shapes[1:] == [((1,), (8,))]
    auto = dt.make_mesh((8,), ("x",), axis_types=(dt.sharding.AxisType.Auto,))
    with pytest.raises(TypeError, match=r"in_specs argument must be a pytree .* it was missing"):
        dt.shard_map(part, mesh=auto, out_specs=dt.P("x"))(x, x)
    with dt.set_mesh(mesh):
        g = dt.smap(lambda a: a * lax.axis_index("x"), out_axes=0, axis_name="x")
        np.testing.assert_allclose(g(x), x * np.arange(4), rtol=1e-6)


def test_groups() -> None:
    groups = [[0, 1, 4, 5], [2, 3, 7, 6]]
    x = np.arange(32.0, dtype=np.float32).reshape(8, 4)

    def f(x: Any) -> Any:
        options: Any = {"axis_name": "i", "axis_index_groups": groups}
        return (
            lax.psum(x, **options),
            lax.all_gather(x, **options),
            lax.pswapaxes(x, axis=0, **options),
        )

    for got, want in zip(dt.pmap(f, axis_name="i")(x), dt.vmap(f, axis_name="i")(x), strict=True):
        np.testing.assert_array_equal(got, want)


def test_wrong_axes() -> None:
    wrong: list[dict[str, Any]] = [
        {"in_axes": 0.5},
        {"out_axes": "i"},
        {"in_axes": (0, [None, "i"])},
    ]
    for axes in wrong:
        with pytest.raises(
            TypeError, match=r"pmap \w+ must be an int, None, or \(nested\) container"
        ):
            dt.pmap(lambda a, b: a, **axes)


def test_function_is_known() -> None:
    assert inspect.unwrap(dt.pmap(total)) is total


def total(x: Any) -> Any:
    return dnp.sum(x)


def test_derivative() -> None:
    f = dt.pmap(lambda a: dnp.sin(a) * lax.psum(dnp.sum(a), "i"), axis_name="i")
    g = dt.vmap(lambda a: dnp.sin(a) * lax.psum(dnp.sum(a), "i"), axis_name="i")
    got, want = (dt.grad(lambda x, h=h: dnp.sum(h(x) ** 2))(X) for h in (f, g))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: dt.pmap(lambda a: a)(np.ones(9)),
            "as many elements as there are devices, 8, got: 9",
        ),
        (
            lambda: dt.pmap(lambda a, b: a)(np.ones(4), np.ones(3)),
            r"pmap got inconsistent sizes .*\n  \* one axis had size 4: axis 0 of argument a",
        ),
        (
            lambda: dt.pmap(lambda a: a, axis_size=4)(np.ones(3)),
            r"pmap got inconsistent sizes .*\n  \* the `axis_size` argument was 4",
        ),
        (lambda: dt.pmap(lambda: 1)(), "pmap must have at least one non-None value in in_axes"),
        (
            lambda: dt.pmap(lambda a: a, in_axes=1)(np.ones(3)),
            "pmap was requested to map its argument along axis 1",
        ),
        (lambda: dt.pmap(lambda a: a, in_axes=(0, 0))(np.ones(3)), "one entry for each positional"),
        (
            lambda: dt.pmap(lambda a: a, in_axes=(0,))(a=np.ones(3)),
            "each argument passed by keyword is mapped over its leading axis",
        ),
        (lambda: dt.pmap(dt.pmap(dnp.sin))(np.ones((2, 2))), "axes that are manual already"),
        (lambda: dt.pmap(lambda a: a, devices=[]), "'devices' argument to pmap must be non-empty"),
    ],
)
def test_errors(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()

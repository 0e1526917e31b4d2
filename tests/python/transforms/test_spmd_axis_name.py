"""vmap with spmd_axis_name: the batch is divided over axes of a mesh, and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.errors import TransformError
from dovetail.lax import with_sharding_constraint
from dovetail.sharding import AbstractMesh, AxisType, NamedSharding
from dovetail.sharding import PartitionSpec as P

# Without devices: programs still have a meaning.
MESH = AbstractMesh((2, 4, 2), ("x", "y", "z"), axis_types=(AxisType.Auto,) * 3)
X = np.random.default_rng(0).normal(size=(4, 8)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(8,)).astype(np.float32)


def constrained(x: Any, *spec: Any) -> Any:
    return with_sharding_constraint(x, NamedSharding(MESH, P(*spec)))


def mapped(f: Callable[..., Any], *specs: Any, out: Any = None, **options: Any) -> Any:
    out = P("y") if out is None else out
    return dt.shard_map(f, mesh=MESH, in_specs=specs or P("y"), out_specs=out, **options)


def total(x: Any) -> Any:
    return dnp.sin(x) * lax.psum(x, "y")


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "constraint": lambda x: constrained(x * x, "y"),
    "shard_map": mapped(total),
    "unchecked": mapped(total, check_vma=False),
    "constraint and shard_map": lambda x: constrained(mapped(total)(x), "y") * x,
    "reduction": lambda x: x * mapped(lambda x: lax.psum(dnp.sum(x**2), "y"), out=P())(x),
    "several arguments": lambda x: mapped(lambda x, w: x * w, P("y"), P("y"))(x, W),
    "closed over": lambda x: mapped(lambda x: x * dnp.sum(W))(x),
    "some axes": mapped(total, axis_names={"x", "y"}),
    "only the other axis": mapped(total, axis_names={"y"}),
    "nested": mapped(lambda x: mapped(total, axis_names={"y"})(x), P(), out=P(), axis_names={"x"}),
    "jit": dt.jit(mapped(total)),
    "checkpoint": dt.checkpoint(mapped(total)),
    "scan": lambda x: lax.scan(lambda c, t: (mapped(total)(c) + t, c), x, dnp.arange(3.0))[0],
    "cond": lambda x: lax.cond(x[0] > 0, mapped(total), lambda x: constrained(x, "y"), x),
    "random": mapped(
        lambda x: x * dt.random.normal(dt.random.fold_in(dt.random.key(0), lax.axis_index("y")))
    ),
}


def check(ours: Any, expected: Any) -> None:
    for a, b in zip(dt.tree.leaves(ours), dt.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-6)


@pytest.fixture(params=FUNCTIONS, ids=str)
def f(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return FUNCTIONS[request.param]


@pytest.mark.parametrize("axes", ["x", ("x", "z")])
def test_values(f: Callable[..., Any], axes: Any) -> None:
    expected = dt.vmap(f)(X)
    check(dt.vmap(f, spmd_axis_name=axes)(X), expected)
    check(dt.jit(dt.vmap(f, spmd_axis_name=axes))(X), expected)
    check(dt.vmap(f, in_axes=1, out_axes=1, spmd_axis_name=axes)(X.T), expected.T)


def test_derivatives(f: Callable[..., Any]) -> None:
    def loss(**options: Any) -> Callable[..., Any]:
        return lambda x: dnp.sum(dt.vmap(f, **options)(x) ** 2)

    ours, plain = loss(spmd_axis_name="x"), loss()
    check(dt.grad(ours)(X), dt.grad(plain)(X))
    check(dt.jit(dt.grad(ours))(X), dt.grad(plain)(X))
    check(dt.jvp(ours, (X,), (X,)), dt.jvp(plain, (X,), (X,)))


def test_batches_of_derivatives(f: Callable[..., Any]) -> None:
    for make in (
        dt.grad(lambda x: dnp.sum(f(x) ** 2)),
        dt.jacfwd(f),
        lambda x: dt.jvp(f, (x,), (dnp.cos(x),)),
        dt.grad(lambda x: dnp.sum(dt.grad(lambda x: dnp.sum(f(x) ** 3))(x) ** 2)),
    ):
        check(dt.vmap(make, spmd_axis_name="x")(X), dt.vmap(make)(X))


def test_nested_batches(f: Callable[..., Any]) -> None:
    batch = np.stack([X, X[::-1], 2 * X, -X])
    expected = dt.vmap(dt.vmap(f))(batch)
    check(dt.vmap(dt.vmap(f, spmd_axis_name="z"), spmd_axis_name="x")(batch), expected)
    check(dt.vmap(dt.vmap(f), spmd_axis_name="x")(batch), expected)
    check(dt.vmap(dt.vmap(f, spmd_axis_name="x"))(batch), expected)


@pytest.mark.parametrize("is_checked", [False, True])
def test_arguments_without_the_batch(is_checked: bool) -> None:
    """Their cotangents are sums over the axes."""

    def f(x: Any, w: Any) -> Any:
        part = mapped(
            lambda x, w, s: (dnp.sin(x * w) * s, lax.psum(w * s, "y")),
            *(P("y"), P("y"), P()),
            out=(P("y"), P()),
            check_vma=is_checked,
        )
        first, second = part(x, w, dnp.sum(w))
        return first * dnp.sum(second)

    def loss(**options: Any) -> Callable[..., Any]:
        return lambda x, w: dnp.sum(dt.vmap(f, in_axes=(0, None), **options)(x, w) ** 2)

    ours, plain = loss(spmd_axis_name=("x", "z")), loss()
    check(ours(X, W), plain(X, W))
    check(dt.grad(ours, (0, 1))(X, W), dt.grad(plain, (0, 1))(X, W))
    check(dt.jit(dt.grad(ours, (0, 1)))(X, W), dt.grad(plain, (0, 1))(X, W))
    check(dt.jacfwd(ours, 1)(X, W), dt.grad(plain, 1)(X, W))


def test_constraints_have_the_axes() -> None:
    def text(**options: Any) -> str:
        f = dt.vmap(lambda x: constrained(x, "y"), in_axes=1, **options)
        return dt.jit(f).lower(X.T).as_text("expand")

    assert '[{"y"}, {"x", "z"}]' in text(spmd_axis_name=("x", "z"))
    assert '[{"y"}, {?}]' in text()


def test_functions_of_parts_get_a_part_of_the_batch() -> None:
    shapes = []

    def part(x: Any) -> Any:
        shapes.append(x.shape)
        return x

    f = dt.vmap(mapped(part), spmd_axis_name="x")
    text = dt.jit(f).lower(X).as_text("expand")
    assert shapes == [(2,)]
    assert '[{"x"}, {"y"}]' in text
    assert "tensor<2x2xf32>" in text


def test_named_batches() -> None:
    """A batch over which a function of parts computes stays whole in it."""

    def f(x: Any) -> Any:
        return mapped(lambda x: x / lax.psum(x**2, "i") + lax.axis_index("i"))(x)

    options = {"axis_name": "i", "out_axes": 1}
    check(dt.vmap(f, spmd_axis_name="x", **options)(X), dt.vmap(f, **options)(X))


@pytest.mark.parametrize("name", ["x", "y"])
def test_a_name_may_be_that_of_an_axis_of_the_mesh(name: str) -> None:
    def f(x: Any) -> Any:
        batch = lax.psum(x, name)
        return constrained(mapped(total)(x) + batch, "y")

    check(dt.vmap(f, axis_name=name, spmd_axis_name="x")(X), dt.vmap(f, axis_name=name)(X))
    inner = dt.vmap(f, axis_name=name)
    check(dt.vmap(inner, spmd_axis_name="x")(np.stack([X, -X])), dt.vmap(inner)(np.stack([X, -X])))


def test_without_a_mesh_nothing_changes() -> None:
    check(dt.vmap(dnp.sin, spmd_axis_name="nowhere")(X), np.sin(X))


@pytest.mark.parametrize(
    ("f", "message"),
    [
        (
            lambda x: constrained(x, ("y", "x")),
            'spmd_axis_name "x" cannot appear in with_sharding_constraint spec, got: ',
        ),
        (mapped(dnp.sin, P("x"), out=P("x")), "spmd_axis_name cannot appear in shard_map in_specs"),
        (
            mapped(dnp.sin, P("y"), out=P(("y", "x")), check_vma=False),
            'spmd_axis_name cannot appear in shard_map out_specs, got: "x"',
        ),
        (
            mapped(lambda x: x * lax.axis_index("x"), check_vma=False),
            "spmd_axis_name cannot be an axis over which shard_map's function has collectives",
        ),
    ],
)
def test_axes_that_are_taken(f: Any, message: str) -> None:
    for call in (dt.vmap(f, spmd_axis_name="x"), dt.jit(dt.vmap(f, spmd_axis_name=("z", "x")))):
        with pytest.raises(ValueError, match=message) as caught:
            call(X)
        assert __file__ in str(caught.value)


@pytest.mark.parametrize("f", [lambda x: constrained(x, "y"), mapped(total)])
def test_axes_that_are_not_of_the_mesh(f: Any) -> None:
    with pytest.raises(ValueError, match=r'must name axes of .*"z" = 2\]>, got: "nowhere"'):
        dt.vmap(f, spmd_axis_name="nowhere")(X)


def test_sizes_that_do_not_divide() -> None:
    with pytest.raises(TransformError, match=r"must be a multiple of 4, .* got: 3"):
        dt.vmap(mapped(total), spmd_axis_name=("x", "z"))(X[:3])
    check(dt.vmap(lambda x: constrained(x, "y"), spmd_axis_name="x")(X[:3]), X[:3])


@pytest.mark.parametrize("names", [["x"], {"x"}, ("x", None), (["x"],)])
def test_names_have_a_type(names: Any) -> None:
    with pytest.raises(TypeError, match="must be the name of an axis of a mesh or a tuple of such"):
        dt.vmap(dnp.sin, spmd_axis_name=names)


def test_names_are_distinct() -> None:
    with pytest.raises(ValueError, match=r"must name each axis once, got: \('x', 'x'\)"):
        dt.vmap(dnp.sin, spmd_axis_name=("x", "x"))

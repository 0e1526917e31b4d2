"""shard_map: values and derivatives against vmap over the axes of the mesh, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.sharding import AbstractMesh
from dovetail.sharding import PartitionSpec as P

# Without devices: programs still have a meaning.
MESH = AbstractMesh((2, 4), ("x", "y"))
X = np.random.default_rng(0).normal(size=(8, 16)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(4, 4)).astype(np.float32)


def over_parts(f: Callable[..., Any], count: int) -> Callable[..., Any]:
    """The meaning of shard_map with specs ("x", "y") for the first argument and the results, and
    none for others: the parts along dimensions, and vmap over these.
    """

    def whole(x: Any, *others: Any) -> Any:
        parts = x.reshape(2, 4, 4, 4).transpose(0, 2, 1, 3)
        inner = dt.vmap(f, axis_name="y", in_axes=(0, *[None] * (count - 1)))
        outer = dt.vmap(inner, axis_name="x", in_axes=(0, *[None] * (count - 1)))
        outs = outer(parts, *others)
        return dt.tree.map(
            lambda y: y.transpose(0, 2, 1, 3).reshape(2 * y.shape[2], 4 * y.shape[3]), outs
        )

    return whole


def mapped(f: Callable[..., Any], count: int = 1, **options: Any) -> Callable[..., Any]:
    specs = (P("x", "y"), *[P()] * (count - 1))
    return dt.shard_map(f, mesh=MESH, in_specs=specs, out_specs=P("x", "y"), **options)


def recurrent(a: Any, w: Any) -> Any:
    """A loop with collectives over both axes."""

    def step(carry: Any, t: Any) -> Any:
        carry = dnp.tanh(lax.psum(carry @ w, "y") / 4 + t)
        return carry, lax.pmax(carry, "x")

    last, all_steps = lax.scan(step, a, dnp.arange(3.0))
    return last, dnp.sum(all_steps, 0)


ROTATION = [(i, (i + 1) % 4) for i in range(4)]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "elementwise": lambda a: dnp.sin(a) * a,
    "psum": lambda a: a * lax.psum(dnp.sum(a), "x"),
    "psum over both": lambda a: a * lax.psum(a, ("x", "y")),
    "pmean": lambda a: a - lax.pmean(a, "y"),
    "pmax": lambda a: dnp.exp(a - lax.pmax(a, "y")),
    "pmin": lambda a: a * lax.pmin(a, ("y", "x")),
    "all_gather": lambda a: a @ lax.all_gather(a, "y", axis=1, tiled=True)[:, :4],
    "psum_scatter": lambda a: dnp.tanh(lax.psum_scatter(a, "y", scatter_dimension=0)[None] + a),
    "all_to_all": lambda a: lax.all_to_all(a * a, "y", 0, 0, tiled=True),
    "ppermute": lambda a: a * lax.ppermute(a, "y", ROTATION),
    "partial ppermute": lambda a: a * lax.ppermute(a, "x", [(0, 1)]),
    "axis_index": lambda a: a * lax.axis_index(("x", "y")),
    "cond": lambda a: lax.cond(lax.axis_index("x") == 0, dnp.sin, lambda b: b * b, a),
    "while": lambda a: lax.while_loop(lambda b: dnp.sum(b) < 9.0, lambda b: b + dnp.abs(a), a),
    "sort": lambda a: dnp.sort(a, 1) * a,
    "svd": lambda a: a * dnp.linalg.norm(a, 2),
    "random": lambda a: (
        a * dt.random.uniform(dt.random.fold_in(dt.random.key(0), lax.axis_index("x")))
    ),
    "checkpoint": dt.checkpoint(lambda a: dnp.sin(lax.psum(dnp.sin(a), "y"))),
    "jit": dt.jit(lambda a: a * lax.psum(a, "y")),
    "vmap": dt.vmap(lambda a: a * lax.psum(lax.psum(a, "i"), "x"), axis_name="i"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_is_vmap_over_the_axes(name: str) -> None:
    f = FUNCTIONS[name]
    got, want = mapped(f), over_parts(f, 1)
    np.testing.assert_allclose(got(X), want(X), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(dt.jit(got)(X), want(X), rtol=1e-5, atol=1e-6)
    # Reverse mode does not support a loop of unknown length.
    tangent = np.cos(X)
    got_jvp, want_jvp = (dt.jvp(g, (X,), (tangent,))[1] for g in (got, want))
    np.testing.assert_allclose(got_jvp, want_jvp, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(dt.vmap(got)(np.stack([X, -X]))[1], want(-X), rtol=1e-5, atol=1e-6)
    (got_ct,), (want_ct,) = (dt.vjp(g, X)[1](tangent) for g in (got, want))
    np.testing.assert_allclose(got_ct, want_ct, rtol=1e-4, atol=1e-4)


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda f: dt.grad(f, (0, 1)),
    "jit of grad": lambda f: dt.jit(dt.grad(f, (0, 1))),
    "forward over reverse": lambda f: dt.jacfwd(dt.grad(f, 1), 1),
    "hessian": lambda f: dt.hessian(f, 1),
    "vmap of grad": lambda f: dt.vmap(dt.grad(f, 1), (None, 0)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms_of_loops(name: str) -> None:
    def loss(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, w: sum(dnp.sum(dnp.cos(out)) for out in f(x, w))

    w = np.stack([W, 2 * W]) if name == "vmap of grad" else W
    transform = TRANSFORMS[name]
    got = transform(loss(mapped(recurrent, 2)))(X, w)
    want = transform(loss(over_parts(recurrent, 2)))(X, w)
    for a, b in zip(dt.tree.leaves(got), dt.tree.leaves(want), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_replicated_results() -> None:
    """One value for all devices: its cotangent is not counted once for each."""

    def loss(x: Any) -> Any:
        total = dt.shard_map(
            lambda a: lax.psum(dnp.sum(a**2), ("x", "y")),
            mesh=MESH,
            in_specs=P("x", "y"),
            out_specs=P(),
        )
        return total(x)

    np.testing.assert_allclose(loss(X), np.sum(X**2), rtol=1e-5)
    np.testing.assert_allclose(dt.grad(loss)(X), 2 * X, rtol=1e-6)


def test_replicated_arguments() -> None:
    """All devices contribute to the cotangent of values that each of them gets."""
    f = dt.shard_map(
        lambda a, w: a @ w, mesh=MESH, in_specs=(P("x"), P(None, "y")), out_specs=P("x", "y")
    )
    w = np.linspace(-1, 1, 16 * 8, dtype=np.float32).reshape(16, 8)
    np.testing.assert_allclose(f(X, w), X @ w, rtol=1e-4, atol=1e-5)
    got = dt.grad(lambda x, w: dnp.sum(dnp.sin(f(x, w))), (0, 1))(X, w)
    want = dt.grad(lambda x, w: dnp.sum(dnp.sin(x @ w)), (0, 1))(X, w)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_trees_captures_and_scalars() -> None:
    scale = dnp.float32(3.0)

    @dt.jit
    def f(x: Any, k: Any) -> Any:
        inner = x * 2

        def part(tree: Any, k: Any) -> Any:
            return {"a": tree["a"] * scale + dnp.sum(inner), "n": lax.psum(k, "x")}

        return dt.shard_map(
            part, mesh=MESH, in_specs=({"a": P("y")}, P()), out_specs={"a": P("y"), "n": P()}
        )({"a": x}, k)

    out = f(X[:, 0], 1.5)
    np.testing.assert_allclose(out["a"], X[:, 0] * 3 + np.sum(2 * X[:, 0]), rtol=1e-5, atol=1e-5)
    assert out["n"] == 3.0


def test_some_axes_are_manual() -> None:
    f = mapped(lambda a: lax.psum(a, "x"))
    np.testing.assert_allclose(f(X)[:4], X[:4] + X[4:], rtol=1e-6)
    g = dt.shard_map(
        lambda a: lax.psum(a, "x"), mesh=MESH, in_specs=P("x"), out_specs=P(), axis_names={"x"}
    )
    np.testing.assert_allclose(g(X), X[:4] + X[4:], rtol=1e-6)


def test_nested() -> None:
    def inner(a: Any) -> Any:
        return a * lax.psum(lax.psum(a, "y"), "x")

    def outer(a: Any) -> Any:
        return dt.shard_map(
            inner, mesh=MESH, in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"}
        )(a)

    f = dt.shard_map(outer, mesh=MESH, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    np.testing.assert_allclose(f(X), mapped(inner)(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("outer", [True, False])
@pytest.mark.parametrize("inner", [True, False])
def test_derivatives_of_nested_functions_of_parts(outer: bool, inner: bool) -> None:
    """Each of the two says for its own axes whether values that vary are distinguished."""

    def total(a: Any) -> Any:
        return lax.psum(a**2, "y") * lax.pmax(dnp.sum(lax.stop_gradient(a)), ("x", "y")) ** 0

    def rows(a: Any) -> Any:
        f = dt.shard_map(
            total, mesh=MESH, in_specs=P("y"), out_specs=P(), axis_names={"y"}, check_vma=inner
        )
        return f(a) * f(2 * a)

    f = dt.shard_map(
        rows, mesh=MESH, in_specs=P("x"), out_specs=P("x"), axis_names={"x"}, check_vma=outer
    )

    def plain(x: Any) -> Any:
        squares = dnp.sum(x.reshape(2, 4, 1, 16) ** 2, 1)
        return (4 * squares**2).reshape(2, 16)

    np.testing.assert_allclose(f(X), plain(X), rtol=1e-4, atol=1e-4)
    got, want = (dt.grad(lambda x, g=g: dnp.sum(dnp.sin(g(x))))(X) for g in (f, plain))
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_an_axis_of_vmap_with_the_name_of_one_of_the_mesh() -> None:
    def part(a: Any) -> Any:
        return lax.psum(a, "y")

    f = dt.shard_map(part, mesh=MESH, in_specs=P("y"), out_specs=P())
    got = dt.vmap(f, axis_name="y")(X)
    np.testing.assert_allclose(got, X.reshape(8, 4, 4).sum(1), rtol=1e-5, atol=1e-6)


def test_smap() -> None:
    with dt.sharding.use_abstract_mesh(MESH):
        f = dt.smap(lambda a: a * lax.axis_index("y"), in_axes=1, out_axes=1, axis_name="y")
        np.testing.assert_allclose(f(X), X * np.repeat(np.arange(4), 4), rtol=1e-6)


@pytest.mark.parametrize(
    ("in_specs", "out_specs", "error", "message"),
    [
        (P("z"), P("x"), ValueError, "in_specs argument must refer to an axis marked as manual"),
        (P("x"), P("z"), ValueError, "out_specs argument must refer to an axis marked as manual"),
        (P("x", None, "y"), P("x"), ValueError, "in_specs entry which is too long"),
        (P("x"), P("x", None, "y"), ValueError, "out_specs entry which is too long"),
        (P("x", "x"), P("x"), ValueError, "duplicate entries for `x`"),
        (P(("x", "y"), None), P(), ValueError, "require replication which can't be statically"),
        (
            P("x"),
            P(),
            ValueError,
            r"along mesh axis 'x', got: one that may vary at .*test_shard_map",
        ),
        (P(), P("x"), None, ""),
        ("x", P("x"), TypeError, r"must be a pytree of .*PartitionSpec.*got: 'x'"),
        (
            (P("x"), P()),
            P("x"),
            ValueError,
            "shard_map in_specs specification must be a tree prefix",
        ),
        (P("x"), {"a": P("x")}, ValueError, "shard_map out_specs specification must be a tree"),
    ],
)
def test_specs_that_do_not_fit(
    in_specs: Any, out_specs: Any, error: type[Exception] | None, message: str
) -> None:
    f = dt.shard_map(lambda a: a, mesh=MESH, in_specs=in_specs, out_specs=out_specs)
    if error is None:
        f(X)
        return
    with pytest.raises(error, match=message):
        f(X)


def test_sizes_that_do_not_divide() -> None:
    f = dt.shard_map(lambda a: a, mesh=MESH, in_specs=P("y"), out_specs=P("y"))
    with pytest.raises(
        ValueError, match=r"not evenly divisible .*(\n.*)+array axis 0 \(of size 6\)"
    ):
        f(np.ones(6))


def test_symbolic_sizes() -> None:
    n = dt.export.symbolic_shape("4*n")
    f = dt.jit(dt.shard_map(lambda a: a, mesh=MESH, in_specs=P("y"), out_specs=P("y")))
    with pytest.raises(
        NotImplementedError, match=r"needs arrays of known shapes, got: float32\[4\*n"
    ):
        dt.export.export(f)(dt.ShapeDtypeStruct(n, np.float32))


def test_results_that_are_said_to_be_the_same() -> None:
    """Unchecked, the first device's counts."""
    f = dt.shard_map(lambda a: a, mesh=MESH, in_specs=P("x"), out_specs=P(), check_vma=False)
    np.testing.assert_array_equal(f(X), X[:4])


def test_no_mesh() -> None:
    with pytest.raises(ValueError, match="The context mesh cannot be empty"):
        dt.shard_map(lambda a: a, in_specs=P(), out_specs=P())(X)


def test_unknown_manual_axis() -> None:
    with pytest.raises(ValueError, match="axis_names must be axes of the mesh"):
        dt.shard_map(lambda a: a, mesh=MESH, in_specs=P(), out_specs=P(), axis_names={"z"})(X)


# Derivatives inside: values that all devices share have one cotangent, the sum of all shares.


def layer(w: Any, x: Any) -> Any:
    return dnp.sum(dnp.tanh(x @ w) ** 2)


WEIGHTS = np.random.default_rng(2).normal(size=(16, 3)).astype(np.float32)
INSIDE: dict[str, Callable[[Any, Any], Any]] = {
    "grad of a local loss": lambda w, x: dt.grad(layer)(w, x),
    "grad of a summed loss": lambda w, x: dt.grad(lambda w: lax.psum(layer(w, x), "y"))(w),
    "value_and_grad": lambda w, x: dt.value_and_grad(lambda w: lax.psum(layer(w, x), "y"))(w)[1],
    "vjp": lambda w, x: dt.vjp(layer, w, x)[1](dnp.float32(1))[0],
    "linearize": lambda w, x: lax.psum(dt.linearize(lambda x: layer(w, x), x)[1](x), "y") * w,
    "jvp": lambda w, x: lax.psum(dt.jvp(lambda w: layer(w, x), (w,), (w,))[1], "y") * w,
    "jacrev": lambda w, x: dt.jacrev(lambda w: lax.psum(layer(w, x), "y"))(w),
    "jacfwd": lambda w, x: dt.jacfwd(lambda w: lax.psum(layer(w, x), "y"))(w),
    "jitted": lambda w, x: dt.jit(dt.grad(lambda w: lax.psum(dt.jit(layer)(w, x), "y")))(w),
    "checkpoint": lambda w, x: dt.grad(dt.checkpoint(layer))(w, x),
    "of a scan": lambda w, x: dt.grad(
        lambda w: lax.scan(lambda c, row: (c + layer(w, row[None]), None), dnp.float32(0), x)[0]
    )(w),
    "of a branch": lambda w, x: dt.grad(
        lambda w: lax.cond(lax.axis_index("y") >= 0, layer, lambda w, x: dnp.sum(w), w, x)
    )(w),
    "custom_jvp": lambda w, x: dt.grad(lambda w: layer(dt.nn.relu(w) - dt.nn.relu(-w), x))(w),
    "custom_vjp": lambda w, x: dt.grad(lambda w: layer(identity(w), x))(w),
    "vmap": lambda w, x: dnp.sum(dt.vmap(lambda r: dt.grad(layer)(w, r[None]))(x), 0),
    "mean": lambda w, x: 4 * dt.grad(lambda w: lax.pmean(layer(w, x), "y"))(w),
}


@dt.custom_vjp
def identity(x: Any) -> Any:
    return x


identity.defvjp(lambda x: (x, None), lambda _, ct: (ct,))


@pytest.mark.parametrize("check_vma", [True, False])
@pytest.mark.parametrize("name", INSIDE)
def test_derivatives_inside(name: str, check_vma: bool) -> None:
    x = np.random.default_rng(3).normal(size=(8, 16)).astype(np.float32)
    want = dt.grad(layer)(WEIGHTS, x)
    if name in ("linearize", "jvp"):
        argument = 1 if name == "linearize" else 0
        tangents = [np.zeros_like(WEIGHTS), np.zeros_like(x)]
        tangents[argument] = (WEIGHTS, x)[argument]
        want = dt.jvp(layer, (WEIGHTS, x), tuple(tangents))[1] * WEIGHTS
    f = dt.shard_map(
        INSIDE[name], mesh=MESH, in_specs=(P(), P("y")), out_specs=P(), check_vma=check_vma
    )
    if check_vma:
        np.testing.assert_allclose(f(WEIGHTS, x), want, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(dt.jit(f)(WEIGHTS, x), want, rtol=1e-4, atol=1e-4)
        return
    # Unchecked, a derivative is that of each device's own value, as under vmap.
    got = f(WEIGHTS, x)
    each = dt.vmap(INSIDE[name], (None, 0), axis_name="y")(WEIGHTS, x.reshape(4, 2, 16))
    np.testing.assert_allclose(got, each[0], rtol=1e-4, atol=1e-4)


def test_a_value_that_is_cast_has_a_cotangent_on_each_device() -> None:
    x = np.random.default_rng(6).normal(size=(8, 16)).astype(np.float32)

    def part(w: Any, x: Any) -> Any:
        own = lax.pcast({"w": w}, "y", to="varying")
        return dt.grad(lambda tree: layer(tree["w"], x))(own)["w"]

    f = dt.shard_map(part, mesh=MESH, in_specs=(P(), P("y")), out_specs=P("y"))
    want = np.concatenate([dt.grad(layer)(WEIGHTS, x[i : i + 2]) for i in range(0, 8, 2)])
    np.testing.assert_allclose(f(WEIGHTS, x), want, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="require replication"):
        dt.shard_map(part, mesh=MESH, in_specs=(P(), P("y")), out_specs=P())(WEIGHTS, x)


def test_linear_transpose_inside() -> None:
    def part(a: Any) -> Any:
        return dt.linear_transpose(lambda b: 3 * b, a)(a)[0]

    np.testing.assert_allclose(mapped(part, check_vma=False)(X), 3 * X, rtol=1e-6)
    with pytest.raises(
        NotImplementedError, match="linear_transpose must not be inside of shard_map"
    ):
        mapped(part)(X)


def test_training_inside() -> None:
    """Weights that are carried through a loop stay the same on all devices."""
    x = np.random.default_rng(4).normal(size=(3, 8, 16)).astype(np.float32)

    def train(w: Any, batches: Any) -> Any:
        def step(w: Any, batch: Any) -> Any:
            value, gradient = dt.value_and_grad(lambda w: lax.pmean(layer(w, batch), "y"))(w)
            return w - 0.1 * gradient, value

        return lax.scan(step, w, batches)

    f = dt.shard_map(train, mesh=MESH, in_specs=(P(), P(None, "y")), out_specs=(P(), P()))

    def plain(w: Any, batches: Any) -> Any:
        def step(w: Any, batch: Any) -> Any:
            value, gradient = dt.value_and_grad(lambda w: layer(w, batch) / 4)(w)
            return w - 0.1 * gradient, value

        return lax.scan(step, w, batches)

    for transform in (
        lambda g: g,
        dt.jit,
        lambda g: dt.grad(lambda w, x, g=g: dnp.sum(g(w, x)[1])),
    ):
        got, want = transform(f)(WEIGHTS, x), transform(plain)(WEIGHTS, x)
        for a, b in zip(dt.tree.leaves(got), dt.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def test_second_derivatives_inside() -> None:
    x = np.random.default_rng(5).normal(size=(8, 16)).astype(np.float32)

    def product(w: Any, x: Any) -> Any:
        return dt.jvp(lambda w: dt.grad(layer)(w, x), (w,), (w,))[1]

    f = dt.shard_map(product, mesh=MESH, in_specs=(P(), P("y")), out_specs=P())
    np.testing.assert_allclose(f(WEIGHTS, x), product(WEIGHTS, x), rtol=1e-3, atol=1e-3)


def test_unbound_axis() -> None:
    with pytest.raises(
        NameError, match="unbound axis name: z; the axes in scope are 'x' of size 2"
    ):
        mapped(lambda a: lax.psum(a, "z"))(X)


def test_a_nested_function_may_cast_over_an_outer_axis() -> None:
    """Its arguments may vary along that axis, which it need not know."""

    def inner(a: Any) -> Any:
        total = lax.psum(lax.psum(dnp.sum(a), "y"), "x")
        return a * lax.pcast(total, "x", to="varying")

    def outer(a: Any) -> Any:
        spec = P(None, "y")
        return dt.shard_map(inner, mesh=MESH, in_specs=spec, out_specs=spec, axis_names={"y"})(a)

    f = dt.shard_map(outer, mesh=MESH, in_specs=P("x"), out_specs=P("x"), axis_names={"x"})
    np.testing.assert_allclose(f(X), X * X.sum(), rtol=1e-4)
    ours = dt.grad(lambda x: dnp.sum(f(x) ** 2))(X)
    expected = dt.grad(lambda x: dnp.sum((x * dnp.sum(x)) ** 2))(X)
    np.testing.assert_allclose(ours, expected, rtol=1e-4, atol=1e-3)

"""Programs whose equations are JAX's: functions of the library, of its name `jax` or `dovetail`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

V = np.arange(5, dtype=np.float32)
M = np.arange(6, dtype=np.float32).reshape(2, 3)
I = np.array([0, 2, 1], np.int32)  # noqa: E741
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
ROWS = ((1,), (0,), (0,))
ELEMENTS = ((), (0,), (0,))
WINDOW = (1, 2, 2, 1), (1, 2, 2, 1), "VALID"


def _added(jax: Any, how: str, **options: Any) -> Callable[..., Any]:
    return lambda x, i: getattr(x.at[i], how)(2.0, **options)


def _pooled(jax: Any, x: Any) -> Any:
    return jax.lax.reduce_window(x, -np.inf, jax.lax.max, *WINDOW)


def _of_references(jax: Any) -> Callable[..., Any]:
    def function(x: Any, i: Any) -> Any:
        ref = jax.new_ref(x)
        ref[0] += 2.0
        ref[1:3] = jax.numpy.ones(2)
        ref[i] = 3.0
        jax.ref.addupdate(ref, (2,), 1.0)
        old = jax.ref.swap(ref, ..., 2 * x)
        return old, ref[i], jax.freeze(ref)

    return function


def _passed_reference(jax: Any) -> Callable[..., Any]:
    def function(x: Any) -> Any:
        ref = jax.new_ref(jax.numpy.zeros(()))

        def body(carry: Any, y: Any) -> Any:
            ref[...] += y
            return carry + y, None

        return jax.lax.scan(body, 0.0, x)[0], ref[...]

    return function


# (name, what makes the function of a library, arguments); a key is made of `key`.
# Functions of parts, and the dimensions of results over which they differ.
OVER_MESH: list[tuple[str, Any, bool]] = [
    ("psum", lambda lax, x: lax.psum(x, "i"), False),
    ("pmax", lambda lax, x: lax.pmax(x, "i") + lax.pmin(x, "i"), False),
    ("all_gather", lambda lax, x: lax.all_gather(x, "i"), True),
    ("all_gather_tiled", lambda lax, x: lax.all_gather(x, "i", tiled=True), True),
    ("psum_scatter", lambda lax, x: lax.psum_scatter(x, "i", tiled=True), True),
    ("ppermute", lambda lax, x: lax.ppermute(x, "i", [(0, 0)]), True),
    ("all_to_all", lambda lax, x: lax.all_to_all(x, "i", 0, 0, tiled=True), True),
    ("exchange_after", lambda lax, x: lax.all_to_all(lax.expand_dims(x, (0,)), "i", 0, 1), True),
    ("exchange_before", lambda lax, x: lax.all_to_all(lax.expand_dims(x, (1,)), "i", 1, 0), True),
    ("pbroadcast", lambda lax, x: lax.pbroadcast(x, "i", 0), True),
    ("index", lambda lax, x: lax.expand_dims(lax.axis_index("i"), (0,)), True),
    ("both", lambda lax, x: x * lax.psum(x, "i"), True),
    ("groups_gather", lambda lax, x: lax.all_gather(x, "i", axis_index_groups=[[0]]), True),
    (
        "groups_scatter",
        lambda lax, x: lax.psum_scatter(x, "i", tiled=True, axis_index_groups=[[0]]),
        True,
    ),
    (
        "groups_exchange",
        lambda lax, x: lax.all_to_all(x, "i", 0, 0, tiled=True, axis_index_groups=[[0]]),
        True,
    ),
]


def _on_parts(jax: Any, body: Any, differs: bool) -> Any:
    P = jax.sharding.PartitionSpec
    return jax.shard_map(
        lambda x: body(jax.lax, x),
        mesh=jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,)),
        in_specs=P("i"),
        out_specs=P("i") if differs else P(),
    )


PROGRAMS: list[tuple[str, Callable[[Any], Callable[..., Any]], tuple[Any, ...]]] = [
    ("row", lambda jax: lambda x: x[0], (M,)),
    ("last", lambda jax: lambda x: x[-1], (V,)),
    ("elements", lambda jax: lambda x, i: x[i], (V, I)),
    ("columns", lambda jax: lambda x, i: x[:, i], (M, I)),
    ("two_indices", lambda jax: lambda x, i: x[i, i], (M, I % 2)),
    ("take", lambda jax: lambda x, i: jax.numpy.take(x, i), (V, I)),
    ("take_clip", lambda jax: lambda x, i: jax.numpy.take(x, i, mode="clip"), (V, I)),
    ("take_axis", lambda jax: lambda x, i: jax.numpy.take(x, i, axis=1), (M, I)),
    ("get_fill", lambda jax: lambda x, i: x.at[i].get(mode="fill", fill_value=7.0), (V, I)),
    (
        "get_promised",
        lambda jax: lambda x, i: x.at[i].get(unique_indices=True, indices_are_sorted=True),
        (V, I),
    ),
    (
        "gather",
        lambda jax: (
            lambda x, i: jax.lax.gather(
                x, i, jax.lax.GatherDimensionNumbers(*ROWS), (1, 3), mode="clip"
            )
        ),
        (M, I[:, None] % 2),
    ),
    ("set_static", lambda jax: lambda x: x.at[1].set(1.0), (V,)),
    *((f"at_{how}", lambda jax, how=how: _added(jax, how), (V, I)) for how in ("set", "add")),
    *(
        (f"at_{how}", lambda jax, how=how: _added(jax, how, unique_indices=True), (V, I))
        for how in ("subtract", "multiply", "min", "max")
    ),
    (
        "scatter_add",
        lambda jax: (
            lambda x, i, u: jax.lax.scatter_add(
                x, i, u, jax.lax.ScatterDimensionNumbers(*ELEMENTS), mode="clip"
            )
        ),
        (V, I[:, None], np.ones(3, np.float32)),
    ),
    ("key", lambda jax: lambda s: jax.random.key(s), (0,)),
    ("raw_key", lambda jax: lambda s: jax.random.PRNGKey(s), (0,)),
    ("split", lambda jax: lambda k: jax.random.split(k, 3)[1], ("key",)),
    ("split_raw", lambda jax: lambda k: jax.random.split(k), (np.zeros(2, np.uint32),)),
    ("fold_in", lambda jax: lambda k: jax.random.fold_in(k, 3), ("key",)),
    ("bits", lambda jax: lambda k: jax.random.bits(k, (3,)), ("key",)),
    ("key_data", lambda jax: lambda k: jax.random.key_data(k), ("key",)),
    ("wrapped", lambda jax: lambda k: jax.random.wrap_key_data(k), (np.zeros(2, np.uint32),)),
    ("clone", lambda jax: lambda k: jax.random.clone(k), ("key",)),
    ("pooled", lambda jax: lambda x: _pooled(jax, x), (IMAGE,)),
    (
        "pooled_gradient",
        lambda jax: jax.grad(lambda x: _pooled(jax, x).sum()),
        (IMAGE,),
    ),
    (
        "pooled_tangent",
        lambda jax: lambda x: jax.jvp(lambda x: _pooled(jax, x), (x,), (x,))[1],
        (IMAGE,),
    ),
    ("references", _of_references, (V, 1)),
    ("passed_reference", _passed_reference, (V,)),
    (
        "conv",
        lambda jax: lambda x: jax.lax.conv(x, x, (1, 1), "SAME"),
        (IMAGE[None, ..., 0],),
    ),
    ("fft", lambda jax: lambda x: jax.numpy.fft.rfft(x), (V,)),
    ("svd", lambda jax: lambda x: jax.lax.linalg.svd(x), (M,)),
    ("eigh", lambda jax: lambda x: jax.lax.linalg.eigh(x, symmetrize_input=False), (np.eye(2),)),
    ("qr", lambda jax: lambda x: jax.lax.linalg.qr(x), (M,)),
    ("sort", lambda jax: lambda x: jax.lax.sort((x, -x), num_keys=1), (V,)),
    ("elementary", lambda jax: lambda x: jax.lax.exp(jax.lax.sin(x)) * jax.lax.round(x), (V,)),
    ("approx_max_k", lambda jax: lambda x: jax.lax.approx_max_k(x, 2), (V,)),
    ("remat", lambda jax: lambda x: jax.checkpoint(lambda y: jax.numpy.sin(y))(x), (V,)),
    (
        "callback",
        lambda jax: lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct((5,), np.float32), x),
        (V,),
    ),
    *(
        (f"{name}_over_mesh", lambda jax, body=body, out=out: _on_parts(jax, body, out), (V,))
        for name, body, out in OVER_MESH
    ),
    (
        "debugged",
        lambda jax: lambda x: (jax.debug.callback(lambda a: None, x), x)[1],
        (V,),
    ),
    (
        "debugged_in_order",
        lambda jax: lambda x: (jax.debug.callback(lambda a: None, x, ordered=True), x)[1],
        (V,),
    ),
    ("put", lambda jax: lambda x: jax.device_put((x, {"a": 2 * x})), (V,)),
    ("put_on_device", lambda jax: lambda x: jax.device_put(x, jax.devices()[0]), (V,)),
    ("copies", lambda jax: lambda x: jax.numpy.array(x) + x.copy() + jax.numpy.copy(x), (V,)),
    (
        "print",
        lambda jax: lambda x: (jax.debug.print("x = {} {y}", x, y=2 * x, ordered=True), x)[1],
        (V,),
    ),
    ("empty", lambda jax: lambda: jax.lax.empty((3,), np.float32), ()),
]


def _sharded(jax: Any) -> Any:
    mesh = jax.make_mesh((1,), ("i",), axis_types=(jax.sharding.AxisType.Auto,))
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("i"))


def _twice(x: Any) -> Any:
    return x + x, x


# Calls of jitted functions.
JITTED: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "plain": lambda jax: jax.jit(_twice),
    "donating": lambda jax: lambda x: jax.jit(lambda y, z: y + z, donate_argnums=1)(x, x),
    "keeping": lambda jax: lambda x: jax.jit(lambda y, z: y, keep_unused=True)(x, x),
    "sharded": lambda jax: jax.jit(_twice, in_shardings=_sharded(jax)),
    "sharded_results": lambda jax: jax.jit(_twice, out_shardings=(_sharded(jax), None)),
    "inlined": lambda jax: jax.jit(_twice, inline=True),
    "static": lambda jax: lambda x: jax.jit(lambda y, n: y * n, static_argnums=1)(x, 3),
    "closing_over": lambda jax: lambda x: jax.jit(lambda y: x + y)(x),
    "nested": lambda jax: jax.jit(jax.jit(_twice)),
}


def _square(jax: Any) -> Any:
    return jax.jit(lambda x: jax.numpy.sin(x) * x)


def _summed(jax: Any) -> Any:
    square = _square(jax)

    def outer(x: Any) -> Any:
        return jax.numpy.exp(square(x)).sum()

    return jax.jit(outer)


def _product_with_hessian(jax: Any) -> Any:
    gradient = jax.grad(_summed(jax))
    return lambda x: jax.grad(lambda y: jax.numpy.vdot(gradient(y), x))(x)


# Transforms of transforms of jitted functions.
TRANSFORMED: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "hessian": lambda jax: jax.hessian(_summed(jax)),
    **{
        f"{outer}({inner})": lambda jax, outer=outer, inner=inner: getattr(jax, outer)(
            getattr(jax, inner)(_square(jax))
        )
        for outer in ("jacfwd", "jacrev")
        for inner in ("jacfwd", "jacrev")
    },
    "vmap(grad)": lambda jax: jax.vmap(jax.grad(_square(jax))),
    "vmap(vmap)": lambda jax: lambda x: jax.vmap(jax.vmap(_square(jax)))(x[None]),
    "grad(vmap)": lambda jax: jax.grad(lambda x: jax.vmap(_square(jax))(x).sum()),
    "jvp(grad)": lambda jax: lambda x: jax.jvp(jax.grad(_summed(jax)), (x,), (x,)),
    "grad(grad)": _product_with_hessian,
    "linearize": lambda jax: lambda x: jax.linearize(_summed(jax), x)[1](x),
    "jit(grad)": lambda jax: jax.jit(jax.grad(_summed(jax))),
    "grad(jit(grad))": lambda jax: jax.grad(lambda x: jax.jit(jax.grad(_summed(jax)))(x).sum()),
}


def _loop(jax: Any, **options: Any) -> Callable[..., Any]:
    def step(carry: Any, x: Any) -> Any:
        return carry * x, jax.numpy.sin(x)

    return lambda x: jax.lax.scan(step, 1.0, x, **options)


# Loops of several steps per iteration.
UNROLLED: dict[str, Callable[[Any], Callable[..., Any]]] = {
    **{str(n): lambda jax, n=n: _loop(jax, unroll=n) for n in (0, 1, 2, 5, 7, True, False)},
    "reverse": lambda jax: _loop(jax, unroll=3, reverse=True),
    "jvp": lambda jax: lambda x: jax.jvp(_loop(jax, unroll=2), (x,), (x,)),
    "grad": lambda jax: jax.grad(lambda x: _loop(jax, unroll=2)(x)[0]),
    "vmap": lambda jax: lambda x: jax.vmap(_loop(jax, unroll=2))(x[None]),
    "fori_loop": lambda jax: lambda x: jax.lax.fori_loop(0, 5, lambda i, y: y * x, x, unroll=2),
}


def arguments(jax: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of a program, of a library."""
    return tuple(
        jax.random.key(0) if isinstance(x, str) else jax.numpy.asarray(x) if np.ndim(x) else x
        for x in args
    )


def equations(jaxpr: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """The primitives of a program in order, with their parameters as text; calls are inlined."""
    for eqn in jaxpr.eqns:
        name, params = eqn.primitive.name, eqn.params
        if name == "jit":
            yield from equations(params["jaxpr"].jaxpr)
            continue
        # The rest are programs and functions, trees, and what only one of both has.
        yield name, {key: _text(value) for key, value in params.items()}
        for value in params.values() if name in ("scan", "remat2", "shard_map") else ():
            inner = getattr(value, "jaxpr", value)
            if hasattr(inner, "eqns"):
                yield from equations(inner)


def _text(value: Any) -> str:
    if hasattr(value, "eqns") or hasattr(value, "jaxpr"):
        return "program"
    if "Tree" in type(value).__name__ or "allback" in getattr(
        value, "__name__", type(value).__name__
    ):
        return "structure"
    if type(value).__name__ in ("PRNGImpl", "Generator"):
        return str(value.name)
    is_type = isinstance(value, (np.dtype, type))
    return np.dtype(value).name if is_type else str(value)

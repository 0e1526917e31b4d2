"""Eager functions that move elements, order or accumulate them have results sharded as JAX's are;
run by `test_devices`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as jnp
from dovetail import lax
from dovetail.sharding import NamedSharding
from dovetail.sharding import PartitionSpec as P
from support.divided import MESH, a, b, bi, c, f, g, i1, put, sq, u, w

# A function, and the spec of its result, as JAX prints it.
CASES: dict[str, tuple[Callable[[], Any], P]] = {
    "x[:4]": (lambda: g[:4], P(None, "y")),
    "x[:8]": (lambda: g[:8], P(None, "y")),
    "x[8:]": (lambda: g[8:], P(None, "y")),
    "x[4:12]": (lambda: g[4:12], P(None, "y")),
    "x[1:]": (lambda: g[1:], P(None, "y")),
    "x[:-1]": (lambda: g[:-1], P(None, "y")),
    "x[::2]": (lambda: g[::2], P(None, "y")),
    "x[1::2]": (lambda: g[1::2], P(None, "y")),
    "x[::-1]": (lambda: g[::-1], P("x", "y")),
    "x[::4]": (lambda: g[::4], P(None, "y")),
    "x[3]": (
        lambda: g[3],
        P(
            "y",
        ),
    ),
    "x[-1]": (
        lambda: g[-1],
        P(
            "y",
        ),
    ),
    "x[:,3]": (
        lambda: g[:, 3],
        P(
            "x",
        ),
    ),
    "x[:,:4]": (
        lambda: g[:, :4],
        P(
            "x",
        ),
    ),
    "x[:,1:]": (
        lambda: g[:, 1:],
        P(
            "x",
        ),
    ),
    "x[2:6,1:5]": (lambda: g[2:6, 1:5], P()),
    "x[...,None]": (lambda: g[..., None], P("x", "y")),
    "x[:12]": (lambda: g[:12], P(None, "y")),
    "x[0:1]": (lambda: g[0:1], P(None, "y")),
    "x[:3]": (lambda: g[:3], P(None, "y")),
    "b[:4]": (lambda: b[:4], P()),
    "b[2]": (lambda: b[2], P()),
    "b[::3]": (lambda: b[::3], P()),
    "u[:8]": (lambda: u[:8], P()),
    "u[::2]": (lambda: u[::2], P()),
    "u[1:]": (lambda: u[1:], P()),
    "u[:12]": (lambda: u[:12], P()),
    "f[:,1:3]": (lambda: f[:, 1:3], P("x", None)),
    "f[:8,1:3]": (lambda: f[:8, 1:3], P()),
    "f[:8]": (lambda: f[:8], P()),
    "c[:,:2]": (
        lambda: c[:, :2],
        P(
            "x",
        ),
    ),
    "c[:4,:,1]": (lambda: c[:4, :, 1], P(None, "y")),
    "lax.slice": (lambda: lax.slice(g, (0, 0), (8, 4)), P()),
    "slice_in_dim": (lambda: lax.slice_in_dim(g, 4, 12, axis=0), P("x", "y")),
    "slice stride": (lambda: lax.slice(g, (0, 0), (16, 8), (2, 2)), P("x", "y")),
    "index_in_dim": (lambda: lax.index_in_dim(g, 2, 0), P(None, "y")),
    "dyn index": (lambda: lax.dynamic_index_in_dim(g, jnp.int32(2), 0), P(None, "y")),
    "dyn slice": (
        lambda: lax.dynamic_slice_in_dim(g, jnp.int32(2), 4, 1),
        P(
            "x",
        ),
    ),
    "take1": (
        lambda: jnp.take(g, i1, axis=1),
        P(
            "x",
        ),
    ),
    "g[i1]": (lambda: g[i1], P(None, "y")),
    "g[:,i1]": (
        lambda: g[:, i1],
        P(
            "x",
        ),
    ),
    "g[i1,i1]": (lambda: g[i1, i1], P()),
    "g[[]]": (lambda: g[np.array([0, 5, 9, 2])], P(None, "y")),
    "roll0": (
        lambda: jnp.roll(b, 1),
        P(
            "x",
        ),
    ),
    "roll-3": (
        lambda: jnp.roll(b, -3),
        P(
            "x",
        ),
    ),
    "roll big": (
        lambda: jnp.roll(b, 9),
        P(
            "x",
        ),
    ),
    "roll half": (
        lambda: jnp.roll(b, 4),
        P(
            "x",
        ),
    ),
    "roll part": (
        lambda: jnp.roll(w, 4),
        P(
            "x",
        ),
    ),
    "roll g0": (lambda: jnp.roll(g, 1, 0), P("x", "y")),
    "roll g1": (lambda: jnp.roll(g, 3, 1), P("x", "y")),
    "roll both": (lambda: jnp.roll(g, (1, 2), (0, 1)), P("x", "y")),
    "roll flat": (
        lambda: jnp.roll(a, 1),
        P(
            "x",
        ),
    ),
    "roll u": (
        lambda: jnp.roll(u, 5),
        P(
            ("x", "y"),
        ),
    ),
    "roll f1": (lambda: jnp.roll(f, 1, 1), P("x", None)),
    "roll dyn": (lambda: jnp.roll(g, jnp.int32(3), 0), P("x", "y")),
    "flip0": (lambda: jnp.flip(g, 0), P("x", "y")),
    "flip": (lambda: jnp.flip(g), P("x", "y")),
    "fliplr": (lambda: jnp.fliplr(g), P("x", "y")),
    "flipud": (lambda: jnp.flipud(g), P("x", "y")),
    "rot90": (lambda: jnp.rot90(sq), P("y", "x")),
    "rev": (lambda: lax.rev(g, (1,)), P("x", "y")),
    "concat0": (lambda: jnp.concatenate([g, g], 0), P("x", "y")),
    "concat1": (lambda: jnp.concatenate([g, g], 1), P("x", "y")),
    "concat3": (lambda: jnp.concatenate([g, g, g]), P("x", "y")),
    "concat b": (
        lambda: jnp.concatenate([b, b]),
        P(
            "x",
        ),
    ),
    "concat uneven": (lambda: jnp.concatenate([b, np.ones(3, np.float32)]), P()),
    "concat slices": (lambda: jnp.concatenate([g[4:], g[:4]]), P(None, "y")),
    "hstack": (lambda: jnp.hstack([g, g]), P("x", "y")),
    "vstack": (lambda: jnp.vstack([g, g]), P("x", "y")),
    "append": (
        lambda: jnp.append(b, b),
        P(
            "x",
        ),
    ),
    "stack1": (
        lambda: jnp.stack([b, b], 1),
        P(
            "x",
        ),
    ),
    "dstack": (lambda: jnp.dstack([sq, sq]), P("x", "y")),
    "column_stack": (
        lambda: jnp.column_stack([b, b]),
        P(
            "x",
        ),
    ),
    "block": (lambda: jnp.block([[sq, sq], [sq, sq]]), P("x", "y")),
    "split0": (lambda: jnp.split(g, 2)[0], P("x", "y")),
    "split0b": (lambda: jnp.split(g, 2)[1], P("x", "y")),
    "split1": (lambda: jnp.split(g, 2, 1)[0], P("x", "y")),
    "split4": (lambda: jnp.split(g, 4)[3], P("x", "y")),
    "split u": (lambda: jnp.split(g, [3, 9])[1], P(None, "y")),
    "array_split": (lambda: jnp.array_split(g, 3)[0], P(None, "y")),
    "unstack": (
        lambda: jnp.unstack(g)[0],
        P(
            "y",
        ),
    ),
    "lax.split": (lambda: lax.split(g, (4, 12))[1], P("x", "y")),
    "pad": (lambda: jnp.pad(g, ((0, 0), (1, 1))), P("x", "y")),
    "pad0": (lambda: jnp.pad(g, ((1, 1), (0, 0))), P(None, "y")),
    "pad4": (lambda: jnp.pad(g, ((4, 4), (0, 0))), P("x", "y")),
    "pad1s": (lambda: jnp.pad(g, ((0, 16), (0, 0))), P("x", "y")),
    "pad wrap": (lambda: jnp.pad(g, ((4, 4), (0, 0)), mode="wrap"), P("x", "y")),
    "pad edge": (lambda: jnp.pad(g, ((4, 4), (0, 0)), mode="edge"), P("x", "y")),
    "pad reflect": (lambda: jnp.pad(g, ((4, 4), (0, 0)), mode="reflect"), P("x", "y")),
    "lax.pad int": (lambda: lax.pad(g, np.float32(0), ((0, 1, 1), (0, 0, 0))), P("x", "y")),
    "lax.pad neg": (lambda: lax.pad(g, np.float32(0), ((-4, -4, 0), (0, 0, 0))), P("x", "y")),
    "repeat0": (lambda: jnp.repeat(g, 2, 0), P("x", "y")),
    "repeat1": (lambda: jnp.repeat(g, 2, 1), P("x", "y")),
    "repeat": (
        lambda: jnp.repeat(b, 3),
        P(
            "x",
        ),
    ),
    "tile0": (lambda: jnp.tile(g, (2, 1)), P(None, "y")),
    "tile1": (
        lambda: jnp.tile(g, (1, 2)),
        P(
            "x",
        ),
    ),
    "tile b": (lambda: jnp.tile(b, 2), P()),
    "diff0": (lambda: jnp.diff(g, axis=0), P(None, "y")),
    "diff1": (
        lambda: jnp.diff(g, axis=1),
        P(
            "x",
        ),
    ),
    "diff b": (lambda: jnp.diff(b), P()),
    "ediff1d": (lambda: jnp.ediff1d(b), P()),
    "trapezoid": (
        lambda: jnp.trapezoid(g, axis=0),
        P(
            "y",
        ),
    ),
    "interp": (
        lambda: jnp.interp(b, b, b),
        P(
            "x",
        ),
    ),
    "convolve full": (lambda: jnp.convolve(w, np.ones(3, np.float32)), P()),
    "convolve valid": (lambda: jnp.convolve(w, np.ones(3, np.float32), "valid"), P()),
    "conv batch": (
        lambda: lax.conv(put((8, 1, 4, 4), "x"), np.ones((2, 1, 3, 3), np.float32), (1, 1), "SAME"),
        P(
            "x",
        ),
    ),
    "maxpool": (
        lambda: lax.reduce_window(g, -np.inf, lax.max, (2, 2), (2, 2), "VALID"),
        P("x", "y"),
    ),
    "sort0": (lambda: jnp.sort(g, 0), P("x", "y")),
    "sort1": (lambda: jnp.sort(g, 1), P("x", "y")),
    "sort none": (lambda: jnp.sort(g, None), P()),
    "argsort": (lambda: jnp.argsort(g, 0), P("x", "y")),
    "top_k": (
        lambda: lax.top_k(g, 2)[0],
        P(
            "x",
        ),
    ),
    "median": (
        lambda: jnp.median(g, 0),
        P(
            "y",
        ),
    ),
    "median1": (
        lambda: jnp.median(f, 1),
        P(
            "x",
        ),
    ),
    "percentile": (
        lambda: jnp.percentile(g, 50, 0),
        P(
            "y",
        ),
    ),
    "unique": (lambda: jnp.unique(b, size=8), P()),
    "lexsort": (lambda: jnp.lexsort((b, b)), P()),
    "cumsum0": (lambda: jnp.cumsum(g, 0), P("x", "y")),
    "cumsum1": (lambda: jnp.cumsum(g, 1), P("x", "y")),
    "cumprod": (
        lambda: jnp.cumprod(b),
        P(
            "x",
        ),
    ),
    "cumsum flat": (
        lambda: jnp.cumsum(g),
        P(
            "x",
        ),
    ),
    "cummax": (lambda: lax.cummax(g, 0), P("x", "y")),
    "cumlogsumexp": (
        lambda: lax.cumlogsumexp(b),
        P(
            "x",
        ),
    ),
    "assoc scan": (lambda: lax.associative_scan(jnp.add, b), P()),
    "resh 4,4,8": (lambda: g.reshape(4, 4, 8), P("x", None, "y")),
    "resh 128": (
        lambda: g.reshape(128),
        P(
            "x",
        ),
    ),
    "resh 16,2,4": (lambda: g.reshape(16, 2, 4), P("x", "y")),
    "resh 16,4,2": (lambda: g.reshape(16, 4, 2), P("x", "y")),
    "resh 2,8,8": (lambda: g.reshape(2, 8, 8), P(None, None, "y")),
    "resh 8,16": (
        lambda: g.reshape(8, 16),
        P(
            "x",
        ),
    ),
    "resh 1": (lambda: g.reshape(1, 16, 8), P(None, "x", "y")),
    "resh u": (lambda: u.reshape(6, 4), P()),
    "resh u2": (
        lambda: u.reshape(8, 3),
        P(
            ("x", "y"),
        ),
    ),
    "ravel": (
        lambda: jnp.ravel(g),
        P(
            "x",
        ),
    ),
    "ravel F": (
        lambda: jnp.ravel(g, order="F"),
        P(
            "y",
        ),
    ),
    "swap": (lambda: jnp.swapaxes(c, 0, 1), P("y", "x")),
    "moveaxis": (lambda: jnp.moveaxis(c, 0, 2), P("y", None, "x")),
    "expand": (lambda: g[None], P(None, "x", "y")),
    "squeeze": (lambda: jnp.squeeze(g[:, None], 1), P("x", "y")),
    "bcast": (lambda: jnp.broadcast_to(b, (3, 8)), P(None, "x")),
    "bcast2": (lambda: jnp.broadcast_to(g, (2, 16, 8)), P(None, "x", "y")),
    "atleast_3d": (lambda: jnp.atleast_3d(g), P("x", "y")),
    "meshgrid": (lambda: jnp.meshgrid(b, b)[0], P(None, "x")),
}

_ONES, _FOUR = np.ones(3, np.float32), np.arange(4, dtype=np.float32)
_KERNEL = np.ones((1, 1, 3, 3), np.float32)
# Functions of several ops, between which sizes do not divide or indices are computed: the arrays,
# and the spec of the result.
SEVERAL: dict[str, tuple[Callable[..., Any], tuple[dt.Array, ...], P]] = {
    "x[i]": (lambda x, i: x[i], (g, bi), P("x", "y")),
    "take_along_axis": (
        lambda x: jnp.take_along_axis(x, jnp.argsort(x, 0), 0),
        (g,),
        P("x", "y"),
    ),
    "searchsorted": (lambda x: jnp.searchsorted(_FOUR, x), (b,), P("x")),
    "bincount": (lambda i: jnp.bincount(i, length=8), (bi,), P()),
    "bincount weights": (lambda i, x: jnp.bincount(i, x, length=8), (bi, b), P()),
    "bincount known": (lambda i: jnp.bincount(i), (bi,), P()),
    "resize": (lambda x: jnp.resize(x, (2, 8)), (b,), P(None, "x")),
    "gradient": (jnp.gradient, (b,), P("x")),
    "gradient 0": (lambda x: jnp.gradient(x, axis=0), (g,), P("x", "y")),
    "convolve same": (lambda x: jnp.convolve(x, _ONES, "same"), (w,), P("x")),
    "conv": (
        lambda x: lax.conv(x[None, None], _KERNEL, (1, 1), "SAME"),
        (g,),
        P(None, None, "x", "y"),
    ),
    "maxpool": (
        lambda x: lax.reduce_window(x, -np.inf, lax.max, (3, 3), (1, 1), "SAME"),
        (g,),
        P("x", "y"),
    ),
    "diag": (jnp.diag, (sq,), P()),
    "diagonal 1": (lambda x: jnp.diagonal(x, 1), (sq,), P()),
    "ii->i": (lambda x: jnp.einsum("ii->i", x), (sq,), P("y")),
    "grad of slice": (lambda x: dt.grad(lambda q: jnp.sum(q[:4] ** 2))(x), (b,), P()),
}


@pytest.mark.parametrize("name", SEVERAL)
@dt.config.compile("never")
def test_functions_of_several_ops(name: str) -> None:
    function, arrays, spec = SEVERAL[name]
    result = function(*arrays)
    assert result.sharding.is_equivalent_to(NamedSharding(MESH, spec), result.ndim), (
        result.sharding.spec
    )
    expected = function(*[jnp.asarray(np.asarray(array)) for array in arrays])
    assert (result.dtype, result.weak_type) == (expected.dtype, expected.weak_type)
    np.testing.assert_allclose(result, expected, rtol=1e-6)


@pytest.mark.parametrize("name", CASES)
@dt.config.compile("never")
def test_shardings(name: str) -> None:
    function, spec = CASES[name]
    result = function()
    assert result.sharding.is_equivalent_to(NamedSharding(MESH, spec), result.ndim), (
        result.sharding.spec
    )

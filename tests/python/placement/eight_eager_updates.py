"""Eager functions that reduce, move, select, write and sort what is divided among devices
have results sharded as those of JAX 0.10.2 are; run by `test_devices`.
"""

from __future__ import annotations

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as jnp
from dovetail import lax
from dovetail.sharding import PartitionSpec as P
from support.divided import i1, values
from support.divided_calls import Cases, b, bo, check, d1, d2, g, ib, iv, q, r, sq, t, w

i2 = np.array([[0, 1], [2, 3]])

CASES: Cases = {
    "sum3": (lambda: t.sum((0, 2)), P("y")),
    "prod": (lambda: jnp.prod(g, 0), P("y")),
    "std": (lambda: jnp.std(g, 1), P("x")),
    "nansum": (lambda: jnp.nansum(g, 0), P("y")),
    "nanmean": (lambda: jnp.nanmean(g, 1), P("x")),
    "nanmax": (lambda: jnp.nanmax(g, 0), P("y")),
    "nanmedian": (lambda: jnp.nanmedian(g, 0), P("y")),
    "nanargmax": (lambda: jnp.nanargmax(g, 1), P("x")),
    "average": (lambda: jnp.average(g, axis=0, weights=values((16,), "x")), P("y")),
    "count_nonzero": (lambda: jnp.count_nonzero(g, axis=0), P("y")),
    "quantile": (lambda: jnp.quantile(g, np.array([0.25, 0.5], np.float32), axis=1), P(None, "x")),
    "any": (lambda: bo.any(0), P("y")),
    "argmax none": (lambda: jnp.argmax(g), P()),
    "min k": (lambda: g.min(1, keepdims=True), P("x")),
    "sum where": (lambda: jnp.sum(g, 1, where=bo), P("x")),
    "cumsum3": (lambda: jnp.cumsum(t, 1), P("x", "y")),
    "nancumsum": (lambda: jnp.nancumsum(g, 0), P("x", "y")),
    "cumlogsum": (lambda: lax.cumlogsumexp(g, 1), P("x", "y")),
    "cummin r": (lambda: lax.cummin(g, 0, reverse=True), P("x", "y")),
    "reduce_prec": (lambda: lax.reduce_precision(g, 5, 10), P("x", "y")),
    "reduce and": (lambda: lax.reduce_and(bo, (0,)), P("y")),
    "histogram2d": (lambda: jnp.histogram2d(b, b, bins=4)[0], P()),
    "digitize": (lambda: jnp.digitize(g, np.array([-0.5, 0, 0.5], np.float32)), P("x", "y")),
    "mode norm": (lambda: jnp.linalg.norm(g), P()),
    "norm fro": (lambda: jnp.linalg.norm(g, "fro", axis=(0, 1)), P()),
    "norm 2": (lambda: jnp.linalg.norm(sq, 2), P()),
    "vector_norm": (lambda: jnp.linalg.vector_norm(t, axis=1), P("x")),
    "transpose": (lambda: t.transpose(2, 0, 1), P(None, "x", "y")),
    "T": (lambda: q.T, P("y", "x")),
    "mT": (lambda: jnp.matrix_transpose(t), P("x", None, "y")),
    "rollaxis": (lambda: jnp.rollaxis(t, 2), P(None, "x", "y")),
    "resh a": (lambda: t.reshape(32, 6), P("x")),
    "resh b": (lambda: t.reshape(8, 24), P("x", "y")),
    "resh c": (lambda: t.reshape(2, 4, 4, 6), P(None, None, "y")),
    "resh d": (lambda: w.reshape(2, 8), P()),
    "resh e": (lambda: w.reshape(8, 2), P(("x", "y"))),
    "resh f": (lambda: w.reshape(4, 4), P("x", "y")),
    "resh g": (lambda: w.reshape(2, 2, 2, 2), P(None, None, "y")),
    "resh d1": (lambda: d1.reshape(72), P("d")),
    "resh d1b": (lambda: d1.reshape(8, 9), P("d")),
    "resh d1c": (lambda: d1.reshape(2, 12, 3), P()),
    "resh F": (lambda: g.reshape((8, 16), order="F"), P(None, "y")),
    "expand2": (lambda: jnp.expand_dims(g, (0, 3)), P(None, "x", "y")),
    "atl2": (lambda: jnp.atleast_2d(b), P(None, "x")),
    "bcast3": (
        lambda: jnp.broadcast_arrays(g, np.ones((2, 1, 1), np.float32))[0],
        P(None, "x", "y"),
    ),
    "rot90 k2": (lambda: jnp.rot90(g, 2), P("x", "y")),
    "rot90 ax": (lambda: jnp.rot90(t, 1, (1, 2)), P("x", None, "y")),
    "flip t": (lambda: jnp.flip(t, (0, 2)), P("x", "y")),
    "tile3": (lambda: jnp.tile(g, (2, 1, 1)), P(None, "x", "y")),
    "repeat arr": (lambda: jnp.repeat(b, np.arange(8), total_repeat_length=28), P()),
    "pad const": (lambda: jnp.pad(t, ((0, 0), (2, 2), (0, 0)), constant_values=1.0), P("x", "y")),
    "pad lin": (lambda: jnp.pad(g, ((0, 0), (4, 4)), mode="linear_ramp"), P("x", "y")),
    "pad mean": (lambda: jnp.pad(g, ((2, 2), (0, 0)), mode="mean"), P("x", "y")),
    "pad sym": (lambda: jnp.pad(g, ((0, 0), (2, 2)), mode="symmetric"), P("x", "y")),
    "fill_diag": (lambda: jnp.fill_diagonal(sq, 0.0, inplace=False), P("x", "y")),
    "diagflat": (lambda: jnp.diagflat(b), P()),
    "diag k": (lambda: jnp.diag(sq, 1), P()),
    "diag v k": (lambda: jnp.diag(b, -2), P()),
    "triu": (lambda: jnp.triu(sq, 1), P("x", "y")),
    "tril t": (lambda: jnp.tril(t), P("x", "y")),
    "trace t": (lambda: jnp.trace(t, axis1=1, axis2=2), P("x")),
    "unstack1": (lambda: jnp.unstack(t, axis=1)[0], P("x")),
    "hsplit": (lambda: jnp.hsplit(g, 2)[1], P("x", "y")),
    "vsplit": (lambda: jnp.vsplit(g, 4)[2], P("x", "y")),
    "dsplit": (lambda: jnp.dsplit(t, 3)[0], P("x", "y")),
    "concat t": (lambda: jnp.concatenate([t, t], 2), P("x", "y")),
    "concat mix": (lambda: jnp.concatenate([g, r], 0), P("x")),
    "concat rep": (lambda: jnp.concatenate([g, np.ones((16, 8), np.float32)], 1), P("x", "y")),
    "stack0": (lambda: jnp.stack([g, g]), P(None, "x", "y")),
    "stack2": (lambda: jnp.stack([g, r], -1), P("x")),
    "r_": (lambda: jnp.r_[b, b], P("x")),
    "c_": (lambda: jnp.c_[b, b], P("x")),
    "meshgrid ij": (lambda: jnp.meshgrid(b, w, indexing="ij")[1], P(None, ("x", "y"))),
    "ix": (lambda: g[jnp.ix_(i1, i1)], P()),
    "swap q": (lambda: jnp.swapaxes(q, 1, 2), P(None, "y", "x")),
    "squeeze ax": (lambda: jnp.squeeze(t[:, :1], 1), P("x")),
    "apply_along": (lambda: jnp.apply_along_axis(lambda v: v * 2, 1, g), P("x", "y")),
    "apply_over": (lambda: jnp.apply_over_axes(jnp.sum, t, [0, 2]), P(None, "y")),
    "vectorize": (lambda: jnp.vectorize(lambda u, v: u + v)(g, r), P("x")),
    "g[:, ::2]": (lambda: g[:, ::2], P("x")),
    "t[..., 0]": (lambda: t[..., 0], P("x", "y")),
    "t[2]": (lambda: t[2], P("y")),
    "t[:,None]": (lambda: t[:, None], P("x", None, "y")),
    "t[::2,1]": (lambda: t[::2, 1], P()),
    "g[i2]": (lambda: g[i2], P(None, None, "y")),
    "g[:,i2]": (lambda: g[:, i2], P("x")),
    "g[iv]": (lambda: g[iv], P("x", "y")),
    "t[i1,:,i1]": (lambda: t[i1, :, i1], P(None, "y")),
    "t[:,i1,0]": (lambda: t[:, i1, 0], P("x")),
    "w[3]": (lambda: w[3], P()),
    "w[i1]": (lambda: w[i1], P()),
    "d1[:8]": (lambda: d1[:8], P()),
    "d1[5]": (lambda: d1[5], P()),
    "d1[::3]": (lambda: d1[::3], P()),
    "d1[:,1]": (lambda: d1[:, 1], P("d")),
    "d2[:,8:]": (lambda: d2[:, 8:], P()),
    "q[1]": (lambda: q[1], P("x", "y")),
    "q[:,2:6]": (lambda: q[:, 2:6], P(None, None, "y")),
    "g[-4:]": (lambda: g[-4:], P(None, "y")),
    "g[bo mask]": (lambda: g[np.array([1, 0] * 8, bool)], P(None, "y")),
    "take flat": (lambda: jnp.take(g, i1), P()),
    "take fill": (lambda: jnp.take(g, np.array([1, 30]), 0, mode="fill"), P(None, "y")),
    "take wrap": (lambda: jnp.take(g, np.array([1, 30]), 1, mode="wrap"), P("x")),
    "take_along1": (lambda: jnp.take_along_axis(g, np.zeros((16, 1), np.int32), 1), P("x")),
    "take_along s": (lambda: jnp.take_along_axis(g, ib % 8, 1), P("x", "y")),
    "gather traced": (lambda: g[jnp.int32(3)], P("y")),
    "dyn idx w": (lambda: lax.dynamic_slice(w, (jnp.int32(2),), (4,)), P()),
    "dyn up": (
        lambda: lax.dynamic_update_index_in_dim(g, np.zeros(8, np.float32), 3, 0),
        P("x", "y"),
    ),
    "at[0]": (lambda: g.at[0].set(1.0), P("x", "y")),
    "at[:,0]": (lambda: g.at[:, 0].set(1.0), P("x", "y")),
    "at[2:6]": (lambda: g.at[2:6].add(1.0), P("x", "y")),
    "at[i1]add": (lambda: g.at[i1].add(1.0), P("x", "y")),
    "at[:,i1]": (lambda: g.at[:, i1].set(0.0), P("x", "y")),
    "at[i1] min": (lambda: g.at[i1].min(0.0), P("x", "y")),
    "at[i2]": (lambda: g.at[i2].add(1.0), P("x", "y")),
    "at max": (lambda: w.at[i1].max(9.0), P(("x", "y"))),
    "at pow": (lambda: g.at[1].power(2.0), P("x", "y")),
    "at apply": (lambda: g.at[i1].apply(jnp.exp), P("x", "y")),
    "at mask": (lambda: g.at[np.array([1, 0] * 8, bool)].set(0.0), P("x", "y")),
    "at iv": (
        lambda: (
            values(
                (5,),
            )
            .at[iv]
            .add(values((16,), "x"))
        ),
        P(),
    ),
    "at g iv": (lambda: g.at[iv].add(g), P("x", "y")),
    "at t": (lambda: t.at[:, 1].set(0.0), P("x", "y")),
    "at t2": (lambda: t.at[::2, :, 1].mul(2.0), P("x", "y")),
    "at div": (lambda: g.at[3:5, 2:4].divide(2.0), P("x", "y")),
    "at d1": (lambda: d1.at[3].set(0.0), P("d")),
    "at get fill": (lambda: g.at[np.array([1, 99])].get(mode="fill", fill_value=0), P(None, "y")),
    "at set arr": (lambda: g.at[4:8].set(values((4, 8), "x", "y")), P("x", "y")),
    "at col arr": (lambda: g.at[:, 2].set(values((16,), "x")), P("x", "y")),
    "at neg": (lambda: g.at[-1].set(0.0), P("x", "y")),
    "put": (lambda: jnp.put(b, i1, np.float32(0), inplace=False), P("x")),
    "put_along": (
        lambda: jnp.put_along_axis(g, np.zeros((16, 1), np.int32), np.float32(0), 1, inplace=False),
        P("x", "y"),
    ),
    "place": (
        lambda: jnp.place(b, np.array([1, 0] * 4, bool), np.array([3], np.float32), inplace=False),
        P("x"),
    ),
    "seg sum": (lambda: dt.ops.segment_sum(g, iv, 5), P(None, "y")),
    "seg max": (lambda: dt.ops.segment_max(g, iv, 5), P(None, "y")),
    "seg prod": (lambda: dt.ops.segment_prod(values((16,), "x"), iv, 5), P()),
}


@pytest.mark.parametrize("name", CASES)
@dt.config.compile("never")
def test_shardings(name: str) -> None:
    check(*CASES[name])

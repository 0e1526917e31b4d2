"""Eager functions of NumPy, SciPy, images and networks, random numbers, transforms
have results sharded as those of JAX 0.10.2 are; run by `test_devices`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as jnp
import dovetail.scipy.linalg
import dovetail.scipy.ndimage
from dovetail import image, lax, nn, random
from dovetail.experimental import sparse
from dovetail.scipy import signal as ss
from dovetail.scipy import special as sp
from dovetail.scipy import stats as st
from dovetail.sharding import PartitionSpec as P
from support.divided import LINE, i1, positive, sharding, spd, values
from support.divided_calls import Cases, b, bo, check, d1, d2, g, ib, iv, q, r, sq, t, w

im = values((8, 8, 8, 3), "x", "y")
imd = values((4, 16, 16, 2), "x")
cx = lax.complex(g, g)
bat = positive(("x", "y"))
bm = positive("x", "y")
key = random.key(0)
W = np.ones((3, 3, 3, 4), np.float32)

SAMPLE = np.random.default_rng(0).normal(size=(3, 24)).astype(np.float32)


def density(entry: Any) -> st.gaussian_kde:
    """An estimate from points that are divided over axes."""
    return st.gaussian_kde(dt.device_put(SAMPLE, sharding(None, entry)))


def weighted() -> st.gaussian_kde:
    """An estimate from points on all devices, whose weights are divided."""
    weights = dt.device_put(np.arange(1, 25, dtype=np.float32), sharding("x"))
    return st.gaussian_kde(dt.device_put(SAMPLE, sharding()), weights=weights)


CASES: Cases = {
    "add b": (lambda: g + np.ones(8, np.float32), P("x", "y")),
    "outer add": (lambda: b[:, None] + b[None], P("x")),
    "g+r": (lambda: g + r, P("x")),
    "r+g": (lambda: r + g, P("x")),
    "w+k": (lambda: w * w, P(("x", "y"))),
    "add 3d": (lambda: t + values((4, 6), "y"), P("x", "y")),
    "maximum": (lambda: jnp.maximum(g, r), P("x")),
    "arctan2": (lambda: jnp.arctan2(g, g), P("x", "y")),
    "clip": (lambda: jnp.clip(g, -0.5, 0.5), P("x", "y")),
    "where3": (lambda: jnp.where(bo, g, r), P("x")),
    "nan_to_num": (lambda: jnp.nan_to_num(g), P("x", "y")),
    "divmod": (lambda: jnp.divmod(g, 2.0)[0], P("x", "y")),
    "modf": (lambda: jnp.modf(g)[1], P("x", "y")),
    "frexp": (lambda: jnp.frexp(g)[1], P("x", "y")),
    "ldexp": (lambda: jnp.ldexp(g, ib), P("x", "y")),
    "heaviside": (lambda: jnp.heaviside(g, 0.5), P("x", "y")),
    "unwrap": (lambda: jnp.unwrap(g), P("x", "y")),
    "unwrap0": (lambda: jnp.unwrap(g, axis=0), P("x", "y")),
    "angle": (lambda: jnp.angle(cx), P("x", "y")),
    "piecewise": (lambda: jnp.piecewise(b, [b < 0, b >= 0], [-1, 1]), P("x")),
    "polyval": (lambda: jnp.polyval(np.array([1.0, 2.0, 3.0], np.float32), g), P("x", "y")),
    "i0": (lambda: jnp.i0(g), P("x", "y")),
    "sinc": (lambda: jnp.sinc(g), P("x", "y")),
    "bitand": (lambda: ib & 3, P("x", "y")),
    "isclose": (lambda: jnp.isclose(g, g), P("x", "y")),
    "signbit": (lambda: jnp.signbit(g), P("x", "y")),
    "neg": (lambda: -g, P("x", "y")),
    "pow": (lambda: g**3, P("x", "y")),
    "matmul1": (lambda: g @ g.T, P("x")),
    "matmul2": (lambda: t @ values((6, 4)), P("x", "y")),
    "matmul3": (lambda: q @ values((16, 4), "y"), P(None, "x")),
    "vecdot": (lambda: jnp.vecdot(g, g), P("x")),
    "matvec": (lambda: jnp.matvec(sq, b), P("x")),
    "vecmat": (lambda: jnp.vecmat(b, sq), P("y")),
    "einsum3": (
        lambda: jnp.einsum("bij,jk,bk->bi", t, values((6, 6)), values((8, 6), "x")),
        P("x", "y"),
    ),
    "einsum perm": (lambda: jnp.einsum("ijk->kij", t), P(None, "x", "y")),
    "d1@": (lambda: d1 @ np.ones((3, 5), np.float32), P("d")),
    "d2@": (lambda: d2 @ d2.T, P()),
    "d2@d": (lambda: d2 @ values((16, 8), "d", mesh=LINE), P()),
    "sort r": (lambda: jnp.sort(r, 1), P(None, "x")),
    "sort t": (lambda: jnp.sort(t, 1), P("x", "y")),
    "sort desc": (lambda: jnp.sort(g, 0, descending=True), P("x", "y")),
    "sort w": (lambda: jnp.sort(w), P()),
    "argsort1": (lambda: jnp.argsort(g, 1), P("x", "y")),
    "argsort w": (lambda: jnp.argsort(w), P()),
    "lax.sort kv": (lambda: lax.sort((ib, g), dimension=0, num_keys=1)[1], P("x", "y")),
    "sort_key_val": (lambda: lax.sort_key_val(ib, g, 0)[1], P("x", "y")),
    "argpartition": (lambda: jnp.argpartition(g, 2, 0), P(None, "y")),
    "partition1": (lambda: jnp.partition(g, 2, 1), P("x")),
    "top_k i": (lambda: lax.top_k(g, 3)[1], P("x")),
    "top_k w": (lambda: lax.top_k(w, 3)[0], P()),
    "approx": (lambda: lax.approx_max_k(g, 2)[0], P("x", "y")),
    "unique inv": (lambda: jnp.unique(iv, size=5, return_inverse=True)[1], P()),
    "unique cnt": (lambda: jnp.unique_counts(iv, size=5)[1], P()),
    "nonzero2": (lambda: jnp.nonzero(g, size=4)[1], P()),
    "argwhere": (lambda: jnp.argwhere(g > 0, size=5), P()),
    "flatnonzero": (lambda: jnp.flatnonzero(g, size=6), P()),
    "where size": (lambda: jnp.where(b > 0, size=3)[0], P()),
    "isin": (lambda: jnp.isin(iv, np.array([1, 2])), P("x")),
    "intersect1d": (lambda: jnp.intersect1d(iv, np.array([1, 2, 3]), size=3), P()),
    "union1d": (lambda: jnp.union1d(iv, np.array([7]), size=6), P()),
    "setdiff": (lambda: jnp.setdiff1d(iv, np.array([1]), size=4), P()),
    "searchsorted l": (lambda: jnp.searchsorted(jnp.sort(w), b), P("x")),
    "ss sorted": (lambda: jnp.searchsorted(jnp.sort(b), np.array([0.1, 0.2], np.float32)), P()),
    "relu": (lambda: nn.relu(g), P("x", "y")),
    "gelu": (lambda: nn.gelu(g), P("x", "y")),
    "softmax1": (lambda: nn.softmax(g, 1), P("x", "y")),
    "log_softmax": (lambda: nn.log_softmax(g, -1), P("x", "y")),
    "softmax both": (lambda: nn.softmax(g, (0, 1)), P("x", "y")),
    "standardize": (lambda: nn.standardize(g, 0), P("x", "y")),
    "glu": (lambda: nn.glu(g), P("x", "y")),
    "glu0": (lambda: nn.glu(g, 0), P("x", "y")),
    "one_hot ax": (lambda: nn.one_hot(iv, 8, axis=0), P(None, "x")),
    "one_hot2": (lambda: nn.one_hot(ib % 4, 4), P("x", "y")),
    "lse0": (lambda: nn.logsumexp(g, 0, keepdims=True), P(None, "y")),
    "celu": (lambda: nn.celu(g), P("x", "y")),
    "hard": (lambda: nn.hard_tanh(g), P("x", "y")),
    "squareplus": (lambda: nn.squareplus(t), P("x", "y")),
    "dpa": (
        lambda: nn.dot_product_attention(
            values((8, 4, 2, 8), "x"), values((8, 4, 2, 8), "x"), values((8, 4, 2, 8), "x")
        ),
        P("x"),
    ),
    "dpa h": (
        lambda: nn.dot_product_attention(
            values((8, 4, 2, 8), "x", None, "y"),
            values((8, 4, 2, 8), "x", None, "y"),
            values((8, 4, 2, 8), "x", None, "y"),
        ),
        P("x", None, "y"),
    ),
    "conv nhwc": (
        lambda: lax.conv_general_dilated(
            im, W, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        P("x", "y"),
    ),
    "conv strided": (
        lambda: lax.conv_general_dilated(
            imd,
            np.ones((2, 2, 2, 4), np.float32),
            (2, 2),
            "VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ),
        P("x"),
    ),
    "conv T": (
        lambda: lax.conv_transpose(
            imd,
            np.ones((2, 2, 2, 4), np.float32),
            (2, 2),
            "VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"),
        ),
        P("x"),
    ),
    "avg pool": (
        lambda: lax.reduce_window(imd, np.float32(0), lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
        P("x"),
    ),
    "patches": (
        lambda: lax.conv_general_dilated_patches(
            imd, (2, 2), (2, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        ),
        P("x"),
    ),
    "chol y": (lambda: jnp.linalg.cholesky(bm), P("x")),
    "chol xy": (lambda: jnp.linalg.cholesky(bat), P(("x", "y"), None, None)),
    "inv xy": (lambda: jnp.linalg.inv(bat), P(("x", "y"))),
    "svdv": (lambda: jnp.linalg.svd(bat)[0], P(("x", "y"), None, None)),
    "svd g": (lambda: jnp.linalg.svd(g, full_matrices=False)[0], P()),
    "qr g": (lambda: jnp.linalg.qr(g)[0], P()),
    "qr r": (lambda: jnp.linalg.qr(g)[1], P()),
    "eig": (lambda: jnp.linalg.eigvalsh(bat), P(("x", "y"))),
    "slogdet": (lambda: jnp.linalg.slogdet(bat)[1], P(("x", "y"))),
    "lstsq": (lambda: jnp.linalg.lstsq(g, values((16,), "x"))[0], P("y")),
    "solve m": (lambda: jnp.linalg.solve(spd, sq), P()),
    "solve bm": (lambda: jnp.linalg.solve(bm, bm), P("x")),
    "tri b": (
        lambda: lax.linalg.triangular_solve(bat, bat, left_side=True),
        P(("x", "y"), None, None),
    ),
    "tri r": (lambda: lax.linalg.triangular_solve(spd, spd, left_side=False, lower=True), P()),
    "cho_solve": (lambda: dt.scipy.linalg.cho_solve((jnp.linalg.cholesky(spd), True), sq), P()),
    "lu_factor": (lambda: dt.scipy.linalg.lu_factor(spd)[0], P()),
    "lu_solve": (lambda: dt.scipy.linalg.lu_solve(dt.scipy.linalg.lu_factor(spd), sq), P()),
    "rank": (lambda: jnp.linalg.matrix_rank(spd), P()),
    "cond": (lambda: jnp.linalg.cond(spd), P()),
    "pinv b": (lambda: jnp.linalg.pinv(bat), P(("x", "y"), None, None)),
    "block_diag": (lambda: dt.scipy.linalg.block_diag(sq, sq), P("x", "y")),
    "toeplitz": (lambda: dt.scipy.linalg.toeplitz(b), P()),
    "tridiag": (
        lambda: lax.linalg.tridiagonal_solve(
            values((8,)) * 0, values((8,)) * 0 + 4, values((8,)) * 0, sq
        ),
        P(),
    ),
    "expm b": (lambda: dt.scipy.linalg.expm(bat / 100), P(("x", "y"), None, None)),
    "matpow b": (lambda: jnp.linalg.matrix_power(bat, 2), P(("x", "y"), None, None)),
    "tensorinv": (lambda: jnp.linalg.tensorsolve(spd, b), P()),
    "cross t": (lambda: jnp.linalg.cross(values((8, 3), "x"), values((8, 3), "x")), P("x")),
    "solve_tri": (lambda: dt.scipy.linalg.solve_triangular(spd, sq, lower=True), P()),
    "sqrtm?": (lambda: dt.scipy.linalg.polar(spd)[0], P("x", "y")),
    "fft t": (lambda: jnp.fft.fft(t, axis=2), P("x", "y")),
    "ifft": (lambda: jnp.fft.ifft(cx, axis=1), P("x", "y")),
    "irfft": (lambda: jnp.fft.irfft(cx, axis=1), P("x")),
    "rfft0": (lambda: jnp.fft.rfft(g, axis=0), P(None, "y")),
    "fftn": (lambda: jnp.fft.fftn(q, axes=(1, 2)), P(None, "x", "y")),
    "hfft": (lambda: jnp.fft.hfft(cx, axis=1), P("x")),
    "rfft2": (lambda: jnp.fft.rfft2(q), P(None, "x")),
    "fft n": (lambda: jnp.fft.fft(g, n=10, axis=1), P("x", "y")),
    "fftshift2": (lambda: jnp.fft.fftshift(g, axes=(0,)), P("x", "y")),
    "gammaln": (lambda: sp.gammaln(g), P("x", "y")),
    "xlogy": (lambda: sp.xlogy(g, g), P("x", "y")),
    "sp lse": (lambda: sp.logsumexp(g, 1), P("x")),
    "logpdf": (lambda: st.norm.logpdf(g), P("x", "y")),
    "poisson": (lambda: st.poisson.logpmf(iv, 2.0), P("x")),
    "multinorm": (
        lambda: st.multivariate_normal.logpdf(
            values((16, 8), "x", None), np.zeros(8, np.float32), np.eye(8, dtype=np.float32)
        ),
        P(),
    ),
    "rankdata": (lambda: st.rankdata(b), P()),
    "sp mode": (lambda: st.mode(ib, 0)[0], P("y")),
    "sem": (lambda: st.sem(g), P("y")),
    "fftconvolve": (lambda: ss.fftconvolve(w, np.ones(3, np.float32), "same"), P()),
    "convolve2d": (lambda: ss.convolve2d(g, np.ones((3, 3), np.float32), "same"), P("x", "y")),
    "correlate": (lambda: ss.correlate(w, np.ones(3, np.float32), "same"), P(("x", "y"))),
    "detrend": (lambda: ss.detrend(g, axis=0), P("x", "y")),
    "stft": (lambda: ss.stft(w, nperseg=8)[2], P()),
    "welch": (lambda: ss.welch(w, nperseg=8)[1], P()),
    "map_coord": (lambda: dt.scipy.ndimage.map_coordinates(g, [b, b], 1), P("x")),
    "betainc": (lambda: sp.betainc(np.float32(2), np.float32(3), nn.sigmoid(g)), P("x", "y")),
    "zeta": (lambda: sp.zeta(g + 3, 1.0), P("x", "y")),
    "im resize": (lambda: image.resize(imd, (4, 8, 8, 2), "bilinear"), P("x")),
    "im near": (lambda: image.resize(imd, (4, 32, 32, 2), "nearest"), P("x")),
    "im rs g": (lambda: image.resize(g, (32, 8), "linear"), P(None, "y")),
    "im scale": (
        lambda: image.scale_and_translate(
            g, (16, 8), (0, 1), np.array([1, 1], np.float32), np.array([0, 0], np.float32), "linear"
        ),
        P(),
    ),
    "normal": (lambda: random.normal(key, (16, 8), out_sharding=None), None),
    "uniform s": (lambda: random.uniform(key, g.shape) + g, P("x", "y")),
    "permute": (lambda: random.permutation(key, b), P()),
    "permute2": (lambda: random.permutation(key, g, axis=1), P("x")),
    "choice": (lambda: random.choice(key, b, (4,)), P()),
    "categorical": (lambda: random.categorical(key, g), P("x")),
    "bernoulli": (lambda: random.bernoulli(key, nn.sigmoid(g)), P("x", "y")),
    "gamma": (lambda: random.gamma(key, jnp.abs(g) + 1), P("x")),
    "poisson r": (lambda: random.poisson(key, jnp.abs(g) + 1), P("x", "y")),
    "dirichlet": (lambda: random.dirichlet(key, jnp.abs(g) + 1), P("x")),
    "split": (lambda: random.key_data(random.split(key, 8)), None),
    "fold": (lambda: random.key_data(dt.vmap(lambda i: random.fold_in(key, i))(iv)), P("x")),
    "ball": (lambda: random.t(key, jnp.abs(g) + 1), P("x", "y")),
    "mvn": (lambda: random.multivariate_normal(key, g, np.eye(8, dtype=np.float32)), P("x", "y")),
    "zeros dev": (lambda: jnp.zeros((16, 8), device=sharding("x", "y")), P("x", "y")),
    "ones dev": (lambda: jnp.ones((8,), device=sharding(("x", "y"))), P(("x", "y"))),
    "full dev": (lambda: jnp.full((16, 8), 2.0, device=sharding("x")), P("x")),
    "arange dev": (lambda: jnp.arange(16, device=sharding("x")), P("x")),
    "zeros_like": (lambda: jnp.zeros_like(g), P("x", "y")),
    "ones_like t": (lambda: jnp.ones_like(t), P("x", "y")),
    "full_like": (lambda: jnp.full_like(g, 3.0), P("x", "y")),
    "empty_like": (lambda: jnp.empty_like(w), P(("x", "y"))),
    "eye dev": (lambda: jnp.eye(8, device=sharding("x")), P("x")),
    "asarray": (lambda: jnp.asarray(g), P("x", "y")),
    "array": (lambda: jnp.array(g), P("x", "y")),
    "copy": (lambda: jnp.copy(g), P("x", "y")),
    "astype": (lambda: g.astype(np.int32), P("x", "y")),
    "view": (lambda: g.view(np.int32), P("x", "y")),
    "identity": (lambda: g.block_until_ready(), P("x", "y")),
    "bitcast": (lambda: lax.bitcast_convert_type(g, np.uint8), P("x", "y")),
    "broadcast": (lambda: lax.broadcast(g, (2,)), P(None, "x", "y")),
    "bid": (lambda: lax.broadcast_in_dim(b, (8, 3), (0,)), P("x")),
    "collapse": (lambda: lax.collapse(t, 0, 2), P("x")),
    "dot_general": (lambda: lax.dot_general(t, t, (((1,), (1,)), ((0,), (0,)))), P("x")),
    "batch_matmul": (lambda: lax.batch_matmul(q, jnp.swapaxes(q, 1, 2)), P(None, "x")),
    "clamp": (lambda: lax.clamp(-1.0, g, 1.0), P("x", "y")),
    "conv1d": (
        lambda: lax.conv(values((8, 2, 16), "x"), np.ones((4, 2, 3), np.float32), (1,), "SAME"),
        P("x"),
    ),
    "sel and scatter": (
        lambda: dt.grad(
            lambda z: lax.reduce_window(z, -np.inf, lax.max, (2, 2), (2, 2), "VALID").sum()
        )(g),
        P("x", "y"),
    ),
    "switch": (lambda: lax.switch(1, [lambda z: z, lambda z: z + 1], g), P("x", "y")),
    "scan2": (lambda: lax.scan(lambda c, x: (c, x @ x.T), 0.0, t)[1], P(None, "y")),
    "assoc max": (lambda: lax.associative_scan(jnp.maximum, g), P(None, "y")),
    "assoc ax": (lambda: lax.associative_scan(jnp.add, g, axis=1), P("x")),
    "reduce_window sum": (
        lambda: lax.reduce_window(w, np.float32(0), lax.add, (3,), (1,), "SAME"),
        P(("x", "y")),
    ),
    "population": (lambda: lax.population_count(ib), P("x", "y")),
    "sqrt": (lambda: lax.sqrt(jnp.abs(d1)), P("d")),
    "rsqrt": (lambda: lax.rsqrt(jnp.abs(d2) + 1), P(None, "d")),
    "squeeze": (lambda: lax.squeeze(t[:, :, :1], (2,)), P("x", "y")),
    "full_like2": (lambda: lax.full_like(g, 1), P("x", "y")),
    "iota": (lambda: lax.broadcasted_iota(np.int32, (16, 8), 0) + g, P("x", "y")),
    "scatter_add": (
        lambda: lax.scatter_add(
            g,
            np.array([[1], [3]], np.int32),
            np.ones((2, 8), np.float32),
            lax.ScatterDimensionNumbers((1,), (0,), (0,)),
        ),
        P("x", "y"),
    ),
    "gather": (
        lambda: lax.gather(
            g, np.array([[1], [3]], np.int32), lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 8)
        ),
        P(None, "y"),
    ),
    "erf": (lambda: lax.erf(g), P()),
    "special erf": (lambda: sp.erf(g), P()),
    "erfc": (lambda: lax.erfc(g), P("x", "y")),
    "erf_inv": (lambda: lax.erf_inv(g), P("x", "y")),
    "ndtr": (lambda: sp.ndtr(g), P("x", "y")),
    "norm cdf": (lambda: st.norm.cdf(g), P("x", "y")),
    "gelu erf": (lambda: nn.gelu(g, approximate=False), P("x", "y")),
    "vmap erf": (lambda: dt.vmap(lax.erf)(g), P()),
    "grad erf": (lambda: dt.grad(lambda z: lax.erf(z).sum())(g), P("x", "y")),
    "jvp erf": (lambda: dt.jvp(lax.erf, (g,), (g,))[0], P()),
    "jvp erf t": (lambda: dt.jvp(lax.erf, (g,), (g,))[1], P("x", "y")),
    "kde": (lambda: density("x")(values((3, 16), None, "y")), P("y")),
    "kde axis": (lambda: density("x")(values((3, 16), None, "x")), P()),
    "kde axes": (lambda: density(("x", "y"))(values((3, 16), None, "y")), P()),
    "kde many": (lambda: density("x")(values((3, 64), None, "x")), P()),
    "kde whole": (lambda: density(None)(values((3, 16), None, "x")), P("x")),
    "kde log": (lambda: density("x").logpdf(values((3, 16), None, "y")), P("y")),
    "kde log axis": (lambda: density("x").logpdf(values((3, 16), None, "x")), P()),
    "kde weights": (lambda: weighted().logpdf(values((3, 16), None, "x")), P()),
    "kde weights y": (lambda: weighted().evaluate(values((3, 16), None, "y")), P("y")),
    "kde covariance": (lambda: density("x").covariance, P()),
    "kde resample": (lambda: density("x").resample(key, (8,)), P()),
    "kde integral": (lambda: density("x").integrate_kde(density("y")), P()),
    "grad": (lambda: dt.grad(lambda z: (z @ z.T).sum())(g), P(None, "y")),
    "grad sm": (lambda: dt.grad(lambda z: nn.logsumexp(z, 1).sum())(g), P("x", "y")),
    "vmap mm": (lambda: dt.vmap(lambda u: u @ u.T)(t), P("x", "y")),
    "vmap0 out1": (lambda: dt.vmap(lambda u: u * 2, out_axes=1)(t), P("y", "x")),
    "vmap in1": (lambda: dt.vmap(lambda u: u.sum(), in_axes=1)(g), P("y")),
    "jvp": (lambda: dt.jvp(jnp.sin, (g,), (g,))[1], P("x", "y")),
    "vjp": (lambda: dt.vjp(lambda z: z.sum(0), g)[1](values((8,), "y"))[0], P(None, "y")),
    "hessian": (lambda: dt.hessian(lambda z: (z**3).sum())(b), P("x")),
    "jacrev": (lambda: dt.jacrev(jnp.sin)(b), P(None, "x")),
    "jacfwd": (lambda: dt.jacfwd(lambda z: z**2)(b), P("x")),
    "checkpoint": (lambda: dt.checkpoint(lambda z: jnp.sin(z))(g), P("x", "y")),
    "vmap sort": (lambda: dt.vmap(jnp.sort)(g), P("x", "y")),
    "vmap idx": (lambda: dt.vmap(lambda z, i: z[i])(g, iv), P("x")),
    "vmap at": (lambda: dt.vmap(lambda z: z.at[1].set(0.0))(g), P("x", "y")),
    "vmap x[:4] o": (lambda: dt.vmap(lambda z: z[:4], in_axes=1)(g), P("y")),
    "grad at": (lambda: dt.grad(lambda z: z.at[1].set(0.0).sum())(g), None),
    "grad take": (lambda: dt.grad(lambda z: z[i1].sum())(g), None),
    "grad sort": (lambda: dt.grad(lambda z: (jnp.sort(z, 0) * r).sum())(g), P()),
    "vmap dyn": (lambda: dt.vmap(lambda z, i: lax.dynamic_slice(z, (i,), (2,)))(g, iv), P("x")),
    "bcoo @": (lambda: sparse.BCOO.fromdense(np.eye(16, dtype=np.float32)) @ g, P(None, "y")),
    "bcoo todense": (
        lambda: sparse.BCOO(
            (values((8,), "x"), np.stack([np.arange(8)] * 2, 1)), shape=(8, 8)
        ).todense(),
        P(),
    ),
    "bcoo mv": (
        lambda: sparse.BCOO((values((8,), "x"), np.stack([np.arange(8)] * 2, 1)), shape=(8, 8)) @ b,
        P(),
    ),
}


@pytest.mark.parametrize("name", CASES)
@dt.config.compile("never")
def test_shardings(name: str) -> None:
    check(*CASES[name])

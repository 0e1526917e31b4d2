"""Eager products, reductions, updates and transforms have results sharded as those of JAX 0.10.2
are; run by `test_devices`.
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
from support.divided import MESH, b, bat, bi, g, i1, put, spd, sq, w

# A function, and the spec of its result, as JAX prints it.
CASES: dict[str, tuple[Callable[[], Any], P]] = {
    "ij,jk": (lambda: jnp.einsum("ij,jk->ik", g, sq), P("x", "y")),
    "ij,kj": (
        lambda: jnp.einsum("ij,kj->ik", g, g),
        P(
            "x",
        ),
    ),
    "ij->j": (
        lambda: jnp.einsum("ij->j", g),
        P(
            "y",
        ),
    ),
    "ii->": (lambda: jnp.einsum("ii->", sq), P()),
    "i,j": (
        lambda: jnp.einsum("i,j->ij", b, b),
        P(
            "x",
        ),
    ),
    "bij,bjk": (lambda: jnp.einsum("bij,bjk->bik", bat, bat), P("x", None, None)),
    "dot": (
        lambda: jnp.dot(g, put((8,), "y")),
        P(
            "x",
        ),
    ),
    "vdot": (lambda: jnp.vdot(b, b), P()),
    "inner": (
        lambda: jnp.inner(g, g),
        P(
            "x",
        ),
    ),
    "tensordot": (
        lambda: jnp.tensordot(g, g, ((0,), (0,))),
        P(
            "y",
        ),
    ),
    "outer": (
        lambda: jnp.outer(b, w),
        P(
            "x",
        ),
    ),
    "kron": (
        lambda: jnp.kron(b, b),
        P(
            "x",
        ),
    ),
    "kron2": (lambda: jnp.kron(sq, sq), P("x", "y")),
    "cross": (
        lambda: jnp.cross(put((8, 3), "x"), put((8, 3), "x")),
        P(
            "x",
        ),
    ),
    "multi_dot": (lambda: jnp.linalg.multi_dot([g, sq, sq]), P("x", "y")),
    "matpow": (lambda: jnp.linalg.matrix_power(sq, 3), P("x", "y")),
    "sum": (lambda: jnp.sum(g), P()),
    "sum0": (
        lambda: jnp.sum(g, 0),
        P(
            "y",
        ),
    ),
    "sum1k": (
        lambda: jnp.sum(g, 1, keepdims=True),
        P(
            "x",
        ),
    ),
    "sum0k": (lambda: jnp.sum(g, 0, keepdims=True), P(None, "y")),
    "mean": (
        lambda: jnp.mean(g, 1),
        P(
            "x",
        ),
    ),
    "var": (
        lambda: jnp.var(g, 0),
        P(
            "y",
        ),
    ),
    "max": (
        lambda: jnp.max(g, 1),
        P(
            "x",
        ),
    ),
    "argmax1": (
        lambda: jnp.argmax(g, 1),
        P(
            "x",
        ),
    ),
    "argmin0": (
        lambda: jnp.argmin(g, 0),
        P(
            "y",
        ),
    ),
    "norm": (
        lambda: jnp.linalg.norm(g, axis=1),
        P(
            "x",
        ),
    ),
    "lse": (
        lambda: dt.nn.logsumexp(g, 1),
        P(
            "x",
        ),
    ),
    "softmax": (lambda: dt.nn.softmax(g, 0), P("x", "y")),
    "histogram": (lambda: jnp.histogram(b, 4)[0], P()),
    "cov": (
        lambda: jnp.cov(sq),
        P(
            "x",
        ),
    ),
    "corrcoef": (
        lambda: jnp.corrcoef(sq),
        P(
            "x",
        ),
    ),
    "all": (
        lambda: jnp.all(g > 0, 1),
        P(
            "x",
        ),
    ),
    "ptp": (
        lambda: jnp.ptp(g, 1),
        P(
            "x",
        ),
    ),
    "tril": (lambda: jnp.tril(sq), P("x", "y")),
    "diag v": (
        lambda: jnp.diag(b),
        P(
            "x",
        ),
    ),
    "diagonal": (lambda: jnp.diagonal(sq, 1), P()),
    "trace": (lambda: jnp.trace(sq), P()),
    "vander": (
        lambda: jnp.vander(b, 3),
        P(
            "x",
        ),
    ),
    "at set": (lambda: g.at[1].set(0.0), P("x", "y")),
    "at set sl": (lambda: g.at[:4].set(0.0), P("x", "y")),
    "at set idx": (lambda: g.at[i1].set(0.0), P("x", "y")),
    "at mul": (lambda: g.at[i1].multiply(2.0), P("x", "y")),
    "at get": (lambda: g.at[i1].get(), P(None, "y")),
    "at add 2": (lambda: g.at[i1, i1].add(1.0), P("x", "y")),
    "dus": (lambda: lax.dynamic_update_slice(g, np.ones((1, 8), np.float32), (2, 0)), P("x", "y")),
    "dus1": (
        lambda: lax.dynamic_update_slice(g, np.ones((16, 1), np.float32), (0, 2)),
        P("x", "y"),
    ),
    "dus p": (
        lambda: lax.dynamic_update_slice(g, np.ones((3, 3), np.float32), (2, 1)),
        P("x", "y"),
    ),
    "insert": (lambda: jnp.insert(b, 2, 0.0), P()),
    "delete": (lambda: jnp.delete(b, 2), P()),
    "where": (lambda: jnp.where(g > 3, g, 0), P("x", "y")),
    "select": (lambda: jnp.select([g > 3, g > 1], [g, 2 * g]), P("x", "y")),
    "choose": (
        lambda: jnp.choose(bi % 2, [b, 2 * b]),
        P(
            "x",
        ),
    ),
    "compress": (lambda: jnp.compress(np.array([1, 0, 1, 1, 0, 0, 0, 0], bool), b), P()),
    "extract": (lambda: jnp.extract(np.array([1, 0, 1, 1, 0, 0, 0, 0], bool), b), P()),
    "trim": (lambda: jnp.trim_zeros(b), P()),
    "nonzero": (lambda: jnp.nonzero(b, size=8)[0], P()),
    "one_hot": (
        lambda: dt.nn.one_hot(bi, 4),
        P(
            "x",
        ),
    ),
    "packbits": (lambda: jnp.packbits(b > 3), P()),
    "bitcast": (lambda: lax.bitcast_convert_type(g, np.int32), P("x", "y")),
    "astype": (lambda: g.astype(np.float16), P("x", "y")),
    "complex": (lambda: lax.complex(g, g), P("x", "y")),
    "real": (lambda: jnp.real(g + 1j), P("x", "y")),
    "fft": (lambda: jnp.fft.fft(g, axis=0), P("x", "y")),
    "fft1": (lambda: jnp.fft.fft(g, axis=1), P("x", "y")),
    "rfft": (
        lambda: jnp.fft.rfft(g, axis=1),
        P(
            "x",
        ),
    ),
    "fft2": (lambda: jnp.fft.fft2(g), P("x", "y")),
    "fftshift": (
        lambda: jnp.fft.fftshift(b),
        P(
            "x",
        ),
    ),
    "ifftshift": (lambda: jnp.fft.ifftshift(g), P("x", "y")),
    "chol": (lambda: jnp.linalg.cholesky(spd), P()),
    "chol b": (lambda: jnp.linalg.cholesky(bat), P("x", None, None)),
    "inv": (lambda: jnp.linalg.inv(spd), P()),
    "inv b": (
        lambda: jnp.linalg.inv(bat),
        P(
            "x",
        ),
    ),
    "solve": (lambda: jnp.linalg.solve(spd, b), P()),
    "solve b": (lambda: jnp.linalg.solve(bat, bat), P("x", None, None)),
    "qr": (lambda: jnp.linalg.qr(spd)[0], P()),
    "qr b": (lambda: jnp.linalg.qr(bat)[0], P("x", None, None)),
    "svd": (lambda: jnp.linalg.svd(spd)[1], P()),
    "svd b": (
        lambda: jnp.linalg.svd(bat)[1],
        P(
            "x",
        ),
    ),
    "eigh": (lambda: jnp.linalg.eigh(spd)[0], P()),
    "eigh v": (lambda: jnp.linalg.eigh(spd)[1], P()),
    "eigh b": (lambda: jnp.linalg.eigh(bat)[1], P("x", None, None)),
    "det": (lambda: jnp.linalg.det(spd), P()),
    "det b": (
        lambda: jnp.linalg.det(bat),
        P(
            "x",
        ),
    ),
    "lu": (lambda: lax.linalg.lu(bat)[0], P("x", None, None)),
    "pinv": (lambda: jnp.linalg.pinv(spd), P()),
    "map": (lambda: lax.map(lambda r: r * 2, g), P(None, "y")),
    "scan ys": (
        lambda: lax.scan(lambda s, r: (s + r, s * r), np.zeros(8, np.float32), g)[1],
        P(None, "y"),
    ),
    "scan c": (
        lambda: lax.scan(lambda s, r: (s + r, s * r), np.zeros(8, np.float32), g)[0],
        P(
            "y",
        ),
    ),
    "cond": (lambda: lax.cond(True, lambda q: q * 2, lambda q: q, g), P("x", "y")),
    "while": (lambda: lax.fori_loop(0, 3, lambda i, q: q * 2, g), P("x", "y")),
    "vmap roll": (lambda: dt.vmap(lambda r: jnp.roll(r, 1))(g), P("x", "y")),
    "grad roll": (
        lambda: dt.grad(lambda q: jnp.sum(jnp.roll(q, 1) * q))(b),
        P(
            "x",
        ),
    ),
    "jit roll": (lambda: dt.jit(lambda q: jnp.roll(q, 1, 0))(g), P("x", "y")),
    "jit roll+": (
        lambda: dt.jit(lambda q: jnp.roll(q, 1, 0) + jnp.roll(q, -1, 0) - 2 * q)(g),
        P("x", "y"),
    ),
    "jit slice": (lambda: dt.jit(lambda q: q[1:] - q[:-1])(g), P(None, "y")),
    "jit slice +": (lambda: dt.jit(lambda q: q[:8] * 2)(g), P("x", "y")),
}


@pytest.mark.parametrize("name", CASES)
@dt.config.compile("never")
def test_shardings(name: str) -> None:
    function, spec = CASES[name]
    result = function()
    assert result.sharding.is_equivalent_to(NamedSharding(MESH, spec), result.ndim), (
        result.sharding.spec
    )

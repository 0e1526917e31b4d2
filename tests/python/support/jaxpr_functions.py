"""Functions of `lax`, `numpy`, `nn`, `scipy` and `random` whose equations have JAX's types, too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from support.jaxpr_programs import IMAGE, I, M, V

B = np.array([True, False, True, True, False])
C = (V + 1j).astype(np.complex64)
S = np.eye(3, dtype=np.float32) * 2 + np.float32(0.5)
KERNEL = np.ones((1, 1, 5, 5), np.float32)


def _loop(jax: Any) -> Callable[..., Any]:
    def condition(carry: Any, y: Any) -> Any:
        return carry[0] < y[0]

    return lambda x, y: jax.lax.while_loop(
        lambda c: condition(c, y), lambda c: (c[0] + y[1] * y[2], c[1] * 2), (x[0], x)
    )


# (name, what makes the function of a library, arguments); a key is made of `key`.
FUNCTIONS: list[tuple[str, Callable[[Any], Callable[..., Any]], tuple[Any, ...]]] = [
    ("while_consts", _loop, (V, V)),
    (
        "while_shared",
        lambda jax: lambda x, n: jax.lax.while_loop(lambda c: c.sum() < n, lambda c: c + n, x),
        (V, 3.0),
    ),
    ("scan_plain", lambda jax: lambda x: jax.lax.scan(lambda c, y: (c + y, c * y), 0.0, x), (V,)),
    (
        "scan_closed",
        lambda jax: lambda x, y: jax.lax.scan(lambda c, z: (c * y, c + z), y, x),
        (V, np.float32(2)),
    ),
    ("map", lambda jax: lambda x: jax.lax.map(lambda y: jax.lax.sin(y) * 2, x), (V,)),
    ("clamp", lambda jax: lambda x: jax.lax.clamp(0.0, x, 2.0), (V,)),
    ("select", lambda jax: lambda b, x: jax.lax.select(b, x, -x), (B, V)),
    ("pad", lambda jax: lambda x: jax.lax.pad(x, 0.0, [(1, 2, 1)]), (V,)),
    ("concat", lambda jax: lambda x: jax.numpy.concatenate([x, x, x]), (V,)),
    ("stack", lambda jax: lambda x: jax.numpy.stack([x, x]), (V,)),
    ("rev", lambda jax: lambda x: jax.lax.rev(x, (0,)), (V,)),
    ("flip", lambda jax: lambda x: jax.numpy.flip(x, 1), (M,)),
    ("transpose", lambda jax: lambda x: x.T, (M,)),
    ("reshape", lambda jax: lambda x: x.reshape(3, 2), (M,)),
    ("ravel", lambda jax: lambda x: x.ravel(), (M,)),
    ("bcast", lambda jax: lambda x: jax.numpy.broadcast_to(x, (2, 5)), (V,)),
    ("expand", lambda jax: lambda x: x[:, None] + x, (V,)),
    ("squeeze", lambda jax: lambda x: jax.numpy.squeeze(x), (IMAGE,)),
    ("sum", lambda jax: lambda x: jax.numpy.sum(x, 0), (M,)),
    ("mean", lambda jax: lambda x: jax.numpy.mean(x, 1), (M,)),
    ("max", lambda jax: lambda x: jax.numpy.max(x, axis=1), (M,)),
    ("prod", lambda jax: lambda x: jax.numpy.prod(x), (V,)),
    ("any", lambda jax: lambda x: jax.numpy.any(x), (B,)),
    ("all", lambda jax: lambda x: jax.numpy.all(x > 1, axis=0), (M,)),
    ("argmax", lambda jax: lambda x: jax.numpy.argmax(x, axis=0), (M,)),
    ("lax_argmin", lambda jax: lambda x: jax.lax.argmin(x, 0, np.int32), (M,)),
    ("cumsum", lambda jax: lambda x: jax.numpy.cumsum(x), (V,)),
    ("cummax", lambda jax: lambda x: jax.lax.cummax(x, reverse=True), (V,)),
    ("logcumsumexp", lambda jax: lambda x: jax.lax.cumlogsumexp(x), (V,)),
    ("dot", lambda jax: lambda x, y: x @ y, (M, M.T)),
    ("vdot", lambda jax: lambda x: jax.numpy.dot(x, x), (V,)),
    ("outer", lambda jax: lambda x: jax.numpy.outer(x, x), (V,)),
    ("einsum", lambda jax: lambda x, y: jax.numpy.einsum("ij,kj->ik", x, y), (M, M)),
    ("tensordot", lambda jax: lambda x: jax.numpy.tensordot(x, x, 1), (S,)),
    (
        "conv1",
        lambda jax: (
            lambda x: jax.lax.conv_general_dilated(
                x, x, (1, 1), [(1, 1), (0, 0)], rhs_dilation=(1, 2)
            )
        ),
        (np.ones((1, 1, 5, 5), np.float32),),
    ),
    ("lu", lambda jax: lambda x: jax.lax.linalg.lu(x), (S,)),
    (
        "tri",
        lambda jax: lambda x: jax.lax.linalg.triangular_solve(x, x, left_side=True, lower=True),
        (S,),
    ),
    ("eigvals", lambda jax: lambda x: jax.lax.linalg.eig(x, compute_left_eigenvectors=False), (S,)),
    ("norm", lambda jax: lambda x: jax.numpy.linalg.norm(x), (V,)),
    ("tril", lambda jax: lambda x: jax.numpy.tril(x), (S,)),
    ("arange", lambda jax: lambda: jax.numpy.arange(5), ()),
    ("zeros", lambda jax: lambda: jax.numpy.zeros((2, 3)), ()),
    ("full_like", lambda jax: lambda x: jax.numpy.full_like(x, 2), (M,)),
    ("astype", lambda jax: lambda x: x.astype(np.int32), (V,)),
    ("bitcast", lambda jax: lambda x: jax.lax.bitcast_convert_type(x, np.int32), (V,)),
    ("view", lambda jax: lambda x: x.view(np.int32), (V,)),
    ("redprec", lambda jax: lambda x: jax.lax.reduce_precision(x, 5, 10), (V,)),
    ("intpow", lambda jax: lambda x: x**3, (V,)),
    ("pow", lambda jax: lambda x: x**x, (V,)),
    ("pow2", lambda jax: lambda x: x**2, (V,)),
    ("rpow", lambda jax: lambda x: 2.0**x, (V,)),
    ("square", lambda jax: lambda x: jax.numpy.square(x), (V,)),
    ("sqrt", lambda jax: lambda x: jax.numpy.sqrt(x), (V,)),
    ("rsqrt", lambda jax: lambda x: jax.lax.rsqrt(x), (V,)),
    ("sign", lambda jax: lambda x: jax.numpy.sign(x), (V,)),
    ("abs", lambda jax: lambda x: jax.numpy.abs(x), (C,)),
    ("conj", lambda jax: lambda x: jax.numpy.conj(x), (C,)),
    ("real", lambda jax: lambda x: x.real + x.imag, (C,)),
    ("complex", lambda jax: lambda x: jax.lax.complex(x, x), (V,)),
    ("isnan", lambda jax: lambda x: jax.numpy.isnan(x), (V,)),
    ("isfinite", lambda jax: lambda x: jax.numpy.isfinite(x), (V,)),
    ("isinf", lambda jax: lambda x: jax.numpy.isinf(x), (V,)),
    ("nan_to_num", lambda jax: lambda x: jax.numpy.nan_to_num(x), (V,)),
    ("floor", lambda jax: lambda x: jax.numpy.floor(x) + jax.numpy.ceil(x), (V,)),
    ("round", lambda jax: lambda x: jax.numpy.round(x), (V,)),
    ("rem", lambda jax: lambda x: jax.lax.rem(x, x), (I,)),
    ("div", lambda jax: lambda x: x / 2, (I,)),
    ("shift", lambda jax: lambda x: (x << 1) | (x >> 1) & x ^ ~x, (I,)),
    ("popcount", lambda jax: lambda x: jax.lax.population_count(x) + jax.lax.clz(x), (I,)),
    ("arctan2", lambda jax: lambda x: jax.numpy.arctan2(x, x), (V,)),
    ("deg", lambda jax: lambda x: jax.numpy.deg2rad(x), (V,)),
    ("maximum", lambda jax: lambda x: jax.numpy.maximum(x, 0), (V,)),
    ("sort1", lambda jax: lambda x: jax.numpy.sort(x), (V,)),
    ("argsort", lambda jax: lambda x: jax.numpy.argsort(x), (V,)),
    ("topk", lambda jax: lambda x: jax.lax.top_k(x, 2), (V,)),
    ("tile", lambda jax: lambda x: jax.numpy.tile(x, 2), (V,)),
    ("repeat", lambda jax: lambda x: jax.numpy.repeat(x, 2), (V,)),
    ("laxsplit", lambda jax: lambda x: jax.lax.split(x, (2, 3)), (V,)),
    ("slice", lambda jax: lambda x: x[1:4:2], (V,)),
    ("newaxis", lambda jax: lambda x: x[None, ..., None], (V,)),
    ("logsoftmax", lambda jax: lambda x: jax.nn.log_softmax(x), (V,)),
    ("sigmoid", lambda jax: lambda x: jax.nn.sigmoid(x), (V,)),
    ("gelu", lambda jax: lambda x: jax.nn.gelu(x), (V,)),
    ("silu", lambda jax: lambda x: jax.nn.silu(x), (V,)),
    ("leaky", lambda jax: lambda x: jax.nn.leaky_relu(x), (V,)),
    ("erf", lambda jax: lambda x: jax.scipy.special.erf(x), (V,)),
    (
        "gammaln",
        lambda jax: lambda x: jax.scipy.special.gammaln(x) + jax.scipy.special.digamma(x),
        (V,),
    ),
    ("betainc", lambda jax: lambda x: jax.scipy.special.betainc(x, x, x), (V,)),
    ("i0", lambda jax: lambda x: jax.scipy.special.i0e(x) + jax.scipy.special.i1e(x), (V,)),
    ("sla_solve_tri", lambda jax: lambda x: jax.scipy.linalg.solve_triangular(x, x[0]), (S,)),
    ("gamma", lambda jax: lambda k, x: jax.random.gamma(k, x), ("key", V)),
    ("split2", lambda jax: lambda k: jax.random.split(k), ("key",)),
    ("fft2", lambda jax: lambda x: jax.numpy.fft.fft(x), (C,)),
    ("stopgrad", lambda jax: lambda x: jax.lax.stop_gradient(x) + x, (V,)),
    ("optbar", lambda jax: lambda x: jax.lax.optimization_barrier((x, x)), (V,)),
    ("reduce", lambda jax: lambda x: jax.lax.reduce(x, 0.0, jax.lax.add, (0,)), (V,)),
    ("redmax", lambda jax: lambda x: jax.lax.reduce(x, -np.inf, jax.lax.max, (0,)), (V,)),
    ("jvp_exp", lambda jax: lambda x: jax.jvp(jax.numpy.exp, (x,), (x,)), (V,)),
    ("vmap_dot", lambda jax: lambda x: jax.vmap(jax.numpy.dot)(x, x), (M,)),
    ("segsum", lambda jax: lambda x, i: jax.ops.segment_sum(x[:3], i, 4), (V, I)),
]

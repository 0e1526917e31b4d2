"""Programs with control flow, rules of their own and layers, over either library."""

from __future__ import annotations

import numpy as np

from support.exported_functions import add, f32, function, ints, pos


@function(f32(4), ours=True, grad=False)
def while_scan(lib, x):
    def body(c, t):
        return lib.lax.while_loop(lambda s: s[1] < t, lambda s: (s[0] * 0.5 + 1, s[1] + 1), (c, 0))[
            0
        ], c.sum()

    return lib.lax.scan(body, x, lib.np.arange(5))


@function(f32(6, 3))
def scan_of_cond(lib, x):
    def body(c, r):
        c = lib.lax.cond(r.sum() > 0, lambda c: c * 2 + r, lambda c: lib.np.sin(c) - r, c)
        return c, (c**2).sum()

    return lib.lax.scan(body, lib.np.zeros(3), x)


@function(f32(5), ints(0, 3, 5))
def switch_in_vmap(lib, x, i):
    return lib.jax.vmap(
        lambda i, x: lib.lax.switch(i, [lib.np.sin, lib.np.cos, lambda x: x * x], x)
    )(i, x)


@function(f32(3, 3))
def fori_matrix(lib, x):
    return lib.lax.fori_loop(0, 6, lambda i, a: lib.np.tanh(a @ x) + i * 0.1, x)


@function(f32(7))
def assoc_scan(lib, x):
    return lib.lax.associative_scan(lambda a, b: a * 0.5 + b, x)


@function(f32(7), f32(7))
def assoc_scan_pair(lib, a, b):
    return lib.lax.associative_scan(
        lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1]), (a, b), reverse=True
    )


@function(f32(4, 5))
def nested_scan(lib, x):
    return lib.lax.scan(
        lambda c, r: (lib.lax.scan(lambda d, e: (lib.np.cos(d + e), d * e), c, r)[0], c),
        lib.np.float32(0.3),
        x,
    )


@function(pos(), grad=False)
def newton_while(lib, x):
    return lib.lax.while_loop(lambda y: lib.np.abs(y * y - x) > 1e-5, lambda y: (y + x / y) / 2, x)


@function(f32(8), ints(0, 8, 3))
def scan_dus(lib, x, i):
    def body(c, k):
        c = lib.lax.dynamic_update_slice(c, lib.lax.dynamic_slice(c, (k,), (2,)) * 2, (7 - k,))
        return c, c[k]

    return lib.lax.scan(body, x, i)


@function(f32(6, 2))
def scan_reverse_unroll(lib, x):
    return lib.lax.scan(lambda c, r: (c * 0.9 + r, c), lib.np.ones(2), x, reverse=True, unroll=2)


@function(f32(5))
def map_batched(lib, x):
    return lib.lax.map(lambda v: lib.np.exp(-v * v), x)


@function(f32(5))
def grad_of_scan_inside(lib, x):
    def g(x):
        return lib.lax.scan(lambda c, v: (c * lib.np.tanh(v) + v, c), lib.np.float32(1), x)[0]

    return lib.jax.grad(g)(x)


@function(f32(4, 3))
def hessian_inside(lib, x):
    return lib.jax.hessian(lambda v: (lib.np.sin(v) * v[::-1]).sum() ** 2)(x[0])


@function(f32(5))
def jvp_inside(lib, x):
    return lib.jax.jvp(lambda v: lib.np.cumsum(v) * v, (x,), (lib.np.cos(x),))


@function(f32(5))
def remat(lib, x):
    return lib.jax.grad(lib.jax.checkpoint(lambda v: lib.np.sin(lib.np.sin(v)).sum()))(x)


@function(f32(5))
def custom_vjp(lib, x):
    f = lib.jax.custom_vjp(lambda x: lib.np.log1p(lib.np.exp(x)))
    f.defvjp(lambda x: (f(x), x), lambda x, g: (g * lib.jax.nn.sigmoid(x),))
    return lib.jax.grad(lambda x: (f(x) * x).sum())(x)


@function(f32(5))
def custom_jvp(lib, x):
    f = lib.jax.custom_jvp(lambda x: lib.np.sin(x) * 2)
    f.defjvp(lambda p, t: (f(*p), 2 * lib.np.cos(p[0]) * t[0]))
    return lib.jax.grad(lambda x: f(x).sum())(x)


@function(pos(5))
def custom_root(lib, x):
    return lib.lax.custom_root(
        lambda y: y**3 - x,
        lib.np.ones_like(x),
        lambda f, y: lib.lax.fori_loop(0, 20, lambda i, y: y - (y**3 - x) / (3 * y * y), y),
        lambda g, y: y / g(lib.np.ones_like(y)),
    )


@function(f32(4, 4), f32(4))
def custom_linear_solve(lib, a, b):
    m = a @ a.T + 2 * lib.np.eye(4)
    return lib.lax.custom_linear_solve(
        lambda v: m @ v, b, lambda mv, b: lib.np.linalg.solve(m, b), symmetric=True
    )


for nm in (
    "relu",
    "gelu",
    "silu",
    "elu",
    "selu",
    "softplus",
    "celu",
    "glu",
    "leaky_relu",
    "hard_swish",
    "log_sigmoid",
    "mish",
    "squareplus",
    "sparse_plus",
    "relu6",
    "hard_tanh",
    "softmax",
    "log_softmax",
    "logsumexp",
    "standardize",
):
    add("nn_" + nm, lambda lib, x, nm=nm: getattr(lib.nn, nm)(x), f32(3, 4))
add("nn_one_hot", lambda lib, i: lib.nn.one_hot(i, 4), ints(-1, 5, 6), grad=False)


@function(f32(1, 4, 2, 8), f32(1, 5, 2, 8), f32(1, 5, 2, 8))
def attention(lib, q, k, v):
    return lib.nn.dot_product_attention(q, k, v, scale=0.3)


@function(f32(1, 4, 2, 8))
def attention_causal(lib, q):
    return lib.nn.dot_product_attention(q, q, q, is_causal=True)


@function(f32(4, 8), f32(8, 3), f32(3), f32(8, 3), f32(3), ints(0, 3, 4), grad=False)
def adam_step(lib, x, w, b, mw, mb, y):
    def loss(p):
        z = x @ p[0] + p[1]
        return -lib.np.take_along_axis(lib.nn.log_softmax(z), y[:, None], 1).mean()

    v, g = lib.jax.value_and_grad(loss)((w, b))
    out = []
    for p, m, d in zip((w, b), (mw, mb), g, strict=True):
        m = 0.9 * m + 0.1 * d
        s = 0.001 * d * d
        out += [p - 0.01 * m / (lib.np.sqrt(s) + 1e-8), m, s]
    return (v, *out)


@function(f32(2, 8, 8, 1), f32(3, 3, 1, 4), f32(36, 3), ints(0, 3, 2), grad=False)
def cnn_step(lib, x, k, w, y):
    def loss(k, w):
        h = lib.lax.conv_general_dilated(
            x, k, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        h = lib.lax.reduce_window(
            lib.nn.relu(h), -np.inf, lib.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )
        z = h.reshape(2, -1) @ w
        return (
            lib.nn.logsumexp(z, axis=-1) - lib.np.take_along_axis(z, y[:, None], 1)[:, 0]
        ).mean()

    return lib.jax.value_and_grad(loss, (0, 1))(k, w)


@function(f32(6, 3), f32(3, 8), f32(4, 8), f32(8), grad=False)
def lstm_step(lib, xs, wi, wh, b):
    def loss(wi, wh):
        def cell(c, x):
            h, m = c
            i, f, g, o = lib.np.split(
                x @ lib.np.concatenate([wi, wi], 1)
                + h @ lib.np.concatenate([wh, wh], 1)
                + lib.np.concatenate([b, b]),
                4,
            )
            m = lib.nn.sigmoid(f) * m + lib.nn.sigmoid(i) * lib.np.tanh(g)
            h = lib.nn.sigmoid(o) * lib.np.tanh(m)
            return (h, m), h

        return (lib.lax.scan(cell, (lib.np.zeros(4), lib.np.zeros(4)), xs)[1] ** 2).sum()

    return lib.jax.value_and_grad(loss, (0, 1))(wi, wh)


@function(f32(10, 2), grad=False)
def kmeans(lib, x):
    def body(i, c):
        a = lib.np.argmin(((x[:, None] - c[None]) ** 2).sum(-1), 1)
        return (
            lib.jax.ops.segment_sum(x, a, 3)
            / lib.np.maximum(lib.np.bincount(a, length=3), 1)[:, None]
        )

    return lib.lax.fori_loop(0, 5, body, x[:3])


# JAX writes series with branches that are not finite where they are not taken, and Bessel functions
# have no op.
@function(f32(5), pos(5), grad=False, ours=False)
def special(lib, x, y):
    s = lib.jax.scipy.special
    return (
        s.erf(x),
        s.erfinv(x * 0.3),
        s.gammaln(y),
        s.digamma(y),
        s.logit(y * 0.5),
        s.xlogy(x, y),
        s.erfc(x),
        s.expit(x),
        s.entr(y),
        s.ndtr(x),
        s.i1e(y),
        s.i0e(y),
    )


@function(pos(5), pos(5), grad=False, ours=False)
def special2(lib, a, x):
    s = lib.jax.scipy.special
    return s.gammainc(a, x), s.betainc(a, x, x * 0.4), s.zeta(a + 1, x), s.polygamma(1, x)


@function(f32(4, 4))
def numerics(lib, x):
    return (
        lib.np.gradient(x, axis=0),
        lib.np.trapezoid(x),
        lib.np.cov(x),
        lib.np.kron(x[:2, :2], x),
        lib.np.roll(x, (1, 2), (0, 1)),
        lib.np.rot90(x),
        lib.np.tensordot(x, x, 1),
    )


@function(f32(9), f32(5))
def interp(lib, x, p):
    return (
        lib.np.interp(p, lib.np.sort(x), x),
        lib.np.convolve(x, p, "same"),
        lib.np.polyval(p, x * 0.5),
        lib.np.correlate(x, p),
        lib.np.vander(p, 3),
    )


@function(f32(6, 4))
def pads(lib, x):
    return [
        lib.np.pad(x, 2, mode=m)
        for m in ("reflect", "symmetric", "edge", "wrap", "mean", "linear_ramp")
    ]


@function(f32(1, 4, 4, 2))
def resize(lib, x):
    return (
        lib.jax.image.resize(x, (1, 7, 3, 2), "bilinear"),
        lib.jax.image.resize(x, (1, 6, 6, 2), "cubic"),
        lib.jax.image.resize(x, (1, 2, 8, 2), "nearest"),
    )


@function(f32(5, 5))
def map_coordinates(lib, x):
    return lib.jax.scipy.ndimage.map_coordinates(
        x, [lib.np.array([0.5, 2.3, 5.0]), lib.np.array([1.1, 3.9, -1.0])], order=1, mode="nearest"
    )


@function(f32(3, 4), f32(4, 5))
def barrier_precision(lib, x, w):
    x, w = lib.lax.optimization_barrier((x, w))
    return lib.lax.dot_general(x, w, (((1,), (0,)), ((), ())), precision="highest")


@function(f32(2, 3, 4), f32(2, 4, 3))
def ragged(lib, x, y):
    return lib.np.einsum("bij,bjk->ikb", x, y), lib.np.einsum("bij,bji->b", x, y)


@function(f32(10, 4), f32(3, 4, 5), np.array([3, 5, 2], np.int32))
def ragged_dot(lib, x, w, g):
    return lib.lax.ragged_dot(x, w, g)

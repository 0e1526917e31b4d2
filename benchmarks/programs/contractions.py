"""Products of matrices: square, thin, batched, and those of attention."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from .registry import Draw, program, torch_gradient


def square(draw: Draw, n: int) -> tuple[Any, ...]:
    return draw.normal(n, n), draw.normal(n, n)


@program(
    "contractions",
    sizes=(256, 1024, 2048),
    arguments=square,
    bytes=lambda n: 12 * n * n,
    flops=lambda n: 2 * n**3,
    numpy=np.matmul,
    torch=lambda torch, x, y: x @ y,
)
def product(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=(128, 1024, 1536),
    arguments=lambda draw, n: tuple(a.astype(np.float64) for a in square(draw, n)),
    bytes=lambda n: 24 * n * n,
    flops=lambda n: 2 * n**3,
    numpy=np.matmul,
    torch=lambda torch, x, y: x @ y,
    dtype="float64",
    tolerance=1e-10,
)
def product_in_float64(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=(256, 1024, 2048),
    arguments=lambda draw, n: tuple(a.astype(ml_dtypes.bfloat16) for a in square(draw, n)),
    bytes=lambda n: 6 * n * n,
    flops=lambda n: 2 * n**3,
    torch=lambda torch, x, y: x @ y,
    dtype="bfloat16",
    tolerance=2e-2,
)
def product_in_bfloat16(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=((8, 512), (8, 2048), (8, 4096)),
    arguments=lambda draw, m, n: (draw.normal(m, n), draw.normal(n, n)),
    bytes=lambda m, n: 4 * n * n + 8 * m * n,
    flops=lambda m, n: 2 * m * n * n,
    numpy=np.matmul,
    torch=lambda torch, x, y: x @ y,
)
def product_of_eight_rows(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=(512, 2048, 4096),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n)),
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=np.matmul,
    torch=lambda torch, a, x: a @ x,
)
def matrix_by_vector(lib: Any, a: Any, x: Any) -> Any:
    return a @ x


@program(
    "contractions",
    sizes=(512, 2048, 4096),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n)),
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=lambda a, x: x @ a,
    torch=lambda torch, a, x: x @ a,
)
def vector_by_matrix(lib: Any, a: Any, x: Any) -> Any:
    return x @ a


@program(
    "contractions",
    sizes=((64, 32), (64, 128), (512, 128)),
    arguments=lambda draw, b, n: (draw.normal(b, n, n), draw.normal(b, n, n)),
    bytes=lambda b, n: 12 * b * n * n,
    flops=lambda b, n: 2 * b * n**3,
    numpy=np.matmul,
    torch=lambda torch, x, y: x @ y,
)
def batched_products(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=(1000, 20000, 200000),
    arguments=lambda draw, b: (draw.normal(b, 4, 4), draw.normal(b, 4, 4)),
    bytes=lambda b: 192 * b,
    flops=lambda b: 128 * b,
    numpy=np.matmul,
    torch=lambda torch, x, y: x @ y,
)
def products_of_4_by_4(lib: Any, x: Any, y: Any) -> Any:
    return x @ y


@program(
    "contractions",
    sizes=((2000, 64), (20000, 64), (400000, 64)),
    arguments=lambda draw, n, k: (draw.normal(n, k),),
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: n * k * k,
    numpy=lambda x: x.T @ x,
    torch=lambda torch, x: x.T @ x,
    tolerance=1e-3,
)
def gram_matrix(lib: Any, x: Any) -> Any:
    return x.T @ x


@program(
    "contractions",
    sizes=((64, 16), (256, 64), (512, 128)),
    arguments=lambda draw, b, n: (draw.normal(b, n), draw.normal(n, n, n), draw.normal(b, n)),
    bytes=lambda b, n: 4 * n**3 + 12 * b * n,
    flops=lambda b, n: 2 * b * n**3,
    numpy=lambda x, t, y: np.einsum("bi,ijk,bk->bj", x, t, y, optimize=True),
    torch=lambda torch, x, t, y: torch.einsum("bi,ijk,bk->bj", x, t, y),
)
def bilinear_form(lib: Any, x: Any, t: Any, y: Any) -> Any:
    return lib.numpy.einsum("bi,ijk,bk->bj", x, t, y)


@program(
    "contractions",
    sizes=((4, 64), (16, 128), (32, 256)),
    arguments=lambda draw, b, n: (draw.normal(b, n, 8, 32), draw.normal(b, n, 8, 32)),
    bytes=lambda b, n: 4 * b * (2 * n * 256 + 8 * n * n),
    flops=lambda b, n: 2 * b * n * n * 256,
    numpy=lambda x, y: x.transpose(0, 2, 1, 3) @ y.transpose(0, 2, 3, 1),
    torch=lambda torch, x, y: torch.einsum("bqhd,bkhd->bhqk", x, y),
)
def scores_of_heads(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.einsum("bqhd,bkhd->bhqk", x, y)


@program(
    "contractions",
    sizes=((128, 16), (1024, 32), (4096, 64)),
    arguments=lambda draw, n, k: (
        draw.normal(n, k),
        draw.normal(k, n),
        draw.normal(n, k),
    ),
    bytes=lambda n, k: 16 * n * k,
    flops=lambda n, k: 4 * n * k * k,
    numpy=lambda a, b, c: a @ (b @ c),
    torch=lambda torch, a, b, c: torch.linalg.multi_dot([a, b, c]),
)
def chain_of_thin_products(lib: Any, a: Any, b: Any, c: Any) -> Any:
    return lib.numpy.linalg.multi_dot([a, b, c])


@program(
    "contractions",
    sizes=((8, 128), (128, 1024), (1024, 2048)),
    arguments=lambda draw, m, n: (
        draw.normal(m, n),
        draw.normal(n, n, scale=n**-0.5),
        draw.normal(n),
    ),
    bytes=lambda m, n: 4 * n * n + 8 * m * n,
    flops=lambda m, n: 2 * m * n * n,
    numpy=lambda x, w, b: np.maximum(x @ w + b, 0),
    torch=lambda torch, x, w, b: torch.relu(torch.addmm(b, x, w)),
)
def dense_layer(lib: Any, x: Any, w: Any, b: Any) -> Any:
    return lib.nn.relu(x @ w + b)


# Sequences, heads, length, features.
ATTENTION = ((1, 2, 64, 32), (4, 8, 512, 64), (4, 8, 1024, 64))


def heads(draw: Draw, *shape: int) -> tuple[Any, ...]:
    return tuple(draw.normal(*shape) for _ in range(3))


def attend(lib: Any, q: Any, k: Any, v: Any) -> Any:
    scores = q @ lib.numpy.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    return lib.nn.softmax(scores, axis=-1) @ v


@program(
    "contractions",
    sizes=ATTENTION,
    arguments=heads,
    bytes=lambda b, h, n, d: 16 * b * h * n * d,
    flops=lambda b, h, n, d: 4 * b * h * n * n * d,
    torch=lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v),
)
def attention(lib: Any, q: Any, k: Any, v: Any) -> Any:
    return attend(lib, q, k, v)


@program(
    "contractions",
    sizes=ATTENTION,
    arguments=heads,
    bytes=lambda b, h, n, d: 16 * b * h * n * d,
    flops=lambda b, h, n, d: 2 * b * h * n * n * d,
    torch=lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=True
    ),
)
def causal_attention(lib: Any, q: Any, k: Any, v: Any) -> Any:
    xp = lib.numpy
    scores = q @ xp.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    mask = xp.tril(xp.ones(scores.shape[-2:], bool))
    return lib.nn.softmax(xp.where(mask, scores, -xp.inf), axis=-1) @ v


@program(
    "contractions",
    sizes=((1, 64, 2, 32), (4, 512, 8, 64), (4, 1024, 8, 64)),
    arguments=heads,
    bytes=lambda b, n, h, d: 16 * b * h * n * d,
    flops=lambda b, n, h, d: 4 * b * h * n * n * d,
    torch=lambda torch, *given: torch.nn.functional.scaled_dot_product_attention(
        *(x.transpose(1, 2) for x in given)
    ).transpose(1, 2),
)
def attention_of_interleaved_heads(lib: Any, q: Any, k: Any, v: Any) -> Any:
    return lib.nn.dot_product_attention(q, k, v)


@program(
    "contractions",
    sizes=((1, 2, 64, 32), (2, 8, 256, 64), (4, 8, 512, 64)),
    arguments=heads,
    bytes=lambda b, h, n, d: 28 * b * h * n * d,
    flops=lambda b, h, n, d: 12 * b * h * n * n * d,
    torch=torch_gradient(
        lambda torch, q, k, v: (
            torch.nn.functional.scaled_dot_product_attention(q, k, v) ** 2
        ).sum()
    ),
    tolerance=1e-3,
)
def gradient_of_attention(lib: Any, q: Any, k: Any, v: Any) -> Any:
    def loss(*given: Any) -> Any:
        return lib.numpy.sum(attend(lib, *given) ** 2)

    return lib.grad(loss, argnums=(0, 1, 2))(q, k, v)

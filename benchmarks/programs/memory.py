"""Programs that read and write each element a few times."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.special

from .registry import program, torch_gradient

STREAM = (1 << 15, 1 << 20, 1 << 25)
SQUARE = (128, 1024, 4096)


@program(
    "memory",
    sizes=STREAM,
    arguments=lambda draw, n: (draw.normal(n), draw.normal(n)),
    bytes=lambda n: 12 * n,
    flops=lambda n: n,
    numpy=np.add,
    torch=lambda torch, x, y: x + y,
)
def add(lib: Any, x: Any, y: Any) -> Any:
    return x + y


@program(
    "memory",
    sizes=STREAM,
    arguments=lambda draw, n: (draw.normal(n), draw.normal(n)),
    bytes=lambda n: 12 * n,
    flops=lambda n: 4 * n,
    numpy=lambda x, y: np.maximum(2.5 * x + y, 0) * x,
    torch=lambda torch, x, y: torch.relu(torch.add(y, x, alpha=2.5)) * x,
)
def multiply_add_chain(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.maximum(2.5 * x + y, 0) * x


@program(
    "memory",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 8 * n,
    flops=lambda n: 80 * n,
    numpy=lambda x: np.sin(x) * np.exp(-x * x) + np.tanh(x) * np.log1p(np.abs(x)),
    torch=lambda torch, x: (
        torch.sin(x) * torch.exp(-x * x) + torch.tanh(x) * torch.log1p(torch.abs(x))
    ),
)
def elementary_functions(lib: Any, x: Any) -> Any:
    xp = lib.numpy
    return xp.sin(x) * xp.exp(-x * x) + xp.tanh(x) * xp.log1p(xp.abs(x))


@program(
    "memory",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 8 * n,
    flops=lambda n: 30 * n,
    numpy=lambda x: x * scipy.special.ndtr(x),
    torch=lambda torch, x: torch.nn.functional.gelu(x),
)
def gelu(lib: Any, x: Any) -> Any:
    return lib.nn.gelu(x, approximate=False)


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n),),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 20 * n * n,
    numpy=lambda x: scipy.special.softmax(x, axis=1),
    torch=lambda torch, x: torch.softmax(x, 1),
)
def softmax_of_rows(lib: Any, x: Any) -> Any:
    return lib.nn.softmax(x, axis=1)


def layer_norm_numpy(x: np.ndarray, scale: np.ndarray, bias: np.ndarray) -> np.ndarray:
    x = x - x.mean(1, keepdims=True)
    return x / np.sqrt(np.mean(x * x, 1, keepdims=True) + np.float32(1e-5)) * scale + bias


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n), draw.normal(n)),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 8 * n * n,
    numpy=layer_norm_numpy,
    torch=lambda torch, x, scale, bias: torch.nn.functional.layer_norm(
        x, (x.shape[1],), scale, bias
    ),
)
def layer_norm(lib: Any, x: Any, scale: Any, bias: Any) -> Any:
    xp = lib.numpy
    x = x - xp.mean(x, 1, keepdims=True)
    return x / xp.sqrt(xp.mean(x * x, 1, keepdims=True) + 1e-5) * scale + bias


def layer_norm_loss(torch: Any, x: Any, scale: Any, bias: Any, weight: Any) -> Any:
    return (torch.nn.functional.layer_norm(x, (x.shape[1],), scale, bias) * weight).sum()


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (
        draw.normal(n, n),
        draw.normal(n),
        draw.normal(n),
        draw.normal(n, n),
    ),
    bytes=lambda n: 16 * n * n,
    flops=lambda n: 20 * n * n,
    torch=torch_gradient(layer_norm_loss, (0, 1, 2)),
)
def gradient_of_layer_norm(lib: Any, x: Any, scale: Any, bias: Any, weight: Any) -> Any:
    def loss(*given: Any) -> Any:
        return lib.numpy.sum(layer_norm(lib, *given) * weight)

    return lib.grad(loss, argnums=(0, 1, 2))(x, scale, bias)


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n),),
    bytes=lambda n: 8 * n * n,
    numpy=lambda x: np.ascontiguousarray(x.T),
    torch=lambda torch, x: x.T.contiguous(),
)
def transpose(lib: Any, x: Any) -> Any:
    return x.T


@program(
    "memory",
    sizes=(32, 96, 256),
    arguments=lambda draw, n: (draw.normal(n, n, n),),
    bytes=lambda n: 8 * n**3,
    numpy=lambda x: np.ascontiguousarray(np.transpose(x, (2, 0, 1))),
    torch=lambda torch, x: x.permute(2, 0, 1).contiguous(),
)
def transpose_of_three_axes(lib: Any, x: Any) -> Any:
    return lib.numpy.transpose(x, (2, 0, 1))


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n, n)),
    bytes=lambda n: 16 * n * n,
    numpy=lambda x, y: np.concatenate([x, y], 1),
    torch=lambda torch, x, y: torch.cat([x, y], 1),
)
def concatenate(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.concatenate([x, y], 1)


@program(
    "memory",
    sizes=(32, 96, 192),
    arguments=lambda draw, n: (draw.normal(n, n, n),),
    bytes=lambda n: 8 * n**3,
    flops=lambda n: 12 * n**3,
    torch=torch_gradient(
        lambda torch, x: sum(torch.square(torch.diff(x, dim=axis)).sum() for axis in range(3))
    ),
    tolerance=1e-4,
)
def gradient_of_differences(lib: Any, x: Any) -> Any:
    xp = lib.numpy

    def loss(x: Any) -> Any:
        return sum(xp.sum(xp.diff(x, axis=axis) ** 2) for axis in range(3))

    return (lib.grad(loss)(x),)


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n),),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 5 * n * n,
    numpy=lambda x: 4 * x - sum(np.roll(x, *at) for at in ((1, 0), (-1, 0), (1, 1), (-1, 1))),
    torch=lambda torch, x: (
        4 * x - sum(torch.roll(x, *at) for at in ((1, 0), (-1, 0), (1, 1), (-1, 1)))
    ),
)
def laplacian_by_rolls(lib: Any, x: Any) -> Any:
    return 4 * x - sum(lib.numpy.roll(x, *at) for at in ((1, 0), (-1, 0), (1, 1), (-1, 1)))


def mirrored_numpy(x: np.ndarray) -> np.ndarray:
    padded = np.pad(x, 2, mode="reflect")
    return padded[2:-2, 4:] - padded[:-4, 2:-2] + x[::-1]


@program(
    "memory",
    sizes=SQUARE,
    arguments=lambda draw, n: (draw.normal(n, n),),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=mirrored_numpy,
)
def reflect_and_slice(lib: Any, x: Any) -> Any:
    padded = lib.numpy.pad(x, 2, mode="reflect")
    return padded[2:-2, 4:] - padded[:-4, 2:-2] + x[::-1]


@program(
    "memory",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (draw.normal(n), draw.normal(n), draw.integers(2, n) > 0),
    bytes=lambda n: 13 * n,
    flops=lambda n: 3 * n,
    numpy=lambda x, y, mask: np.where(mask, np.clip(x, -1, 1), y),
    torch=lambda torch, x, y, mask: torch.where(mask, torch.clamp(x, -1, 1), y),
)
def clip_and_select(lib: Any, x: Any, y: Any, mask: Any) -> Any:
    return lib.numpy.where(mask, lib.numpy.clip(x, -1, 1), y)


@program(
    "memory",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (draw.normal(n),),
    bytes=lambda n: 6 * n,
    torch=lambda torch, x: x.to(torch.bfloat16),
    tolerance=1e-2,
)
def round_to_bfloat16(lib: Any, x: Any) -> Any:
    return x.astype(lib.numpy.bfloat16)


@program(
    "memory",
    sizes=(128, 1024, 4096),
    arguments=lambda draw, n: (draw.normal(n), draw.normal(n)),
    bytes=lambda n: 4 * n * n,
    flops=lambda n: n * n,
    numpy=np.outer,
    torch=lambda torch, x, y: torch.outer(x, y),
)
def outer_product(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.outer(x, y)

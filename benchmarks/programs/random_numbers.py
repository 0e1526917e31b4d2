"""Random numbers; those of PyTorch and NumPy are other ones, of which the moments are compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import Draw, program

SIZES = (1 << 13, 1 << 18, 1 << 24)


def seed(draw: Draw, *shape: int) -> tuple[Any, ...]:
    return (np.uint32(42),)


def mean_and_deviation(arrays: list[np.ndarray]) -> Any:
    return arrays[0].mean(dtype=float) + 10, arrays[0].std(dtype=float)


# The made number of them, and the difference between two samples' moments.
MOMENTS: dict[str, Any] = {"compares": mean_and_deviation, "tolerance": 0.05}


@program(
    "random numbers",
    sizes=SIZES,
    arguments=seed,
    bytes=lambda n: 4 * n,
    flops=lambda n: 60 * n,
    numpy=lambda _, size: np.random.default_rng(0).random(size[0], np.float32),
    torch=lambda torch, _, size: torch.rand(size),
    **MOMENTS,
)
def uniform_numbers(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    return lib.random.uniform(lib.random.key(seed), size)


@program(
    "random numbers",
    sizes=SIZES,
    arguments=seed,
    bytes=lambda n: 4 * n,
    flops=lambda n: 90 * n,
    numpy=lambda _, size: np.random.default_rng(0).standard_normal(size[0], np.float32),
    torch=lambda torch, _, size: torch.randn(size),
    **MOMENTS,
)
def normal_numbers(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    return lib.random.normal(lib.random.key(seed), size)


@program(
    "random numbers",
    sizes=(1 << 12, 1 << 17, 1 << 22),
    arguments=seed,
    bytes=lambda n: 4 * n,
    flops=lambda n: 250 * n,
    numpy=lambda _, size: np.random.default_rng(0).standard_gamma(2.5, size[0], np.float32),
    torch=lambda torch, _, size: torch._standard_gamma(torch.full(size, 2.5)),
    **MOMENTS,
)
def gamma_numbers(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    return lib.random.gamma(lib.random.key(seed), 2.5, size)


@program(
    "random numbers",
    sizes=((64, 100), (1024, 1000), (4096, 10000)),
    arguments=lambda draw, n, k: (np.uint32(42), draw.normal(n, k)),
    bytes=lambda n, k: 4 * n * k,
    flops=lambda n, k: 100 * n * k,
    torch=lambda torch, _, logits: torch.multinomial(torch.softmax(logits, 1), 1)[:, 0],
    compares=lambda arrays: (arrays[0].min() >= 0, arrays[0].shape),
)
def categories(lib: Any, seed: Any, logits: Any) -> Any:
    return lib.random.categorical(lib.random.key(seed), logits)


@program(
    "random numbers",
    sizes=(1 << 12, 1 << 17, 1 << 21),
    arguments=seed,
    bytes=lambda n: 4 * n,
    flops=lambda n: 60 * n,
    numpy=lambda _, size: np.random.default_rng(0).permutation(np.arange(size[0], dtype=np.int32)),
    torch=lambda torch, _, size: torch.randperm(size[0]),
    compares=lambda arrays: np.sort(arrays[0]),
)
def permutation(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    return lib.random.permutation(lib.random.key(seed), size[0])


@program(
    "random numbers",
    sizes=(1 << 15, 1 << 20, 1 << 24),
    arguments=lambda draw, n: (np.uint32(42), draw.normal(n)),
    bytes=lambda n: 8 * n,
    flops=lambda n: 60 * n,
    torch=lambda torch, _, x: torch.nn.functional.dropout(x, 0.3),
    **MOMENTS,
)
def dropout(lib: Any, seed: Any, x: Any) -> Any:
    keep = lib.random.bernoulli(lib.random.key(seed), 0.7, x.shape)
    return lib.numpy.where(keep, x / 0.7, 0.0)


@program(
    "random numbers",
    sizes=(100, 1000, 10000),
    arguments=seed,
    bytes=lambda n: 4 * n,
    flops=lambda n: 120 * n,
    compares=lambda arrays: arrays[0],
    tolerance=1e-3,
)
def walk_with_a_key_for_each_step(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    def step(state: Any, _: Any) -> Any:
        key, x = state
        key, now = lib.random.split(key)
        x = x + lib.random.normal(now)
        return (key, x), x

    start = (lib.random.key(seed), lib.numpy.zeros(()))
    return lib.lax.scan(step, start, None, size[0])[1]

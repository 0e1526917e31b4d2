"""What calls cost: of programs on small arrays, and of functions outside of programs."""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from .registry import Draw, program


def pair(draw: Draw, n: int) -> tuple[Any, ...]:
    return draw.normal(n), draw.normal(n)


@program(
    "calls",
    sizes=(4, 64, 1024),
    arguments=pair,
    bytes=lambda n: 12 * n,
    numpy=np.add,
    torch=lambda torch, x, y: x + y,
)
def program_of_two_arrays(lib: Any, x: Any, y: Any) -> Any:
    return x + y


@program(
    "calls",
    sizes=(4, 64, 1024),
    arguments=pair,
    bytes=lambda n: 12 * n,
    numpy=np.add,
    torch=lambda torch, x, y: x + y,
    made="eager",
)
def program_of_two_eager_arrays(lib: Any, x: Any, y: Any) -> Any:
    return x + y


@program(
    "calls",
    sizes=(4, 64, 1024),
    arguments=pair,
    bytes=lambda n: 12 * n,
    made="numpy",
)
def program_of_two_arrays_of_numpy(lib: Any, x: Any, y: Any) -> Any:
    return x + y


@program(
    "calls",
    sizes=((4, 20), (4, 100), (4, 400)),
    arguments=lambda draw, n, count: ([draw.normal(n) for _ in range(count)],),
    bytes=lambda n, count: 8 * n * count,
    torch=lambda torch, leaves: torch._foreach_mul(leaves, 1.01),
)
def program_of_many_leaves(lib: Any, leaves: Any) -> Any:
    return [leaf * 1.01 for leaf in leaves]


@program(
    "calls",
    sizes=((4, 20), (4, 100), (4, 200)),
    arguments=lambda draw, n, count: ([draw.normal(n) for _ in range(count)],),
    bytes=lambda n, count: 4 * n * count,
)
def program_from_many_leaves_to_one(lib: Any, leaves: Any) -> Any:
    return functools.reduce(operator.add, leaves)


@program(
    "calls",
    sizes=(4, 1024, 65536),
    arguments=pair,
    bytes=lambda n: 12 * n,
    numpy=lambda x, y: np.maximum(x * 2 + y, 0).sum(),
    torch=lambda torch, x, y: torch.relu(x * 2 + y).sum(),
    jit=False,
    made="eager",
)
def eager_functions(lib: Any, x: Any, y: Any) -> Any:
    return lib.numpy.sum(lib.numpy.maximum(x * 2 + y, 0))


@program(
    "calls",
    sizes=(4, 128, 512),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n)),
    bytes=lambda n: 4 * n * n,
    flops=lambda n: 2 * n * n,
    numpy=lambda a, x: np.tanh(a @ x),
    torch=lambda torch, a, x: torch.tanh(a @ x),
    jit=False,
    made="eager",
)
def eager_layer(lib: Any, a: Any, x: Any) -> Any:
    return lib.numpy.tanh(a @ x)


def loss_torch(torch: Any, a: Any, x: Any) -> Any:
    a = a.detach().requires_grad_()
    return torch.autograd.grad(torch.tanh(a @ x).sum(), [a])


@program(
    "calls",
    sizes=(4, 128, 512),
    arguments=lambda draw, n: (draw.normal(n, n, scale=n**-0.5), draw.normal(n)),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 4 * n * n,
    torch=loss_torch,
    jit=False,
    made="eager",
)
def eager_gradient(lib: Any, a: Any, x: Any) -> Any:
    return (lib.grad(lambda a, x: lib.numpy.sum(lib.numpy.tanh(a @ x)))(a, x),)


@program(
    "calls",
    sizes=(4, 1024, 65536),
    arguments=lambda draw, n: (np.uint32(1),),
    bytes=lambda n: 4 * n,
    flops=lambda n: 90 * n,
    compares=lambda arrays: arrays[0].shape,
    torch=lambda torch, _, size: torch.randn(size),
    numpy=lambda _, size: np.random.default_rng(0).standard_normal(size[0], np.float32),
    jit=False,
)
def eager_normal_numbers(lib: Any, seed: Any, size: tuple[int, ...]) -> Any:
    return lib.random.normal(lib.random.key(7), size)


@program(
    "calls",
    sizes=((4, 10), (64, 10), (1024, 10)),
    arguments=lambda draw, n, steps: pair(draw, n),
    bytes=lambda n, steps: 12 * n * steps,
    flops=lambda n, steps: 2 * n * steps,
    numpy=lambda x, y, size: functools.reduce(lambda a, _: a * np.float32(0.9) + y, range(10), x),
    torch=lambda torch, x, y, size: functools.reduce(lambda a, _: a * 0.9 + y, range(10), x),
    jit=False,
)
def ten_calls_of_one_program(lib: Any, x: Any, y: Any, size: tuple[int, ...]) -> Any:
    """Each takes the result of the call before, and none is waited for."""
    step = program_for(lib)
    for _ in range(10):
        x = step(x, y)
    return x


@functools.cache
def program_for(lib: Any) -> Any:
    """Returns a program of one library."""
    return lib.jit(lambda x, y: x * 0.9 + y)

"""Registers the programs of the suite: functions of a library, with arguments at three sizes."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# In the first and second level's cache; in the last level's; in memory.
SIZES = ("small", "medium", "large")

PROGRAMS: dict[str, Program] = {}


class Draw:
    """Makes arguments, the same in each process."""

    def __init__(self, seed: int = 0) -> None:
        self.generator = np.random.default_rng(seed)

    def normal(self, *shape: int, scale: float = 1.0, dtype: Any = np.float32) -> np.ndarray:
        """Returns normally distributed numbers."""
        return (self.generator.standard_normal(shape, np.float32) * np.float32(scale)).astype(dtype)

    def uniform(
        self, *shape: int, low: float = 0.0, high: float = 1.0, dtype: Any = np.float32
    ) -> np.ndarray:
        """Returns uniformly distributed numbers."""
        values = self.generator.random(shape, np.float32) * np.float32(high - low)
        return (values + np.float32(low)).astype(dtype)

    def integers(self, high: int, *shape: int) -> np.ndarray:
        """Returns integers from 0 to below a number."""
        return self.generator.integers(0, high, shape, np.int32)

    def definite(self, *shape: int, dtype: Any = np.float32) -> np.ndarray:
        """Returns well-conditioned symmetric positive definite matrices."""
        n = shape[-1]
        x = self.generator.standard_normal(shape)
        return (x @ np.swapaxes(x, -1, -2) / n + np.eye(n)).astype(dtype)


@dataclass
class Program:
    """A program of the suite.

    Args:
      function: of a library with NumPy's and JAX's functions, and of the arguments. One with a
        keyword `size` is also given the sizes.
      sizes: a tuple of numbers for each of `SIZES`.
      arguments: of a `Draw` and the sizes: the arguments, NumPy's.
      bytes: of the sizes: how much the program must read and write.
      flops: of the sizes: how many operations on numbers it needs.
      numpy: the program for NumPy and SciPy.
      torch: the program for PyTorch, of the module and the arguments.
      dtype: of most operations: which peak limits them.
      tolerance: by how much results may differ, relative to the largest.
      compares: of the list of a result's arrays: what has to agree, where these may differ.
      jit: whether the function is compiled; else its functions are called one by one.
      made: how arguments are made, "program" (by a compiled one) or "eager".
    """

    name: str
    family: str
    function: Callable[..., Any]
    sizes: dict[str, tuple[int, ...]]
    arguments: Callable[..., tuple[Any, ...]]
    bytes: Callable[..., float]
    flops: Callable[..., float]
    numpy: Callable[..., Any] | None = None
    torch: Callable[..., Any] | None = None
    dtype: str = "float32"
    tolerance: float = 1e-4
    compares: Callable[[Any], Any] | None = None
    jit: bool = True
    made: str = "program"

    @property
    def x64(self) -> bool:
        """Whether numbers have 64 bits."""
        return self.dtype in ("float64", "complex128")

    def given(self, function: Callable[..., Any], size: str) -> dict[str, Any]:
        """Returns the keywords of one of the functions."""
        takes = "size" in inspect.signature(function).parameters
        return {"size": self.sizes[size]} if takes else {}


def program(
    family: str,
    *,
    sizes: tuple[Any, Any, Any],
    arguments: Callable[..., tuple[Any, ...]],
    bytes: Callable[..., float] = lambda *_: 0.0,
    flops: Callable[..., float] = lambda *_: 0.0,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the decorated function as a program, under its name; see `Program`."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__.replace("_", " ").strip()
        if name in PROGRAMS:
            raise ValueError(f"program: names must differ, got: {name!r} twice")
        tuples = [size if isinstance(size, tuple) else (size,) for size in sizes]
        PROGRAMS[name] = Program(
            name,
            family,
            function,
            dict(zip(SIZES, tuples, strict=True)),
            arguments,
            bytes,
            flops,
            **options,
        )
        return function

    return register


def torch_gradient(
    function: Callable[..., Any], argnums: tuple[int, ...] | None = None
) -> Callable[..., Any]:
    """Returns PyTorch's gradient of a scalar function of its module and of arrays.

    Args:
      function: that is differentiated.
      argnums: with respect to which arrays; by default all of floating-point numbers.
    """

    def gradient(torch: Any, *arrays: Any) -> Any:
        given = list(arrays)
        places = [i for i, a in enumerate(given) if a.is_floating_point()]
        for i in places if argnums is None else argnums:
            given[i] = given[i].detach().requires_grad_()
        wanted = [a for a in given if a.requires_grad]
        return torch.autograd.grad(function(torch, *given), wanted)

    return gradient

"""Functions that are exported for symbolic shapes, by JAX and here: one table for both."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

X = np.random.default_rng(0).normal(size=(5, 6)).astype(np.float32)
W = np.random.default_rng(1).normal(size=(6, 3)).astype(np.float32)
I = np.array([0, 2, -1], np.int32)  # noqa: E741


class Case(NamedTuple):
    """A function for symbolic shapes.

    Attributes:
      function: of a library, `of(jax)` or `of(dovetail)`, and arrays.
      shapes: those of the arrays, with the symbols a and b.
      args: arrays for a call.
      here: whether it is exported here for these shapes, too: convolutions, windows and functions
        that need a known size are not.
    """

    function: Callable[..., Any]
    shapes: list[str]
    args: list[np.ndarray]
    here: bool = True


def of(module: Any) -> SimpleNamespace:
    """What the functions use of a library."""
    return SimpleNamespace(
        np=module.numpy, lax=module.lax, nn=module.nn, grad=module.grad, random=module.random
    )


def _on_x(function: Callable[..., Any], shape: str = "a, b", here: bool = True) -> Case:
    return Case(function, [shape], [X], here)


def _squares(lib: Any, x: Any) -> Any:
    return lib.np.einsum("bi,bj->bij", x, x) + lib.np.eye(6)


def _convolved(lib: Any, x: Any, strides: tuple[int, int], padding: str) -> Any:
    kernel = lib.np.ones((1, 1, 3, 3))
    return lib.lax.conv_general_dilated(x[None, None], kernel, strides, padding)


CASES: dict[str, Case] = {
    "dot": Case(lambda lib, x, w: lib.np.tanh(x @ w).sum(0), ["a, b", "b, 3"], [X, W]),
    "join": _on_x(
        lambda lib, x: lib.np.concatenate([x[::2], lib.np.zeros((x.shape[0] * 2, 6))]), "a, 6"
    ),
    "join and count": Case(
        lambda lib, x: lib.np.concatenate(
            [x, x[::2], lib.lax.iota(np.float32, x.shape[0] * 2 + 1)]
        ),
        ["a"],
        [X[0]],
        here=False,
    ),
    "slice": _on_x(lambda lib, x: x[:, 1 : x.shape[1] // 2]),
    "take": Case(lambda lib, x, i: x[i], ["a, 6", "b"], [X, I]),
    "take rows": Case(lambda lib, x, i: x[i], ["a, b", "3"], [X, I]),
    "take of a padded array": Case(
        lambda lib, x, i: x[i] + lib.np.pad(x, ((1, x.shape[0]), (0, 0)))[i],
        ["a, 6", "b"],
        [X, I],
        here=False,
    ),
    "pad": _on_x(lambda lib, x: lib.np.pad(x, ((1, x.shape[0]), (0, 2)))),
    "window": Case(
        lambda lib, x, i: lib.lax.dynamic_slice(x, (i[0], 0), (x.shape[0] - 1, 2)),
        ["a, 6", "3"],
        [X, I],
        here=False,
    ),
    "reshape": _on_x(lambda lib, x: x.reshape(-1) + lib.np.arange(x.size)),
    "loop": _on_x(
        lambda lib, x: lib.lax.fori_loop(0, x.shape[0], lambda _, c: lib.np.sin(c) * 2, x)
    ),
    "scan": _on_x(
        lambda lib, x: lib.lax.scan(lambda c, r: (c + r, c * r), lib.np.zeros(x.shape[1:]), x)
    ),
    "branch": _on_x(lambda lib, x: lib.lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x)),
    "cumsum": _on_x(lambda lib, x: lib.np.cumsum(x, 0)),
    "softmax": _on_x(lambda lib, x: lib.nn.softmax(x, -1)),
    "sort": _on_x(lambda lib, x: lib.np.sort(x, 0)),
    "argmax": _on_x(lambda lib, x: lib.np.argmax(x, 1)),
    "variance": _on_x(lambda lib, x: lib.np.var(x, 1)),
    "median": _on_x(lambda lib, x: lib.np.median(x, 0), "a, 6", here=False),
    "scatter": Case(lambda lib, x, i: lib.np.asarray(x).at[i].add(1.0), ["a, 6", "3"], [X, I]),
    "scatter of symbolic size": Case(
        lambda lib, x, i: x.at[i].add(1.0), ["a, 6", "b"], [X, I], here=False
    ),
    "triangle": _on_x(lambda lib, x: lib.np.tril(x)),
    "convolution": _on_x(lambda lib, x: _convolved(lib, x, (1, 1), "VALID"), here=False),
    "padded convolution": _on_x(lambda lib, x: _convolved(lib, x, (2, 2), "SAME"), here=False),
    "pool": _on_x(
        lambda lib, x: lib.lax.reduce_window(x, -np.inf, lib.lax.max, (2, 2), (1, 1), "VALID"),
        here=False,
    ),
    "cholesky": _on_x(lambda lib, x: lib.np.linalg.cholesky(_squares(lib, x)), "a, 6", here=False),
    "svd": _on_x(lambda lib, x: lib.np.linalg.svd(x, compute_uv=False), here=False),
    "size as a number": _on_x(lambda lib, x: lib.np.where(x > 0, x, x.shape[0])),
    "roll": _on_x(lambda lib, x: lib.np.roll(x, 2, 0), here=False),
    "stack": _on_x(lambda lib, x: lib.np.stack([x, x * 2]).transpose(1, 2, 0)),
    "repeat": _on_x(lambda lib, x: lib.np.repeat(x, 2, axis=0), here=False),
    "tile": _on_x(lambda lib, x: lib.np.tile(x, (2, 1)), here=False),
    "reverse": _on_x(lambda lib, x: x[::-1]),
    "fft": _on_x(lambda lib, x: lib.np.abs(lib.np.fft.fft(x, axis=1)), "a, 6", here=False),
    "random": _on_x(
        lambda lib, x: lib.random.normal(lib.random.key(0), (x.shape[0], 3)), here=False
    ),
    "gradient": Case(
        lambda lib, x, w: lib.grad(lambda w: (lib.nn.softmax(x @ w) ** 2).sum())(w),
        ["a, b", "b, 3"],
        [X, W],
    ),
}


def bound(case: Case, module: Any) -> Callable[..., Any]:
    """The function of arrays by a library."""
    library = of(module)
    return lambda *arrays: case.function(library, *arrays)


def specs(case: Case, module: Any) -> list[Any]:
    """The arguments as descriptions of a library, with its symbols."""
    shapes = module.export.symbolic_args_specs(case.args, case.shapes)
    return list(shapes)

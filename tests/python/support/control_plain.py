"""JAX's control flow and transforms as plain Python on NumPy: the oracle for programs with loops.

Derivatives are central differences.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import optree

STEP = 1e-6


def stack(trees: list[Any], axis: int = 0) -> Any:
    return optree.tree_map(lambda *leaves: np.stack(leaves, axis), *trees)


def element(tree: Any, i: int) -> Any:
    return optree.tree_map(lambda leaf: np.asarray(leaf)[i], tree)


def length_of(tree: Any) -> int:
    return len(np.asarray(optree.tree_leaves(tree)[0]))


def scan(
    f: Any, init: Any, xs: Any = None, length: Any = None, reverse: bool = False, unroll: Any = 1
) -> Any:
    count = length_of(xs) if length is None else length
    if count == 0:
        # One step determines the shapes of the outputs if there are none.
        zero = optree.tree_map(lambda x: np.zeros(x.shape[1:], x.dtype), xs)
        return init, optree.tree_map(lambda y: np.zeros((0, *np.shape(y))), f(init, zero)[1])
    outs: list[Any] = []
    for i in reversed(range(count)) if reverse else range(count):
        init, y = f(init, None if xs is None else element(xs, i))
        outs.append(y)
    return init, stack(outs[::-1] if reverse else outs)


def while_loop(goes_on: Any, body: Any, carry: Any) -> Any:
    while goes_on(carry):
        carry = body(carry)
    return carry


def fori_loop(lower: Any, upper: Any, body: Any, carry: Any, unroll: Any = None) -> Any:
    for i in range(int(lower), int(upper)):
        carry = body(i, carry)
    return carry


def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, **keyword: Any) -> Any:
    return (true_fun if pred else false_fun)(*operands, *keyword.values())


def switch(index: Any, branches: Any, *operands: Any) -> Any:
    return branches[int(np.clip(index, 0, len(branches) - 1))](*operands)


def map_rows(f: Any, xs: Any, batch_size: Any = None) -> Any:
    return stack([f(element(xs, i)) for i in range(length_of(xs))])


def associative_scan(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    def at(i: int) -> Any:
        return optree.tree_map(lambda x: np.take(x, [i], axis), elems)

    order = list(range(np.shape(optree.tree_leaves(elems)[0])[axis]))
    order = order[::-1] if reverse else order
    results = [at(order[0])]
    for i in order[1:]:
        results.append(fn(results[-1], at(i)))
    results = results[::-1] if reverse else results
    return optree.tree_map(lambda *leaves: np.concatenate(leaves, axis), *results)


def vmap(f: Any, in_axes: Any = 0) -> Callable[..., Any]:
    def batched(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
        count = next(length_of(a) for a, axis in zip(args, axes, strict=True) if axis is not None)
        return stack(
            [
                f(
                    *(
                        a if axis is None else element(a, i)
                        for a, axis in zip(args, axes, strict=True)
                    )
                )
                for i in range(count)
            ]
        )

    return batched


def jvp(f: Any, primals: Any, tangents: Any) -> Any:
    def moved(step: float) -> Any:
        return f(*(x + step * t for x, t in zip(primals, tangents, strict=True)))

    tangent = optree.tree_map(lambda a, b: (a - b) / (2 * STEP), moved(STEP), moved(-STEP))
    return f(*primals), tangent


def grad(f: Any) -> Callable[..., Any]:
    def gradient(x: Any) -> Any:
        basis = np.eye(x.size).reshape(x.size, *x.shape)
        return np.reshape([jvp(f, (x,), (t,))[1] for t in basis], x.shape)

    return gradient


LIBRARY = SimpleNamespace(
    __name__="plain",
    numpy=np,
    jit=lambda f: f,
    vmap=vmap,
    jvp=jvp,
    grad=grad,
    lax=SimpleNamespace(
        scan=scan,
        while_loop=while_loop,
        fori_loop=fori_loop,
        cond=cond,
        switch=switch,
        map=map_rows,
        associative_scan=associative_scan,
        dynamic_index_in_dim=lambda x, i, keepdims: x[i],
    ),
)

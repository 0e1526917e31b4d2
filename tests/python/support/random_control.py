"""Random loops, branches, maps and checkpoints inside each other, for Dovetail and JAX alike, and
transforms of them.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

# A compiled one takes seconds.
PROGRAMS = int(os.environ.get("DOVETAIL_RANDOM_PROGRAMS", "60")) // 10


def size_of(seed: int) -> int:
    """The length of a program's vectors."""
    return (4, 2, 9, 1)[seed % 4]


# A program of a library and of vectors in scope, the newest first.
Program = Callable[[Any, Sequence[Any]], Any]


class Maker:
    """Makes programs, the same ones for a seed."""

    def __init__(self, seed: int, with_while: bool = False, with_parts: bool = True) -> None:
        self.rng, self.size = random.Random(seed), size_of(seed)
        # JAX has no reverse mode for such loops.
        self.loops = [Maker.scan, Maker.fori, *[Maker.while_loop] * with_while]
        # The code generator cannot schedule some batches of updates of slices of unknown size.
        self.parts = [Maker.part] * with_parts

    def leaf(self) -> Program:
        place, at = self.rng.randrange(100), self.rng.randrange(self.size)
        if self.rng.random() < 0.5:
            return lambda lib, scope: scope[place % len(scope)]
        return lambda lib, scope: scope[0] * 0.5 + scope[-1][at]

    def program(self, depth: int) -> Program:
        if depth == 0:
            return self.leaf()
        make = self.rng.choice([*self.loops, Maker.pointwise, Maker.cond, Maker.switch])
        if self.rng.random() < 0.45:
            make = self.rng.choice(
                [Maker.update, *self.parts, Maker.map, Maker.vmap, Maker.checkpoint]
            )
        return make(self, depth - 1)

    def pointwise(self, depth: int) -> Program:
        a, b, name = self.program(depth), self.program(depth), self.rng.choice(["sin", "tanh"])
        return lambda lib, scope: getattr(lib.numpy, name)(a(lib, scope) * b(lib, scope) - 0.3)

    def scan(self, depth: int) -> Program:
        body, out, source = self.program(depth), self.program(depth), self.leaf()
        length, reverse = self.rng.randrange(5), self.rng.random() < 0.3

        def program(lib: Any, scope: Sequence[Any]) -> Any:
            rows = lib.numpy.stack([source(lib, scope) * 0.3 * i for i in range(length + 1)])

            def step(carry: Any, row: Any) -> Any:
                new = lib.numpy.tanh(body(lib, [carry, *scope, row])) * 0.9
                return new, out(lib, [new, carry, *scope, row])

            carry, ys = lib.lax.scan(step, scope[0] * 0.5, rows[:length], reverse=reverse)
            return carry + lib.numpy.sum(ys, 0) * 0.1

        return program

    def fori(self, depth: int) -> Program:
        body, length = self.program(depth), self.rng.randrange(5)

        def program(lib: Any, scope: Sequence[Any]) -> Any:
            def step(i: Any, carry: Any) -> Any:
                return lib.numpy.tanh(body(lib, [carry, *scope])) * 0.8 + i * 0.01

            return lib.lax.fori_loop(0, length, step, scope[0])

        return program

    def while_loop(self, depth: int) -> Program:
        body, most = self.program(depth), self.rng.randrange(1, 5)

        def program(lib: Any, scope: Sequence[Any]) -> Any:
            def goes_on(state: Any) -> Any:
                return (state[0] < most) & (lib.numpy.sum(state[1]) < 1.5)

            def step(state: Any) -> Any:
                carry = lib.numpy.tanh(body(lib, [state[1], *scope])) * 0.7 + state[1] * 0.1
                return state[0] + 1, carry

            return lib.lax.while_loop(goes_on, step, (0, scope[0]))[1]

        return program

    def cond(self, depth: int) -> Program:
        branches, which = [self.program(depth), self.program(depth)], self.leaf()
        limit = self.rng.uniform(-1, 1)
        return lambda lib, scope: lib.lax.cond(
            lib.numpy.sum(which(lib, scope)) > limit,
            *[lambda s, branch=branch: branch(lib, s) for branch in branches],
            list(scope),
        )

    def switch(self, depth: int) -> Program:
        branches, which = [self.program(depth) for _ in range(3)], self.leaf()
        return lambda lib, scope: lib.lax.switch(
            (lib.numpy.sum(which(lib, scope)) * 2).astype("int32"),
            [lambda s, branch=branch: branch(lib, s) for branch in branches],
            list(scope),
        )

    def update(self, depth: int) -> Program:
        table, which, size = self.program(depth), self.leaf(), self.size

        def program(lib: Any, scope: Sequence[Any]) -> Any:
            at = (lib.numpy.abs(which(lib, scope)[0]) * 3).astype("int32") % size
            return table(lib, scope).at[at].add(scope[0][at] * 0.3).at[0].multiply(0.5)

        return program

    def part(self, depth: int) -> Program:
        """A program that changes a slice along any direction, and a sum of another."""
        body, size = self.program(depth), self.size
        ends, steps = [None, *range(-size - 1, size + 2)], [None, 1, 2, -1, -2]
        where, kept = (
            slice(self.rng.choice(ends), self.rng.choice(ends), self.rng.choice(steps))
            for _ in range(2)
        )

        def program(lib: Any, scope: Sequence[Any]) -> Any:
            value = body(lib, [scope[-1].at[where].multiply(0.5), *scope])
            return value + lib.numpy.tanh(lib.numpy.sum(value[kept]))

        return program

    def map(self, depth: int) -> Program:
        body = self.program(depth)
        return lambda lib, scope: lib.lax.map(
            lambda s: lib.numpy.sum(body(lib, [scope[0] * s, *scope])) * 0.2, scope[-1]
        )

    def vmap(self, depth: int) -> Program:
        body = self.program(depth)
        return lambda lib, scope: lib.vmap(
            lambda s: lib.numpy.sum(body(lib, [scope[0] + s, *scope])) * 0.2
        )(scope[-1] * 0.3)

    def checkpoint(self, depth: int) -> Program:
        body = self.program(depth)
        return lambda lib, scope: lib.checkpoint(
            lambda c: lib.numpy.tanh(body(lib, [c, *scope])) * 0.7
        )(scope[0])


def transformed(lib: Any, program: Program) -> list[Callable[[Any, Any], Any]]:
    """Functions of two arrays, the first a batch of vectors."""

    def value(x: Any, y: Any) -> Any:
        return program(lib, [x, y])

    def loss(x: Any, y: Any) -> Any:
        return lib.numpy.sum(value(x, y) ** 2)

    gradient = lib.grad(loss)
    return [
        lib.vmap(value, in_axes=(0, None)),
        lambda x, y: gradient(x[0], y),
        lib.vmap(gradient, in_axes=(0, None)),
        lambda x, y: lib.jvp(lambda x: gradient(x, y), (x[1],), (y,)),
        lambda x, y: lib.grad(lambda x: lib.numpy.sum(gradient(x, y) ** 2))(x[2]),
    ]


def arguments(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    size = size_of(seed)
    return [rng.normal(size=shape) for shape in ((3, size), (size,))]


def results(lib: Any, functions: Sequence[Callable[..., Any]], seed: int) -> list[Any]:
    x, y = map(lib.numpy.asarray, arguments(seed))
    return list(map(np.asarray, flat([function(x, y) for function in functions])))


def flat(outs: Sequence[Any]) -> list[Any]:
    return [leaf for out in outs for leaf in (out if isinstance(out, tuple) else [out])]


def program_of(seed: int, with_while: bool = False, with_parts: bool = True) -> Program:
    maker = Maker(seed, with_while, with_parts)
    return maker.program(maker.rng.choice([1, 2, 3]))

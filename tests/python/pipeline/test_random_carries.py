"""Random loops in the manner of solvers, compiled, against the reference evaluator: they carry many
arrays that begin as the same few constants, save rows, and accept or reject steps.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from support.host_loops import compare, on_host
from support.random_control import PROGRAMS

# Of these, several have the same number of bytes.
SHAPES = [(), (3,), (6,), (2, 3), (4, 3), (12,), (1,)]
DTYPES = ["float32", "float64", "int32", "int64", "bool"]

# A new value of a carry, given all of them, the number of the step, and an array from outside.
Update = Callable[[list[Any], Any, Any], Any]


def update(rng: random.Random, number: int, types: list[tuple[Any, str]]) -> Update:
    """A random update of the carry of that number."""
    shape, dtype = types[number]
    alike = [i for i, other in enumerate(types) if other == types[number]]
    other, source = rng.choice(alike), rng.randrange(len(types))
    is_bool = dtype == "bool"

    def of_other(values: list[Any]) -> Any:
        return dnp.broadcast_to(dnp.sum(values[source]), shape).astype(dtype)

    def computed(values: list[Any], i: Any, x: Any) -> Any:
        if is_bool:
            return values[number] ^ (of_other(values) & (i % 2 == 0))
        return (
            values[other] // 2 + of_other(values) + 1
            if dtype[0] == "i"
            else (values[other] * 0.5 + dnp.tanh(of_other(values)) + dnp.sum(x).astype(dtype))
        )

    def saved(values: list[Any], i: Any, x: Any) -> Any:
        new = computed(values, i, x)
        return values[number].at[i % shape[0]].set(new[0]) if shape else new

    def accepted(values: list[Any], i: Any, x: Any) -> Any:
        return dnp.where(dnp.sum(values[source]) < 0.7531, computed(values, i, x), values[number])

    def branched(values: list[Any], i: Any, x: Any) -> Any:
        return lax.cond(
            i % 3 == 0, lambda v: computed(v, i, x), lambda v: saved(v, i, x), list(values)
        )

    def chosen(values: list[Any], i: Any, x: Any) -> Any:
        return lax.cond(i % 2 == 0, lambda v: v[number], lambda v: v[other], list(values))

    def passed(values: list[Any], i: Any, x: Any) -> Any:
        return values[other]

    return rng.choice([passed, passed, computed, saved, accepted, branched, chosen])


def loop(seed: int) -> Callable[[Any, Any], Any]:
    """A random loop of a number of steps, and an array from outside."""
    rng = random.Random(seed)
    types = [(rng.choice(SHAPES), rng.choice(DTYPES)) for _ in range(rng.choice([3, 8, 20, 40]))]
    inits = [rng.choice([0, 0, 0, 1, np.inf if dtype[0] == "f" else 7]) for _, dtype in types]
    updates = [update(rng, i, types) for i in range(len(types))]
    kept = [i for i in range(len(types)) if rng.random() < 0.7]
    is_nested = rng.random() < 0.3

    def run(n: Any, x: Any) -> Any:
        def step(state: Any) -> Any:
            i, values = state
            new = [each(values, i, x) for each in updates]
            if is_nested:
                new = lax.fori_loop(0, 2, lambda j, v: [u(v, i + j, x) for u in updates], new)
            return i + 1, new

        start = [
            dnp.full(shape, init, dtype) for (shape, dtype), init in zip(types, inits, strict=True)
        ]
        _, values = lax.while_loop(lambda s: s[0] < n, step, (0, start))
        return [values[i] for i in kept]

    return run


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_compiled_as_evaluated(seed: int) -> None:
    with config.enable_x64(True):
        programs = [loop(10 * seed + i) for i in range(3)]

        def together(n: Any, x: Any) -> Any:
            return [program(n, x) for program in programs]

        arguments = np.int32(5), np.linspace(-0.2, 0.3, 4)
        expected = together(*arguments)
        compare(dt.jit(together)(*arguments), expected, 1e-5, 1e-6)
        compare(on_host(together, *arguments), expected, 1e-5, 1e-6)


def test_arrays_that_the_code_generator_finds_unused() -> None:
    """It moved the body of the loop, and lost an array of it that nothing reads."""
    with config.enable_x64(True):
        arguments = np.int32(5), np.linspace(-0.2, 0.3, 4)
        compare(on_host(loop(152), *arguments), loop(152)(*arguments), 1e-5, 1e-6)

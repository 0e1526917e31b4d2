"""Loops and branches lowered to loops of the host over dispatches, against evaluation op by op."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, config, lax
from dovetail.compiler.forms import Lowering
from dovetail.compiler.targets import Target
from support.breadth import some
from support.control_programs import FORMS, PROGRAMS, TRIPLES
from support.host_loops import check

VALUES = [
    *map(" of ".join, TRIPLES[:4]),
    "trees",
    "exchanged",
    "no_steps",
    "no_iterations",
    "flag_as_carry",
    "computed_bounds",
]
GRADIENTS = [
    *FORMS,
    "scan of cond",
    "cond of scan",
    "fori_traced of scan",
    "switch of while_loop",
    "recurrent_network",
    "integers_beside",
    "no_steps",
    "complex_carry",
    "newton",
]


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True):
        yield


@pytest.mark.parametrize("name", VALUES)
def test_values(name: str) -> None:
    check(functools.partial(PROGRAMS[name].results, dt), *PROGRAMS[name].points)


def gradient(name: str) -> Callable[..., Any]:
    program = PROGRAMS[name]

    def loss(*points: Any) -> Any:
        return sum(dnp.sum(dnp.real(out * out)) for out in program.smooth(dt, *points))

    return dt.grad(loss, tuple(range(len(program.points))))


@pytest.mark.parametrize("name", some(GRADIENTS, 2))
def test_gradients(name: str) -> None:
    check(gradient(name), *PROGRAMS[name].points)


# The code generator accepts the last one only with barriers after its loops.
@pytest.mark.parametrize("name", ["scan of cond", "while_loop", "no_iterations"])
def test_gradients_of_batches(name: str) -> None:
    points = [np.stack([x, np.multiply(x, 1.01)]) for x in PROGRAMS[name].points]
    check(dt.vmap(gradient(name)), *points)


# Sizes in bytes below, at and above a cache line; several are stored side by side.
@pytest.mark.parametrize("size", [1, 3, 8])
@pytest.mark.parametrize("count", [0, 4])
def test_stacks_of_unknown_length(size: int, count: int) -> None:
    def loss(n: Any, x: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            a, b, is_odd = carry
            return dnp.where(is_odd, dnp.sin(a) * b, a * b), dnp.exp(0.1 * a), ~is_odd

        a, b, _ = lax.fori_loop(0, n, body, (x, x * x, x > 0.2))
        return dnp.sum(a * b)

    x = np.linspace(0.1, 0.3, size)
    check(dt.grad(loss, 1), np.int32(count), x)


@pytest.mark.parametrize("dtype", ["float16", "int8", "bool", "complex64"])
def test_stacks_of_types(dtype: str) -> None:
    rows = (np.arange(15).reshape(5, 3) % 3).astype(dtype)

    def function(n: Any, rows: Any) -> Any:
        def body(i: Any, carry: Any) -> Any:
            kept, last = carry
            return lax.dynamic_update_index_in_dim(kept, last, i, 0), rows[i]

        scanned = lax.scan(lambda c, row: (row, (c, row == c)), rows[0], rows, reverse=True)
        return lax.fori_loop(0, n, body, (dnp.zeros_like(rows), rows[0])), scanned

    check(function, np.int32(4), dnp.array(rows))


def test_inner_loops_start_with_outer_values() -> None:
    # Each step of the outer loop needs it as it was.
    def function(x: Any, y: Any) -> Any:
        first = dnp.sin(x) * 2

        def step(carry: Any, row: Any) -> Any:
            inner = lax.fori_loop(0, 3, lambda i, s: dnp.tanh(s) * 0.5 + row, first)
            return carry + inner, inner

        return lax.scan(step, x, y)

    rng = np.random.default_rng(3)
    check(function, rng.normal(size=4), rng.normal(size=(5, 4)))


def test_steps_return_outer_values() -> None:
    def function(x: Any, y: Any) -> Any:
        reset = dnp.cos(x) * 3

        def step(carry: Any, row: Any) -> Any:
            old, total = carry
            new = dnp.tanh(old) + row
            return (reset, total + dnp.cumsum(new)), new

        return lax.scan(step, (x, x * 0), y)

    rng = np.random.default_rng(4)
    check(function, rng.normal(size=4), rng.normal(size=(5, 4)))


def test_steps_change_tables_from_outside() -> None:
    def function(x: Any, at: Any) -> Any:
        table = dnp.exp(x) + 1

        def step(carry: Any, i: Any) -> Any:
            changed = table.at[i].add(carry[0]).at[0].multiply(0.5)
            return dnp.cumsum(changed) * 0.1, changed

        return lax.scan(step, x, at)

    check(function, np.random.default_rng(5).normal(size=6), np.array([2, 2, 0, 5, 3]))


def test_loops_start_with_values_shared_by_barriers() -> None:
    def function(x: Any) -> Any:
        first, same = lax.optimization_barrier((x, x))
        once = lax.fori_loop(0, 2, lambda _, c: c * 1.5, first)
        first, same, _ = lax.optimization_barrier((first, same, once + 2))
        return lax.fori_loop(0, 2, lambda _, c: c * 1.5, first) * same, x + once

    check(function, np.random.default_rng(6).normal(size=5))


def test_checkpoints_in_each_other_around_loops() -> None:
    def value(x: Any) -> Any:
        def inner(c: Any) -> Any:
            return dnp.tanh(lax.fori_loop(0, 3, lambda i, _: dnp.tanh(x) * 0.8 + i * 0.01, c)) * 0.7

        return dt.checkpoint(lambda c: dnp.tanh(dt.checkpoint(inner)(c)) * 0.7)(x)

    gradient = dt.grad(lambda x: dnp.sum(value(x) ** 2))
    x = dnp.asarray(np.random.default_rng(7).normal(size=4))
    check(dt.grad(lambda x: dnp.sum(gradient(x) ** 2)), x)


def test_steps_change_rows_of_arguments() -> None:
    def function(x: Any, at: Any) -> Any:
        x = dnp.asarray(x)
        row = x[0]

        def step(carry: Any, i: Any) -> Any:
            changed = row.at[i].add(carry[0]).at[0].multiply(0.5)
            return dnp.tanh(carry) * 0.9, changed

        carry, changed = lax.scan(step, x[1] * 0.5, at)
        return carry + dnp.sum(changed, 0), dnp.cumsum(x, 1)

    check(function, np.random.default_rng(8).normal(size=(3, 4)), np.array([2, 1]))


LOOP = """
func.func @main(%n: index, %x: tensor<{0}xf32>, %y: tensor<{0}xf32>) -> tensor<{0}xf32> {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y)
      -> (tensor<{0}xf32>, tensor<{0}xf32>) {{
    scf.yield %b, %a : tensor<{0}xf32>, tensor<{0}xf32>
  }}
  return %0#0 : tensor<{0}xf32>
}}
"""


def test_several_arrays_of_unknown_size_are_carried_by_reference_only() -> None:
    # IREE compiles the other forms to programs with wrong results.
    target = Target.parse("cpu")
    modules = [_core.Module.parse(LOOP.format(n)) for n in (4, "?")]
    names = [[form.name for form in Lowering(module, "lower").forms(target)] for module in modules]

    def with_remedies(*forms: str) -> list[str]:
        return [form + remedy for form in forms for remedy in ("", "-apart", "-generated")]

    assert names[1] == with_remedies("merged", "unmerged")
    assert names[0] == with_remedies("merged", "unmerged", "by-value", "fenced")


@pytest.mark.rejected
def test_generated_arrays_before_a_loop_and_within_and_behind_it() -> None:
    """IREE would not schedule the dispatch that computes them; they are too large for constants."""
    size = 1 << 19

    def f(x: Any) -> Any:
        w = lax.cummax(dnp.cos(dnp.arange(size, dtype="float32")))
        return lax.fori_loop(0, 3, lambda _, y: lax.cummax(y + w) * 0.5, x * w) * w

    check(f, np.random.default_rng(0).normal(size=size).astype("f"), rtol=1e-5, atol=1e-5)

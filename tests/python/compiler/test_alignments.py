"""Alignments of arrays in larger allocations hold in all places where a dispatch runs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.compiler import iree_compiler
from dovetail.compiler.iree_compiler import native
from dovetail.compiler.iree_compiler.alignments import may_be_wrong
from support.host_loops import compare
from support.random_control import program_of, results, transformed

ADVICE = "IREE has changed: see dovetail/compiler/iree_compiler/alignments.py"
OFFSET = re.compile(r"arith\.index_castui %\w+ \{stream\.alignment = (\d+) : index\}")


def program(x: Any, y: Any) -> Any:
    """The product of the same arrays in memory of its own, and behind two arrays."""
    barrier = lax.optimization_barrier
    # The library sorts single operands.
    z = barrier(lax.sort((x, x))[0])
    outer, product = barrier((dnp.sin(z[:, None] * z), z * y))
    other = barrier(product + outer.sum())
    return barrier(dnp.concatenate([z[:1], barrier(dnp.cumsum(x)), other * y, dnp.flip(x)]))


@pytest.fixture(autouse=True)
def doubles():
    with config.enable_x64(True):
        yield


def test_the_least_of_all_places_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    texts, correct = [], iree_compiler.correct

    def compared(invocation: Any, module: Any) -> None:
        texts.append(native.text_of(module))
        correct(invocation, module)
        texts.append(native.text_of(module))

    monkeypatch.setattr(iree_compiler, "correct", compared)
    with config.compile_in_process(True), config.enable_compilation_cache(False):
        jitted = dt.jit(program, dynamic_shapes=("n", "n"), compile="now")
        for n in range(1, 20):
            x = np.random.default_rng(n).normal(size=n)
            np.testing.assert_allclose(jitted(x, x + 1), program(x, x + 1), rtol=1e-12, atol=1e-12)
    before, after = texts
    assert set(OFFSET.findall(before)) == {"64"}, ADVICE
    # Behind an array of as many f64 as there are.
    assert set(OFFSET.findall(after)) == {"64", "8"}


def test_a_vector_behind_arrays_of_unknown_size_is_written() -> None:
    """A program that ended the process, with a store of 64 bytes at a multiple of 32."""
    function = transformed(dt, program_of(29, with_while=True, with_parts=False))[3]
    compiled = dt.jit(function, dynamic_shapes=("b, n", "n"), compile="now")
    compare(results(dt, [compiled], 29), results(dt, [function], 29), 1e-6, 1e-9)


def test_programs_without_unknown_places_are_not_looked_at() -> None:
    assert not may_be_wrong(dt.jit(dnp.sin).lower(np.ones(3)).as_text("carry"))
    assert may_be_wrong(
        dt.jit(lambda x, y: dnp.concatenate([x, y]), dynamic_shapes=("n", "m"))
        .lower(np.ones(3), np.ones(2))
        .as_text("carry")
    )
    assert may_be_wrong(
        dt.jit(lambda x, i: lax.dynamic_slice(x, (i, 0), (1, 4)))
        .lower(np.ones((3, 4)), np.int32(1))
        .as_text("carry")
    )

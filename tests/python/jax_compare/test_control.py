"""Loops and branches against JAX: values, derivatives in both modes and batches of programs."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import optree
import pytest

import dovetail as dt
from dovetail import config
from support.control_programs import PROGRAMS
from support.jax_compare import jax

LIBRARIES: dict[str, ModuleType] = {"ours": dt, "theirs": jax}


@pytest.fixture(autouse=True)
def x64() -> Any:
    with config.enable_x64(True), jax.enable_x64(True):
        yield


class Case:
    """A program, and where to differentiate it."""

    def __init__(self, name: str) -> None:
        self.program = PROGRAMS[name]
        self.points = self.program.points
        rng = np.random.default_rng(1)
        self.directions = [rng.normal(size=x.shape).astype(x.dtype) for x in self.points]
        # Rows that take other branches and other numbers of steps.
        self.batch = [
            np.stack([x, 0.7 * x + 0.05, x[..., ::-1] if x.ndim else -x]) for x in self.points
        ]

    def loss(self, library: str, *points: Any) -> Any:
        lib = LIBRARIES[library].numpy
        return sum(
            lib.sum(lib.real(out * np.cos(np.arange(out.size).reshape(out.shape))))
            for out in self.program.smooth(LIBRARIES[library], *points)
        )

    def gradient(self, library: str) -> Callable[..., Any]:
        lib = LIBRARIES[library]
        loss = functools.partial(self.loss, library)
        numbers = tuple(range(len(self.points)))
        # JAX has no reverse mode for loops with an unknown number of steps.
        is_forward = library == "theirs" and self.program.has_while
        return (lib.jacfwd if is_forward else lib.grad)(loss, numbers)


def value(case: Case, library: str) -> Any:
    return case.program.results(LIBRARIES[library], *case.points)


def tangent(case: Case, library: str) -> Any:
    smooth = functools.partial(case.program.smooth, LIBRARIES[library])
    return LIBRARIES[library].jvp(smooth, tuple(case.points), tuple(case.directions))[1]


def gradient(case: Case, library: str) -> Any:
    return case.gradient(library)(*case.points)


def batch(case: Case, library: str) -> Any:
    results = functools.partial(case.program.results, LIBRARIES[library])
    return LIBRARIES[library].vmap(results)(*case.batch)


def batch_of_gradients(case: Case, library: str) -> Any:
    return LIBRARIES[library].vmap(case.gradient(library))(*case.batch)


QUESTIONS = {f.__name__: f for f in (value, tangent, gradient, batch, batch_of_gradients)}


@functools.cache
def answers(name: str) -> dict[str, list[np.ndarray]]:
    """JAX's results, from one compiled program."""
    case = Case(name)
    every = jax.jit(lambda: {what: ask(case, "theirs") for what, ask in QUESTIONS.items()})
    return {what: list(map(np.asarray, jax.tree.leaves(a))) for what, a in every().items()}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_program(name: str, question: str) -> None:
    ours = optree.tree_leaves(QUESTIONS[question](Case(name), "ours"))
    theirs = answers(name)[question]
    assert len(ours) == len(theirs)
    for actual, expected in zip(ours, theirs, strict=True):
        assert actual.shape == expected.shape
        assert actual.dtype == expected.dtype
        np.testing.assert_allclose(np.asarray(actual), expected, rtol=1e-9, atol=1e-11)

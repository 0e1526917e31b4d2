"""Arrays that host loops carry and that begin as the same number: each has memory of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dovetail.numpy as dnp
from dovetail import config, lax
from support.host_loops import check

# What an array becomes: a function of the step's number, of the array and of its neighbour.
CHANGES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "scaled": lambda i, a, b: a * 0.5 + i,
    "mixed": lambda i, a, b: a * 0.5 - b * 0.25 + 1,
    "neighbour": lambda i, a, b: b,
    "turned": lambda i, a, b: dnp.flip(b, -1) + a * 0.5,
    "row": lambda i, a, b: a.at[i].set(b[-1] * 0.5 + i),
    "part": lambda i, a, b: a.at[1:].set(b[:-1] * 0.5 + 1),
    "least": lambda i, a, b: dnp.minimum(a, b + i),
    "sums": lambda i, a, b: dnp.cumsum(a, 0) * 0.25 + b,
    "same": lambda i, a, b: a,
}


class Program(NamedTuple):
    """A loop over arrays of one shape: the number as which each begins, and its change."""

    loop: str
    shape: tuple[int, ...]
    arrays: tuple[tuple[float, str], ...]

    def begin(self) -> tuple[Any, ...]:
        return tuple(dnp.full(self.shape, number) for number, _ in self.arrays)

    def step(self, i: Any, carry: tuple[Any, ...]) -> tuple[Any, ...]:
        others = carry[1:] + carry[:1]
        changes = [CHANGES[name] for _, name in self.arrays]
        return tuple(f(i, a, b) for f, a, b in zip(changes, carry, others, strict=True))

    def __call__(self, n: Any) -> Any:
        step, begin = self.step, self.begin()
        if self.loop == "fori":
            return lax.fori_loop(0, n, step, begin)
        if self.loop == "while":
            counted = lax.while_loop(
                lambda c: (c[0] < n) & ~(c[1][0].ravel()[0] > 1e6),
                lambda c: (c[0] + 1, step(c[0], c[1])),
                (0, begin),
            )
            return counted[1]
        if self.loop == "scan":
            return lax.scan(lambda c, i: (step(i, c), (c[0], c[-1])), begin, dnp.arange(3))
        if self.loop == "after another":
            first = lax.fori_loop(0, n, step, begin)
            return first, lax.fori_loop(1, n, step, begin), begin[0]
        # Each step of the outer loop starts the inner one anew.
        inner = lambda i, c: step(i, lax.fori_loop(0, 2, step, begin)[:-1] + c[-1:])  # noqa: E731
        return lax.fori_loop(0, n, inner, begin)


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    with config.enable_x64(True):
        yield


programs = st.builds(
    Program,
    st.sampled_from(["fori", "while", "scan", "after another", "nested"]),
    st.sampled_from([(3,), (3, 5), (8, 16), (64, 65)]),
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.0, 1.0, np.inf]), st.sampled_from(sorted(CHANGES))),
        min_size=2,
        max_size=4,
    ).map(tuple),
)


@given(programs)
def test_each_has_its_own_memory(program: Program) -> None:
    check(program, np.int32(3))

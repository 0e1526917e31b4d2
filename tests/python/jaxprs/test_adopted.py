"""Functions that are added to the module of another trace, with what they call."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core
from dovetail.jaxprs.evaluation import jaxpr_as_fun


def chain(count: int) -> Any:
    """The jaxpr of a function of `count` jitted functions, whose names are alike."""

    def step(x: Any) -> Any:
        for i in range(count):
            x = dt.jit(lambda y, i=i: dnp.sin(y) + i)(x)
        return x

    return dt.make_jaxpr(step)(1.0)


def test_two_of_the_same_names_call_their_own() -> None:
    first, second = jaxpr_as_fun(chain(3)), jaxpr_as_fun(chain(4))
    both = dt.jit(lambda x: second(first(x)[0])[0])
    expected = 0.5
    for i in (0, 1, 2, 0, 1, 2, 3):
        expected = np.sin(expected) + i
    np.testing.assert_allclose(both(0.5), expected, rtol=1e-6)


def test_adopting_takes_linear_time() -> None:
    def seconds(count: int) -> float:
        function, module = chain(count)._traced.function, _core.module()
        _core.adopt(module, function)
        # All names are taken now.
        start = time.process_time()
        _core.adopt(module, function)
        return time.process_time() - start

    seconds(20)
    short = min(seconds(50) for _ in range(3))
    assert seconds(800) < 16 * 4 * short

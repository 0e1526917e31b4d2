"""Loops and branches as text, with known and unknown sizes: values, derivatives, batches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from dovetail import _core
from dovetail.compiler.module_files import compile_module
from dovetail.reference import evaluate
from dovetail.runtime import Executable

Array = np.ndarray[Any, Any]

# The carry and the stacked values have rows of any size; there are any number of them.
SCAN = """
  %0:3 = dovetail.scan length {length} init(%a) over(%xs) consts() {reverse}
    : (!row, !rows) -> (!row, !rows, !column) {{
  ^bb0(%c: !row, %x: !row):
    %1 = dovetail.mul %c, %x : !row
    %2 = dovetail.tanh %1 : !row
    %3 = dovetail.reduce_sum %2 [0] : !row
    %4 = dovetail.add %2, %x : !row
    dovetail.yield %4, %1, %3 : !row, !row, !one
  }}
  %5 = dovetail.reduce_sum %0#0 [0] : !row
  %6 = dovetail.mul %0#1, %0#1 : !rows
  %7 = dovetail.reduce_sum %6 [0, 1] : !rows
  %8 = dovetail.reduce_max %0#2 [0] : !column
  %9 = dovetail.add %5, %7 : !one
  %10 = dovetail.add %9, %8 : !one
  return %10 : !one
"""
# A constant's cotangent is summed; the size of the stacked rows is one more constant.
CONSTANT = """
  %size = dovetail.dim %a, 0 : !row
  %zero = dovetail.constant dense<0.5> : !one
  %0:2 = dovetail.scan length {length} init(%zero) over(%xs) consts(%a, %size)
    : (!one, !rows, !row, index) -> (!one, !rows) {{
  ^bb0(%c: !one, %x: !row, %w: !row, %s: index):
    %1 = dovetail.mul %x, %w : !row
    %2 = dovetail.reduce_sum %1 [0] : !row
    %3 = dovetail.sin %2 : !one
    %4 = dovetail.mul %3, %c : !one
    %5 = dovetail.broadcast %4 dims [] {sizes} : !one -> !row
    dovetail.yield %4, %5 : !one, !row
  }}
  %6 = dovetail.reduce_sum %0#1 [0, 1] : !rows
  %7 = dovetail.add %6, %0#0 : !one
  return %7 : !one
"""
COUNTED = """
  %0:2 = dovetail.scan length -1 count %n init(%a) over() consts(%xs)
    : (!row, !rows, !int) -> (!row, !counted) {{
  ^bb0(%c: !row, %w: !rows):
    %1 = dovetail.reduce_sum %w [0] : !rows
    %2 = dovetail.mul %c, %1 : !row
    %3 = dovetail.sin %2 : !row
    dovetail.yield %3, %c : !row, !row
  }}
  %4 = dovetail.reduce_sum %0#0 [0] : !row
  %5 = dovetail.sin %0#1 : !counted
  %6 = dovetail.reduce_sum %5 [0, 1] : !counted
  %7 = dovetail.add %4, %6 : !one
  return %7 : !one
"""
WHILE = """
  %zero = dovetail.constant dense<0> : !int
  %0:2 = dovetail.while init(%a, %zero) consts(%xs, %n)
    : (!row, !int, !rows, !int) -> (!row, !int) {{
  ^bb0(%c: !row, %i: !int, %w: !rows, %end: !int):
    %1 = dovetail.compare lt %i, %end : !int
    dovetail.yield %1 : tensor<i1>
  }} do {{
  ^bb0(%c: !row, %i: !int, %w: !rows, %end: !int):
    %1 = dovetail.reduce_sum %w [0] : !rows
    %2 = dovetail.mul %c, %1 : !row
    %3 = dovetail.cos %2 : !row
    %4 = dovetail.constant dense<1> : !int
    %5 = dovetail.add %i, %4 : !int
    dovetail.yield %3, %5 : !row, !int
  }}
  %6 = dovetail.reduce_sum %0#0 [0] : !row
  return %6 : !one
"""
CASE = """
  %0 = dovetail.case %n of(%a, %xs) : (!int, !row, !rows) -> !row {{
  ^bb0(%c: !row, %w: !rows):
    dovetail.yield %c : !row
  }}, {{
  ^bb0(%c: !row, %w: !rows):
    %1 = dovetail.sin %w : !rows
    %2 = dovetail.reduce_sum %1 [0] : !rows
    %3 = dovetail.exp %c : !row
    %4 = dovetail.mul %2, %3 : !row
    dovetail.yield %4 : !row
  }}
  %5 = dovetail.mul %0, %0 : !row
  %6 = dovetail.reduce_sum %5 [0] : !row
  return %6 : !one
"""
BODIES = {
    "scan": SCAN.replace("{reverse}", ""),
    "reversed scan": SCAN.replace("{reverse}", "{{reverse = true}}"),
    "summed constant": CONSTANT,
    "counted scan": COUNTED,
    "while": WHILE,
    "case": CASE,
}

# All of them, and of their derivatives and batches, in one program.
FORMS = """
!rows = tensor<{n}x{m}xf32>
!rows_ = tensor<{k}x{n}x{m}xf32>
!counted = tensor<?x{m}xf32>
!row_ = tensor<{k}x{m}xf32>
!one_ = tensor<{k}xf32>
!int_ = tensor<{k}xi32>
!column = tensor<{n}xf32>
!row = tensor<{m}xf32>
!int = tensor<i32>
!one = tensor<f32>
func.func private @f(%a: !row, %xs: !rows, %n: !int) -> !one {{{body}}}
func.func private @grad(%a: !row, %xs: !rows, %n: !int) -> (!one, !row, !rows) {{
  %one = dovetail.constant dense<1.0> : !one
  %0:3 = dovetail.vjp @f wrt [0, 1] of [0](%a, %xs, %n) cotangents(%one)
    : (!row, !rows, !int, !one) -> (!one, !row, !rows)
  return %0#0, %0#1, %0#2 : !one, !row, !rows
}}
func.func @main(%a: !row, %xs: !rows, %n: !int, %as: !row_, %ns: !int_)
  -> (!one, !row, !rows, !row, !rows, !one_, !row_, !rows_) {{
  %0:6 = dovetail.jvp @grad wrt [0](%a, %xs, %n) tangents(%a)
    : (!row, !rows, !int, !row) -> (!one, !row, !rows, !one, !row, !rows)
  %1:3 = dovetail.vmap @grad in [0, -1, 0] out [0, 0, 0](%as, %xs, %ns)
    : (!row_, !rows, !int_) -> (!one_, !row_, !rows_)
  return %0#0, %0#1, %0#2, %0#4, %0#5, %1#0, %1#1, %1#2
    : !one, !row, !rows, !row, !rows, !one_, !row_, !rows_
}}
"""
SIZES = [(4, 3, 2), (1, 2, 3), (0, 2, 1)]


def module(name: str, element: str, sizes: Sequence[int | str]) -> Any:
    """The program of all forms, with these sizes, each of which may be `?`."""
    n, m, k = map(str, sizes)
    length = "-1" if n == "?" else n
    named = "sizes(%s)" if m == "?" else ""
    body = BODIES[name].format(n=n, m=m, length=length, sizes=named)
    text = FORMS.format(n=n, m=m, k=k, body=body)
    return _core.Module.parse(text.replace("f32", element))


def arguments(sizes: tuple[int, ...], element: str) -> list[Array]:
    n, m, k = sizes
    rng = np.random.default_rng(n)
    values = [rng.uniform(-1, 1, shape).astype(element) for shape in ((m,), (n, m), (k, m))]
    return [values[0], values[1], np.array(2, "int32"), values[2], np.arange(k, dtype="int32")]


@cache
def static(name: str, sizes: tuple[int, ...]) -> list[Array]:
    """The results if all sizes are known."""
    program = module(name, "f64", sizes)
    program.run("", "simplify")
    return evaluate(program.program("main"), arguments(sizes, "float64"))


def assert_close(actual: list[Array], expected: list[Array], tolerance: float) -> None:
    for one, other in zip(actual, expected, strict=True):
        assert np.shape(one) == np.shape(other)
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", BODIES)
def test_derivatives(name: str) -> None:
    """Against finite differences, and batches against their elements."""
    sizes = SIZES[0]
    program = module(name, "f64", sizes)
    program.run("", "simplify")
    function = program.program("main")
    given = arguments(sizes, "float64")
    results = evaluate(function, given)
    for position, gradient in ((0, results[1]), (1, results[2])):
        for place in np.ndindex(gradient.shape):
            moved = []
            for step in (1e-6, -1e-6):
                changed = [x.copy() for x in given]
                changed[position][place] += step
                moved.append(evaluate(function, changed)[0])
            np.testing.assert_allclose(gradient[place], (moved[0] - moved[1]) / 2e-6, atol=1e-7)
    steps = [evaluate(function, [given[0] * (1 + h), *given[1:]])[1:3] for h in (1e-6, -1e-6)]
    differences = [(x - y) / 2e-6 for x, y in zip(*steps, strict=True)]
    assert_close(results[3:5], differences, 1e-6)
    for i in range(sizes[2]):
        element = evaluate(function, [given[3][i], given[1], given[4][i], *given[3:]])
        assert_close([x[i] for x in results[5:]], element[:3], 1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_unknown_sizes(name: str) -> None:
    program = module(name, "f64", ("?", "?", "?"))
    program.run("", "simplify")
    for sizes in SIZES:
        results = evaluate(program.program("main"), arguments(sizes, "float64"))
        assert_close(results, static(name, sizes), 1e-12)


@pytest.mark.parametrize("name", BODIES)
def test_unknown_lengths_compiled(name: str) -> None:
    program = module(name, "f32", ("?", 3, 2))
    program.run("", "lower")
    executable = Executable(compile_module(program.text()), "main", "local-sync")
    for sizes in [(4, 3, 2), (1, 3, 2), (6, 3, 2)]:
        results = [np.asarray(x) for x in executable(arguments(sizes, "float32"))]
        assert_close(results, static(name, sizes), 1e-5)

"""The errors of sums, and their section of docs/accuracy.md."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import dovetail as dt
import dovetail.numpy as dnp

HEADING = "\n## Reductions\n"
SIZES = (10**3, 10**5, 10**7, 10**8)
# The narrow types' conversions would take most of the time.
LARGEST_NARROW = 10**7
# Functions computed in float32 and rounded are measured in a few cases.
NARROW = ("sum", "variance", "sums of 10 columns", "dot", "running sums")

# A function, and the shapes of its arguments with about that many elements.
CASES: dict[str, tuple[Callable[..., Any], Callable[[int], tuple[tuple[int, ...], ...]]]] = {
    "sum": (lambda np_, x: np_.sum(x), lambda n: ((n,),)),
    "mean": (lambda np_, x: np_.mean(x), lambda n: ((n,),)),
    "variance": (lambda np_, x: np_.var(x), lambda n: ((n,),)),
    "norm": (lambda np_, x: np_.linalg.norm(x), lambda n: ((n,),)),
    "sums of rows": (lambda np_, x: np_.sum(x, 1), lambda n: ((math.isqrt(n),) * 2,)),
    "sums of columns": (lambda np_, x: np_.sum(x, 0), lambda n: ((math.isqrt(n),) * 2,)),
    "sums of 10 columns": (lambda np_, x: np_.sum(x, 0), lambda n: ((n // 10, 10),)),
    "middle axis": (lambda np_, x: np_.sum(x, 1), lambda n: ((5, n // 25, 5),)),
    "dot": (lambda np_, x, y: np_.dot(x, y), lambda n: ((n,), (n,))),
    "matrix by vector": (lambda np_, a, x: a @ x, lambda n: ((10, n // 10), (n // 10,))),
    "vector by matrix": (lambda np_, x, a: x @ a, lambda n: ((n // 10,), (n // 10, 10))),
    "product of matrices": (lambda np_, a: a.T @ a, lambda n: ((n // 10, 10),)),
    "running sums": (lambda np_, x: np_.cumsum(x), lambda n: ((n,),)),
}

_INTRODUCTION = """
Written by `.venv/bin/python tools/accuracy --reductions`. The largest relative errors in units of
the type's epsilon (float32 2⁻²³, bfloat16 2⁻⁷, float16 2⁻¹⁰); rounding the result alone may cost
half a unit. The elements are uniform in (0, 1), for float16 in (0, 2⁻⁹), so that summation errors
accumulate. The columns give the number of elements. Dovetail's programs are compiled and evaluated;
JAX {jax} is compiled. Sums beyond the range of a type are omitted. The variances of float16 are
subnormal numbers, which alone makes them inexact.

On CPUs, compiled sums of more than 64 numbers, including products of a vector with another or with
a matrix, are accumulated in f64, or in blocks of at most 128 numbers in f32 that are added in f64;
rows of up to 1024 numbers in f32, in 16 parts, as are products of a vector with the rows of a
matrix that stays in a cache during a loop; matrix products with sums of 1000 terms or more in
blocks of at least 250, unless a size is symbolic. Large products are SciPy's BLAS's, in programs
that are not exported: of at most 8192 terms each, or 512 where it adds them up one by one, added in
f64. On other devices the code generator chooses the order.

"""


def _array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    # Sums of float16 stay within its range.
    top = 2.0**-9 if dtype == "float16" else 1.0
    return dnp.asarray(rng.random(shape, np.float32) * np.float32(top)).astype(dtype)


def _error(result: Any, exact: Any, epsilon: float) -> float:
    got = np.asarray(result).astype(np.float64)
    return float(np.max(np.abs(got - exact) / np.abs(exact))) / epsilon


def _errors(name: str, size: int, dtype: str) -> list[float]:
    """Errors of compiled programs, of evaluated ones, and of JAX."""
    function, shapes = CASES[name]
    rng = np.random.default_rng(size)
    args = [_array(rng, shape, dtype) for shape in shapes(size)]
    exact = function(np, *(np.asarray(x).astype(np.float64) for x in args))
    if np.max(exact) > float(dnp.finfo(dtype).max):
        return []
    jax = importlib.import_module("jax")
    others = [jax.numpy.asarray(np.asarray(x)) for x in args]
    results = (
        dt.jit(lambda *xs: function(dnp, *xs), compile="now")(*args),
        function(dnp, *args),
        jax.jit(lambda *xs: function(jax.numpy, *xs))(*others),
    )
    epsilon = float(dnp.finfo(dtype).eps)
    return [_error(result, exact, epsilon) for result in results]


def section() -> str:
    """Measures all, and returns the text under `HEADING`."""
    jax = importlib.import_module("jax").__version__
    text = HEADING + _INTRODUCTION.format(jax=jax)
    columns = [f"{kind} {size:.0e}" for size in SIZES for kind in ("compiled", "evaluated", "JAX")]
    columns = [column.replace("e+0", "e") for column in columns]
    text += f"| reduction | type | {' | '.join(columns)} |\n"
    text += "| --- | --- |" + " ---: |" * len(columns) + "\n"
    for dtype, names in (("float32", CASES), ("bfloat16", NARROW), ("float16", NARROW)):
        for name in names:
            cells = []
            for size in SIZES:
                is_left_out = dtype != "float32" and size > LARGEST_NARROW
                errors = [] if is_left_out else _errors(name, size, dtype)
                cells += [f"{error:.2f}" for error in errors] or [""] * 3
            row = f"| {name} | {dtype} | {' | '.join(cells)} |\n"
            print(row, end="", flush=True)
            text += row
    return text

"""The errors of sums do not grow with the number of elements, evaluated or compiled.

All terms are positive, so that errors of the same sign add up and the exact result is no smaller
than the terms: an error of a few units in the last place is due to the summation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp


class Case(NamedTuple):
    """A function of arrays with one long dimension.

    Attributes:
      call: the function, given the array functions to use.
      shapes: the shapes of the arrays for `n` long dimensions.
      sizes: the same as texts for symbolic sizes.
    """

    call: Callable[..., Any]
    shapes: Callable[[int], tuple[tuple[int, ...], ...]]
    sizes: tuple[str, ...] = ("n",)


def _attention(np_: Any, scores: Any, values: Any) -> Any:
    weights = np_.exp(scores)
    return (weights @ values) / np_.sum(weights, -1, keepdims=True)


CASES = {
    "sum": Case(lambda np_, x: np_.sum(x), lambda n: ((n,),)),
    "mean": Case(lambda np_, x: np_.mean(x), lambda n: ((n,),)),
    "variance": Case(lambda np_, x: np_.var(x), lambda n: ((n,),)),
    "norm": Case(lambda np_, x: np_.linalg.norm(x), lambda n: ((n,),)),
    "sum of products": Case(lambda np_, x: np_.sum(x * x), lambda n: ((n,),)),
    "rows": Case(lambda np_, x: np_.sum(x, 1), lambda n: ((7, n),), ("7, n",)),
    "columns": Case(lambda np_, x: np_.sum(x, 0), lambda n: ((n, 7),), ("n, 7",)),
    "columns of a transpose": Case(lambda np_, x: np_.sum(x.T, 1), lambda n: ((n, 7),), ("n, 7",)),
    "middle": Case(lambda np_, x: np_.sum(x, 1), lambda n: ((3, n, 5),), ("3, n, 5",)),
    "both ends": Case(lambda np_, x: np_.sum(x, (0, 2)), lambda n: ((n, 3, 5),), ("n, 3, 5",)),
    "dot": Case(lambda np_, x, y: np_.dot(x, y), lambda n: ((n,), (n,)), ("n", "n")),
    "matrix by vector": Case(lambda np_, a, x: a @ x, lambda n: ((5, n), (n,)), ("5, n", "n")),
    "vector by matrix": Case(lambda np_, x, a: x @ a, lambda n: ((n,), (n, 5)), ("n", "n, 5")),
    "running sums": Case(lambda np_, x: np_.cumsum(x), lambda n: ((n,),)),
    "running sums of columns": Case(
        lambda np_, x: np_.cumsum(x, 0), lambda n: ((n, 3),), ("n, 3",)
    ),
}
# Their sums of a symbolic number of products are not in blocks.
MATRICES = {
    "attention": Case(_attention, lambda n: ((3, n), (n, 4))),
    "matrices": Case(lambda np_, a, b: a @ b, lambda n: ((5, n), (n, 4))),
    "gram": Case(lambda np_, a: a.T @ a, lambda n: ((n, 6),)),
    "batch": Case(
        lambda np_, a, b: np_.einsum("bin,bnj->bij", a, b), lambda n: ((2, 5, n), (2, n, 4))
    ),
}
# Half of it is the rounding of the result.
EPSILON = {np.dtype(np.float32): 2.0**-23, np.dtype(np.float16): 2.0**-10}


def arrays(case: Case, n: int, dtype: Any) -> list[np.ndarray]:
    rng = np.random.default_rng(n)
    return [rng.uniform(0.5, 1, shape).astype(dtype) for shape in case.shapes(n)]


def error(case: Case, args: list[np.ndarray], result: Any) -> float:
    """The largest relative error, in units of the type's epsilon."""
    exact = case.call(np, *(x.astype(np.float64) for x in args))
    epsilon = EPSILON.get(args[0].dtype, 2.0**-7)
    errors = np.abs(np.asarray(result).astype(np.float64) - exact) / np.abs(exact)
    return float(errors.max()) / epsilon


def with_dovetail(case: Case) -> Callable[..., Any]:
    return lambda *args: case.call(dnp, *map(dnp.asarray, args))


@pytest.mark.parametrize("n", [1_000, 100_003])
@pytest.mark.parametrize("name", CASES | MATRICES)
def test_evaluated(name: str, n: int) -> None:
    case = (CASES | MATRICES)[name]
    args = arrays(case, n, np.float32)
    assert error(case, args, with_dovetail(case)(*args)) < 4


@pytest.mark.parametrize("n", [1_000, 100_003])
def test_compiled(n: int) -> None:
    """In one program, which compiles faster than one for each."""
    cases = CASES | MATRICES
    inputs = {name: arrays(case, n, np.float32) for name, case in cases.items()}

    def program(inputs: Any) -> Any:
        return {name: with_dovetail(case)(*inputs[name]) for name, case in cases.items()}

    for name, result in dt.jit(program, compile="now")(inputs).items():
        assert error(cases[name], inputs[name], result) < 4, name


@pytest.mark.parametrize("name", CASES)
def test_compiled_for_any_size(name: str) -> None:
    case = CASES[name]
    program = dt.jit(with_dovetail(case), dynamic_shapes=case.sizes, compile="now")
    for n in (50_021, 1_000):
        args = arrays(case, n, np.float32)
        assert error(case, args, program(*args)) < 4


@pytest.mark.parametrize("dtype", [np.float16, np.dtype("bfloat16")], ids=str)
@pytest.mark.parametrize("name", ["mean", "columns", "dot", "running sums", "gram"])
def test_narrow_floats(name: str, dtype: Any) -> None:
    case = (CASES | MATRICES)[name]
    # Smaller terms, so that the sums do not exceed the range of float16.
    args = [(x / 64).astype(dtype) for x in arrays(case, 20_011, np.float32)]
    assert error(case, args, with_dovetail(case)(*args)) < 0.51
    assert error(case, args, dt.jit(with_dovetail(case), compile="now")(*args)) < 0.51


@pytest.mark.parametrize("name", ["sum of products", "columns", "dot", "attention", "gram"])
def test_gradients(name: str) -> None:
    case = (CASES | MATRICES)[name]

    def total(*args: Any) -> Any:
        # The derivative with respect to a factor of all elements is one sum of everything.
        return lambda scale: dnp.sum(case.call(dnp, *(scale * x for x in args)))

    args = arrays(case, 30_011, np.float32)
    exact = np.float64(1)
    step = 1e-6
    wide = [x.astype(np.float64) for x in args]
    ends = [np.sum(case.call(np, *((exact + s) * x for x in wide))) for s in (step, -step)]
    expected = (ends[0] - ends[1]) / (2 * step)
    compiled = dt.jit(lambda *xs: dt.grad(total(*xs))(np.float32(1)), compile="now")
    np.testing.assert_allclose(compiled(*args), expected, rtol=1e-5)


def test_complex_sums() -> None:
    rng = np.random.default_rng(0)
    x = (rng.uniform(0.5, 1, (100_003, 3)) + 1j * rng.uniform(0.5, 1, (100_003, 3))).astype("c8")
    for f in (lambda x: dnp.sum(x, 0), lambda x: dnp.einsum("ij,ij->j", x, x)):
        wide = x.astype(np.complex128)
        exact = wide.sum(0) if f(x[:1]).tolist() == x[0].tolist() else (wide * wide).sum(0)
        for result in (f(x), dt.jit(f, compile="now")(x)):
            errors = np.abs(np.asarray(result).astype(np.complex128) - exact) / np.abs(exact)
            assert errors.max() < 4 * 2.0**-23


# Terms reduced in parts, with one, several or none of the dimensions divisible.
MANY: list[tuple[tuple[int, ...], Any]] = [
    ((131_101,), None),
    ((3, 7, 400, 50), None),
    ((3, 1 << 17), 1),
    ((2, 1 << 14, 3, 11), (1, 3)),
    ((409, 421), (0, 1)),
    ((7, 2, 4, 3, 6, 2), (0, 2, 4)),
]


@pytest.mark.parametrize(("shape", "axis"), MANY, ids=str)
def test_many_terms(shape: tuple[int, ...], axis: Any) -> None:
    rng = np.random.default_rng(0)
    floats = rng.uniform(0.5, 1, shape).astype(np.float32)
    halves = (floats / 1024).astype(np.float16)
    integers = rng.integers(-100, 100, shape).astype(np.int8)
    bools = floats > 0.6

    def program(np_: Any, x: Any, h: Any, i: Any, b: Any) -> list[Any]:
        return [
            *(np_.sum(x, axis), np_.sum(h, axis), np_.sum(i, axis), np_.min(x, axis)),
            *(np_.max(i, axis), np_.max(h, axis), np_.all(b, axis), np_.any(~b, axis)),
            *(np_.prod(np_.where(x > 0.9995, x, 1), axis), np_.sum(x * x, axis)),
            np_.sum(x + 1j * x, axis),
        ]

    args = (floats, halves, integers, bools)
    results = dt.jit(lambda *xs: program(dnp, *xs), compile="now")(*map(dnp.asarray, args))
    wide = (floats.astype(np.float64), halves.astype(np.float64), integers, bools)
    for result, exact in zip(results, program(np, *wide), strict=True):
        rtol = 1e-3 if result.dtype == np.float16 else 1e-6
        np.testing.assert_allclose(np.asarray(result).astype(exact.dtype), exact, rtol=rtol)


def test_many_products() -> None:
    rng = np.random.default_rng(0)
    for size in (1 << 17, 131_101):
        a = rng.uniform(0.5, 1, (3, size)).astype(np.float32)
        v = rng.uniform(0.5, 1, size).astype(np.float32)
        results = dt.jit(lambda a, v: (a @ v, v @ a.T, dnp.vdot(v, v)), compile="now")(a, v)
        wide, exact = v.astype(np.float64), a.astype(np.float64)
        for result, each in zip(results, (exact @ wide, wide @ exact.T, wide @ wide), strict=True):
            np.testing.assert_allclose(result, each, rtol=3e-7)

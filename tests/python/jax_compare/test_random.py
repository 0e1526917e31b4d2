"""Random keys and samples against JAX: the same bits, and numbers equal up to rounding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import dovetail as dt
from dovetail import config, dtypes, lax, random
from support.jax_compare import jax
from support.random_table import ROWS, Row

theirs = jax.random

GENERATORS = ("threefry2x32", "threefry4x32", "philox2x32", "philox4x32", "rbg", "unsafe_rbg")
SHAPES: tuple[tuple[int, ...], ...] = ((), (5,), (2, 3), (2, 0))


@pytest.fixture(params=[False, True], ids=["x32", "x64"])
def x64(request: Any) -> Iterator[bool]:
    with config.enable_x64(request.param), jax.enable_x64(request.param):
        yield request.param


@pytest.fixture(params=[True, False], ids=["partitionable", "sequential"])
def partitionable(request: Any) -> Iterator[bool]:
    with config.threefry_partitionable(request.param):
        before = jax.config.jax_threefry_partitionable
        jax.config.update("jax_threefry_partitionable", request.param)
        yield request.param
        jax.config.update("jax_threefry_partitionable", before)


def check(ours: Any, other: Any, rtol: float | None = None, what: str = "") -> None:
    """One type, one shape, and the same bits unless there is a tolerance."""
    if dtypes.issubdtype(ours.dtype, dtypes.prng_key):
        assert ours.dtype.name == other.dtype.name
        ours, other = random.key_data(ours), theirs.key_data(other)
    mine, other = np.asarray(ours), np.asarray(other)
    assert (mine.dtype, mine.shape) == (other.dtype, other.shape), what
    if rtol is None:
        assert_array_equal(mine, other, what)
    else:
        tolerance = rtol * float(dtypes.finfo(mine.dtype).eps)
        wide = np.complex128 if dtypes.kind(mine.dtype) == "c" else np.float64
        assert_allclose(mine.astype(wide), other.astype(wide), tolerance, tolerance, err_msg=what)


def both(call: Callable[[Any], Any], rtol: float | None = None, what: str = "") -> None:
    check(call(random), call(theirs), rtol, what)


def test_seeds(x64: bool) -> None:
    for seed in (0, 42, -1, 2**40 + 7, -(2**45), np.int8(-3), np.uint8(200), np.uint32(2**31 + 5)):
        both(lambda r, seed=seed: r.key(seed))
        both(lambda r, seed=seed: r.PRNGKey(seed))


def test_new_keys(x64: bool, partitionable: bool) -> None:
    for number in (1, 2, 3, 5, (2, 3), (), (0,)):
        both(lambda r, number=number: r.split(r.key(7), number))
    for data in (0, 3, 2**32 - 1, np.int32(-5)):
        both(lambda r, data=data: r.fold_in(r.key(7), data))
    mapped = [
        lib.vmap(lib.random.bits)(lib.random.split(lib.random.key(1), 4)) for lib in (dt, jax)
    ]
    check(mapped[0], mapped[1])


def test_bits(x64: bool, partitionable: bool) -> None:
    for shape in SHAPES:
        for dtype in (None, "uint8", "uint16", "uint32", *(["uint64"] if x64 else [])):
            both(lambda r, s=shape, t=dtype: r.bits(r.key(7), s, t), what=f"{shape} {dtype}")


def test_floats(x64: bool, partitionable: bool) -> None:
    wide = ["float64", "complex128"] if x64 else []
    for shape in SHAPES:
        for dtype in ("float16", "bfloat16", "float32", "float8_e4m3fn", *wide[:1]):
            both(lambda r, s=shape, t=dtype: r.uniform(r.key(7), s, t), what=f"{shape} {dtype}")
            both(lambda r, s=shape, t=dtype: r.uniform(r.key(7), s, t, -2, 3), 4)
        for dtype in ("float16", "bfloat16", "float32", "complex64", *wide):
            both(lambda r, s=shape, t=dtype: r.normal(r.key(7), s, t), 32, f"{shape} {dtype}")


def test_integers(x64: bool, partitionable: bool) -> None:
    ends = [(0, 10), (-5, 5), (-1000, 1000), (0, 2**31 - 1), (3, 3), (5, 2), (-128, 128), (0, 256)]
    for dtype in ("int8", "uint8", "int16", "int32", "uint32", *(["int64"] if x64 else [])):
        for low, high in ends:
            both(
                lambda r, low=low, high=high, t=dtype: r.randint(r.key(7), (2, 3), low, high, t),
                what=f"{dtype} {low} {high}",
            )
    both(lambda r: r.randint(r.key(7), (5,), 0.5, 9.7))
    both(lambda r: r.randint(r.key(7), (2, 3), np.array([[0], [5]]), np.array([3, 9, 100])))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_samplers(row: Row, x64: bool) -> None:
    samples = [row.draw(lib.random, lib.numpy, lib.random.key(3), (5, 4)) for lib in (dt, jax)]
    # Differences of nearly equal terms lose some of the digits.
    check(samples[0], samples[1], None if row.exact else 128)


def draws(r: Any, n: Any, key: Any) -> dict[str, Any]:
    """Other ways of calling samplers, with their names."""
    logits = n.log(n.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))
    rates = np.array([0.0, 0.5, 9.9, 10.0, 1e3, np.nan], np.float32)
    counts = np.array([5.0, 100.0, 1e5, np.nan, -1.0, np.inf], np.float32)
    chances = np.array([0.9, 0.6, 0.2, 0.5, 0.5, 0.5], np.float32)
    table = np.arange(12).reshape(3, 4)
    return {
        "categorical axis": r.categorical(key, logits, axis=0),
        "categorical shape": r.categorical(key, logits, 0, (7, 3)),
        "categorical once": r.categorical(key, logits, -1, (2, 2), replace=False),
        "permutation": r.permutation(key, 100),
        "permutation of rows": r.permutation(key, table),
        "permutation alone": r.permutation(key, table, 1, independent=True),
        "choice": r.choice(key, 5),
        "choice once": r.choice(key, np.arange(10) * 2, (5,), replace=False),
        "choice once p": r.choice(key, 4, (3,), replace=False, p=n.array([0.1, 0.2, 0.3, 0.4])),
        "choice axis": r.choice(key, table, (2, 5), axis=1),
        "choice once axis": r.choice(key, table, (2,), replace=False, axis=1),
        "poisson": r.poisson(key, rates),
        "poisson uint8": r.poisson(key, rates[:5], dtype="uint8"),
        "binomial": r.binomial(key, counts, chances),
        "multinomial": r.multinomial(key, np.array([5, 100]), np.exp(logits)),
        "bernoulli": r.bernoulli(key),
        "rademacher": r.rademacher(key, (3,), "int8"),
        "geometric": r.geometric(key, chances, dtype="int16"),
    }


def rounded_draws(r: Any, n: Any, key: Any) -> dict[str, Any]:
    """The same for floats."""
    alphas = np.array([1e-3, 0.5, 2.0, 100.0], np.float32)
    cov = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)
    return {
        "gamma": r.gamma(key, alphas),
        "loggamma": r.loggamma(key, alphas, (3, 4)),
        "beta": r.beta(key, alphas[1:, None], alphas[1:]),
        "dirichlet": r.dirichlet(key, alphas[1:], (3,)),
        "f": r.f(key, alphas[1:], 3.0),
        "ball": r.ball(key, 4, 3.0, (2,)),
        "double": r.double_sided_maxwell(key, alphas, 2.0),
        "lognormal": r.lognormal(key),
        "truncated": r.truncated_normal(key, -alphas, 2.0),
        "pareto": r.pareto(key, alphas[1:]),
        "multivariate": r.multivariate_normal(key, np.zeros((3, 2), np.float32), cov),
        "orthogonal": r.orthogonal(key, 2, (3,), m=4),
        "gumbel16": r.gumbel(key, (3,), "float16", "highest"),
    }


def test_more_samples() -> None:
    for make, rtol in ((draws, None), (rounded_draws, 256)):
        ours, other = (make(lib.random, lib.numpy, lib.random.key(3)) for lib in (dt, jax))
        for name, samples in ours.items():
            check(samples, other[name], rtol, name)


GAMMAS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "gamma": lambda r, k, a: r.gamma(k, a, (3,)),
    "loggamma": lambda r, k, a: r.loggamma(k, a, (3,)),
    "beta": lambda r, k, a: r.beta(k, a, 2.0, (3,)),
    "beta of b": lambda r, k, a: r.beta(k, 0.7, a, (3,)),
    "dirichlet": lambda r, k, a: r.dirichlet(k, a * np.arange(1, 4))[..., 1],
    "chisquare": lambda r, k, a: r.chisquare(k, a, (3,)),
    "f": lambda r, k, a: r.f(k, a, 2 * a, (3,)),
    "t": lambda r, k, a: r.t(k, a, (3,)),
}


@pytest.mark.parametrize("name", GAMMAS)
def test_derivatives(name: str) -> None:
    with config.enable_x64(True), jax.enable_x64(True):
        for a in (0.4, 2.5):
            slopes = [
                lib.jacfwd(lambda a, lib=lib: GAMMAS[name](lib.random, lib.random.key(5), a))(a)
                for lib in (dt, jax)
            ]
            # JAX's derivative of the incomplete gamma function has an error of 1e-6 or so.
            assert_allclose(slopes[0], slopes[1], rtol=1e-4)


def test_derivatives_where_numbers_vanish() -> None:
    """Numbers of a small parameter are 0, as are their derivatives, even through logarithms."""
    small = np.geomspace(1e-8, 1e-2, 7, dtype=np.float32)
    for sample in (
        lambda r, a: r.loggamma(r.key(0), a),
        lambda r, a: r.gamma(r.key(0), a),
        lambda r, a: r.chisquare(r.key(0), a),
    ):
        slopes = dt.grad(lambda a, f=sample: dt.numpy.exp(f(dt.random, a)).sum())(small)
        assert np.isfinite(slopes).all()
    logarithms = dt.grad(lambda a: dt.numpy.exp(dt.random.loggamma(dt.random.key(0), a)).sum())
    assert_array_equal(logarithms(small[:2]), [0, 0])


@pytest.mark.parametrize("impl", GENERATORS)
def test_generators(impl: str, x64: bool) -> None:
    for seed in (0, 42, -1, 2**40 + 5):
        both(lambda r, seed=seed: r.key(seed, impl=impl))
    for number in (2, 5, (2, 3)):
        both(lambda r, number=number: r.split(r.key(3, impl=impl), number))
    for data in (0, 7, 2**31 + 5):
        both(lambda r, data=data: r.fold_in(r.key(3, impl=impl), data))
    for shape in ((), (5,), (2, 3)):
        for dtype in ("uint8", "uint16", "uint32", *(["uint64"] if x64 else [])):
            both(lambda r, s=shape, t=dtype: r.bits(r.key(3, impl=impl), s, t))


@pytest.mark.parametrize("impl", GENERATORS)
def test_generators_in_batches(impl: str) -> None:
    draws: list[Callable[[Any, Any], Any]] = [
        lambda r, k: r.bits(k, (3,), "uint8"),
        lambda r, k: r.uniform(k, (2,)),
        lambda r, k: r.key_data(r.split(k)),
        lambda r, k: r.key_data(r.fold_in(k, 5)),
        lambda r, k: r.normal(r.split(k)[0]),
    ]
    for draw in draws:
        for mapped, number in ((lambda f, v: v(f), 3), (lambda f, v: v(v(f)), (2, 3))):
            ours, other = (
                mapped(lambda k, lib=lib, draw=draw: draw(lib.random, k), lib.vmap)(
                    lib.random.split(lib.random.key(1, impl=impl), number)
                )
                for lib in (dt, jax)
            )
            check(ours, other, None if ours.dtype.kind == "u" else 64)
    # Only data in batches, and a batch that is not in front.
    fold = [lib.vmap(lib.random.fold_in, (None, 0)) for lib in (dt, jax)]
    both(lambda r: r.key_data(fold[r is jax.random](r.key(2, impl=impl), np.arange(3))))


def test_generator_of_xla(x64: bool) -> None:
    state = np.array([1, 2, 2**32 - 2, 4], np.uint32)
    for algorithm in lax.RandomAlgorithm:
        other = jax.lax.RandomAlgorithm(int(algorithm))
        for dtype in ("uint8", "uint16", "uint32", *(["uint64"] if x64 else [])):
            for shape in ((), (5,), (2, 3), (3, 5), (0,)):
                pair = lax.rng_bit_generator(state, shape, dtype, algorithm)
                expected = jax.lax.rng_bit_generator(state, shape, dtype, other)
                for ours, other_half in zip(pair, expected, strict=True):
                    check(ours, other_half)
    if x64:
        wide = np.array([2**33 + 1, 2**63 + 2**32 - 1], np.uint64)
        pair = lax.rng_bit_generator(wide, (6,)), jax.lax.rng_bit_generator(wide, (6,))
        for ours, other_half in zip(*pair, strict=True):
            check(ours, other_half)

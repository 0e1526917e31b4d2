"""The evaluator's loops that are not NumPy functions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import special

from dovetail.reference.random import threefry2x32
from dovetail.reference.special import erf_inv

# Around the sizes of vectors, of blocks and of a thread's share.
SIZES = (0, 1, 15, 16, 17, 511, 512, 513, 3 * 2**16 + 5)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", ["one", "each"])
def test_hashes_do_not_depend_on_their_number(size: int, keys: str) -> None:
    drawn = np.random.default_rng(size).integers(0, 2**32, (4, size), np.uint32)
    words = list(drawn)
    if keys == "one":
        words = [np.broadcast_to(word[:1], size) if i < 2 else word for i, word in enumerate(words)]
    first, second = threefry2x32(*words)
    for start in (0, max(size - 100, 0)):
        part = slice(start, start + 100)
        # This few are hashed by another loop.
        expected = threefry2x32(*(word[part] for word in words))
        assert_array_equal(first[part], expected[0])
        assert_array_equal(second[part], expected[1])


def test_hashes_of_repeated_and_of_strided_words() -> None:
    numbers = np.arange(1200, dtype=np.uint32).reshape(40, 30).T
    zeros = np.zeros(numbers.shape, np.uint32)
    repeated = np.broadcast_to(np.uint32(0), numbers.shape)
    expected = threefry2x32(zeros, zeros, zeros, numbers.copy())
    assert_array_equal(threefry2x32(repeated, repeated, repeated, numbers), expected)
    assert_array_equal(threefry2x32(zeros, repeated, repeated, numbers), expected)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_erf_inv(size: int, dtype: type) -> None:
    generator = np.random.default_rng(size)
    tails = np.copysign(
        1 - 10.0 ** generator.uniform(-16, -1, size), generator.uniform(-1, 1, size)
    )
    small = 10.0 ** generator.uniform(-300, 0, size)
    x = np.where(generator.integers(0, 3, size) == 0, generator.uniform(-1, 1, size), tails)
    x = np.where(generator.integers(0, 4, size) == 0, small, x).astype(dtype)
    expected = special.erfinv(x.astype(np.float64)).astype(
        np.float32 if dtype != np.float64 else dtype
    )
    if dtype == np.float64:
        np.testing.assert_allclose(erf_inv(x), expected, rtol=1.5e-15)
    else:
        assert_array_equal(erf_inv(x), expected.astype(dtype))


def test_erf_inv_at_the_ends() -> None:
    x = np.array([0.0, -0.0, 1.0, -1.0, 1.5, -np.inf, np.nan, 5e-324])
    y = erf_inv(x)
    assert_array_equal(y[:7], [0.0, -0.0, np.inf, -np.inf, np.nan, np.nan, np.nan])
    assert_array_equal(np.signbit(y[:4]), [False, True, False, True])
    # sqrt(pi) / 2 times the smallest number.
    assert y[7] == 5e-324
    assert erf_inv(np.array(0.5)).shape == ()
    assert erf_inv(x[::2]).shape == (4,)

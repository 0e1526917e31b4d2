"""Shapes of samples and of keys, including those with more words than can be counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random
from dovetail.lax import random_bits
from support.random_table import ROWS, Row

# `choice` requires a sequence, like JAX's; that of `multinomial` turns one into the shape.
SAMPLERS = [row for row in ROWS if row.name not in ("choice", "choice_p", "multinomial")]


@pytest.mark.parametrize("row", SAMPLERS, ids=lambda row: row.name)
def test_shapes_are_ints_or_sequences(row: Row) -> None:
    wanted = row.draw(random, dnp, random.key(3), (2,))
    shapes: list[Any] = [2, np.int64(2), [2], np.array([2]), dnp.array(2)]
    for shape in shapes:
        assert_array_equal(row.draw(random, dnp, random.key(3), shape), wanted)


def test_updates_along_a_dimension() -> None:
    keys = random.split(random.key(0), 3)
    other = random.split(random.key(1), 2)
    put = lax.dynamic_update_slice_in_dim(keys, other, 1, axis=0)
    assert_array_equal(random.key_data(put[1:]), random.key_data(other))
    put = lax.dynamic_update_index_in_dim(keys, other[0], 2, axis=0)
    assert_array_equal(random.key_data(put[2]), random.key_data(other[0]))


def test_states_after_many_words() -> None:
    state = np.array([1, 2, 2**32 - 1, 5], np.uint32)
    for count in (0, 1, 2**32 - 1, 2**32, 2**33 + 7):
        low, high = random_bits._advanced(dnp.asarray(state[2]), dnp.asarray(state[3]), count)
        total = int(state[2]) + (int(state[3]) << 32) + count
        assert (int(high) << 32) + int(low) == total
    for impl in ("threefry2x32", "rbg", "philox4x32"):
        key = random.key(0, impl=impl)
        assert dt.eval_shape(lambda k: random.normal(k, 10**12), key).shape == (10**12,)

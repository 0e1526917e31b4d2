"""References to arrays of random keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random


def words(keys: Any) -> list[Any]:
    return np.asarray(random.key_data(keys)).tolist()


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
@pytest.mark.parametrize("jitted", [False, True])
def test_state_of_a_generator(jitted: bool, impl: str) -> None:
    def draw(state: Any) -> Any:
        state[...], now = random.split(state[...])
        return random.uniform(now)

    f = dt.jit(draw) if jitted else draw
    key = random.key(0, impl=impl)
    state, expected = dt.new_ref(key), []
    for _ in range(3):
        key, now = random.split(key)
        expected.append(float(random.uniform(now)))
    assert [float(f(state)) for _ in range(3)] == expected
    assert words(dt.freeze(state)) == words(key)
    with pytest.raises(ValueError, match="after it was frozen or freed"):
        state[...]


def test_indices_and_windows() -> None:
    keys = random.split(random.key(0), 6).reshape(2, 3)
    ref = dt.new_ref(keys)
    assert (ref.shape, ref.ndim, ref.size, ref.dtype) == ((2, 3), 2, 6, keys.dtype)
    assert repr(ref).startswith("Ref((2, 3), dtype=key<fry>) overlaying:\nRef([[[")
    for index in (0, (1, 2), (slice(None), 1), ..., (..., 0), dnp.array([1, 0]), np.eye(2, 3) > 0):
        assert words(ref[index]) == words(keys[index])
    ref[0] = ref[1, 0]
    assert words(ref[0]) == [words(keys[1, 0])] * 3
    ref.at[1, 1:].set(keys[0, :2])
    assert words(ref[1]) == words(dnp.stack([keys[1, 0], keys[0, 0], keys[0, 1]]))
    assert words(dt.ref.swap(ref, (0, 0), keys[0, 0])) == words(keys[1, 0])
    assert dt.typeof(ref) == dt.ref.AbstractRef(dt.typeof(keys))
    assert words(dt.empty_ref(dt.typeof(keys))[...]) == np.zeros((2, 3, 2), int).tolist()


def test_loops_and_transforms() -> None:
    keys = random.split(random.key(0), 3)

    def draws(ref: Any) -> Any:
        def body(c: Any, key: Any) -> Any:
            key[...], now = random.split(key[...])
            return c, random.uniform(now)

        return lax.scan(body, 0, ref)[1]

    ref = dt.new_ref(keys)
    halves = dt.vmap(random.split)(keys)
    expected = dt.vmap(random.uniform)(halves[:, 1])
    np.testing.assert_array_equal(draws(ref), expected)
    assert words(ref[...]) == words(halves[:, 0])

    state = dt.new_ref(keys)
    batched = dt.vmap(lambda key: random.uniform(random.split(key[...])[1]))(state)
    np.testing.assert_array_equal(batched, expected)

    def loss(x: Any, key: Any) -> Any:
        key[...], now = random.split(key[...])
        return (x * random.uniform(now)).sum()

    one = dt.new_ref(keys[0])
    np.testing.assert_array_equal(dt.grad(loss)(2.0, one), expected[0])
    assert words(one[...]) == words(halves[0, 0])
    pull = dt.vjp(loss, 2.0, dt.new_ref(keys[0]))[1]
    np.testing.assert_array_equal(pull(1.0)[0], expected[0])


def test_within_functions() -> None:
    @dt.jit
    def f(key: Any) -> Any:
        ref = dt.new_ref(key)
        lax.fori_loop(0, 3, lambda i, c: (ref.set(random.fold_in(ref[...], i)), c)[1], 0)
        return dt.freeze(ref)

    key = random.key(0)
    expected = random.fold_in(random.fold_in(random.fold_in(key, 0), 1), 2)
    assert words(f(key)) == words(expected)


def test_errors() -> None:
    ref = dt.new_ref(random.key(0))
    with pytest.raises(ValueError, match=r"Invalid dtype for `swap`. Ref dtype: key<fry>. Value"):
        ref[...] = 1
    with pytest.raises(ValueError, match="write keys of the same generator"):
        ref[...] = random.key(0, impl="rbg")
    with pytest.raises(TypeError, match="add needs numbers"):
        ref[...] += 1
    with pytest.raises(ValueError, match="a sum of keys"):
        ref.addupdate(random.key(1))
    with pytest.raises(ValueError, match="appeared at both a"):
        dt.jit(lambda a, b: 0)(ref, ref)
    with pytest.raises(ValueError, match="returned a mutable array reference"):
        dt.jit(lambda a: a)(ref)

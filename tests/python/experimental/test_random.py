"""Random generators with a state: JAX's documented values, and draws in traced functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import random
from dovetail.experimental.random import StatefulPRNG, stateful_rng


def test_documented_values() -> None:
    rng = stateful_rng(42)
    draws = [rng.uniform(), rng.uniform()]
    np.testing.assert_allclose(draws, [0.5302608, 0.72766423], rtol=1e-6)
    draw = dt.jit(rng.uniform)
    np.testing.assert_allclose([draw(), draw()], [0.6672406, 0.3890121], rtol=1e-6)
    keys = [random.key_data(rng.key()).tolist() for _ in range(2)]
    assert keys == [[2954079971, 3276725750], [2765691542, 824333390]]
    children = stateful_rng(123).spawn(2)
    assert [rng.integers(0, 10, 2).tolist() for rng in children] == [[4, 5], [2, 1]]


def test_a_batch_has_a_generator_for_each_element() -> None:
    def noisy(rng: StatefulPRNG, x: Any) -> Any:
        return x + rng.uniform()

    x = dnp.zeros(3)
    expected = [0.35525954, 0.21937883, 0.5336956]
    batch = stateful_rng(123).split(3)
    np.testing.assert_allclose(dt.vmap(noisy)(batch, x), expected, rtol=1e-6)
    assert batch._counter[...].tolist() == [1, 1, 1]
    apart = [noisy(rng, 0.0) for rng in stateful_rng(123).spawn(3)]
    np.testing.assert_allclose(apart, expected, rtol=1e-6)
    with pytest.raises(ValueError, match=r"cannot operate on split .*got: \(3,\) generators"):
        batch.key()


def test_every_draw_of_a_traced_function_advances_the_state() -> None:
    @dt.jit
    def drawn(rng: StatefulPRNG) -> Any:
        return rng.normal(size=4), rng.normal(size=4)

    rng = stateful_rng(7)
    inside = [*drawn(rng), *drawn(rng)]
    rng, before = stateful_rng(7), rng
    outside = [rng.normal(size=4) for _ in range(4)]
    np.testing.assert_allclose(inside, outside, rtol=1e-6)
    assert before._counter[...] == rng._counter[...] == 4


def test_loops_draw_anew_in_each_iteration() -> None:
    def looped(seed: Any) -> Any:
        rng = stateful_rng(seed)
        return dt.lax.scan(lambda _, __: (None, rng.uniform()), None, length=5)[1]

    rng = stateful_rng(11)
    expected = [rng.uniform() for _ in range(5)]
    np.testing.assert_allclose(looped(11), expected, rtol=1e-6)
    np.testing.assert_allclose(dt.jit(looped)(11), expected, rtol=1e-6)


def test_derivatives() -> None:
    rng = stateful_rng(3)
    slope = dt.grad(lambda x: x * rng.uniform())(2.0)
    np.testing.assert_allclose(slope, stateful_rng(3).uniform(), rtol=1e-6)


@pytest.mark.parametrize("size", [None, 2, (5, 2)])
def test_shapes_and_types(size: Any) -> None:
    rng = stateful_rng(9)
    low, high = np.array([0, 1]), np.array([5, 7])
    draws = [
        (rng.random(size, np.float16), np.float16, ()),
        (rng.uniform(low, high, size), np.float32, (2,)),
        (rng.normal(low, 2, size, dtype=np.float16), np.float16, (2,)),
        (rng.integers(low, high, size), np.int32, (2,)),
    ]
    for draw, dtype, own in draws:
        assert draw.dtype == dtype
        assert draw.shape == (own if size is None else np.broadcast_shapes(size))
    assert ((draws[3][0] >= low) & (draws[3][0] < high)).all()
    assert (rng.integers(3, size=100) < 3).all()


def test_seeds() -> None:
    assert (stateful_rng().random(8) != stateful_rng().random(8)).any()
    assert stateful_rng(0, impl="rbg").key().dtype == random.key(0, impl="rbg").dtype
    for transform in (dt.jit, dt.grad, dt.vmap):
        with pytest.raises(TypeError, match=r"requires an explicit seed.*got: None"):
            transform(lambda x: x + stateful_rng().uniform())(
                dnp.ones(3) if transform is dt.vmap else 1.0
            )


def test_parts_are_checked() -> None:
    with pytest.raises(ValueError, match="base_key to be a typed PRNG key; got: 3"):
        StatefulPRNG(3, dt.new_ref(0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="counter to be a scalar integer ref; got: 0"):
        StatefulPRNG(random.key(0), 0)  # type: ignore[arg-type]

"""`debug_key_reuse`: keys that are used twice, through calls, loops, branches and transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, errors, lax, random


def test_reuse() -> None:
    with config.debug_key_reuse(True):
        key = random.key(0)
        random.bits(random.fold_in(key, 1))
        first, second = random.split(key)
        with pytest.raises(errors.KeyReuseError, match=r"split: a key must be used once.*clone"):
            random.split(key)
        random.normal(first)
        random.bits(random.clone(first))
        with pytest.raises(errors.KeyReuseError, match=r"uniform: .*used before"):
            random.uniform(first)
        random.bits(second)
        many = random.split(random.key(1), (2, 3))
        random.bits(many[0, 1])
        random.bits(many.reshape(3, 2)[0, 0])
        with pytest.raises(errors.KeyReuseError):
            random.bits(many[0][1])
        with pytest.raises(errors.KeyReuseError):
            dt.jit(lambda key: random.bits(key) + random.bits(key))(random.key(2))
        with pytest.raises(errors.KeyReuseError):
            dt.jit(lambda a, b: random.bits(a) + random.bits(b))(many[1, 0], many[1, 0])
        # Raw keys are not tracked.
        raw = random.PRNGKey(0)
        assert random.bits(raw) == random.bits(raw)
    assert random.bits(key) == random.bits(key)


def test_reuse_across_calls() -> None:
    def is_used(call: Callable[..., Any], *args: Any) -> bool:
        try:
            call(*args)
        except errors.KeyReuseError:
            return True
        return False

    draw = dt.jit(random.normal)
    with config.debug_key_reuse(True):
        key = random.key(0)
        assert not is_used(draw, key)
        assert is_used(draw, key)
        assert is_used(random.bits, key)
        # The existing program is checked for each key.
        assert not is_used(draw, random.key(1))
        assert is_used(dt.jit(lambda key: draw(key) + draw(key)), random.key(1))
        within = dt.jit(lambda keys: draw(keys[1]))
        keys = random.split(random.key(2), 3)
        assert not is_used(within, keys)
        assert is_used(within, keys)
        assert is_used(random.bits, keys[1])
        assert not is_used(random.bits, keys[2])
        # Keys that are closed over, and keys that are made again in each call.
        for lower in (False, True):
            closed = random.key(3)
            add = dt.jit(lambda x, closed=closed: x + draw(closed))
            if lower:
                add.lower(1.0)
            assert not is_used(add, 1.0)
            assert is_used(add, 2.0)
            assert is_used(random.bits, closed)
        fresh = dt.jit(lambda x: x + random.normal(random.key(4)))
        assert not is_used(fresh, 1.0)
        assert not is_used(fresh, 1.0)
        # A key that is returned is the same key.
        for function in (lambda key: key, lambda key: (key, random.bits(key))[0]):
            key = random.key(5)
            same = dt.jit(function)(key)
            used = is_used(random.bits, key)
            assert is_used(random.bits, same)
            assert used == ("bits" in function.__code__.co_names)
        first, second = dt.jit(random.split)(random.key(6))
        assert not is_used(random.bits, first)
        assert not is_used(random.bits, second)
        # A failed trace records nothing.
        assert is_used(dt.jit(lambda key: (random.bits(key), random.bits(key))), key)
        slope = dt.jit(dt.grad(lambda x, key: x * random.normal(key)))
        key = random.key(7)
        assert not is_used(slope, 1.0, key)
        assert is_used(slope, 1.0, key)
    assert draw(key) == draw(key)
    # Functions that were compiled before, and keys that pass through.
    later = dt.jit(lambda key: (key, random.bits(key)))
    later(random.key(5))
    with config.debug_key_reuse(True):
        key = random.key(5)
        same, _ = later(key)
        assert is_used(random.bits, same)
        assert is_used(random.bits, key)
        through = dt.jit(lambda key: key)(random.key(6))
        assert not is_used(random.bits, through)
        assert is_used(random.bits, through)


def draw_at_each_step(key: Any, steps: int = 3, **options: Any) -> Any:
    return lax.scan(lambda c, _: (c + random.normal(key), None), 0.0, length=steps, **options)


def carry_split(key: Any) -> Any:
    def step(key: Any, _: Any) -> Any:
        key, sub = random.split(key)
        return key, random.normal(sub)

    return lax.scan(step, key, length=3)


def carry_while(key: Any) -> Any:
    def step(carry: Any) -> Any:
        key, sub = random.split(carry[0])
        # The weakly typed carry makes the loop trace its body twice.
        return key, carry[1] + random.uniform(sub) + 1

    return lax.while_loop(lambda carry: carry[1] < 3, step, (key, 0))


def exchange(key: Any, steps: int) -> Any:
    def step(carry: Any, _: Any) -> Any:
        return carry[::-1], random.normal(carry[0])

    return lax.scan(step, tuple(random.split(key)), length=steps)


def of_either(key: Any, wanted: Any = True) -> Any:
    return lax.cond(wanted, random.normal, random.uniform, key)


def rows_again(key: Any) -> Any:
    keys = random.split(key, 3)
    return lax.map(random.normal, keys), random.normal(keys[1])


def at_each_step_of_fori(key: Any, stop: Any) -> Any:
    return lax.fori_loop(0, stop, lambda i, c: c + random.normal(key), 0.0)


REUSE = {
    "scan": (draw_at_each_step, "used at every step of `scan`"),
    "scan unrolled": (lambda k: draw_at_each_step(k, 5, unroll=2), "every step of `scan`"),
    "fori_loop": (lambda k: at_each_step_of_fori(k, 4), "every step of `fori_loop`"),
    "dynamic": (dt.jit(lambda k: at_each_step_of_fori(k, dnp.max(dnp.arange(4)))), "every step"),
    "while_loop": (
        lambda k: lax.while_loop(lambda c: c < 4, lambda c: c + 1 + 0 * random.normal(k), 0.0),
        "every step of `while_loop`",
    ),
    "condition": (
        lambda k: lax.while_loop(lambda c: c + random.normal(k) < 4, lambda c: c + 1, 0.0),
        "every step of `while_loop`",
    ),
    "map": (lambda k: lax.map(lambda x: x + random.normal(k), dnp.ones(3)), "every step"),
    "carry": (lambda k: lax.scan(lambda k, _: (k, random.normal(k)), k, length=3), "every step"),
    "carries": (lambda k: exchange(k, 3), "every step"),
    "initial": (lambda k: (carry_split(k), random.normal(k)), "before, by split at .*step"),
    "rows": (rows_again, "before, by normal at .*rows_again"),
    "branch": (lambda k: (of_either(k), random.bits(k)), "before, by (normal|uniform) at "),
    "grad": (lambda k: dt.grad(lambda x: x * random.normal(k))(1.0) + random.normal(k), "before"),
    "vjp": (lambda k: (dt.vjp(lambda x, k: x * random.normal(k), 1.0, k), random.bits(k)), "by"),
    "checkpoint": (lambda k: (dt.checkpoint(random.normal)(k), random.bits(k)), "before"),
    "vmap": (lambda k: (dt.vmap(random.normal)(k[None]), random.bits(k)), "before, by normal at "),
    "vmap of scan": (lambda k: dt.vmap(draw_at_each_step)(random.split(k)), "every step"),
}

NO_REUSE: dict[str, Callable[..., Any]] = {
    "one step": lambda k: draw_at_each_step(k, 1),
    "folded": lambda k: lax.map(lambda i: random.bits(random.fold_in(k, i)), dnp.arange(3)),
    "carry": lambda k: random.normal(carry_split(k)[0]),
    "weak carry": lambda k: random.normal(carry_while(k)[0]),
    "carries": lambda k: exchange(k, 2),
    "branches": of_either,
    "rows": lambda k: lax.map(random.normal, random.split(k, 3)),
    "unknown row": lambda k: (
        lambda keys: lax.fori_loop(0, 3, lambda i, c: c + random.normal(keys[i]), 0.0)
    )(random.split(k, 3)),
    "grad": lambda k: dt.grad(lambda x: x * carry_split(k)[1].sum())(1.0),
    "vjp": lambda k: dt.vjp(lambda x: x * random.normal(k), 1.0)[1](1.0),
    "checkpoint": lambda k: dt.grad(dt.checkpoint(lambda x: x * random.normal(k)))(1.0),
    "vmap": lambda k: dt.vmap(lambda x: x + random.normal(k))(dnp.ones(3)),
    "vmap of scan": lambda k: dt.vmap(carry_split)(random.split(k)),
    "samplers with loops": lambda k: (
        lambda keys: (random.gamma(keys[0], 2.0), random.poisson(keys[1], 3.0))
    )(random.split(k)),
}


def called(function: Callable[..., Any], is_jitted: bool) -> Callable[..., Any]:
    return dt.jit(function, compile="never") if is_jitted else function


@pytest.mark.parametrize("is_jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", REUSE)
def test_reuse_within(name: str, is_jitted: bool) -> None:
    function, message = REUSE[name]
    with config.debug_key_reuse(True), pytest.raises(errors.KeyReuseError, match=message):
        called(function, is_jitted)(random.key(0))


@pytest.mark.parametrize("is_jitted", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", NO_REUSE)
def test_no_reuse_within(name: str, is_jitted: bool) -> None:
    function = NO_REUSE[name]
    with config.debug_key_reuse(True):
        call = called(function, is_jitted)
        call(random.key(0))
        # Each key is used by its own call.
        key = random.key(1)
        call(key)
        if name != "folded":
            with pytest.raises(errors.KeyReuseError):
                random.bits(key)


def test_reuse_names_both_places() -> None:
    with config.debug_key_reuse(True):
        key = random.key(0)
        random.normal(key)
        with pytest.raises(
            errors.KeyReuseError,
            match=r"uniform: .*by normal at .*test_reuse.py:\d+ .*, at .*py:\d+ ",
        ):
            random.uniform(key)

"""Programs run on the calling thread or on all cores, whichever their work is worth."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import random
from dovetail.runtime import threads_when_long


def uses_threads(function, *args, **options):
    program = dt.jit(function, **options).trace(*args).lower()._program
    return "task" in program.runtime_device


KEY = random.key(0)
MATRIX = np.ones((512, 512), np.float32)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda key: dnp.mean(random.normal(key, (1 << 20,)) ** 2), [KEY]),
        (lambda n: dnp.sum(dnp.sin(dnp.arange(1 << 20) * n)), [np.float32(2)]),
        (lambda a: a + 1, [np.ones(1 << 22, np.float32)]),
        (lambda a: a @ a, [np.ones((8192, 32, 32), np.float32)]),
        (lambda a: dt.lax.fori_loop(0, 10, lambda _, a: dnp.tanh(a @ a), a), [MATRIX]),
        (lambda a: dt.jit(lambda a: dnp.sin(a))(a)[0, 0], [np.ones((2048, 2048), np.float32)]),
    ],
)
def test_work_that_threads_share(function, args):
    assert uses_threads(function, *args)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a: a + 1, [np.ones(1000, np.float32)]),
        (dnp.dot, [np.ones(1 << 15, np.float32)] * 2),
        (lambda a: dnp.concatenate([a, a]), [np.ones(1 << 15, np.float32)]),
        # Many steps, each of which is short.
        (lambda a: dt.lax.fori_loop(0, 100_000, lambda _, a: dnp.sin(a) + 1, a), [MATRIX[0]]),
        # The largest array is never computed.
        (lambda a: dnp.broadcast_to(a, (1 << 20, 4))[0], [MATRIX[0, :4]]),
    ],
)
def test_work_of_one_thread(function, args):
    assert not uses_threads(function, *args)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (lambda a: a @ a, [MATRIX]),
        (lambda a: dt.jit(lambda a: a @ a)(a)[0, 0], [MATRIX]),
        (lambda a: (dnp.max(a, 0), dnp.var(a, 0)), [np.ones((2048, 2048), np.float32)]),
    ],
)
def test_work_that_threads_of_the_library_share(function, args):
    assert not uses_threads(function, *args)


class Clock:
    """A clock by which the time between two looks is that of one call."""

    def __init__(self) -> None:
        self.now, self.seconds, self.is_running = 0.0, 0.0, False

    def perf_counter(self) -> float:
        self.now += self.seconds if self.is_running else 0.0
        self.is_running = not self.is_running
        return self.now


class Part:
    """An executable that notes its calls."""

    def __init__(self, name: str, calls: list[tuple[str, str]]) -> None:
        self.function = f"function of {name}"
        self.invoke = lambda function, *_: calls.append((name, function))


def test_calls_move_by_their_length(monkeypatch):
    clock, calls, loaded = Clock(), [], []
    monkeypatch.setattr(threads_when_long, "time", clock)

    def load():
        loaded.append(True)
        return Part("threads", calls)

    inline = Part("inline", calls)
    invoke = threads_when_long.ThreadsWhenLong(inline, load)
    for seconds in [
        1e-3,
        1e-3,
        1e-6,
        1e-3,
        1e-3,
        1e-3,
        1e-3,
        1e-6,
        1e-6,
        1e-6,
        1e-3,
        1e-3,
        1e-3,
        7e-5,
    ]:
        clock.seconds = seconds
        invoke(inline.function, [], [])
    assert [name for name, _ in calls] == ["inline"] * 6 + ["threads"] * 4 + ["inline"] * 3 + [
        "threads"
    ]
    assert all(function == f"function of {name}" for name, function in calls)
    assert loaded == [True]
    assert invoke.uses_threads


def test_a_program_of_unknown_sizes():
    f = dt.jit(lambda x: dnp.cumsum(dnp.sin(x)), dynamic_shapes="n", compile="now")
    for n in [3, *[1 << 20] * 6, *[5] * 6]:
        x = np.linspace(0, 1, n, dtype=np.float32)
        np.testing.assert_allclose(f(x), np.cumsum(np.sin(x), dtype=np.float64), rtol=1e-3)

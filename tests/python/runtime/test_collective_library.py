"""The library of collectives on its own: each kind against NumPy, and runs that fail."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dovetail.runtime.communicator import Communicator, Lines
from support.collective_calls import DTYPES, call, on_participants

# Participants, the axes of a group as (size, stride), and the groups.
MESHES = {
    "2": (2, [(2, 1)], [[0, 1]]),
    "4": (4, [(4, 1)], [[0, 1, 2, 3]]),
    "2x2, major": (4, [(2, 2)], [[0, 2], [1, 3]]),
    "2x2, minor": (4, [(2, 1)], [[0, 1], [2, 3]]),
    "2x2, minor first": (4, [(2, 1), (2, 2)], [[0, 2, 1, 3]]),
    "2x4, minor": (8, [(4, 1)], [[0, 1, 2, 3], [4, 5, 6, 7]]),
    "2x4": (8, [(2, 4), (4, 1)], [[0, 1, 2, 3, 4, 5, 6, 7]]),
}
SHORT = ["2x2, minor first", "2x4, minor"]


def _is_integer(dtype: np.dtype) -> bool:
    return "int" in dtype.name


def _limits(dtype: np.dtype) -> tuple[int, int]:
    bits = int(dtype.name.removeprefix("u").removeprefix("int"))
    return (0, 2**bits - 1) if dtype.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _values(random: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if _is_integer(dtype):
        low, high = _limits(dtype)
        wide = np.uint64 if low == 0 else np.int64
        return random.integers(low, high, shape, dtype=wide, endpoint=True).astype(dtype)
    if dtype.kind == "c":
        return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(dtype)
    if dtype.name == "float8_e8m0fnu":
        return np.exp2(random.integers(-8, 8, shape)).astype(dtype)
    return random.normal(size=shape).astype(dtype)


def _sum(parts: np.ndarray) -> np.ndarray:
    """One after the other: floats of 16 bits or less in f32, integers with wraparound."""
    dtype = parts.dtype
    if _is_integer(dtype):
        low, high = _limits(dtype)
        total = sum(part.astype(object) for part in parts)
        return np.array((total - low) % (high - low + 1) + low).astype(
            np.uint64 if low == 0 else np.int64
        )
    wide = np.dtype(np.float32) if dtype.kind != "c" and dtype.itemsize < 4 else dtype
    total = parts[0].astype(wide)
    for part in parts[1:]:
        total = total + part.astype(wide)
    return total.astype(dtype)


def _check_same(got: np.ndarray, expected: np.ndarray) -> None:
    if got.dtype.name in ("int2", "int4", "uint2", "uint4"):
        bits = 2 ** int(got.dtype.name[-1]) - 1
        np.testing.assert_array_equal(got.view(np.uint8), expected.astype(np.int64) & bits)
        return
    if _is_integer(got.dtype):
        np.testing.assert_array_equal(got, expected.astype(got.dtype))
        return
    if got.dtype.isbuiltin != 1:
        got, expected = got.astype(np.float32), expected.astype(np.float32)
    np.testing.assert_array_equal(got, expected)
    if got.dtype.kind == "f":
        is_number = ~np.isnan(got)
        np.testing.assert_array_equal(np.signbit(got)[is_number], np.signbit(expected)[is_number])


def _reduced(kind: str, mesh: str, x: np.ndarray) -> np.ndarray:
    count, axes, _ = MESHES[mesh]
    results = np.empty_like(x)
    inner = x[0].size
    done, failure = on_participants(
        count, lambda i: call(kind, count, i, x[i], results[i], axes, inner=inner)
    )
    assert (done, failure) == ([True] * count, "")
    return results


# With as many elements as each reduces for itself, and as many as are divided among all.
@pytest.mark.parametrize("size", [1, 7, 20_001])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != np.bool_], ids=str)
def test_sums(dtype, size):
    random = np.random.default_rng(size)
    for mesh in MESHES if size == 7 else SHORT:
        x = _values(random, dtype, (MESHES[mesh][0], size))
        results = _reduced("AllReduceSum", mesh, x)
        for group in MESHES[mesh][2]:
            expected = _sum(x[group])
            for member in group:
                _check_same(results[member], expected)


def _extreme(kind: str, x: np.ndarray) -> np.ndarray:
    values = x.astype(np.float64 if x.dtype.kind != "u" and not _is_integer(x.dtype) else object)
    if x.dtype == np.bool_:
        return np.logical_or.reduce(x) if kind == "AllReduceMax" else np.logical_and.reduce(x)
    step = np.maximum if kind == "AllReduceMax" else np.minimum
    result = step.reduce(values)
    if result.dtype == object:
        return result
    negative = np.signbit(values) & (values == 0)
    positive = ~np.signbit(values) & (values == 0)
    is_positive = positive.any(0) if kind == "AllReduceMax" else ~negative.any(0)
    return np.where(result == 0, np.where(is_positive, 0.0, -0.0), result)


@pytest.mark.parametrize("kind", ["AllReduceMax", "AllReduceMin"])
@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.kind != "c"], ids=str)
def test_extremes_with_zeros_and_nans(dtype: np.dtype, kind: str):
    random = np.random.default_rng(3)
    for mesh in SHORT:
        x = _values(random, dtype, (MESHES[mesh][0], 6_007))
        if not _is_integer(dtype) and dtype.name not in ("bool", "float8_e8m0fnu"):
            x.flat[::3] = 0
            x.flat[1::5] = np.negative(np.zeros((), dtype))
            if np.isnan(np.array(np.nan, dtype).astype(np.float32)):
                x.flat[3::17] = np.nan
        results = _reduced(kind, mesh, x)
        for group in MESHES[mesh][2]:
            expected = _extreme(kind, x[group])
            for member in group:
                _check_same(results[member], expected)


@pytest.mark.parametrize("mesh", MESHES)
@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "int64", "complex128"])
def test_exchanges(mesh, dtype):
    random = np.random.default_rng(5)
    count, axes, groups = MESHES[mesh]
    g = len(groups[0])
    pairs = [(0, 1)] if g == 2 else [(0, 2), (3, 1), (1, 3)]

    def permuted(x: np.ndarray) -> list[np.ndarray]:
        result = np.zeros_like(x)
        for source, target in pairs:
            result[target] = x[source]
        return list(result)

    for outer, middle, inner in ((1, 1, 1), (3, 5, 2), (70, 2, 3), (2, 3, 200)):
        a, b, c = outer, middle, inner
        sizes = {"outer": a, "inner": c}
        all_sizes = {**sizes, "middle": b}
        for kind, operand, result, expected, options in (
            ("AllGather", (a, c), (a, g, c), lambda x: [np.moveaxis(x, 0, 1)] * g, sizes),
            ("ReduceScatter", (a, g, c), (a, c), lambda x: np.moveaxis(x.sum(0), 1, 0), sizes),
            (
                *("AllToAllInward", (a, g, b, c), (a, b, g, c)),
                *(lambda x: [np.moveaxis(x[:, :, j], 0, 2) for j in range(g)], all_sizes),
            ),
            (
                *("AllToAllOutward", (a, b, g, c), (a, g, b, c)),
                *(lambda x: [np.moveaxis(x[:, :, :, j], 0, 1) for j in range(g)], all_sizes),
            ),
            ("Permute", (a * c,), (a * c,), permuted, {"inner": a * c, "pairs": pairs}),
        ):
            x = random.integers(-3, 4, (count, *operand)).astype(dtype)
            results = np.full((count, *result), 77, dtype)

            def participate(
                i: int, kind=kind, x=x, results=results, options: Any = options
            ) -> bool:
                return call(kind, count, i, x[i], results[i], axes, **options)

            done, failure = on_participants(count, participate)
            assert (done, failure) == ([True] * count, ""), kind
            for group in groups:
                for member, value in zip(group, expected(x[group]), strict=True):
                    np.testing.assert_array_equal(results[member], value, err_msg=kind)


def test_groups_of_one_run_meet_in_different_orders():
    """Members of a group keep their order; groups need not agree about it."""
    size, steps = 3_000, 40

    def participate(i: int) -> list[float]:
        x, result = np.full(size, i + 1, np.float32), np.empty(size, np.float32)
        sums = []
        for step in range(steps):
            axes = ([(8, 1)], [(2, 4)], [(4, 1)])[step % 3]
            if step % 3 == 1 and i % 4 == step % 4:
                continue
            assert call("AllReduceSum", 8, i, x, result, axes, inner=size, site=step)
            sums.append(float(result[-1]))
        return sums

    results, failure = on_participants(8, participate)
    assert failure == ""
    for i, sums in enumerate(results):
        values = (36, 2 * (i % 4 + 1) + 4, 10 if i < 4 else 26)
        expected = [values[step % 3] for step in range(steps) if step % 3 != 1 or i % 4 != step % 4]
        assert sums == expected


def test_runs_at_the_same_time_do_not_meet():
    def run(results: list[object]) -> None:
        x = np.full(100, len(results), np.float32)
        y = np.empty((4, 100), np.float32)
        for _ in range(50):
            done, failure = on_participants(
                4, lambda i: call("AllReduceSum", 4, i, x, y[i], [(4, 1)], inner=100)
            )
            results.append(done == [True] * 4 and failure == "" and (y == 4 * x).all())

    outcomes: list[list[object]] = [[], []]
    threads = [threading.Thread(target=run, args=(results,)) for results in outcomes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == [[True] * 50] * 2


# Failures -----------------------------------------------------------------------------------------

X = np.ones(16, np.float32)
LINES = ["model.py:7", "model.py:9"]


def _sum_over(axes: list[tuple[int, int]], **options: Any) -> Callable[[int], bool]:
    options = {"inner": 16, "text": "all_reduce_sum over data", **options}
    return lambda i: call("AllReduceSum", 4, i, X, np.empty_like(X), axes, **options)


MEETS = "participants must take part in the same collectives in the same order, got: "


def test_a_participant_that_finishes_early():
    take_part = _sum_over([(4, 1)])
    start = time.monotonic()
    done, failure = on_participants(4, lambda i: i == 3 or take_part(i), lines=LINES)
    assert done == [False, False, False, True]
    # The number that have arrived by then is unspecified.
    assert failure.startswith(MEETS)
    late = r" for (?:.* and )?3 in all_reduce_sum over data, model\.py:7; 3 has finished$"
    assert re.search(late, failure)
    assert time.monotonic() - start < 10


def test_a_participant_that_raises():
    take_part = _sum_over([(4, 1)])

    def participate(i: int) -> bool:
        if i == 2:
            raise ValueError("no data")
        return take_part(i)

    done, failure = on_participants(4, participate)
    assert [done[i] for i in (0, 1, 3)] == [False] * 3
    assert failure == "participant 2: no data"


def test_a_participant_that_does_not_come():
    take_part = _sum_over([(4, 1)])
    late = threading.Event()

    def participate(i: int) -> bool:
        if i == 1:
            late.wait(20)
        result = take_part(i)
        late.set()
        return result

    done, failure = on_participants(4, participate, timeout=0.25, lines=LINES)
    assert done == [False] * 4
    assert failure == (
        "all_reduce_sum over data, model.py:7: participants must arrive within 0.25 seconds of "
        "each other, got: no arrival of 1"
    )


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            {"site": 1},
            "0 in all_reduce_sum over data, model.py:7 on arrays of 16 elements; 2 in "
            "all_reduce_sum over data, model.py:9 on arrays of 16 elements",
        ),
        (
            {"inner": 8},
            "0 in all_reduce_sum over data, model.py:7 on arrays of 16 elements; 2 in "
            "all_reduce_sum over data, model.py:7 on arrays of 8 elements",
        ),
    ],
)
def test_participants_that_come_for_different_collectives(other, expected):
    same, different = _sum_over([(4, 1)]), _sum_over([(4, 1)], **other)
    done, failure = on_participants(4, lambda i: different(i) if i == 2 else same(i), lines=LINES)
    assert (done, failure) == ([False] * 4, MEETS + expected)


def test_participants_that_wait_for_each_other():
    major = _sum_over([(2, 2)], text="all_reduce_sum over data")
    minor = _sum_over([(2, 1)], text="all_reduce_sum over model", site=1)
    # 0 waits for 2, 2 for 3, 3 for 1, and 1 for 0.
    order = {0: (major, minor), 1: (minor, major), 2: (minor, major), 3: (major, minor)}
    done, failure = on_participants(4, lambda i: order[i][0](i), lines=LINES)
    assert done == [False] * 4
    assert failure == MEETS + (
        "0 waits for 2 in all_reduce_sum over data, model.py:7; "
        "1 waits for 0 in all_reduce_sum over model, model.py:9; "
        "2 waits for 3 in all_reduce_sum over model, model.py:9; "
        "3 waits for 1 in all_reduce_sum over data, model.py:7"
    )


def test_a_wrong_number_of_participants():
    done, failure = on_participants(2, _sum_over([(4, 1)]), lines=LINES)
    assert done == [False] * 2
    assert failure == (
        "all_reduce_sum over data, model.py:7: the program must run on 4 participants, got: 2"
    )


def test_a_wrong_participant():
    take_part = _sum_over([(4, 1)])
    done, failure = on_participants(4, lambda i: take_part(0 if i == 1 else i), lines=LINES)
    assert done == [False] * 4
    assert failure == (
        "all_reduce_sum over data, model.py:7: the last argument must be the participant's "
        "number, 1, got: 0"
    )


def test_a_thread_that_is_not_a_participant(capfd):
    assert not _sum_over([(4, 1)])(0)
    assert capfd.readouterr().err == (
        "all_reduce_sum over data: a program with collectives must run on "
        "participants, got: a thread that is none\n"
    )


def test_a_failed_communicator_starts_no_run():
    communicator = Communicator(2)
    assert communicator.start(Lines())
    assert communicator.fail("stopped " * 300)
    assert not communicator.fail("stopped again")
    assert communicator.failure == "stopped " * 300
    assert not communicator.start(Lines())


@pytest.mark.parametrize("count", [0, -1, 40_000])
def test_communicators_have_participants(count):
    with pytest.raises(ValueError, match=f"participants must be from 1 to 32767, got: {count}"):
        Communicator(count)

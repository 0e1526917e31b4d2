"""References that are too large to be copied: windows are read and written where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.tracing.held import Held

SHAPE = (2048, 1024)


def large() -> Any:
    return dt.new_ref(dt.jit(lambda: dnp.zeros(SHAPE), compile="now")())


def address(ref: Any) -> int:
    return int(ref._known().buffer.view.map().asarray(ref.shape, ref.dtype).ctypes.data)


def write(ref: Any, index: Any, value: Any) -> None:
    ref[index] = value


# What reads a reference between two calls that write to it.
READS: dict[str, Callable[[Any], Any]] = {
    "an element": lambda ref: ref[3, 4],
    "a row": lambda ref: ref[3],
    "a slice": lambda ref: ref[2:9, 3:],
    "a window": lambda ref: ref.at[2:9][1, :5],
    "rows": lambda ref: ref[np.array([3, 1])],
    "a number": lambda ref: float(ref[3, 4]),
    "a sum": lambda ref: dnp.sum(ref[...]),
    "the address": lambda ref: ref.unsafe_buffer_pointer(),
    "text": repr,
}


@pytest.mark.parametrize("name", READS)
def test_reads_keep_updates_in_place(name: str) -> None:
    ref = large()
    add = dt.jit(lambda i: write(ref, i, ref[i] + 1), compile="now")
    add(3)
    before = address(ref)
    held = READS[name](ref)
    kept = np.array(held) if isinstance(held, dt.Array) else None
    add(3)
    assert address(ref) == before
    if kept is not None:
        np.testing.assert_array_equal(held, kept)
    assert ref[3, 4] == 2


def test_the_whole_array_is_not_overwritten() -> None:
    ref = large()
    add = dt.jit(lambda i: write(ref, i, ref[i] + 1), compile="now")
    add(3)
    for read in (lambda: ref[...], lambda: np.asarray(ref[...]), lambda: np.asarray(ref[...])[3:5]):
        held = read()
        kept = np.array(held)
        add(3)
        np.testing.assert_array_equal(held, kept)


INDICES: list[Any] = [
    3,
    -2,
    np.int32(5),
    (7, 2),
    (7, -1),
    slice(3, 9),
    slice(None, 4),
    (slice(2, 4), slice(10, 20)),
    (3, slice(10, None)),
    (slice(1, 30, 4), slice(0, 8)),
    (slice(None), 5),
    (..., 5),
    np.array([3, 1, 3]),
    (np.array([3, 1]), np.array([2, 9])),
    np.arange(SHAPE[0]) % 50 == 1,
]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_writes_outside_of_functions_are_in_place(index: Any) -> None:
    ref, expected = large(), np.zeros(SHAPE, np.float32)
    values = np.random.default_rng(0).normal(size=SHAPE[0]).astype(np.float32)
    with dt.config.compile("now"):
        ref[0] = values[: SHAPE[1]]
        expected[0] = values[: SHAPE[1]]
        before = address(ref)
        for scale in (1, 2):
            part = values[: expected[index].shape[-1]] if expected[index].ndim else values[0]
            ref[index] = scale * part
            ref[index] += part
            expected[index] = scale * part
            expected[index] += part
        assert address(ref) == before
    np.testing.assert_allclose(ref[...], expected, rtol=1e-6)


def test_columns_at_integers_are_one_program(monkeypatch: pytest.MonkeyPatch) -> None:
    ref, traced = large(), []
    whole = Held._update
    monkeypatch.setattr(Held, "_update", lambda *args: (traced.append(1), whole(*args))[1])
    with dt.config.compile("now"):
        ref[:, 3] = 1.0
        before, programs = address(ref), len(traced)
        for column in (5, -1, 1023):
            ref[:, column] = 2.0
    assert 0 < programs == len(traced)
    assert address(ref) == before
    assert float(ref[...].sum()) == 5.0 * SHAPE[0]


# Columns at computed places, of one number or several.
COLUMNS: list[Callable[[Any], Any]] = [
    lambda j: (slice(None), j),
    lambda j: (..., dt.ds(j, 3)),
    lambda j: (slice(None), dnp.array([3, 5, 3]) + j),
    lambda j: (slice(1, 9), j),
]


@pytest.mark.parametrize("index", COLUMNS, ids=["one", "window", "several", "part"])
@pytest.mark.parametrize("how", ["set", "add"])
def test_columns_at_computed_places(index: Callable[[Any], Any], how: str) -> None:
    def update(ref: Any, j: Any) -> None:
        if how == "set":
            ref[index(j)] = 2.5
        else:
            ref.addupdate(2.5, index(j))

    ref, expected = large(), large()
    f = dt.jit(update, compile="now")
    f(ref, 7)
    before = address(ref)
    f(ref, 9)
    f(ref, SHAPE[1])
    assert address(ref) == before
    with dt.config.compile("never"):
        for j in (7, 9, SHAPE[1]):
            update(expected, np.int32(j))
    np.testing.assert_array_equal(ref[...], expected[...])


def test_errors_are_those_of_small_references() -> None:
    ref = large()
    with pytest.raises(ValueError, match="Invalid dtype for `swap`"):
        ref[3] = dnp.ones(SHAPE[1], dnp.int32).astype(dnp.complex64)
    with pytest.raises(ValueError, match="broadcast"):
        ref[3] = dnp.ones(5)
    with pytest.raises(IndexError):
        ref[3, 4, 5] = 1.0


def exchange(ref: Any, i: Any, j: Any) -> None:
    first, second = ref[i], ref[j]
    ref[i] = second
    ref[j] = first


def rotate(ref: Any, i: Any, j: Any) -> None:
    first = ref[i]
    ref[i] = ref[j]
    ref[j] = ref[j + 1]
    ref[j + 1] = first


def read_around(ref: Any, i: Any, j: Any) -> Any:
    total = ref[:4].sum()
    ref[i] = ref[j] * 2
    return total, ref[i]


def shuffle(ref: Any, i: Any, j: Any) -> Any:
    lax.fori_loop(0, 5, lambda k, c: (exchange(ref, i + k, j), c)[1], 0)


def halve_every_second(ref: Any, i: Any, j: Any) -> Any:
    rows, columns = ref[dt.ds(i, 2)], ref[:, 1:3]
    ref[1:5:2] = ref[1:5:2] * 0.5
    return rows + 1, columns


def exchange_every_second(ref: Any, i: Any, j: Any) -> Any:
    first, second = ref[5:11:2], ref[1:7:2]
    ref[1:7:2] = first[::-1]
    ref[5:11:2] = first * 0.5
    return second


def write_what_is_needed_again(ref: Any, i: Any, j: Any) -> Any:
    rows, columns = ref[dt.ds(i, 3)], ref[:, dt.ds(j, 3)]
    ref[2:4, 3:40] += rows.max()
    ref[:, dt.ds(j, 3)] = columns * 0.5
    return rows + 1


def return_what_is_overwritten(ref: Any, i: Any, j: Any) -> Any:
    rows = ref[1:4]
    ref[5:8] = rows.max() * 0.25
    block, before = ref[4:5, 3:40], ref[5:6, 3:40]
    ref[5:6, 3:40] = block * 0.25
    return rows + 1, before, block


@pytest.mark.parametrize(
    "function",
    [
        exchange,
        rotate,
        read_around,
        shuffle,
        halve_every_second,
        exchange_every_second,
        write_what_is_needed_again,
        return_what_is_overwritten,
    ],
)
@pytest.mark.parametrize("places", [(1, 5), (3, 3), (4, 3)])
def test_windows_that_are_needed_after_writes(
    function: Callable[..., Any], places: tuple[int, int]
) -> None:
    start = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    ref, expected = dt.new_ref(start), dt.new_ref(start)
    f = dt.jit(function, compile="now")
    f(ref, *places)
    before = address(ref)
    result = f(ref, *places)
    assert address(ref) == before
    with dt.config.compile("never"):
        function(expected, *places)
        wanted = function(expected, *places)
    np.testing.assert_array_equal(ref[...], expected[...])
    for a, b in zip(dt.tree.leaves(result), dt.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("place", [0, 7, -1, SHAPE[0], -SHAPE[0] - 1])
def test_integers_beside_slices(place: int) -> None:
    """A computed integer outside of the array is dropped by writes, beside slices as without."""
    ref, expected = large(), large()

    def by_slice(ref: Any, i: Any) -> Any:
        ref[i, dt.ds(i * 0 + 3, 8)] = dnp.arange(8.0)
        ref.addupdate(1.0, (i, dt.ds(5, 4)))
        return ref[i, dt.ds(4, 4)]

    def plain(ref: Any, i: Any) -> Any:
        ref[i, 3:11] = dnp.arange(8.0)
        ref.addupdate(1.0, (i, slice(5, 9)))
        return ref[i, 4:8]

    f, g = (dt.jit(each, compile="now") for each in (by_slice, plain))
    f(ref, place)
    before = address(ref)
    np.testing.assert_array_equal(f(ref, place), (g(expected, place), g(expected, place))[1])
    assert address(ref) == before
    np.testing.assert_array_equal(ref[...], expected[...])

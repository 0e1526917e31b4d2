"""Functions that are evaluated as one program where arrays are divided; run by `test_devices`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail.numpy import where
from dovetail.tracing import whole as kept
from dovetail.tracing.whole import whole
from support.divided import g, sharding

TRACED: list[Any] = []


@whole
def scaled(x: Any, by: Any, *, more: Any = None) -> Any:
    TRACED.append(by)
    return x * by if more is None else x * by + more


def calls(*args: Any, **options: Any) -> tuple[Any, int]:
    before = len(TRACED)
    result = scaled(*args, **options)
    return result, len(TRACED) - before


@dt.config.compile("never")
def test_programs_are_kept() -> None:
    x, y = g, dt.device_put(np.asarray(g) + 1, sharding("x", "y"))
    for factor in (3, 3.0, np.float32(3), np.arange(8, dtype=np.float32)):
        for value, traced in ((x, 1), (y, 0), (x, 0)):
            result, times = calls(value, factor)
            assert times == traced
            assert result.sharding == g.sharding
            np.testing.assert_array_equal(result, np.asarray(value) * factor)


@dt.config.compile("never")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.arange(8.0, dtype=np.float32), -np.arange(8.0, dtype=np.float32)),
        (0.0, -0.0),
        (1, True),
        (1, 1.5),
        (np.float32(2), np.float32(3)),
    ],
)
def test_other_values_are_other_programs(one: Any, other: Any) -> None:
    for factor in (one, other, one):
        result, _ = calls(g, factor)
        wanted = np.asarray(g) * factor
        np.testing.assert_array_equal(result, wanted)
        np.testing.assert_array_equal(np.signbit(result), np.signbit(wanted))
        result, _ = calls(g, 2, more=factor)
        np.testing.assert_array_equal(result, np.asarray(g) * 2 + factor)


@dt.config.compile("never")
def test_other_places_are_other_programs() -> None:
    for spec in (("x", "y"), ("y", "x"), (("x", "y"),), ("x",), ("x", "y")):
        result, _ = calls(dt.device_put(np.asarray(g), sharding(*spec)), 2)
        assert result.sharding.is_equivalent_to(sharding(*spec), 2)


@dt.config.compile("never")
def test_what_depends_on_values_is_not_kept() -> None:
    @whole
    def halved(x: Any) -> Any:
        return x / 2 if float(x.max()) > 1 else x

    for values in (g, g * 0):
        np.testing.assert_array_equal(
            halved(values), np.asarray(values) / (2 if np.max(values) > 1 else 1)
        )


@dt.config.compile("never")
def test_large_arrays_of_numpy_are_not_compared() -> None:
    mask = np.zeros((16, 8), bool)
    for i in range(2):
        mask[i] = True
        np.testing.assert_array_equal(
            whole(lambda x, m: where(m, x, 0))(g, mask), np.where(mask, g, 0)
        )
    known = len(kept._known)
    calls(dt.device_put(np.ones((2048, 8), np.float32), sharding("x")), np.ones((2048, 1)))
    assert len(kept._known) == known
    assert math.isfinite(known)


@dt.config.compile("never")
def test_arrays_by_keyword_are_arguments() -> None:
    for more in (np.arange(8.0), 10 + np.arange(8.0)):
        given = np.broadcast_to(more.astype(np.float32), g.shape)
        for array in (
            dt.device_put(given),
            dt.device_put(given, g.sharding),
            dt.numpy.asarray(given),
        ):
            result, _ = calls(g, 2, more=array)
            np.testing.assert_array_equal(result, np.asarray(g) * 2 + given)
            np.testing.assert_array_equal(scaled(by=array, x=g), np.asarray(g) * given)

"""Convolutions that have other forms on the CPU, against the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dovetail as dt
from dovetail import lax

RNG = np.random.default_rng(0)
FIRST, LAST = ("NCHW", "OIHW", "NCHW"), ("NHWC", "HWIO", "NHWC")
PAIRS = st.tuples(st.integers(1, 4), st.integers(1, 4))


def _normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape).astype(np.float32)


def _check(function: Any, *arguments: np.ndarray) -> None:
    found, expected = dt.jit(function)(*arguments), function(*arguments)
    scale = np.abs(np.asarray(expected)).max()
    np.testing.assert_allclose(found, expected, atol=1e-5 * max(scale, 1), rtol=1e-5)


@given(
    kernel=PAIRS,
    distance=st.tuples(st.integers(1, 3), st.integers(2, 3)),
    low=PAIRS,
    high=PAIRS,
    layout=st.sampled_from((FIRST, LAST, (*LAST[:1], *FIRST[1:]))),
)
@settings(max_examples=8, deadline=None)
def test_elements_apart(
    kernel: tuple[int, int],
    distance: tuple[int, int],
    low: tuple[int, int],
    high: tuple[int, int],
    layout: tuple[str, str, str],
) -> None:
    """Large enough for a convolution without the zeros: 2^24 operations."""
    channels = 64
    sizes = {"N": 1, "C": channels, "I": channels, "O": channels, "H": 31, "W": 22}
    x = _normal(*(sizes[name] for name in layout[0]))
    sizes |= {"H": kernel[0], "W": kernel[1]}
    k = _normal(*(sizes[name] for name in layout[1]))
    pads = [(min(a, n - 1) - 1, b - 2) for a, b, n in zip(low, high, kernel, strict=True)]

    def function(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(
            x, k, (1, 1), pads, lhs_dilation=distance, dimension_numbers=layout
        )

    _check(function, x, k)


@pytest.mark.parametrize("layout", [FIRST, LAST])
@pytest.mark.parametrize("kernel", [(1, 3), (4, 1), (3, 3)])
@pytest.mark.parametrize("groups", [1, 4])
def test_kernels_along_one_dimension_and_groups(
    layout: tuple[str, str, str], kernel: tuple[int, int], groups: int
) -> None:
    sizes = {"N": 2, "C": 16, "I": 16 // groups, "O": 8, "H": 9, "W": 11}
    x = _normal(*(sizes[name] for name in layout[0]))
    sizes |= {"H": kernel[0], "W": kernel[1]}
    k = _normal(*(sizes[name] for name in layout[1]))

    def function(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(
            x, k, (2, 1), "SAME", dimension_numbers=layout, feature_group_count=groups
        )

    _check(function, x, k)


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0), (1, 4)])
def test_batches(axes: tuple[int | None, int | None]) -> None:
    x, k = _normal(2, 8, 9, 10), _normal(6, 8, 3, 2)
    batches = [
        array if axis is None else np.stack([array, 2 * array, -array], axis)
        for array, axis in zip((x, k), axes, strict=True)
    ]

    def function(x: Any, k: Any) -> Any:
        return lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=FIRST)

    _check(dt.vmap(function, axes), *batches)


@pytest.mark.parametrize("layout", [FIRST, LAST])
def test_gradient_of_strides(layout: tuple[str, str, str]) -> None:
    sizes = {"N": 2, "C": 32, "I": 32, "O": 32, "H": 40, "W": 41}
    x = _normal(*(sizes[name] for name in layout[0]))
    sizes |= {"H": 3, "W": 4}
    k = _normal(*(sizes[name] for name in layout[1]))

    def loss(x: Any, k: Any) -> Any:
        conv = lax.conv_general_dilated(x, k, (2, 3), "SAME", dimension_numbers=layout)
        return (conv**2).sum()

    _check(dt.grad(loss), x, k)

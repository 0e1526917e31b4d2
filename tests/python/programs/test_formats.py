"""Formats of arrays: layouts, which are row-major, and shardings."""

from __future__ import annotations

from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental.layout import Format, Layout
from dovetail.sharding import SingleDeviceSharding

X = dnp.ones((2, 3))
PLACE = SingleDeviceSharding(dt.devices()[0])


def test_formats_of_arrays_and_programs() -> None:
    assert X.format == Format(Layout((0, 1)), PLACE)
    formats = X.format, Format(Layout.AUTO)
    f = dt.jit(lambda x, y: (2 * x, y), in_shardings=formats, out_shardings=X.format)
    assert f(X, X)[0].format == X.format
    compiled = f.lower(X, X).compile()
    assert compiled.input_formats == ((X.format, X.format), {})
    assert compiled.output_formats == (X.format, X.format)


def test_layouts_are_row_major() -> None:
    columns = Format(Layout((1, 0)), PLACE)
    options: dict[str, Any]
    for options in ({"in_shardings": columns}, {"out_shardings": columns}):
        with pytest.raises(NotImplementedError, match="layouts must be row-major"):
            dt.jit(lambda x: x, **options)(X)
    with pytest.raises(ValueError, match="rank of the value should match"):
        dt.jit(lambda x: x, in_shardings=Format(Layout((0,)), PLACE))(X)

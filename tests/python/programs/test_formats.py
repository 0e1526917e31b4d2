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


def test_descriptions() -> None:
    described = dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=X.format)
    assert (described.sharding, described.format) == (PLACE, X.format)
    assert described == dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=X.format)
    assert described != dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=PLACE)
    assert described.update(shape=(3, 2)).format == X.format
    assert "format=Layout(major_to_minor=(0, 1)" in repr(described)
    assert dt.jit(lambda x: x + 1).lower(described).compile()(X).format == X.format
    assert dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=PLACE).format == Format(None, PLACE)
    with pytest.raises(TypeError, match="cannot be used in place of a device-local layout"):
        dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=Format(Layout.AUTO, PLACE))
    with pytest.raises(NotImplementedError, match="layouts must be row-major"):
        dt.ShapeDtypeStruct(X.shape, X.dtype, sharding=Format(Layout((1, 0)), PLACE))


def test_layouts_are_row_major() -> None:
    columns = Format(Layout((1, 0)), PLACE)
    options: dict[str, Any]
    for options in ({"in_shardings": columns}, {"out_shardings": columns}):
        with pytest.raises(NotImplementedError, match="layouts must be row-major"):
            dt.jit(lambda x: x, **options)(X)
    with pytest.raises(ValueError, match="rank of the value should match"):
        dt.jit(lambda x: x, in_shardings=Format(Layout((0,)), PLACE))(X)

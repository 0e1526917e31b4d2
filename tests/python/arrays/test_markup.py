"""HTML of arrays and IR, for notebooks."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.base import markup


def cells(shown: str) -> list[str]:
    return re.findall(r"<td[^>]*>([^<]*)</td>", shown)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([1, -2], np.int8), ["1", "-2"]),
        (np.array([True, False]), ["True", "False"]),
        (np.array([1 / 3, np.nan, -np.inf], np.float32), ["0.33333", "nan", "-inf"]),
        (np.array([1 + 2j], np.complex64), ["1+2j"]),
        (np.array([1.5], dnp.bfloat16), ["1.5"]),
    ],
)
def test_elements(values: Any, expected: list[str]) -> None:
    assert cells(dnp.asarray(values)._repr_html_()) == expected


def test_a_long_array_is_cut() -> None:
    assert cells(dnp.arange(100)._repr_html_()) == [
        *map(str, range(6)),
        "…",
        *map(str, range(94, 100)),
    ]
    rows = dnp.zeros((50, 2))._repr_html_().count("<tr>")
    assert rows == 1 + 6 + 1 + 6


def test_others_are_text() -> None:
    assert "<pre>3.0</pre>" in dnp.float32(3)._repr_html_()
    assert "weakly typed" in dnp.asarray(3.0)._repr_html_()
    assert "float32[0,3], 0 bytes" in dnp.zeros((0, 3))._repr_html_()
    array = dnp.ones(3)
    array.delete()
    assert "Array(deleted" in array._repr_html_()


def test_ir_is_escaped_and_cut() -> None:
    shown = markup.ir('%0 = dovetail.dot "a<b" : tensor<3xf32>')
    assert "a&lt;b" in shown
    assert re.sub(
        r"<[^>]*>", "", shown
    ) == '%0 = dovetail.dot "a&lt;b" : tensor&lt;3xf32&gt;'.replace('"', "&quot;")
    long = markup.ir("\n".join(f"%{i}" for i in range(1000)))
    assert "600 lines are left out here" in long
    assert "%999" in long


def test_stages() -> None:
    compiled = dt.jit(lambda x: x * 2).lower(dnp.ones(3)).compile()
    assert "after the phase lower" in compiled._repr_html_()

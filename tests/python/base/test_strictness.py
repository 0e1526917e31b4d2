"""Strict promotion concerns what a user passes to a function, not what functions compute inside:
the calls of all tables, evaluated under both settings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import nn, random, scipy
from support import random_table, scipy_special, scipy_stats
from support.activations import FORMULAS
from support.strict_promotion import DIFFER, REFUSALS, TABLES, refused


def accept(call: Callable[..., Any], *operands: Any) -> None:
    """Calls a function of operands that need no promotion."""
    with dt.numpy_dtype_promotion("strict"), dt.numpy_rank_promotion("raise"):
        for _ in range(3):
            call(*operands)
        dt.eval_shape(call, *operands)


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    texts = [f"{name}.{call.text}" for call in itertools.chain.from_iterable(TABLES[name].values())]
    found = {text: refused(text) for text in texts if text not in DIFFER}
    wrong = [text for text, each in found.items() if each != [text in REFUSALS] * 3]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("row", random_table.ROWS, ids=lambda row: row.name)
def test_samplers(row: random_table.Row) -> None:
    accept(lambda key: row.draw(random, dnp, key, (2, 3)), random.key(0))


@pytest.mark.parametrize("row", scipy_special.ROWS, ids=lambda row: row.name)
def test_special_functions(row: scipy_special.Row) -> None:
    function = getattr(scipy.special, row.name)
    accept(function, *(dnp.asarray(x[:4].astype(np.float32)) for x in row.operands))


@pytest.mark.parametrize(("row", "function"), scipy_stats.cases())
def test_distributions(row: scipy_stats.Row, function: str) -> None:
    call = getattr(scipy_stats.module(row.name), function)
    xs = [dnp.asarray(x[:4].astype(np.float32)) for x in scipy_stats.operands(row, function)]
    accept(call, *xs)
    if row.located:
        accept(lambda *xs: call(*xs, **scipy_stats.LOCATED), *xs)


@pytest.mark.parametrize("name", FORMULAS)
def test_activations(name: str) -> None:
    accept(getattr(nn, name), dnp.ones((3, 4)))

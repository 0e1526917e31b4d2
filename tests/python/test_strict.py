"""Strict promotion concerns what a user gives to a function, not what functions compute inside: the
calls of all tables, evaluated under both settings.

`strict_refusals.txt` has the calls of `jax_table` that JAX refuses.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import random_table
import test_nn
import test_scipy_special
import test_scipy_stats
from jax_table import LAX, NUMPY
from table_arguments import arguments

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, nn, random, scipy

LIBRARIES = {"numpy": dnp, "lax": lax}
TABLES = {"numpy": NUMPY, "lax": LAX}
REFUSALS = set(Path(__file__).with_name("strict_refusals.txt").read_text().splitlines())
# JAX refuses what its function does with operands, and ours does not; or the other way round.
DIFFER = {
    *("numpy.vecdot(x, v)", "numpy.matvec(t, w)", "numpy.vecmat(i, x)", "numpy.cov(x, fweights=j)"),
    "numpy.heaviside(x, v)",
    *("numpy.trapezoid(t, x)", "numpy.trapezoid(t, y, axis=1)", "numpy.trapezoid(t, x, axis=-2)"),
}


def refusal(call: Callable[[], Any]) -> str | None:
    """What a strict setting has against a call; nothing if it is accepted, None if it fails for
    another reason.
    """
    try:
        call()
    except Exception as error:
        text = str(error)
        is_strict = "numpy_rank_promotion" in text or "numpy_dtype_promotion" in text
        return text if is_strict else None
    return ""


def refused(text: str) -> list[bool]:
    """Whether a call of a table is refused: as it is, recorded, and replayed."""
    library, _, call = text.partition(".")
    names = {"lib": LIBRARIES[library], **arguments("float32", dnp)}
    with dt.numpy_dtype_promotion("strict"), dt.numpy_rank_promotion("raise"):
        return [bool(refusal(lambda: eval(f"lib.{call}", names))) for _ in range(3)]


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


@pytest.mark.parametrize("row", test_scipy_special.ROWS, ids=lambda row: row.name)
def test_special_functions(row: test_scipy_special.Row) -> None:
    function = getattr(scipy.special, row.name)
    accept(function, *(dnp.asarray(x[:4].astype(np.float32)) for x in row.operands))


@pytest.mark.parametrize(("row", "function"), test_scipy_stats.cases())
def test_distributions(row: test_scipy_stats.Row, function: str) -> None:
    call = getattr(test_scipy_stats.module(row.name), function)
    xs = [dnp.asarray(x[:4].astype(np.float32)) for x in test_scipy_stats.operands(row, function)]
    accept(call, *xs)
    if row.located:
        accept(lambda *xs: call(*xs, **test_scipy_stats.LOCATED), *xs)


@pytest.mark.parametrize("name", test_nn.FORMULAS)
def test_activations(name: str) -> None:
    accept(getattr(nn, name), dnp.ones((3, 4)))

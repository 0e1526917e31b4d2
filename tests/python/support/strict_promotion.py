"""The calls of the tables that strict promotion rejects: `strict_refusals.txt` has those of
`jax_table` that JAX rejects.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from support.jax_table import LAX, NUMPY
from support.table_arguments import arguments

LIBRARIES = {"numpy": dnp, "lax": lax}
TABLES = {"numpy": NUMPY, "lax": LAX}
REFUSALS = set(Path(__file__).with_name("strict_refusals.txt").read_text().splitlines())
# JAX rejects operations that its function performs on operands and ours does not, or the other way
# round.
DIFFER = {
    *("numpy.vecdot(x, v)", "numpy.matvec(t, w)", "numpy.vecmat(i, x)", "numpy.cov(x, fweights=j)"),
    "numpy.heaviside(x, v)",
    *("numpy.trapezoid(t, x)", "numpy.trapezoid(t, y, axis=1)", "numpy.trapezoid(t, x, axis=-2)"),
}


def refusal(call: Callable[[], Any]) -> str | None:
    """The objection of a strict setting to a call; empty if it is accepted, None if the call fails
    for another reason.
    """
    try:
        call()
    except Exception as error:
        text = str(error)
        is_strict = "numpy_rank_promotion" in text or "numpy_dtype_promotion" in text
        return text if is_strict else None
    return ""


def refused(text: str) -> list[bool]:
    """Whether a call of a table is rejected: directly, recorded, and replayed."""
    library, _, call = text.partition(".")
    names = {"lib": LIBRARIES[library], **arguments("float32", dnp)}
    with dt.numpy_dtype_promotion("strict"), dt.numpy_rank_promotion("raise"):
        return [bool(refusal(lambda: eval(f"lib.{call}", names))) for _ in range(3)]

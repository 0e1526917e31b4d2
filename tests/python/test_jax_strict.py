"""Strict promotion concerns what a user gives to a function, as in JAX: not what functions compute
inside. Every call of the tables, evaluated under both settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

jax: Any = pytest.importorskip("jax")
jnp: Any = pytest.importorskip("jax.numpy")

from jax_table import LAX, NUMPY, Call  # noqa: E402
from test_jax_table import arguments  # noqa: E402

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402

# JAX refuses what its function does with operands, and ours does not; or the other way round.
DIFFER = {
    *("vecdot(x, v)", "matvec(t, w)", "vecmat(i, x)", "cov(x, fweights=j)"),
    "heaviside(x, v)",
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


def both(text: str, ours: dict[str, Any], theirs: dict[str, Any]) -> str | None:
    """The disagreement about a call, if there is one."""
    with dt.numpy_dtype_promotion("strict"), dt.numpy_rank_promotion("raise"):
        # The first call is made as it is, the second is recorded, the third replayed.
        found = [bool(refusal(lambda: eval(text, ours))) for _ in range(3)]
        why = refusal(lambda: eval(text, ours))
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        # Traced only, which takes less than to run it.
        expected = refusal(lambda: jax.eval_shape(lambda: eval(text, theirs)))
    # What fails anyway may do so first.
    if expected is None or found == [bool(expected)] * 3:
        return None
    return f"{text}: {why or 'accepted'}, of three calls {found}; JAX: {expected or 'accepted'}"


def compare(tables: dict[str, list[Call]], ours: Any, theirs: Any) -> None:
    own = {"lib": ours, **arguments("float32", dnp)}
    other = {"lib": theirs, **arguments("float32", jnp)}
    failures = [
        failure
        for calls in tables.values()
        for call in calls
        if call.text not in DIFFER and (failure := both(f"lib.{call.text}", own, other))
    ]
    assert not failures, "\n".join(failures)


def test_numpy() -> None:
    compare(NUMPY, dnp, jnp)


def test_lax() -> None:
    compare(LAX, dt.lax, jax.lax)

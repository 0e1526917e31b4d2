"""Strict promotion concerns what a user passes to a function, as in JAX: `strict_refusals.txt` has
the calls of the tables that JAX rejects.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

jax: Any = pytest.importorskip("jax")
jnp: Any = pytest.importorskip("jax.numpy")

from support.jax_table import LAX, NUMPY  # noqa: E402
from support.strict_promotion import DIFFER, REFUSALS, refusal, refused  # noqa: E402
from support.table_arguments import arguments  # noqa: E402


def reason(text: str, names: dict[str, Any]) -> str | None:
    # Only traced, which is faster than running it.
    return refusal(lambda: jax.eval_shape(lambda: eval(text, names)))


@pytest.mark.parametrize("name", ["numpy", "lax"])
def test_refusals_of_jax(name: str) -> None:
    names = {"lib": {"numpy": jnp, "lax": jax.lax}[name], **arguments("float32", jnp)}
    calls = itertools.chain.from_iterable({"numpy": NUMPY, "lax": LAX}[name].values())
    with jax.numpy_dtype_promotion("strict"), jax.numpy_rank_promotion("raise"):
        found = {f"{name}.{call.text}": reason(f"lib.{call.text}", names) for call in calls}
    # A call that fails in any case may fail earlier.
    wrong = {t: w for t, w in found.items() if w is not None and bool(w) != (t in REFUSALS)}
    assert not wrong


def test_differences_remain() -> None:
    for text in DIFFER:
        assert refused(text) != [text in REFUSALS] * 3, text

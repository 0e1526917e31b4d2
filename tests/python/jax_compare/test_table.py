"""Every function of `dovetail.numpy` and `dovetail.lax` that JAX has too, called by a table."""

from __future__ import annotations

import types
from typing import Any

import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.lax as jlax  # noqa: E402  # pyright: ignore[reportMissingImports]
import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail.numpy as dnp  # noqa: E402
from dovetail import config  # noqa: E402
from dovetail import lax as dlax  # noqa: E402
from support.jax_compare import FACTOR, check, outcome  # noqa: E402
from support.jax_table import LAX, LAX_DIFFERS, NUMPY, NUMPY_DIFFERS, NUMPY_MISSING, Call  # noqa: E402
from support.table_arguments import arguments  # noqa: E402

KINDS = ["float32", "int32", "bool", "bfloat16", "complex64"]
WIDE = ["float64", "int64", "uint8"]


def run_call(library: Any, xp: Any, call: Call, dtype: str) -> Any:
    return outcome(lambda: eval(f"lib.{call.text}", {"lib": library, **arguments(dtype, xp)}))


def compare(libraries: Any, call: Call, dtype: str, reasons: set[str]) -> str | None:
    """The disagreement about a call, if there is one that the reasons do not explain."""
    ours = run_call(libraries[0], dnp, call, dtype)
    theirs = run_call(libraries[1], jnp, call, dtype)
    if explained(ours, theirs, dtype, reasons):
        return None
    try:
        check(ours, theirs, f"{call.text} of {dtype}", ulps=64, weak="Weak types" not in reasons)
    except AssertionError as error:
        return str(error)
    return None


def explained(ours: Any, theirs: Any, dtype: str, reasons: set[str]) -> bool:
    """True if the outcomes may differ, for the given reasons or for one that always holds."""
    if reasons & {"Text", "Standards", "Compilers", "Order of equals"}:
        return True
    if "Complex numbers have no order" in reasons and dtype == "complex64":
        return isinstance(ours, TypeError)
    if "Still to come" in reasons:
        return isinstance(ours, NotImplementedError)
    if not isinstance(theirs, Exception):
        return False
    if isinstance(theirs, NotImplementedError) or "More general" in reasons:
        return True
    if not isinstance(ours, Exception):
        return False
    # Element types that a function does not accept are always TypeErrors here.
    types = isinstance(ours, TypeError) and "element type" in str(ours)
    return types or "Errors" in reasons


def reasons_for(call: Call, table: dict[str, list[str]]) -> set[str]:
    """The reasons why the outcomes of a call may differ."""
    return {reason for reason, calls in table.items() if call.name in calls or call.text in calls}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in NUMPY if NUMPY[name]))
def test_numpy(name: str) -> None:
    run((dnp, jnp), NUMPY[name], NUMPY_DIFFERS)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in LAX if LAX[name]))
def test_lax(name: str) -> None:
    run((dlax, jlax), LAX[name], LAX_DIFFERS)


def test_lax_names() -> None:
    assert names(jlax) & names(dlax) <= set(LAX)


def run(libraries: Any, calls: list[Call], differ: dict[str, list[str]]) -> None:
    failures = []
    for number, call in enumerate(calls):
        reasons = reasons_for(call, differ)
        # The first call with every element type, the others with two of them.
        some = (number % len(KINDS), len(KINDS) + number % len(WIDE))
        for i, dtype in enumerate((*KINDS, *WIDE)):
            if not number or FACTOR > 1 or i in some:
                with config.enable_x64(dtype in WIDE), jax.enable_x64(dtype in WIDE):
                    failures.append(compare(libraries, call, dtype, reasons))
    failures = [failure for failure in failures if failure]
    assert not failures, "\n".join(failures)


def names(library: Any) -> set[str]:
    return {
        n
        for n in dir(library)
        if not n.startswith("_") and not isinstance(getattr(library, n), types.ModuleType)
    }


def test_numpy_names() -> None:
    assert names(jnp) & names(dnp) <= set(NUMPY)
    assert names(jnp) - names(dnp) <= NUMPY_MISSING
    # Functions that exist are compared.
    assert not NUMPY_MISSING & names(dnp)

"""The equations of `make_jaxpr` against JAX's: primitives, and all their parameters."""

from __future__ import annotations

from typing import Any

import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import dovetail as dt  # noqa: E402
from support.jaxpr_programs import PROGRAMS, arguments, equations  # noqa: E402


@pytest.mark.parametrize(("name", "make", "args"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_equations(name: str, make: Any, args: Any) -> None:
    ours, theirs = (
        list(equations(lib.make_jaxpr(make(lib))(*arguments(lib, args)).jaxpr)) for lib in (dt, jax)
    )
    assert ours == theirs

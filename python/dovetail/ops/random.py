"""Hashes of which random numbers are made."""

from __future__ import annotations

from typing import Any

from dovetail.tracing.tracer import bind_all

# An Array or a Tracer.
Operand = Any


def threefry2x32(k0: Operand, k1: Operand, x0: Operand, x1: Operand) -> list[Operand]:
    return bind_all("threefry2x32", k0, k1, x0, x1, weak_types=(False, False))

"""Derivative rules that read and write references, of which tests make programs."""

from __future__ import annotations

from typing import Any

import dovetail as dt

REFS = 2


def rule(forward: Any, backward: Any, primal: Any = None) -> Any:
    """The identity of (ref, x), with what its functions do to the reference."""

    @dt.custom_vjp
    def function(ref: Any, x: Any) -> Any:
        (primal or forward)(ref, x)
        return x

    def fwd(ref: Any, x: Any) -> Any:
        forward(ref, x)
        return x, ref

    def bwd(ref: Any, g: Any) -> Any:
        return None, backward(ref, g)

    function.defvjp(fwd, bwd)
    return function


def nothing(ref: Any, x: Any) -> None:
    pass


def add(ref: Any, x: Any) -> None:
    ref[...] += x


def stored(ref: Any, g: Any) -> Any:
    ref[...] = g
    return g


def added(ref: Any, g: Any) -> Any:
    ref[...] += g
    return g


def scaled(ref: Any, g: Any) -> Any:
    return g * ref[...]


def swapped(ref: Any, g: Any) -> Any:
    before = ref[...]
    ref[...] = 0.5 * g
    return g + 0.25 * before


KINDS = {
    "store": (nothing, stored),
    "add": (nothing, added),
    "scale": (nothing, scaled),
    "swap": (nothing, swapped),
    "both": (add, swapped),
}
RULES = {name: rule(*functions) for name, functions in KINDS.items()}

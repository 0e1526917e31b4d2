"""Operands that an op repeats: JAX's equations have what is repeated, a number or an array of which
dimensions have size 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.jaxprs.structure import Atom, JaxprEqn, Literal, Var


class Repeats:
    """What is known of values of a body that repeat others."""

    def __init__(self) -> None:
        self._made_by: dict[Var, JaxprEqn] = {}
        # Equations without use where what they repeat is an operand.
        self.parts: set[int] = set()

    def note(self, eqn: JaxprEqn) -> None:
        """Note an equation that may make a value that repeats another one."""
        if eqn.primitive.name in ("broadcast_in_dim", "reshape"):
            self._made_by[eqn.outvars[0]] = eqn

    def operands(self, atoms: Sequence[Atom], shape: tuple[int, ...]) -> list[Atom]:
        """The operands of an equation of elements, without repetitions.

        Args:
          atoms: the operands, of one shape.
          shape: that of the result.
        """
        found = [self._repeated(atom) for atom in atoms]
        sources = [source for source, _ in found]
        shapes = [source.aval.shape for source in sources]
        is_known = all(isinstance(source, Literal) for source in sources)
        if is_known or np.broadcast_shapes(*shapes) != shape:
            return list(atoms)
        for _, eqns in found:
            self.parts.update(map(id, eqns))
        return sources

    def _repeated(self, atom: Atom) -> tuple[Any, list[JaxprEqn]]:
        """What a value repeats, and the equations that do."""
        if isinstance(atom, Literal):
            value = np.asarray(atom.val)
            if atom.aval.shape and value.size and not any(value.strides):
                return Literal(value.flat[0], atom.aval.update(shape=())), []
            return atom, []
        repeating = self._made_by.get(atom)
        if repeating is None or repeating.primitive.name != "broadcast_in_dim":
            return atom, []
        source: Any = repeating.invars[0]
        if isinstance(source, Literal) and not source.aval.shape:
            return source, [repeating]
        squeezing = None if isinstance(source, Literal) else self._made_by.get(source)
        if squeezing is None or squeezing.primitive.name != "reshape":
            return atom, []
        whole: Any = squeezing.invars[0]
        sizes = whole.aval.shape
        kept = tuple(d for d, size in enumerate(sizes) if size != 1)
        dims = tuple(repeating.params["broadcast_dimensions"])
        same_rank = len(sizes) == len(repeating.params["shape"])
        if same_rank and kept == dims and tuple(sizes[d] for d in kept) == source.aval.shape:
            return whole, [repeating, squeezing]
        return atom, []


def without(eqns: Sequence[JaxprEqn], outs: Sequence[Atom], parts: set[int]) -> list[JaxprEqn]:
    """The equations without those among `parts` that nothing uses."""
    if not parts:
        return list(eqns)
    kept: list[JaxprEqn] = []
    used = {id(atom) for atom in outs}
    for eqn in reversed(eqns):
        if id(eqn) in parts and not any(id(var) in used for var in eqn.outvars):
            continue
        kept.append(eqn)
        used.update(map(id, eqn.invars))
    return kept[::-1]

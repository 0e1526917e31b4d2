"""Equations of the derivatives of extremes of windows, which are several ops of the IR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail.jaxprs.repeats import without
from dovetail.jaxprs.structure import Atom, JaxprEqn, Var

Params = dict[str, Any]

_SELECTING = {"window_argmax": "ge", "window_argmin": "le"}


class _Offsets(NamedTuple):
    """The offsets of the extremes of an array's windows."""

    select: str
    operand: Atom
    window: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]

    def params(self, primitive: Any) -> Params:
        """The parameters of an equation that selects by them."""
        return {
            "select_prim": primitive,
            "window_dimensions": self.window,
            "window_strides": self.strides,
            "padding": ((0, 0),) * len(self.window),
        }


class Selections:
    """What is known of values of a body: which are offsets of extremes, and which padded ones.

    Args:
      eqns: the equations so far.
    """

    def __init__(self, eqns: list[JaxprEqn]) -> None:
        self._eqns = eqns
        self._offsets: dict[Any, _Offsets] = {}
        self._padded: dict[Any, JaxprEqn] = {}
        self._broadcast: dict[Any, JaxprEqn] = {}
        # Equations without use where an equation stands for several ops.
        self._parts: set[int] = set()

    def note(self, op: str, keywords: Params, eqn: JaxprEqn) -> None:
        """Note an equation that was made of an op.

        Args:
          op: the op.
          keywords: its keywords.
          eqn: the equation.
        """
        if op in _SELECTING:
            names = ("window", "strides", "dilations")
            sizes = (tuple(keywords[name]) for name in names)
            self._offsets[eqn.outvars[0]] = _Offsets(_SELECTING[op], eqn.invars[0], *sizes)
            self._parts.add(id(eqn))
        elif op == "pad":
            self._padded[eqn.outvars[0]] = eqn
        elif op == "broadcast" and eqn.invars[0] in self._padded:
            self._broadcast[eqn.outvars[0]] = eqn

    def equation(
        self, op: str, keywords: Params, atoms: Sequence[Any], out: Var
    ) -> tuple[str, Any, list[Any]] | None:
        """The primitive, offsets and operands of the equation that stands for an op and those
        before it; None if none does.

        Args:
          op: the op.
          keywords: its keywords.
          atoms: its operands.
          out: its result.
        """
        if op == "window_take" and (of := self._offsets.get(atoms[1])) is not None:
            given = tuple(tuple(keywords[n]) for n in ("window", "strides", "dilations"))
            if given == (of.window, of.strides, of.dilations):
                return "select_and_gather_add", of, [atoms[0], of.operand]
        if op == "window_put" and atoms[1] in self._padded:
            offsets = self._padded[atoms[1]]
            of, config = self._offsets.get(offsets.invars[0]), offsets.params["padding_config"]
            if of is not None and self._is_scatter(of, config, keywords, out):
                source = self._unpadded(atoms[0], config)
                if source is not None:
                    self._parts.add(id(offsets))
                    return "select_and_scatter_add", of, [source, of.operand]
        return None

    def _unpadded(self, atom: Any, config: Any) -> Any:
        """What a value is that was padded so; None if it was not. A value that was padded before it
        was repeated is repeated without its padding.
        """
        if (padded := self._padded.get(atom)) is not None:
            if padded.params["padding_config"] != config:
                return None
            self._parts.add(id(padded))
            return padded.invars[0]
        repeated = self._broadcast.get(atom)
        if repeated is None:
            return None
        padded = self._padded[repeated.invars[0]]
        dims, source = repeated.params["broadcast_dimensions"], padded.invars[0].aval
        given = list(((0, 0, 0),) * len(config))
        shape = list(repeated.outvars[0].aval.shape)
        for dim, size, each in zip(
            dims, source.shape, padded.params["padding_config"], strict=True
        ):
            given[dim], shape[dim] = each, size
        if tuple(given) != tuple(config):
            return None
        self._parts.update(map(id, (padded, repeated)))
        params = repeated.params | {"shape": tuple(shape)}
        out = Var(source.update(shape=tuple(shape)))
        self._eqns.append(repeated.replace(invars=padded.invars[:1], outvars=[out], params=params))
        return out

    @staticmethod
    def _is_scatter(of: _Offsets, config: Any, keywords: Params, out: Var) -> bool:
        """Whether values, padded so, are put where the array's windows have their extremes."""
        fits = all(
            low == size - 1 and interior == stride - 1
            for (low, _, interior), size, stride in zip(config, of.window, of.strides, strict=True)
        )
        is_dense = all(by == 1 for by in (*of.dilations, *keywords["dilations"]))
        is_same = out.aval.shape == of.operand.aval.shape
        return fits and is_dense and is_same and tuple(keywords["window"]) == of.window

    def without_parts(self, eqns: Sequence[JaxprEqn], outs: Sequence[Atom]) -> list[JaxprEqn]:
        """The equations without those that only served one that stands for several ops."""
        return without(eqns, outs, self._parts)

"""Equations of calls of Python functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import late
from dovetail.reference import callbacks
from dovetail.tracing.arguments import as_operand
from dovetail.transforms.callbacks import Callback, called_on
from dovetail.transforms.primitives import Primitive
from dovetail.trees.treedef import public

Params = dict[str, Any]


class DebugEffect:
    """The effect of calls whose results nothing uses."""

    def __repr__(self) -> str:
        return "Debug"


class OrderedDebugEffect:
    """The same for calls whose order matters."""

    def __repr__(self) -> str:
        return "OrderedDebug"


class IOEffect:
    """The effect of calls that are made exactly once."""

    def __repr__(self) -> str:
        return "IO"


class OrderedIOEffect:
    """The same for calls whose order matters."""

    def __repr__(self) -> str:
        return "OrderedIO"


debug_effect, ordered_debug_effect = DebugEffect(), OrderedDebugEffect()
_IO, _ORDERED_IO = IOEffect(), OrderedIOEffect()


class FlatCallback:
    """A called function, of arrays, in the parameters of an equation.

    Args:
      called: the function, with the structure of its arguments.
      result_avals: the types of its results.
    """

    def __init__(self, called: Callback, result_avals: Sequence[ShapedArray]) -> None:
        self.called, self.result_avals = called, tuple(result_avals)

    def __call__(self, *arrays: Any) -> list[Array]:
        """Call it; a list of arrays."""
        shapes = [aval.shape for aval in self.result_avals]
        types = [aval.dtype for aval in self.result_avals]
        return [Array(x) for x in self.called([np.asarray(x) for x in arrays], shapes, types)]

    def __repr__(self) -> str:
        return f"FlatCallback({self.called.function!r})"


class CallbackPrimitive(Primitive):
    """A call of a Python function.

    Args:
      name: JAX's name of it.
      effect: its effect in the IR.
    """

    multiple_results = True

    def __init__(self, name: str, effect: str) -> None:
        super().__init__(name)
        self._effect = effect

    def _bound(
        self,
        *args: Any,
        callback: Any,
        result_avals: Sequence[ShapedArray] = (),
        ordered: bool = False,
        vmap_method: str | None = None,
        effect: Any = None,
        **params: Any,
    ) -> Any:
        """Call the function.

        Args:
          args: arrays.
          callback: a function of the arrays that returns a list of arrays.
          result_avals: the types of its results.
          ordered: whether the order of the calls matters.
          vmap_method: how `vmap` calls it.
          effect: that of a call for debugging, which says whether the order matters.
          params: what else JAX's equations have, ignored.
        """
        operands = [as_operand(arg, f"operand {i} of {self}") for i, arg in enumerate(args)]
        ordered = ordered or isinstance(effect, OrderedDebugEffect)
        given = isinstance(callback, FlatCallback)
        called = callback.called if given else Callback(callback, args, {}, self.name)
        return called_on(called, operands, result_avals, self._effect, ordered, vmap_method)

    impl = _bound

    def params_of(self, called: Callback, attributes: Params, avals: Sequence[Any]) -> Params:
        """The parameters of an equation."""
        params: Params = {"callback": FlatCallback(called, avals)}
        if self._effect == "debug":
            is_ordered = attributes["ordered"]
            effect = ordered_debug_effect if is_ordered else debug_effect
            return params | {"effect": effect, "partitioned": False}
        params |= {"result_avals": tuple(avals), "sharding": None}
        if self._effect == "io":
            return params | {"ordered": attributes["ordered"]}
        return params | {"vmap_method": attributes.get("vmap_method")}

    def effects_of(self, params: Params) -> frozenset[object]:
        """The effects of an equation."""
        if self._effect == "debug":
            return frozenset([params["effect"]])
        if self._effect == "io":
            return frozenset([_ORDERED_IO if params["ordered"] else _IO])
        return frozenset()


_BY_EFFECT = {
    "none": CallbackPrimitive("pure_callback", "none"),
    "io": CallbackPrimitive("io_callback", "io"),
    "debug": CallbackPrimitive("debug_callback", "debug"),
}


class PrintPrimitive(Primitive):
    """`debug.print`, whose format is a parameter."""

    multiple_results = True

    def __init__(self) -> None:
        super().__init__("debug_print")

    def _bound(
        self,
        *args: Any,
        fmt: str,
        in_tree: Any,
        static_args: Sequence[tuple[int, Any]] = (),
        ordered: bool = False,
        np_printoptions: Sequence[tuple[str, Any]] = (),
        **params: Any,
    ) -> list[Any]:
        """Print the values.

        Args:
          args: the values that are arrays.
          fmt: the format.
          in_tree: the structure of the arguments and keyword arguments of `debug.print`.
          static_args: the other values, with their numbers among the leaves.
          ordered: whether the order of the calls matters.
          np_printoptions: the options of NumPy.
          params: what else JAX's equations have, ignored.
        """
        fixed, rest = dict(static_args), iter(args)
        leaves = [fixed[i] if i in fixed else next(rest) for i in range(in_tree.num_leaves)]
        values, named = in_tree.unflatten(leaves)
        with np.printoptions(**dict(np_printoptions)):
            late.debug.print(fmt, *values, ordered=ordered, skip_format_check=True, **named)
        return []

    impl = _bound

    def params_of(self, called: Callback, attributes: Params) -> Params:
        """The parameters of an equation."""
        taken = {*called.positions}
        return called.function.printed | {  # type: ignore[attr-defined]
            "in_tree": public(called.spec),
            "ordered": attributes["ordered"],
            "static_args": tuple((i, x) for i, x in enumerate(called.leaves) if i not in taken),
        }

    def effects_of(self, params: Params) -> frozenset[object]:
        """The effects of an equation."""
        return frozenset([ordered_debug_effect if params["ordered"] else debug_effect])


_print = PrintPrimitive()
PRIMITIVES: dict[str, Primitive] = {each.name: each for each in (*_BY_EFFECT.values(), _print)}


def equation_of(attributes: Params, avals: Sequence[Any]) -> tuple[Primitive, Params]:
    """The primitive and the parameters of the op that calls a function.

    Args:
      attributes: the op's.
      avals: the types of its results.
    """
    primitive = _BY_EFFECT[attributes["effect"]]
    called: Any = callbacks.registered(attributes["function"])
    if hasattr(called.function, "printed"):
        return _print, _print.params_of(called, attributes)
    return primitive, primitive.params_of(called, attributes, avals)

"""Equations of references: primitives, effects, and how the view finds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.arrays.shaped_array import ShapedArray
from dovetail.tracing.held_indices import Slice
from dovetail.tracing.references import AbstractRef, Ref
from dovetail.transforms import references
from dovetail.transforms.primitives import Primitive
from dovetail.trees.pytree import flatten, unflatten


class RefEffect:
    """What an equation does to a reference.

    Args:
      input_index: the number of the operand that is the reference.
      ref: its variable.
    """

    def __init__(self, input_index: int, ref: Any) -> None:
        self.input_index, self.ref = input_index, ref

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.ref is other.ref  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), id(self.ref)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.ref!r})"


class ReadEffect(RefEffect):
    """It reads the reference."""


class WriteEffect(RefEffect):
    """It writes to the reference."""


class AccumEffect(RefEffect):
    """It adds to what the reference holds."""


class InternalMutableArrayEffect:
    """It makes or ends a reference."""

    def __repr__(self) -> str:
        return type(self).__name__


internal_effect = InternalMutableArrayEffect()


class RefPrimitive(Primitive):
    """An op on references.

    Args:
      name: JAX's name of it.
      effect: the kind of its effect on its first operand; None if it makes or ends it.
    """

    def __init__(self, name: str, effect: type[RefEffect] | None) -> None:
        super().__init__(name)
        self._effect = effect

    def effects(self, ref: Any) -> frozenset[object]:
        """The effects of an equation on a reference."""
        return frozenset([internal_effect if self._effect is None else self._effect(0, ref)])


class _Access(RefPrimitive):
    """An access of a reference.

    Args:
      name: JAX's name of it.
      effect: the kind of its effect.
      access: takes the reference, an index, and other operands.
    """

    def __init__(self, name: str, effect: type[RefEffect], access: Callable[..., Any]) -> None:
        super().__init__(name, effect)
        self.multiple_results = name == "addupdate"
        self._access = access

    def _bound(self, ref: Any, *args: Any, tree: Any) -> Any:
        """Access the reference.

        Args:
          ref: the reference.
          args: the other operands, and the leaves of the index.
          tree: the structure of the index: a tuple of indices, each of the window before it.
        """
        count = len(args) - tree.num_leaves
        steps = unflatten(tree, args[count:])
        indices = [getattr(step, "indices", step) for step in steps] or [...]
        for index in indices[:-1]:
            ref = ref.at[index]
        made = self._access(ref, indices[-1], *args[:count])
        return [] if self.multiple_results else made

    def written(self, operands: Sequence[str], outs: str, params: dict[str, Any]) -> str:
        """An equation as text, such as `b[0] <- c`."""
        ref, *rest = operands
        count = len(rest) - params["tree"].num_leaves
        steps = unflatten(params["tree"], [each.partition(":")[0] for each in rest[count:]])
        indices = [", ".join(map(_index_text, step.indices)) for step in steps] or ["..."]
        place = f"{ref}{''.join(f'[{each}]' for each in indices)}"
        if self.name == "get":
            return f"{outs} <- {place}"
        if self.name == "addupdate":
            return f"{place} += {rest[0]}"
        if outs.startswith("_"):
            return f"{place} <- {rest[0]}"
        return f"{outs}, {place} <- {place}, {rest[0]}"

    impl = _bound


def _index_text(index: Any) -> str:
    """A part of an index, whose leaves are text."""
    if type(index) is Slice:
        step = f":{index.stride}" if index.stride != 1 else ""
        return f"{index.start}:{index.start}+{index.size}{step}"
    if type(index) is slice:
        ends = ("" if end is None else str(end) for end in (index.start, index.stop))
        return ":".join([*ends, *([] if index.step in (None, 1) else [str(index.step)])])
    return str(index)


class _OfRef(RefPrimitive):
    """The begin or the end of a reference.

    Args:
      name: JAX's name of it.
      function: what applies it.
    """

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        super().__init__(name, None)
        self._function = function

    def _bound(self, x: Any, **params: Any) -> Any:
        """Apply it."""
        return self._function(x, **params)

    impl = _bound


get_p = _Access("get", ReadEffect, references.get)
swap_p = _Access("swap", WriteEffect, references.swap)
addupdate_p = _Access("addupdate", AccumEffect, references.addupdate)
new_ref_p = _OfRef("new_ref", references.new_ref)
freeze_p = _OfRef("freeze", references.freeze)

PRIMITIVES = {each.name: each for each in (get_p, swap_p, addupdate_p, new_ref_p, freeze_p)}

# The primitives of ops on references, their parameters, and whether the result is what it held.
_WHOLE = {"tree": flatten(())[1]}
OPS: dict[str, tuple[RefPrimitive, dict[str, Any]]] = {
    "new_ref": (new_ref_p, {"memory_space": None, "kind": None}),
    "ref_get": (get_p, _WHOLE),
    "ref_set": (swap_p, _WHOLE),
    "freeze": (freeze_p, {}),
}


def type_of(shape: Sequence[int], element: str) -> Any:
    """The type of a value of the IR, which may be a reference.

    Args:
      shape: its shape.
      element: the name of its element type; that of a reference begins with `&`.
    """
    if element.startswith("&"):
        return AbstractRef(ShapedArray(shape, element[1:]))
    return ShapedArray(shape, element)


def has_references(avals: Sequence[Any], captured: Sequence[Any] = ()) -> bool:
    """Whether a function takes references, or closes over some."""
    return any(type(aval) is AbstractRef for aval in avals) or Ref in map(type, captured)

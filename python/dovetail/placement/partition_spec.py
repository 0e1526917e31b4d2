"""The axes of a mesh over which each dimension of an array is partitioned."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from dovetail.base.errors import type_error, value_error


class _Unconstrained:
    """Marks a dimension whose partition the compiler chooses."""

    def __repr__(self) -> str:
        return "UNCONSTRAINED"

    def __reduce__(self) -> str:
        return "UNCONSTRAINED"


UNCONSTRAINED = _Unconstrained()


@dataclass(frozen=True, init=False, repr=False)
class P:
    """The axes of a mesh over which each dimension of an array is partitioned.

    Args:
      partitions: for each dimension the name of an axis, a tuple of names, the first of which has
        the largest blocks, None for a dimension that is not partitioned, or `P.UNCONSTRAINED` for
        one that the compiler may partition. Further dimensions are not partitioned.
      unreduced: the axes over which the elements are terms of a sum that is yet to be computed.
      reduced: the axes over which gradients are such terms.

    Raises:
      TypeError: `unreduced` or `reduced` is no set.
      ValueError: an axis is given both as a partition and in one of the sets, or in both sets, or
        tuples are nested.

    Example:
      >>> P("data", ("x", "y"), None)
      P('data', ('x', 'y'), None)
    """

    __slots__ = ("__weakref__", "partitions", "reduced", "unreduced")

    partitions: tuple[Any, ...]
    unreduced: frozenset[Hashable]
    reduced: frozenset[Hashable]

    UNCONSTRAINED = UNCONSTRAINED

    def __init__(
        self,
        *partitions: Any,
        unreduced: Set[Hashable] = frozenset(),
        reduced: Set[Hashable] = frozenset(),
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "partitions", tuple(map(_canonical, partitions)))
        set_field(self, "unreduced", _as_axes(unreduced, "unreduced"))
        set_field(self, "reduced", _as_axes(reduced, "reduced"))
        self._check_sets()

    def __init_subclass__(cls) -> None:
        raise TypeError(f"Subclassing `P` is prohibited, got: {cls.__name__}")

    def _check_sets(self) -> None:
        if not self.unreduced and not self.reduced:
            return
        both = self.unreduced & self.reduced
        if both:
            raise value_error(
                "`unreduced` and `reduced` argument to PartitionSpec cannot overlap, got: "
                f"{set(both)} in both"
            )
        used = set(self.axes)
        for what, axes in (("unreduced", self.unreduced), ("reduced", self.reduced)):
            if axes & used:
                raise value_error(
                    f"partitions cannot overlap with {what} axes passed to PartitionSpec, got: "
                    f"partitions {self.partitions} and {what} axes {set(axes)}"
                )

    @property
    def axes(self) -> tuple[Hashable, ...]:
        """The axes over which dimensions are partitioned, in order."""
        return tuple(axis for entry in self.partitions for axis in axes_of(entry))

    @property
    def sums(self) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
        """The axes over which sums are left to do, of the elements and of gradients."""
        return self.unreduced, self.reduced

    def of_cotangents(self) -> P:
        """The spec of cotangents, whose sums are left to do where `reduced` says so."""
        if not any(self.sums):
            return self
        return self.update(unreduced=self.reduced, reduced=self.unreduced)

    def __repr__(self) -> str:
        parts = [", ".join(map(repr, self.partitions))] if self.partitions else []
        sets = [("unreduced", self.unreduced), ("reduced", self.reduced)]
        parts += [f"{what}={set(axes)!r}" for what, axes in sets if axes]
        comma = "," if len(self.partitions) == 1 and len(parts) == 1 else ""
        return f"P({', '.join(parts)}{comma})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.partitions, self.unreduced, self.reduced)

    # A sequence of its entries --------------------------------------------------------------------

    def _entries(self, use: str) -> tuple[Any, ...]:
        if self.unreduced or self.reduced:
            raise value_error(
                f"Using {use} is dangerous when PartitionSpec has non-empty unreduced/reduced set, "
                f"got: {self}; use its `partitions`"
            )
        return self.partitions

    def __getitem__(self, index: Any) -> Any:
        return self._entries("pspec[...]")[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._entries("*pspec"))

    def __len__(self) -> int:
        return len(self.partitions)

    def __add__(self, other: Any) -> P:
        if isinstance(other, P):
            return P(
                *(*self.partitions, *other.partitions),
                unreduced=self.unreduced | other.unreduced,
                reduced=self.reduced | other.reduced,
            )
        if not isinstance(other, tuple):
            return NotImplemented
        return P(*self._beside(other, "__add__"), *other)

    def __radd__(self, other: Any) -> P:
        if not isinstance(other, tuple):
            return NotImplemented
        return P(*other, *self._beside(other, "__radd__"))

    def _beside(self, other: tuple[Any, ...], method: str) -> tuple[Any, ...]:
        for what, axes in (("unreduced", self.unreduced), ("reduced", self.reduced)):
            if axes:
                raise type_error(
                    f"other {other} cannot be of instance `tuple` when self {self} has {what} in "
                    f"`{method}` of PartitionSpec, got: {set(axes)}"
                )
        return self.partitions

    def index(self, value: Any) -> int:
        """The first dimension with an entry."""
        return self.partitions.index(_canonical(value))

    def count(self, value: Any) -> int:
        """The number of dimensions with an entry."""
        return self.partitions.count(_canonical(value))

    # Variants -------------------------------------------------------------------------------------

    def update(
        self,
        partitions: Sequence[Any] | None = None,
        unreduced: Set[Hashable] | None = None,
        reduced: Set[Hashable] | None = None,
    ) -> P:
        """A copy with other entries or sets."""
        return P(
            *(self.partitions if partitions is None else partitions),
            unreduced=self.unreduced if unreduced is None else unreduced,
            reduced=self.reduced if reduced is None else reduced,
        )


PartitionSpec = P


def axes_of(entry: Any) -> tuple[Hashable, ...]:
    """The axes that one entry of a `PartitionSpec` names.

    >>> axes_of("x"), axes_of(("x", "y")), axes_of(None)
    (('x',), ('x', 'y'), ())
    """
    if entry is None or entry is UNCONSTRAINED:
        return ()
    return entry if isinstance(entry, tuple) else (entry,)


def _canonical(entry: Any) -> Any:
    """The entry, without a tuple around a single axis; None for no axes."""
    if not isinstance(entry, (tuple, list)):
        return entry
    if any(isinstance(axis, (tuple, list)) for axis in entry):
        raise value_error(
            f"A tuple inside PartitionSpec cannot contain a nested tuple, got: {entry!r}"
        )
    return None if not entry else entry[0] if len(entry) == 1 else tuple(entry)


def _as_axes(axes: Any, what: str) -> frozenset[Hashable]:
    if not isinstance(axes, (set, frozenset)):
        raise type_error(
            f"{what} argument of PartitionSpec should be of type `frozenset` or `set`, got: "
            f"{axes!r}"
        )
    if None in axes:
        raise value_error(f"{what} cannot contain None, got: {set(axes)}; give names of axes")
    return frozenset(axes)


def _unpickled(partitions: Any, unreduced: Any, reduced: Any) -> P:
    return P(*partitions, unreduced=unreduced, reduced=reduced)

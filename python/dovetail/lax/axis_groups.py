"""Collectives over groups of the elements of named axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error
from dovetail.lax import basics as lax
from dovetail.lax.named_axes import bind_over, places, size_of
from dovetail.tracing.axes import Axis
from dovetail.tracing.bind import constant


class Groups(NamedTuple):
    """The elements of axes, divided into groups.

    Attributes:
      axes: the axes.
      members: for each element, those of its group, in the group's order; smaller groups repeat
        their first.
      sizes: the size of each element's group.
      positions: the position of each element in its group.
      indices: the groups, as they are stated.
    """

    axes: tuple[Axis, ...]
    members: np.ndarray
    sizes: np.ndarray
    positions: np.ndarray
    indices: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(
        function: str,
        axes: tuple[Axis, ...],
        groups: Sequence[Sequence[int]],
        must_be_equal: bool = False,
    ) -> Groups:
        """The groups that `axis_index_groups` states.

        Args:
          must_be_equal: whether they must have the same size.

        Raises:
          ValueError: they do not cover all elements once, or have different sizes.
        """
        lists = [list(group) for group in groups]
        count = size_of(axes)
        if sorted(number for group in lists for number in group) != list(range(count)):
            raise value_error(
                f"{function}: axis_index_groups must cover all indices exactly once, got: "
                f"{groups!r} for {count} elements"
            )
        largest = max(map(len, lists))
        if must_be_equal and any(len(group) != largest for group in lists):
            raise value_error(
                f"{function}: axis_index_groups must all be the same size, got: {groups!r}"
            )
        members = np.zeros((count, largest), np.int32)
        sizes, positions = np.zeros((2, count), np.int32)
        for group in lists:
            for position, number in enumerate(group):
                members[number] = [*group, *group[:1] * (largest - len(group))]
                sizes[number], positions[number] = len(group), position
        return Groups(axes, members, sizes, positions, tuple(map(tuple, lists)))

    @staticmethod
    def if_any(function: str, axes: tuple[Axis, ...], groups: Any) -> Groups | None:
        """The same for groups of equal sizes; None for None."""
        return None if groups is None else Groups.of(function, axes, groups, must_be_equal=True)

    @property
    def are_equal(self) -> bool:
        """True if all groups have the same size."""
        return bool((self.sizes == self.size).all())

    @property
    def size(self) -> int:
        """The size of the largest group."""
        return self.members.shape[1]

    def of_element(self, table: np.ndarray) -> Array:
        """The row of a table for the element that computes."""
        number = lax.reshape(bind_over("axis_index", **places(self.axes)), (1,))
        row = ops.gather(constant(table), number, (0,), (1,))
        return lax.reshape(row, table.shape[1:])

    def own(self, operand: Array, dimension: int) -> Array:
        """The slice along a dimension that is at the element's position in its group."""
        start = lax.reshape(self.of_element(self.positions), (1,))
        shape = operand.shape
        part = ops.gather(operand, start, (dimension,), (1,))
        return lax.reshape(part, shape[:dimension] + shape[dimension + 1 :])

    def gathered(self, operand: Array) -> Array:
        """The values of the group's members, along a new first dimension."""
        shape = (size_of(self.axes), *operand.shape)
        everything = bind_over("all_gather", operand, shape=shape, dimension=0, **places(self.axes))
        rows = lax.reshape(self.of_element(self.members), (self.size, 1))
        windows = ops.gather(everything, rows, (0,), (1,))
        return lax.reshape(windows, (self.size, *operand.shape))

    def total(self, operand: Array) -> Array:
        """The sum over the group's members."""
        values = self.gathered(operand)
        if not self.are_equal:
            numbers = lax.broadcasted_iota(np.int32, values.shape, 0)
            is_member = numbers < lax.broadcast(self.of_element(self.sizes), values.shape)
            values = lax.select(is_member, values, lax.full_like(values, 0))
        return lax.reduce_sum(values, (0,))

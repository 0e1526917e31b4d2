"""Descriptions of arrays that need not exist."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dovetail.arrays.array import ShapedArray
from dovetail.base import dtypes
from dovetail.base.errors import type_error
from dovetail.placement.layouts import Format, Layout
from dovetail.placement.mesh_contexts import get_abstract_mesh
from dovetail.placement.named_sharding import check_rank
from dovetail.placement.partition_spec import P
from dovetail.placement.platforms import place_meant
from dovetail.placement.shardings import Place, Sharding
from dovetail.placement.type_shardings import named_by_context, on_context, type_sharding
from dovetail.symbolic.size import as_size

_FIELDS = "shape", "dtype", "sharding", "weak_type", "is_ref"


class ShapeDtypeStruct:
    """The shape and element type of an array that need not exist.

    Args:
      shape: the sizes of the dimensions, ints or sizes of `dovetail.export.symbolic_shape`.
      dtype: the element type; 64-bit types mean what `enable_x64` makes of them at the time of use.
      weak_type: whether the element type yields to others in promotion.
      sharding: the sharding that the array is committed to, or a `PartitionSpec` over the mesh of
        the context, or a `Format` of a sharding and a row-major layout; None if it is not
        committed.
      is_ref: whether it describes a reference, which holds such an array, as an argument of
        `lower`, `trace`, `eval_shape` or `make_jaxpr`.

    Raises:
      ValueError: there is no `dtype`, or `sharding` is not a sharding, has no mesh, or is for
        arrays of another number of dimensions.
      TypeError: the layout of a `Format` is `Layout.AUTO`.
      NotImplementedError: it is not row-major.

    Example:
      >>> import dovetail as dt
      >>> dt.ShapeDtypeStruct((2, 3), "float32")
      ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("_layout", "_sharding", "dtype", "is_ref", "shape", "weak_type")

    def __init__(
        self,
        shape: Sequence[int],
        dtype: Any,
        *,
        sharding: Sharding | P | Format | None = None,
        weak_type: bool = False,
        is_ref: bool = False,
    ) -> None:
        if dtype is None:
            raise ValueError("dtype must be specified for a ShapeDtypeStruct, got: None")
        self.shape = tuple(as_size(size) for size in shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.weak_type, self.is_ref = weak_type, is_ref
        self._layout: Layout | None = None
        if isinstance(sharding, Format):
            if sharding.layout is Layout.AUTO:
                raise type_error(
                    "`Layout.AUTO` cannot be used in place of a device-local layout in a "
                    f"`ShapeDtypeStruct`; give a Layout, got: {sharding}"
                )
            if isinstance(sharding.layout, Layout):
                self._layout = sharding.layout
            sharding = sharding.for_shape(self.shape, "ShapeDtypeStruct")
        if sharding is not None and not isinstance(sharding, (Sharding, P)):
            raise ValueError(
                "sharding of a ShapeDtypeStruct must be a dovetail.sharding.Sharding, a "
                f"PartitionSpec, a Format or None, got: {sharding!r}; SingleDeviceSharding(device) "
                "is that of one device"
            )
        if isinstance(sharding, P):
            check_rank(sharding, sharding, self.ndim)
        elif sharding is not None:
            sharding.check_compatible_aval(self.shape)
        self._sharding = sharding

    @property
    def sharding(self) -> Sharding | None:
        """The sharding; that of a `PartitionSpec` is over the mesh of the context.

        Raises:
          TypeError: there is no such mesh.
        """
        stated = self._sharding
        if not isinstance(stated, P):
            return stated
        if get_abstract_mesh().empty:
            raise type_error(
                "When specifying PartitionSpec to `ShapeDtypeStruct`, the context mesh cannot be "
                f"empty, got: {stated}; enter a mesh context via `dovetail.set_mesh`"
            )
        return on_context(named_by_context(stated, "ShapeDtypeStruct"))

    @property
    def format(self) -> Format:
        """The layout, if one was given, and the sharding."""
        return Format(self._layout, self.sharding)

    @property
    def _place(self) -> Place | None:
        return place_meant(self.sharding)

    @property
    def aval(self) -> ShapedArray:
        """The type of a value that it describes; of a reference, that of the array."""
        dtype, sharding = dtypes.canonicalize_dtype(self.dtype), self.sharding
        explicit = None if sharding is None else type_sharding(sharding, self.ndim)
        return ShapedArray(self.shape, dtype, self.weak_type, explicit)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @classmethod
    def like(cls, x: Any, *, sharding: Sharding | None = None) -> ShapeDtypeStruct:
        """The description of an array, a number or anything with a shape and a dtype.

        Args:
          x: the array, number or other object.
          sharding: the sharding of the description; by default that of `x`, if `x` is committed.

        Example:
          >>> import dovetail as dt
          >>> dt.ShapeDtypeStruct.like(1.0)
          ShapeDtypeStruct(shape=(), dtype=float32, weak_type=True)
        """
        if sharding is None and getattr(x, "committed", isinstance(x, ShapeDtypeStruct)):
            sharding = x.sharding
        if hasattr(x, "shape") and hasattr(x, "dtype"):
            weak = getattr(x, "weak_type", False)
            dtype = dtypes.canonicalize_dtype(x.dtype)
            return cls(x.shape, dtype, sharding=sharding, weak_type=weak)
        dtype, weak = dtypes.dtype_and_weakness(x)
        return cls(np.shape(x), dtype, sharding=sharding, weak_type=weak)

    def update(self, **changes: Any) -> ShapeDtypeStruct:
        """A copy with other `shape`, `dtype`, `sharding`, `weak_type` or `is_ref`."""
        fields = dict(zip(_FIELDS, self._fields(), strict=True))
        return ShapeDtypeStruct(**fields | changes)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object, a description of rank 0")
        return self.shape[0]

    def __repr__(self) -> str:
        rest = "" if self._sharding is None else f", sharding={self._sharding!r}"
        rest += "" if self._layout is None else f", format={self._layout}"
        rest += ", weak_type=True" if self.weak_type else ""
        rest += ", is_ref=True" if self.is_ref else ""
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name}{rest})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ShapeDtypeStruct):
            return False
        return self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def _fields(self) -> tuple[Any, ...]:
        stated: Any = self._sharding
        if self._layout is not None:
            stated = Format(self._layout, stated)
        return self.shape, self.dtype, stated, self.weak_type, self.is_ref

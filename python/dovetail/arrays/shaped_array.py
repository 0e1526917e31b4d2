"""The abstract value of an array while tracing: shape, element type, weak type, sharding."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence, Set
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from dovetail.arrays.keys import is_key_type
from dovetail.base.element_types import as_dtype, float0, is_inexact
from dovetail.placement.named_sharding import NamedSharding
from dovetail.placement.partition_spec import axes_of
from dovetail.placement.type_shardings import without_axes


class ManualAxisType(NamedTuple):
    """How a value depends on the manual axes of a mesh.

    Attributes:
      varying: the axes along which devices have different values.
      unreduced: the axes over which devices have terms of a sum.
      reduced: the axes over which they have one value, whose cotangent is such terms.
    """

    varying: frozenset[Hashable] = frozenset()
    unreduced: frozenset[Hashable] = frozenset()
    reduced: frozenset[Hashable] = frozenset()


_ALIKE = ManualAxisType()


def _axes_text(sharding: NamedSharding, axes: Set[Hashable]) -> str:
    """Axes in the order of the mesh."""
    names = [str(name) for name in sharding.mesh.axis_names if name in axes]
    return f"({','.join(names)})" if len(names) > 1 else "".join(names)


class ShapedArray(tuple[Any, ...]):
    """Shape, element type, whether that type is weak, and the sharding over explicit axes of a
    mesh, if there are any; how it depends on manual axes, if it was asked for that. A leaf of
    trees, unlike a named tuple.
    """

    __slots__ = ()

    def __new__(
        cls,
        shape: Sequence[int],
        dtype: Any,
        weak_type: bool = False,
        sharding: NamedSharding | None = None,
        manual: ManualAxisType = _ALIKE,
    ) -> ShapedArray:
        """The type of arrays of that shape and element type."""
        if not isinstance(dtype, np.dtype) and not is_key_type(dtype):
            dtype = as_dtype(dtype)
        return tuple.__new__(cls, (tuple(shape), dtype, weak_type, sharding, manual))

    shape: tuple[int, ...] = property(itemgetter(0))  # type: ignore[assignment]
    dtype: np.dtype = property(itemgetter(1))  # type: ignore[assignment]
    weak_type: bool = property(itemgetter(2))  # type: ignore[assignment]
    explicit: NamedSharding | None = property(itemgetter(3))  # type: ignore[assignment]
    # How it depends on manual axes; of the results of `dovetail.typeof`.
    manual_axis_type: ManualAxisType = property(itemgetter(4))  # type: ignore[assignment]
    mat = manual_axis_type

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def sharding(self) -> NamedSharding:
        """The sharding over the explicit axes of a mesh; of the mesh of the context by default."""
        return self.explicit or without_axes(self.ndim)

    def update(self, **changes: Any) -> ShapedArray:
        """A copy with the given fields replaced; one of another shape has no sharding."""
        known = {
            "shape": self.shape,
            "dtype": self.dtype,
            "weak_type": self.weak_type,
            "sharding": None if "shape" in changes else self.explicit,
            "manual": self.mat,
        }
        return ShapedArray(**known | changes)

    def strip_weak_type(self) -> ShapedArray:
        """The same type, not weak."""
        return self.update(weak_type=False)

    def to_tangent_aval(self) -> ShapedArray:
        """The type of tangents of such arrays."""
        return self.update(dtype=self.dtype if is_inexact(self.dtype) else float0)

    at_least_vspace = to_tangent_aval

    def to_ct_aval(self) -> ShapedArray:
        """The type of cotangents of such arrays: sums of theirs are left to do where those of the
        arrays are done, if that is said (`reduced`), and the reverse.
        """
        sharding = self.explicit
        if sharding is not None:
            sharding = sharding.update(spec=sharding.spec.of_cotangents())
        varying, unreduced, reduced = self.mat
        manual = ManualAxisType(varying, reduced, unreduced)
        return self.to_tangent_aval().update(sharding=sharding, manual=manual)

    def str_short(self, short_dtypes: bool = False) -> str:
        """Element type and shape, such as `float32[2,3]`, or `f32[2,3]` with `short_dtypes`."""
        text = str(self)
        if not short_dtypes or self.dtype.names:
            return text
        name = self.dtype.name
        return name.replace("uint", "u").replace("int", "i").replace("bfloat", "bf").replace(
            "float", "f"
        ).replace("complex", "c") + text.removeprefix(name)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __str__(self) -> str:
        # NumPy calls float0, an empty structure, "void".
        element = "float0" if self.dtype.names else self.dtype.name
        sizes = [str(size) for size in self.shape]
        if self.explicit is not None:
            for dim, entry in enumerate(self.explicit.spec.partitions):
                axes = [str(axis) for axis in axes_of(entry)]
                if axes:
                    sizes[dim] += f"@{axes[0]}" if len(axes) == 1 else f"@({','.join(axes)})"
        return f"{element}[{','.join(sizes)}]{self._axes_text()}"

    def _axes_text(self) -> str:
        varying, unreduced, reduced = self.mat
        if self.explicit is not None:
            unreduced |= self.explicit.spec.unreduced
            reduced |= self.explicit.spec.reduced
        sets = zip("VUR", (varying, unreduced, reduced), strict=True)
        texts = [f"{letter}:{_axes_text(self.sharding, axes)}" for letter, axes in sets if axes]
        return f"{{{', '.join(texts)}}}" if texts else ""

    def __repr__(self) -> str:
        return f"ShapedArray({self}{', weak_type=True' if self.weak_type else ''})"

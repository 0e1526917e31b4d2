"""The properties and methods that arrays and tracers share, most of them NumPy's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.operators import ArrayOperators
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base.errors import value_error
from dovetail.base.late import numpy as dnp
from dovetail.placement import platforms
from dovetail.placement.devices import Device
from dovetail.placement.shardings import Place, Sharding, SingleDeviceSharding

if TYPE_CHECKING:
    from dovetail.arrays.array import Array


class ArrayMethods(ArrayOperators):
    """Properties and methods over `shape`, `dtype`, `weak_type` and `_value()`.

    Example:
      >>> x = dnp.arange(4).reshape(2, 2)
      >>> isinstance(x, dnp.ndarray), x.nbytes, x.T
      (True, 16, Array([[0, 2],
             [1, 3]], dtype=int32))
    """

    __slots__ = ()

    # Source location, if known.
    _place: Place | None = None

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def aval(self) -> ShapedArray:
        """Shape, element type and weakness."""
        return ShapedArray(self.shape, self.dtype, self.weak_type)

    @property
    def T(self) -> Array:
        """The dimensions in reverse order."""
        return dnp.transpose(self)

    @property
    def mT(self) -> Array:
        """The last two dimensions swapped."""
        return dnp.matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real parts."""
        return dnp.real(self)

    @property
    def imag(self) -> Array:
        """The imaginary parts."""
        return dnp.imag(self)

    @property
    def flat(self) -> Any:
        """NumPy's iterator that writes; arrays have none, according to `hasattr`."""
        raise AttributeError(
            "arrays are immutable and have no flat; use x.ravel(), or x.ravel().at[i].set(y)"
        )

    # Places and other libraries -------------------------------------------------------------------

    @property
    def device(self) -> Device:
        """The device that holds the elements; for a tracer, that of arrays made while tracing."""
        return platforms.default()

    def devices(self) -> set[Device]:
        """The devices that hold the elements."""
        return {self.device}

    @property
    def sharding(self) -> Sharding:
        """Over which devices the elements are spread, and how."""
        return SingleDeviceSharding(self.device)

    @property
    def committed(self) -> bool:
        """True if the array is committed to its device."""
        return False

    @property
    def is_fully_addressable(self) -> bool:
        """True if this process can address all shards."""
        return True

    @property
    def is_fully_replicated(self) -> bool:
        """True if every device holds all elements."""
        return True

    def to_device(self, device: Any, *, stream: Any = None) -> Array:
        """The array on a device.

        Args:
          device: a device, a sharding, or a string such as "cpu".
          stream: None; there are no streams to wait for.
        """
        if stream is not None:
            raise value_error(f"stream must be None on {self.device}, got: {stream!r}")
        return self._committed_to(platforms.sharding_meant(device, "to_device"))

    def _committed_to(self, sharding: Sharding, copy: bool = False) -> Any:
        """The array, committed to a sharding; a tracer with a constraint if it is over a mesh.

        Args:
          sharding: the sharding.
          copy: whether the result must have memory of its own.

        Raises:
          ValueError: the sharding is for arrays of a higher rank.
        """
        return self

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        value = self._value()
        if dtype is not None and np.dtype(dtype) != value.dtype:
            if copy is False:
                raise value_error(
                    f"an array of {value.dtype.name} becomes one of {np.dtype(dtype).name} by a "
                    "copy only, got: copy=False"
                )
            return value.astype(dtype)
        if copy:
            return value.copy()
        # A view that cannot be written to: the elements are shared.
        view = value.view()
        view.flags.writeable = False
        return view

    @property
    def __numpy_dtype__(self) -> np.dtype:
        return self.dtype

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return dnp.namespace_info.array_namespace(api_version)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        from dovetail.runtime.capsules import capsule  # lazy

        return capsule(self.__array__(), stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # kDLCPU

    # Methods --------------------------------------------------------------------------------------

    def astype(self, dtype: Any, copy: bool = False, device: Any = None) -> Array:
        """The elements converted to another type."""
        return dnp.astype(self, dtype, copy=copy, device=device)

    def copy(self) -> Array:
        """A new array with the same elements."""
        return dnp.copy(self)

    def view(self, dtype: Any = None, type: None = None) -> Array:
        """Reinterpret the bits as another element type; a different width resizes the last
        dimension.
        """
        if type is not None:
            raise NotImplementedError(f"view: type must be None, got: {type!r}")
        return self if dtype is None else dnp.bits.view(self, dtype)  # type: ignore[return-value]

    def byteswap(self) -> Array:
        """The elements with their bytes in reverse order."""
        return dnp.bits.byteswap(self)

    def reshape(
        self,
        *shape: Any,
        order: str = "C",
        copy: bool | None = None,
        out_sharding: Any = None,
    ) -> Array:
        """The same elements in another shape; one size may be -1."""
        sizes = shape[0] if len(shape) == 1 else shape
        return dnp.reshape(self, sizes, order, copy=copy, **_stated(out_sharding))

    def ravel(self, order: str = "C", *, out_sharding: Any = None) -> Array:
        """The elements in one dimension."""
        return dnp.ravel(self, order, **_stated(out_sharding))

    def flatten(self, order: str = "C", *, out_sharding: Any = None) -> Array:
        """The elements in one dimension."""
        return dnp.ravel(self, order, **_stated(out_sharding))

    def transpose(self, *axes: Any) -> Array:
        """The dimensions in another order, by default reversed."""
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            return dnp.transpose(self, axes[0])
        return dnp.transpose(self, axes or None)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Two dimensions swapped."""
        return dnp.swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> Array:
        """Without dimensions of size 1."""
        return dnp.squeeze(self, axis)

    def repeat(
        self,
        repeats: Any,
        axis: int | None = None,
        *,
        total_repeat_length: int | None = None,
        out_sharding: Any = None,
    ) -> Array:
        """Each element several times."""
        options = _stated(out_sharding)
        return dnp.repeat(self, repeats, axis, total_repeat_length=total_repeat_length, **options)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """The diagonals over two dimensions."""
        return dnp.diagonal(self, offset, axis1, axis2)

    def trace(
        self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: None = None
    ) -> Array:
        """The sums of diagonals."""
        return dnp.trace(self, offset, axis1, axis2, dtype, out)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """The elements limited to [min, max]."""
        return dnp.clip(self, min, max)

    def round(self, decimals: int = 0, out: None = None) -> Array:
        """Rounded to a number of decimals, ties to even."""
        return dnp.round(self, decimals, out)

    def conj(self) -> Array:
        """The complex conjugates."""
        return dnp.conjugate(self)

    def conjugate(self) -> Array:
        """The complex conjugates."""
        return dnp.conjugate(self)

    def take(
        self,
        indices: Any,
        axis: int | None = None,
        out: None = None,
        mode: str | None = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        fill_value: Any = None,
    ) -> Array:
        """The elements at indices along a dimension."""
        return dnp.take(
            self, indices, axis, out, mode, unique_indices, indices_are_sorted, fill_value
        )

    def compress(
        self,
        condition: Any,
        axis: int | None = None,
        *,
        out: None = None,
        size: int | None = None,
        fill_value: Any = 0,
    ) -> Array:
        """The elements along a dimension where `condition` holds."""
        return dnp.compress(condition, self, axis, size=size, fill_value=fill_value, out=out)

    def choose(self, choices: Any, out: None = None, mode: str = "raise") -> Array:
        """For each element, the corresponding element of the array among `choices` that it
        selects.
        """
        return dnp.choose(self, choices, out, mode)

    def nonzero(self, *, fill_value: Any = None, size: int | None = None) -> tuple[Array, ...]:
        """The indices of elements that are not 0, along each dimension."""
        return dnp.nonzero(self, fill_value=fill_value, size=size)

    def searchsorted(
        self, v: Any, side: str = "left", sorter: Any = None, *, method: str = "scan"
    ) -> Array:
        """The positions of values in this sorted vector."""
        return dnp.searchsorted(self, v, side, sorter, method=method)

    def sort(
        self,
        axis: int | None = -1,
        *,
        kind: None = None,
        order: None = None,
        stable: bool = True,
        descending: bool = False,
    ) -> Array:
        """The elements in order along a dimension."""
        return dnp.sort(self, axis, kind=kind, order=order, stable=stable, descending=descending)

    def argsort(
        self,
        axis: int | None = -1,
        *,
        kind: None = None,
        order: None = None,
        stable: bool = True,
        descending: bool = False,
        dtype: Any = None,
    ) -> Array:
        """The indices that put the elements in order along a dimension."""
        options = {"kind": kind, "order": order, "stable": stable, "descending": descending}
        return dnp.argsort(self, axis, dtype=dtype, **options)

    def argpartition(self, kth: int, axis: int = -1) -> Array:
        """The indices that put the `kth` smallest element in its place, smaller ones before it."""
        return dnp.argpartition(self, kth, axis)

    def cumsum(self, axis: Any = None, dtype: Any = None, out: None = None) -> Array:
        """The sums of the elements so far."""
        return dnp.cumsum(self, axis, dtype, out)

    def cumprod(self, axis: Any = None, dtype: Any = None, out: None = None) -> Array:
        """The products of the elements so far."""
        return dnp.cumprod(self, axis, dtype, out)

    def dot(self, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Array:
        """The product of arrays, as for `dovetail.numpy.dot`."""
        return dnp.dot(self, b, precision=precision, preferred_element_type=preferred_element_type)

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        promote_integers: bool = True,
    ) -> Array:
        """The sum of elements."""
        return dnp.sum(self, axis, dtype, out, keepdims, initial, where, promote_integers)

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
        promote_integers: bool = True,
    ) -> Array:
        """The product of elements."""
        return dnp.prod(self, axis, dtype, out, keepdims, initial, where, promote_integers)

    def mean(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        keepdims: bool = False,
        *,
        where: Any = None,
    ) -> Array:
        """The arithmetic mean of elements."""
        return dnp.mean(self, axis, dtype, out, keepdims, where=where)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: int = 0,
        keepdims: bool = False,
        *,
        where: Any = None,
        correction: float | None = None,
    ) -> Array:
        """The variance of elements."""
        return dnp.var(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: None = None,
        ddof: int = 0,
        keepdims: bool = False,
        *,
        where: Any = None,
        correction: float | None = None,
    ) -> Array:
        """The standard deviation of elements."""
        return dnp.std(self, axis, dtype, out, ddof, keepdims, where=where, correction=correction)

    def max(
        self,
        axis: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Array:
        """The largest element."""
        return dnp.max(self, axis, out, keepdims, initial, where)

    def min(
        self,
        axis: Any = None,
        out: None = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = None,
    ) -> Array:
        """The smallest element."""
        return dnp.min(self, axis, out, keepdims, initial, where)

    def ptp(self, axis: Any = None, out: None = None, keepdims: bool = False) -> Array:
        """The largest element minus the smallest."""
        return dnp.ptp(self, axis, out, keepdims)

    def all(
        self, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None
    ) -> Array:
        """Test whether all elements are true."""
        return dnp.all(self, axis, out, keepdims, where=where)

    def any(
        self, axis: Any = None, out: None = None, keepdims: bool = False, *, where: Any = None
    ) -> Array:
        """Test whether any element is true."""
        return dnp.any(self, axis, out, keepdims, where=where)

    def argmax(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array:
        """The index of the first largest element."""
        return dnp.argmax(self, axis, out, keepdims)

    def argmin(
        self, axis: int | None = None, out: None = None, keepdims: bool | None = None
    ) -> Array:
        """The index of the first smallest element."""
        return dnp.argmin(self, axis, out, keepdims)


def _stated(out_sharding: Any) -> dict[str, Any]:
    """The argument of a function that need not take it, if there is one."""
    return {} if out_sharding is None else {"out_sharding": out_sharding}

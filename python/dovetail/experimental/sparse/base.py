"""What all sparse formats share: their base class, and errors and warnings of layouts."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, NamedTuple, NoReturn

from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.tracing.tracer import AnyTracer

Shape = tuple[int, ...]


class SparseEfficiencyError(ValueError):
    """A layout would take far more memory than the one at hand."""


class SparseEfficiencyWarning(UserWarning):
    """A layout takes far more memory than the one at hand."""


class CuSparseEfficiencyWarning(SparseEfficiencyWarning):
    """NVIDIA's library has no such function. Never raised: no function here calls that library."""


class SparseInfo(NamedTuple):
    """What is known of a sparse array beside its buffers.

    Attributes:
      shape: its shape.
      indices_sorted: whether the indices of each batch are in lexicographic order.
      unique_indices: whether none of them occurs twice in a batch.
    """

    shape: Shape
    indices_sorted: bool = False
    unique_indices: bool = False


class JAXSparse:
    """The base class of sparse arrays: values at given places of an array that is 0 elsewhere.

    They are nodes of pytrees, whose children are buffers, so that they pass through all
    transforms.

    Args:
      args: the buffers, the values first.
      shape: the shape.

    Attributes:
      data: the values.
      shape: the shape.

    Example:
      >>> from dovetail.experimental import sparse
      >>> x = sparse.BCOO.fromdense(dnp.array([0.0, 3.0, 0.0]))
      >>> isinstance(x, sparse.JAXSparse), x.shape, x.data
      (True, (3,), Array([3.], dtype=float32))
    """

    data: Any
    shape: Shape
    # NumPy leaves operators to this class.
    __array_ufunc__ = None

    def __init__(self, args: Any, *, shape: Sequence[int]) -> None:
        self.shape = tuple(map(operator.index, shape))

    @property
    def dtype(self) -> Any:
        """The element type."""
        return self.data.dtype

    @property
    def nse(self) -> int:
        """The number of specified elements; of each batch, if there are any."""
        raise NotImplementedError(f"{type(self)}.nse")

    @property
    def size(self) -> int:
        """The number of elements, those that are 0 included."""
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        name = type(self).__name__
        try:
            text = f"{name}({self.dtype}{list(self.shape)}, nse={self.nse}{self._layout_text()})"
        except (AttributeError, IndexError, TypeError):
            text = f"{name}(<invalid>)"
        return f"{type(self.data).__name__}[{text}]" if isinstance(self.data, AnyTracer) else text

    def _layout_text(self) -> str:
        return ""

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        """The buffers, and what is known of them."""
        raise NotImplementedError(f"{type(self)}.tree_flatten")

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Sequence[Any]) -> Any:
        """The array of buffers, of any type."""
        raise NotImplementedError(f"{cls}.tree_unflatten")

    def todense(self) -> Array:
        """The same array, dense."""
        raise NotImplementedError(f"{type(self)}.todense")

    def transpose(self, axes: Sequence[int] | None = None) -> Any:
        """The array with its dimensions in another order, by default reversed."""
        raise NotImplementedError(f"{type(self)}.transpose")

    def block_until_ready(self) -> Any:
        """Wait until all buffers are computed; returns the array."""
        for buffer in self.tree_flatten()[0]:
            buffer.block_until_ready()
        return self

    # Operators that a format may have -------------------------------------------------------------

    def _refuse(self, name: str) -> NoReturn:
        raise NotImplementedError(f"{type(self)}.{name}")

    def sum(self, *args: Any, **kwargs: Any) -> Any:
        """The sum along axes."""
        self._refuse("sum")

    def __neg__(self) -> Any:
        self._refuse("__neg__")

    def __pos__(self) -> Any:
        self._refuse("__pos__")

    def __matmul__(self, other: Any) -> Any:
        self._refuse("__matmul__")

    def __rmatmul__(self, other: Any) -> Any:
        self._refuse("__rmatmul__")

    def __mul__(self, other: Any) -> Any:
        self._refuse("__mul__")

    def __rmul__(self, other: Any) -> Any:
        self._refuse("__rmul__")

    def __add__(self, other: Any) -> Any:
        self._refuse("__add__")

    def __radd__(self, other: Any) -> Any:
        self._refuse("__radd__")

    def __sub__(self, other: Any) -> Any:
        self._refuse("__sub__")

    def __rsub__(self, other: Any) -> Any:
        self._refuse("__rsub__")

    def __getitem__(self, item: Any) -> Any:
        self._refuse("__getitem__")

    def __iter__(self) -> Iterator[Any]:
        return iter([self[i] for i in range(self.shape[0])])

    __hash__ = None  # type: ignore[assignment]


class Buffered(JAXSparse):
    """A format whose buffers and whose facts are attributes."""

    # The names of the buffers, and of the attributes that are in `_info`, in its order.
    _buffers: ClassVar[tuple[str, ...]]
    _facts: ClassVar[tuple[str, ...]]

    @property
    def _bufs(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self._buffers])

    @property
    def _info(self) -> Any:
        """What is known beside the buffers, by the names of arguments of the class."""
        raise NotImplementedError(f"{type(self)}._info")

    def tree_flatten(self) -> tuple[tuple[Any, ...], Any]:
        """The buffers, and what is known of them."""
        return self._bufs, self._info

    @classmethod
    def tree_unflatten(cls, aux_data: Any, children: Sequence[Any]) -> Any:
        """The array of buffers, of any type."""
        made = object.__new__(cls)
        for name, child in zip(cls._buffers, children, strict=True):
            setattr(made, name, child)
        for name, fact in zip(cls._facts, aux_data, strict=True):
            setattr(made, name, fact)
        return made


class Batched(Buffered):
    """What `BCOO` and `BCSR` share.

    Args:
      args: the buffers: values, indices, and what else there is.
      shape: the shape of the array.
      indices_sorted, unique_indices: as in `SparseInfo`.
    """

    indices: Any
    indices_sorted: bool
    unique_indices: bool

    _facts = SparseInfo._fields

    def __init__(
        self,
        args: Sequence[Any],
        *,
        shape: Sequence[int],
        indices_sorted: bool = False,
        unique_indices: bool = False,
    ) -> None:
        for name, buffer in zip(self._buffers, args, strict=True):
            setattr(self, name, dnp.asarray(buffer))
        self.indices_sorted, self.unique_indices = indices_sorted, unique_indices
        super().__init__(args, shape=shape)
        self._check()

    def _check(self) -> None:
        """Raise a ValueError if the shapes do not fit each other."""
        raise NotImplementedError(f"{type(self)}._check")

    @property
    def n_batch(self) -> int:
        """The number of batch dimensions."""
        raise NotImplementedError(f"{type(self)}.n_batch")

    @property
    def n_dense(self) -> int:
        """The number of dense dimensions."""
        return self.data.ndim - 1 - self.n_batch

    @property
    def _info(self) -> SparseInfo:
        return SparseInfo(self.shape, self.indices_sorted, self.unique_indices)

    def _layout_text(self) -> str:
        n_batch, n_dense = self.n_batch, self.n_dense
        batch = f", n_batch={n_batch}" if n_batch else ""
        return f"{batch}, n_dense={n_dense}" if n_dense else batch

"""The primitives of sparse arrays: functions of buffers. Equations have the ops that they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dovetail.experimental.sparse import bcoo, bcoo_products, bcoo_shape, bcsr, coo, csr
from dovetail.jaxprs.compositions import ComposedPrimitive


def _bcoo(bufs: Sequence[Any], info: Any) -> bcoo.BCOO:
    return bcoo.BCOO(tuple(bufs), shape=tuple(info.shape))


def _bcsr(bufs: Sequence[Any], info: Any) -> bcsr.BCSR:
    return bcsr.BCSR(tuple(bufs), shape=tuple(info.shape))


def _coo(bufs: Sequence[Any], info: Any) -> coo.COO:
    return coo.COO(tuple(bufs), shape=tuple(info.shape))


def _csr(bufs: Sequence[Any], shape: Sequence[int]) -> csr.CSR:
    return csr.CSR(tuple(bufs), shape=tuple(shape))


def _bufs(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **params: function(*args, **params)._bufs


def _product(data: Any, indices: Any, rhs: Any, *, lhs_spinfo: Any, **params: Any) -> Any:
    return bcoo_products.bcoo_dot_general(_bcoo((data, indices), lhs_spinfo), rhs, **params)


def _sparse_product(
    data: Any,
    indices: Any,
    rhs_data: Any,
    rhs_indices: Any,
    *,
    lhs_spinfo: Any,
    rhs_spinfo: Any,
    **params: Any,
) -> Any:
    lhs, rhs = _bcoo((data, indices), lhs_spinfo), _bcoo((rhs_data, rhs_indices), rhs_spinfo)
    return bcoo_products.bcoo_dot_general(lhs, rhs, **params)._bufs


def _rows_product(
    data: Any, indices: Any, indptr: Any, rhs: Any, *, lhs_spinfo: Any, **params: Any
) -> Any:
    return bcsr.bcsr_dot_general(_bcsr((data, indices, indptr), lhs_spinfo), rhs, **params)


_OF_ONE: dict[str, Callable[..., Any]] = {
    "bcoo_dot_general": _product,
    "bcoo_dot_general_sampled": bcoo_products.bcoo_dot_general_sampled,
    "bcoo_extract": lambda indices, arr, *, assume_unique: bcoo.extract(
        indices, arr, assume_unique
    ),
    "bcoo_todense": lambda data, indices, *, spinfo: bcoo.todense(data, indices, spinfo.shape),
    "bcsr_dot_general": _rows_product,
    "bcsr_extract": bcsr.bcsr_extract,
    "bcsr_todense": lambda *bufs, spinfo: bcsr.bcsr_todense(_bcsr(bufs, spinfo)),
    "coo_matmat": lambda *args, spinfo, transpose: coo.coo_matmat(
        _coo(args[:3], spinfo), args[3], transpose=transpose
    ),
    "coo_matvec": lambda *args, spinfo, transpose: coo.coo_matvec(
        _coo(args[:3], spinfo), args[3], transpose
    ),
    "coo_todense": lambda *bufs, spinfo: coo.coo_todense(_coo(bufs, spinfo)),
    "csr_matmat": lambda *args, shape, transpose: csr.csr_matmat(
        _csr(args[:3], shape), args[3], transpose=transpose
    ),
    "csr_matvec": lambda *args, shape, transpose: csr.csr_matvec(
        _csr(args[:3], shape), args[3], transpose
    ),
    "csr_todense": lambda *bufs, shape: csr.csr_todense(_csr(bufs, shape)),
}
_OF_SEVERAL: dict[str, Callable[..., Any]] = {
    "bcoo_fromdense": _bufs(bcoo.bcoo_fromdense),
    "bcoo_sort_indices": _bufs(lambda *bufs, spinfo: bcoo.bcoo_sort_indices(_bcoo(bufs, spinfo))),
    "bcoo_spdot_general": _sparse_product,
    "bcoo_sum_duplicates": lambda data, indices, *, spinfo, nse: bcoo.sum_duplicates(
        data, indices, tuple(spinfo.shape), nse
    ),
    "bcoo_transpose": _bufs(
        lambda *bufs, permutation, spinfo: bcoo_shape.bcoo_transpose(
            _bcoo(bufs, spinfo), permutation=permutation
        )
    ),
    "bcsr_fromdense": _bufs(bcsr.bcsr_fromdense),
    "coo_fromdense": _bufs(coo.coo_fromdense),
    "csr_fromdense": _bufs(csr.csr_fromdense),
}
_PRIMITIVES = {
    f"{name}_p": ComposedPrimitive(name, function, function in _OF_SEVERAL.values())
    for name, function in (_OF_ONE | _OF_SEVERAL).items()
}


def find(module: str, attribute: str) -> Any:
    """The primitive that is an attribute of a module of sparse arrays.

    Args:
      module: the module's name, for the error.
      attribute: the attribute.

    Raises:
      AttributeError: there is no such primitive.

    Example:
      >>> import dovetail as dt
      >>> from dovetail.experimental import sparse
      >>> mat = sparse.eye(2)
      >>> sparse.bcoo_todense_p.bind(mat.data, mat.indices, spinfo=mat._info)
      Array([[1., 0.],
             [0., 1.]], dtype=float32)
    """
    if attribute not in _PRIMITIVES:
        raise AttributeError(f"module {module!r} has no attribute {attribute!r}")
    return _PRIMITIVES[attribute]

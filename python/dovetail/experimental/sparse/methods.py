"""Operators and methods of sparse arrays that are sparse forms of functions of dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dovetail import numpy as dnp
from dovetail.experimental.sparse.bcoo import BCOO
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout
from dovetail.experimental.sparse.bcoo_shape import transpose
from dovetail.experimental.sparse.bcsr import BCSR
from dovetail.experimental.sparse.transform import sparsify


def _swapped(f: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return sparsify(lambda x, y: f(y, x))


def _getitem(self: Any, idx: Any) -> Any:
    """A part of the array, as of a dense one; indices are dense."""
    made = sparsify(lambda x: x[idx])(self)
    if isinstance(self, BCOO) and not isinstance(made, BCOO) and np.size(made) == 0:
        return BCOO.fromdense(made)
    return made


def _sum(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The sum along axes, as of a dense array."""
    return sparsify(lambda x: x.sum(*args, **kwargs))(self)


def _reshape(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The array with another shape, as of a dense one."""
    return sparsify(lambda x: x.reshape(*args, **kwargs))(self)


def _astype(self: Any, *args: Any, **kwargs: Any) -> Any:
    """The array with another element type."""
    return sparsify(lambda x: x.astype(*args, **kwargs))(self)


def _power(self: Any, exponent: Any) -> Any:
    return sparsify(lambda x: dnp.power(x, exponent))(self)


_BOTH: dict[str, Any] = {
    "__getitem__": _getitem,
    "__matmul__": sparsify(dnp.matmul),
    "__rmatmul__": _swapped(dnp.matmul),
}
_OF_BCOO: dict[str, Any] = {
    "__abs__": sparsify(dnp.abs),
    "__add__": sparsify(dnp.add),
    "__eq__": sparsify(dnp.equal),
    "__ge__": sparsify(dnp.greater_equal),
    "__gt__": sparsify(dnp.greater),
    "__le__": sparsify(dnp.less_equal),
    "__lt__": sparsify(dnp.less),
    "__mul__": sparsify(dnp.multiply),
    "__ne__": sparsify(dnp.not_equal),
    "__neg__": sparsify(dnp.negative),
    "__pos__": sparsify(dnp.positive),
    "__pow__": _power,
    "__radd__": _swapped(dnp.add),
    "__rmul__": _swapped(dnp.multiply),
    "__rpow__": _swapped(dnp.power),
    "__rsub__": _swapped(dnp.subtract),
    "__rtruediv__": _swapped(dnp.divide),
    "__sub__": sparsify(dnp.subtract),
    "__truediv__": sparsify(dnp.divide),
    "astype": _astype,
    "reshape": _reshape,
    "sum": _sum,
    "transpose": transpose,
    "update_layout": bcoo_update_layout,
}


def install() -> None:
    """Give these methods to the classes."""
    for name, method in _BOTH.items():
        setattr(BCOO, name, method)
        setattr(BCSR, name, method)
    for name, method in _OF_BCOO.items():
        setattr(BCOO, name, method)

"""Sparse arrays of any format: empty ones, and with ones on a diagonal."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from dovetail.base.errors import value_error
from dovetail.experimental.sparse.bcoo import BCOO
from dovetail.experimental.sparse.bcsr import BCSR
from dovetail.experimental.sparse.coo import COO
from dovetail.experimental.sparse.csr import CSC, CSR
from dovetail.experimental.sparse.densify import todense as todense
from dovetail.experimental.sparse.densify import todense_p as todense_p

_FORMATS: dict[str, Any] = {"bcsr": BCSR, "bcoo": BCOO, "coo": COO, "csr": CSR, "csc": CSC}


def _class(function: str, sparse_format: str, formats: Sequence[str]) -> Any:
    if sparse_format not in formats:
        raise value_error(
            f"sparse.{function}: sparse_format={sparse_format!r} not recognized; must be one of "
            f"{list(formats)}"
        )
    return _FORMATS[sparse_format]


def empty(
    shape: Sequence[int],
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """A sparse array of zeros.

    Args:
      shape: its shape.
      dtype: its element type, by default float.
      index_dtype: the type of its indices.
      sparse_format: "bcoo", "bcsr", "coo", "csr" or "csc".
      kwds: for the first two, `n_batch`, `n_dense` and `nse`.

    Raises:
      ValueError: the format does not exist, or has no such layout.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.empty((2, 3), sparse_format="csr")
      CSR(float32[2, 3], nse=0)
    """
    cls = _class("empty", sparse_format, tuple(_FORMATS))
    return cls._empty(tuple(shape), dtype=dtype, index_dtype=index_dtype, **kwds)


def eye(
    N: int,
    M: int | None = None,
    k: int = 0,
    dtype: Any = None,
    index_dtype: Any = "int32",
    sparse_format: str = "bcoo",
    **kwds: Any,
) -> Any:
    """A sparse matrix of ones on a diagonal.

    Args:
      N: the number of rows.
      M: the number of columns, by default that of rows.
      k: the diagonal: 0 for the main one, positive above it.
      dtype: the element type, by default float.
      index_dtype: the type of the indices.
      sparse_format: "bcoo", "coo", "csr" or "csc".
      kwds: for the first, `n_batch` and `n_dense`.

    Raises:
      ValueError: the format does not exist.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.eye(3, k=1).todense()
      Array([[0., 1., 0.],
             [0., 0., 1.],
             [0., 0., 0.]], dtype=float32)
    """
    cls = _class("eye", sparse_format, ("bcoo", "coo", "csr", "csc"))
    n, m, k = operator.index(N), operator.index(N if M is None else M), operator.index(k)
    return cls._eye(n, m, k, dtype=dtype, index_dtype=index_dtype, **kwds)

"""`todense`: sparse arrays made dense, also by functions that `sparsify` traces with dense ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.experimental.sparse.base import JAXSparse
from dovetail.tracing.tracer import AnyTracer
from dovetail.trees.pytree import unflatten


class _State(threading.local):
    depth = 0


_state = _State()


@contextmanager
def sparsifying() -> Iterator[None]:
    """Have `todense` leave a mark, while a function is traced for `sparsify`."""
    _state.depth += 1
    try:
        yield
    finally:
        _state.depth -= 1


def todense(arr: Any) -> Array:
    """A sparse array as a dense one; a dense one as it is.

    Args:
      arr: the array.

    Example:
      >>> from dovetail.experimental import sparse
      >>> sparse.todense(sparse.eye(2)).tolist(), sparse.todense(1.0)
      ([[1.0, 0.0], [0.0, 1.0]], Array(1., dtype=float32, weak_type=True))
    """
    if isinstance(arr, JAXSparse):
        return arr.todense()
    if _state.depth and isinstance(arr, AnyTracer):
        # An operation that changes nothing, whose sparse form makes its operand dense.
        return lax.optimization_barrier(arr)
    return dnp.asarray(arr)


class _Todense:
    """`todense` under the name of JAX's primitive."""

    name = "todense"
    multiple_results = False

    def _bound(self, *buffers: Any, tree: Any) -> Array:
        """The dense array of the buffers of one of a known structure."""
        return todense(unflatten(tree, buffers))

    def __repr__(self) -> str:
        return self.name


todense_p = _Todense()

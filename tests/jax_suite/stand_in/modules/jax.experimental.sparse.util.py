"""Functions of indices, which JAX's tests call."""

from dovetail.experimental.sparse import util as _util
from dovetail.experimental.sparse.util import *  # noqa: F403

_count_stored_elements = _util.count
_count_stored_elements_per_batch = _util.count_per_batch


def _csr_to_coo(indices, indptr):
    return _util.rows_of(indptr, indices.shape[-1]), indices

"""Sparse arrays: coordinates and compressed rows, in batches, under all transforms."""

from typing import Any as _Any

from dovetail.base import late as _late
from dovetail.experimental.sparse import bcoo as bcoo
from dovetail.experimental.sparse import bcsr as bcsr
from dovetail.experimental.sparse import coo as coo
from dovetail.experimental.sparse import csr as csr
from dovetail.experimental.sparse import linalg as linalg
from dovetail.experimental.sparse import methods as _methods
from dovetail.experimental.sparse import util as util
from dovetail.experimental.sparse.ad import grad as grad
from dovetail.experimental.sparse.ad import jacfwd as jacfwd
from dovetail.experimental.sparse.ad import jacobian as jacobian
from dovetail.experimental.sparse.ad import jacrev as jacrev
from dovetail.experimental.sparse.ad import value_and_grad as value_and_grad
from dovetail.experimental.sparse.api import empty as empty
from dovetail.experimental.sparse.api import eye as eye
from dovetail.experimental.sparse.api import todense as todense
from dovetail.experimental.sparse.api import todense_p as todense_p
from dovetail.experimental.sparse.base import CuSparseEfficiencyWarning as CuSparseEfficiencyWarning
from dovetail.experimental.sparse.base import JAXSparse as JAXSparse
from dovetail.experimental.sparse.base import SparseEfficiencyError as SparseEfficiencyError
from dovetail.experimental.sparse.base import SparseEfficiencyWarning as SparseEfficiencyWarning
from dovetail.experimental.sparse.bcoo import BCOO as BCOO
from dovetail.experimental.sparse.bcoo import bcoo_extract as bcoo_extract
from dovetail.experimental.sparse.bcoo import bcoo_fromdense as bcoo_fromdense
from dovetail.experimental.sparse.bcoo import bcoo_sort_indices as bcoo_sort_indices
from dovetail.experimental.sparse.bcoo import bcoo_sum_duplicates as bcoo_sum_duplicates
from dovetail.experimental.sparse.bcoo import bcoo_todense as bcoo_todense
from dovetail.experimental.sparse.bcoo_layout import bcoo_update_layout as bcoo_update_layout
from dovetail.experimental.sparse.bcoo_parts import bcoo_dynamic_slice as bcoo_dynamic_slice
from dovetail.experimental.sparse.bcoo_parts import bcoo_gather as bcoo_gather
from dovetail.experimental.sparse.bcoo_parts import bcoo_slice as bcoo_slice
from dovetail.experimental.sparse.bcoo_products import bcoo_dot_general as bcoo_dot_general
from dovetail.experimental.sparse.bcoo_products import (
    bcoo_dot_general_sampled as bcoo_dot_general_sampled,
)
from dovetail.experimental.sparse.bcoo_products import bcoo_multiply_dense as bcoo_multiply_dense
from dovetail.experimental.sparse.bcoo_products import bcoo_multiply_sparse as bcoo_multiply_sparse
from dovetail.experimental.sparse.bcoo_shape import bcoo_broadcast_in_dim as bcoo_broadcast_in_dim
from dovetail.experimental.sparse.bcoo_shape import bcoo_concatenate as bcoo_concatenate
from dovetail.experimental.sparse.bcoo_shape import bcoo_reshape as bcoo_reshape
from dovetail.experimental.sparse.bcoo_shape import bcoo_rev as bcoo_rev
from dovetail.experimental.sparse.bcoo_shape import bcoo_squeeze as bcoo_squeeze
from dovetail.experimental.sparse.bcoo_shape import bcoo_transpose as bcoo_transpose
from dovetail.experimental.sparse.bcoo_windows import (
    bcoo_conv_general_dilated as bcoo_conv_general_dilated,
)
from dovetail.experimental.sparse.bcoo_windows import bcoo_reduce_sum as bcoo_reduce_sum
from dovetail.experimental.sparse.bcsr import BCSR as BCSR
from dovetail.experimental.sparse.bcsr import bcsr_broadcast_in_dim as bcsr_broadcast_in_dim
from dovetail.experimental.sparse.bcsr import bcsr_concatenate as bcsr_concatenate
from dovetail.experimental.sparse.bcsr import bcsr_dot_general as bcsr_dot_general
from dovetail.experimental.sparse.bcsr import bcsr_extract as bcsr_extract
from dovetail.experimental.sparse.bcsr import bcsr_fromdense as bcsr_fromdense
from dovetail.experimental.sparse.bcsr import bcsr_sum_duplicates as bcsr_sum_duplicates
from dovetail.experimental.sparse.bcsr import bcsr_todense as bcsr_todense
from dovetail.experimental.sparse.coo import COO as COO
from dovetail.experimental.sparse.coo import coo_fromdense as coo_fromdense
from dovetail.experimental.sparse.coo import coo_matmat as coo_matmat
from dovetail.experimental.sparse.coo import coo_matvec as coo_matvec
from dovetail.experimental.sparse.coo import coo_todense as coo_todense
from dovetail.experimental.sparse.csr import CSC as CSC
from dovetail.experimental.sparse.csr import CSR as CSR
from dovetail.experimental.sparse.csr import csr_fromdense as csr_fromdense
from dovetail.experimental.sparse.csr import csr_matmat as csr_matmat
from dovetail.experimental.sparse.csr import csr_matvec as csr_matvec
from dovetail.experimental.sparse.csr import csr_todense as csr_todense
from dovetail.experimental.sparse.random import random_bcoo as random_bcoo
from dovetail.experimental.sparse.transform import sparsify as sparsify

_methods.install()


def __getattr__(name: str) -> _Any:
    if not name.endswith("_p"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _late.jaxprs.find(__name__, name)

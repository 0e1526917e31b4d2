"""NumPy's linear algebra, of arrays that can be traced, with JAX's names and promotion; leading
dimensions are a batch."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.numpy.linalg.decompositions import (
    cholesky,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    qr,
    svd,
    svdvals,
)
from dovetail.numpy.linalg.determinants import det, matrix_power, multi_dot, slogdet
from dovetail.numpy.linalg.equations import (
    inv,
    lstsq,
    pinv,
    solve,
    tensorinv,
    tensorsolve,
)
from dovetail.numpy.linalg.norms import cond, matrix_norm, matrix_rank, norm, vector_norm
from dovetail.numpy.linalg.products import (
    cross,
    diagonal,
    matmul,
    matrix_transpose,
    outer,
    tensordot,
    trace,
    vecdot,
)

_eager.remember(globals(), impure=("lstsq",))

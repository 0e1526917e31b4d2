"""SciPy's linear algebra, of arrays that can be traced, with JAX's names and promotion; leading
dimensions are a batch."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.scipy.linalg.decompositions import (
    cholesky,
    eigh,
    eigh_tridiagonal,
    hessenberg,
    polar,
    qr,
    qr_multiply,
    rsf2csf,
    schur,
    svd,
)
from dovetail.scipy.linalg.equations import (
    cho_factor,
    cho_solve,
    det,
    inv,
    lu,
    lu_factor,
    lu_solve,
    solve,
    solve_sylvester,
    solve_triangular,
)
from dovetail.scipy.linalg.functions import expm, expm_frechet, funm, sqrtm
from dovetail.scipy.linalg.matrices import (
    block_diag,
    circulant,
    companion,
    convolution_matrix,
    fiedler,
    fiedler_companion,
    hankel,
    leslie,
    toeplitz,
)
from dovetail.scipy.linalg.tables import (
    dft,
    hadamard,
    helmert,
    hilbert,
    invhilbert,
    invpascal,
    pascal,
)

_eager.remember(globals(), impure=("funm",))

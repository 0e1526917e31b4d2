"""SciPy's linear algebra, of arrays that can be traced, with JAX's names and promotion; leading
dimensions are a batch."""

from dovetail.eager import cache as _eager
from dovetail.scipy.linalg.decompositions import cholesky as cholesky
from dovetail.scipy.linalg.decompositions import eigh as eigh
from dovetail.scipy.linalg.decompositions import eigh_tridiagonal as eigh_tridiagonal
from dovetail.scipy.linalg.decompositions import hessenberg as hessenberg
from dovetail.scipy.linalg.decompositions import polar as polar
from dovetail.scipy.linalg.decompositions import qr as qr
from dovetail.scipy.linalg.decompositions import qr_multiply as qr_multiply
from dovetail.scipy.linalg.decompositions import rsf2csf as rsf2csf
from dovetail.scipy.linalg.decompositions import schur as schur
from dovetail.scipy.linalg.decompositions import svd as svd
from dovetail.scipy.linalg.equations import cho_factor as cho_factor
from dovetail.scipy.linalg.equations import cho_solve as cho_solve
from dovetail.scipy.linalg.equations import det as det
from dovetail.scipy.linalg.equations import inv as inv
from dovetail.scipy.linalg.equations import lu as lu
from dovetail.scipy.linalg.equations import lu_factor as lu_factor
from dovetail.scipy.linalg.equations import lu_solve as lu_solve
from dovetail.scipy.linalg.equations import solve as solve
from dovetail.scipy.linalg.equations import solve_sylvester as solve_sylvester
from dovetail.scipy.linalg.equations import solve_triangular as solve_triangular
from dovetail.scipy.linalg.functions import expm as expm
from dovetail.scipy.linalg.functions import expm_frechet as expm_frechet
from dovetail.scipy.linalg.functions import funm as funm
from dovetail.scipy.linalg.functions import sqrtm as sqrtm
from dovetail.scipy.linalg.matrices import block_diag as block_diag
from dovetail.scipy.linalg.matrices import circulant as circulant
from dovetail.scipy.linalg.matrices import companion as companion
from dovetail.scipy.linalg.matrices import convolution_matrix as convolution_matrix
from dovetail.scipy.linalg.matrices import fiedler as fiedler
from dovetail.scipy.linalg.matrices import fiedler_companion as fiedler_companion
from dovetail.scipy.linalg.matrices import hankel as hankel
from dovetail.scipy.linalg.matrices import leslie as leslie
from dovetail.scipy.linalg.matrices import toeplitz as toeplitz
from dovetail.scipy.linalg.tables import dft as dft
from dovetail.scipy.linalg.tables import hadamard as hadamard
from dovetail.scipy.linalg.tables import helmert as helmert
from dovetail.scipy.linalg.tables import hilbert as hilbert
from dovetail.scipy.linalg.tables import invhilbert as invhilbert
from dovetail.scipy.linalg.tables import invpascal as invpascal
from dovetail.scipy.linalg.tables import pascal as pascal

_eager.remember(globals(), impure=("funm",))

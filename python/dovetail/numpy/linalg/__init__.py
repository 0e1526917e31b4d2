"""NumPy's linear algebra, of arrays that can be traced, with JAX's names and promotion; leading
dimensions are a batch."""

from dovetail.eager import cache as _eager
from dovetail.numpy.linalg.decompositions import cholesky as cholesky
from dovetail.numpy.linalg.decompositions import eig as eig
from dovetail.numpy.linalg.decompositions import eigh as eigh
from dovetail.numpy.linalg.decompositions import eigvals as eigvals
from dovetail.numpy.linalg.decompositions import eigvalsh as eigvalsh
from dovetail.numpy.linalg.decompositions import qr as qr
from dovetail.numpy.linalg.decompositions import svd as svd
from dovetail.numpy.linalg.decompositions import svdvals as svdvals
from dovetail.numpy.linalg.determinants import det as det
from dovetail.numpy.linalg.determinants import matrix_power as matrix_power
from dovetail.numpy.linalg.determinants import multi_dot as multi_dot
from dovetail.numpy.linalg.determinants import slogdet as slogdet
from dovetail.numpy.linalg.equations import inv as inv
from dovetail.numpy.linalg.equations import lstsq as lstsq
from dovetail.numpy.linalg.equations import pinv as pinv
from dovetail.numpy.linalg.equations import solve as solve
from dovetail.numpy.linalg.equations import tensorinv as tensorinv
from dovetail.numpy.linalg.equations import tensorsolve as tensorsolve
from dovetail.numpy.linalg.norms import cond as cond
from dovetail.numpy.linalg.norms import matrix_norm as matrix_norm
from dovetail.numpy.linalg.norms import matrix_rank as matrix_rank
from dovetail.numpy.linalg.norms import norm as norm
from dovetail.numpy.linalg.norms import vector_norm as vector_norm
from dovetail.numpy.linalg.products import cross as cross
from dovetail.numpy.linalg.products import diagonal as diagonal
from dovetail.numpy.linalg.products import matmul as matmul
from dovetail.numpy.linalg.products import matrix_transpose as matrix_transpose
from dovetail.numpy.linalg.products import outer as outer
from dovetail.numpy.linalg.products import tensordot as tensordot
from dovetail.numpy.linalg.products import trace as trace
from dovetail.numpy.linalg.products import vecdot as vecdot

_eager.remember(globals(), impure=("lstsq",))

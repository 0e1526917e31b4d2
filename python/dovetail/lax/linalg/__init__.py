"""Factorizations of matrices and solutions of linear equations, under JAX's names; leading
dimensions are a batch.
"""

from typing import Any as _Any

from dovetail.base import late as _late
from dovetail.eager import cache as _eager
from dovetail.lax.linalg.equations import triangular_solve as triangular_solve
from dovetail.lax.linalg.equations import tridiagonal_solve as tridiagonal_solve
from dovetail.lax.linalg.factorizations import cholesky as cholesky
from dovetail.lax.linalg.factorizations import cholesky_update as cholesky_update
from dovetail.lax.linalg.factorizations import hessenberg as hessenberg
from dovetail.lax.linalg.factorizations import householder_product as householder_product
from dovetail.lax.linalg.factorizations import lu as lu
from dovetail.lax.linalg.factorizations import lu_pivots_to_permutation as lu_pivots_to_permutation
from dovetail.lax.linalg.factorizations import ormqr as ormqr
from dovetail.lax.linalg.factorizations import qr as qr
from dovetail.lax.linalg.factorizations import symmetric_product as symmetric_product
from dovetail.lax.linalg.factorizations import tridiagonal as tridiagonal
from dovetail.lax.linalg.polar import qdwh as qdwh
from dovetail.lax.linalg.spectra import EighImplementation as EighImplementation
from dovetail.lax.linalg.spectra import EigImplementation as EigImplementation
from dovetail.lax.linalg.spectra import SvdAlgorithm as SvdAlgorithm
from dovetail.lax.linalg.spectra import eig as eig
from dovetail.lax.linalg.spectra import eigh as eigh
from dovetail.lax.linalg.spectra import schur as schur
from dovetail.lax.linalg.spectra import svd as svd

# Editors complete what `__getattr__` finds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dovetail.lax.primitive_names import *  # noqa: F403

_eager.remember(globals())


def __getattr__(name: str) -> _Any:
    # Primitives, such as `cholesky_p`.
    return _late.jaxprs.find(__name__, name)

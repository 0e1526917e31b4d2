"""Solutions of linear equations by iteration, for matrices that are functions."""

from dovetail.scipy.sparse.linalg.solvers import bicgstab as bicgstab
from dovetail.scipy.sparse.linalg.solvers import cg as cg
from dovetail.scipy.sparse.linalg.solvers import gmres as gmres

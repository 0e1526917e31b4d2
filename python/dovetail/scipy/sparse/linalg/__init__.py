"""Iterative solutions of linear equations, for matrices given as functions."""

from dovetail.scipy.sparse.linalg.solvers import bicgstab as bicgstab
from dovetail.scipy.sparse.linalg.solvers import cg as cg
from dovetail.scipy.sparse.linalg.solvers import gmres as gmres

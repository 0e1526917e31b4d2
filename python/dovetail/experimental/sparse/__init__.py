"""Sparse matrices: so far, their linear equations and their largest eigenvalues."""

from dovetail.experimental.sparse import linalg as linalg

"""Sparse matrices: `linalg`."""

from dovetail.scipy.sparse import linalg as linalg

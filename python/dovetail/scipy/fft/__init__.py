"""SciPy's cosine transforms, of arrays that can be traced, with JAX's names and element types."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.scipy.fft.cosine import dct, dctn, idct, idctn

_eager.remember(globals())

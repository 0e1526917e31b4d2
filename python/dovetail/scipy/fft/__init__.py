"""SciPy's cosine transforms, of arrays that can be traced, with JAX's names and element types."""

from dovetail.eager import cache as _eager
from dovetail.scipy.fft.cosine import dct as dct
from dovetail.scipy.fft.cosine import dctn as dctn
from dovetail.scipy.fft.cosine import idct as idct
from dovetail.scipy.fft.cosine import idctn as idctn

_eager.remember(globals())

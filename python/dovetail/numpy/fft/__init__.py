"""NumPy's Fourier transforms, of arrays that can be traced, with JAX's names and element types."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.numpy.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from dovetail.numpy.fft.several import fft2, fftn, ifft2, ifftn, irfft2, irfftn, rfft2, rfftn
from dovetail.numpy.fft.single import fft, hfft, ifft, ihfft, irfft, rfft

_eager.remember(globals())

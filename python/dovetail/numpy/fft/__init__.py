"""NumPy's Fourier transforms, of arrays that can be traced, with JAX's names and element types."""

from dovetail.eager import cache as _eager
from dovetail.numpy.fft.frequencies import fftfreq as fftfreq
from dovetail.numpy.fft.frequencies import fftshift as fftshift
from dovetail.numpy.fft.frequencies import ifftshift as ifftshift
from dovetail.numpy.fft.frequencies import rfftfreq as rfftfreq
from dovetail.numpy.fft.several import fft2 as fft2
from dovetail.numpy.fft.several import fftn as fftn
from dovetail.numpy.fft.several import ifft2 as ifft2
from dovetail.numpy.fft.several import ifftn as ifftn
from dovetail.numpy.fft.several import irfft2 as irfft2
from dovetail.numpy.fft.several import irfftn as irfftn
from dovetail.numpy.fft.several import rfft2 as rfft2
from dovetail.numpy.fft.several import rfftn as rfftn
from dovetail.numpy.fft.single import fft as fft
from dovetail.numpy.fft.single import hfft as hfft
from dovetail.numpy.fft.single import ifft as ifft
from dovetail.numpy.fft.single import ihfft as ihfft
from dovetail.numpy.fft.single import irfft as irfft
from dovetail.numpy.fft.single import rfft as rfft

_eager.remember(globals())

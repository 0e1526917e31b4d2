"""Convolution, trends and spectra of signals."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.scipy.signal.convolution import (
    convolve,
    convolve2d,
    correlate,
    correlate2d,
    fftconvolve,
)
from dovetail.scipy.signal.spectra import csd, istft, stft, welch
from dovetail.scipy.signal.trends import detrend

# The others may be called with functions, which may do anything.
_eager.remember(globals(), ("csd", "stft", "welch"))

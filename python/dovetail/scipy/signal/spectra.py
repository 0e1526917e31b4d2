"""Spectra of signals by Fourier transforms of windowed segments.

P. D. Welch, The Use of Fast Fourier Transform for the Estimation of Power Spectra, 1967.
"""

from __future__ import annotations

import functools
import operator
from typing import Any

import numpy as np

from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error, warn
from dovetail.numpy import (
    arange,
    asarray,
    concatenate,
    conj,
    fft,
    flip,
    mean,
    median,
    moveaxis,
    ones,
    pad,
    real,
    sum,
    where,
    zeros,
)
from dovetail.numpy import imag as imaginary
from dovetail.numpy.promotion import inexact, promote, static
from dovetail.ops.operands import ArrayLike, as_operand, broadcast_shapes, canonical_axis
from dovetail.scipy.signal.trends import detrend as without_trend


def stft(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = False,
    return_onesided: bool = True,
    boundary: str | None = "zeros",
    padded: bool = True,
    axis: int = -1,
) -> tuple[Array, Array, Array]:
    """The short-time Fourier transform.

    Args:
      x: an array; integers and bools become floats.
      fs: the sampling frequency.
      window: a name or tuple for scipy.signal.get_window, or a vector.
      nperseg: the size of a segment; None for the whole signal.
      noverlap: the number of elements that the next segment shares, by default half.
      nfft: the size of the transform, by default the size of a segment.
      detrend: False, a type of `detrend`, or a function of the segments.
      return_onesided: whether to return only frequencies from 0 on, if `x` is real.
      boundary: how the signal is extended: `zeros`, `even`, `odd`, `constant` or None.
      padded: whether to add zeros so that segments cover all of the signal.
      axis: the dimension of time.

    Returns:
      Frequencies, times, and the transforms, whose last dimension is time.

    Raises:
      ValueError: sizes do not match, or there is no such window, trend or boundary.

    Example:
      >>> stft(dnp.ones(8), nperseg=4)[2].shape
      (3, 5)
    """
    return _spectra(
        *("stft", x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided),
        *("spectrum", axis, "stft", boundary, padded),
    )


def csd(
    x: ArrayLike,
    y: ArrayLike | None,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """The cross power spectral density by Welch's method.

    Args:
      x, y: arrays, the shorter of which is extended by zeros; without `y`, `x` with itself.
      fs, window, nperseg, noverlap, nfft, detrend, return_onesided, axis: as for `stft`.
      scaling: `density`, or `spectrum` for powers.
      average: how to average the segments: `mean` or `median`.

    Returns:
      Frequencies and densities.

    Raises:
      ValueError: sizes do not match, or there is no such window, trend, scaling or average.

    Example:
      >>> csd(dnp.arange(8.0), dnp.ones(8), nperseg=4)[1].shape
      (3,)
    """
    if average not in ("mean", "median"):
        raise value_error(f"csd: average must be 'mean' or 'median', got: {average!r}")
    frequencies, _, power = _spectra(
        *("csd", x, y, fs, window, nperseg, noverlap, nfft, detrend, return_onesided),
        *(scaling, axis, "psd", None, False),
    )
    if y is not None:
        power = power.astype(dtypes.to_complex_dtype(power.dtype))
    if power.ndim >= 2 and power.size:
        power = mean(power, -1) if average == "mean" else _median(power)
    return frequencies, power


def welch(
    x: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Any = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """The power spectral density by Welch's method.

    Args:
      x: an array; integers and bools become floats.
      fs, window, nperseg, noverlap, nfft, detrend, return_onesided, axis: as for `stft`.
      scaling, average: as for `csd`.

    Returns:
      Frequencies and densities.

    Raises:
      ValueError: sizes do not match, or there is no such window, trend, scaling or average.

    Example:
      >>> welch(dnp.arange(8.0), nperseg=4)[1].shape
      (3,)
    """
    frequencies, power = csd(
        *(x, None, fs, window, nperseg, noverlap, nfft, detrend, return_onesided),
        *(scaling, axis, average),
    )
    return frequencies, real(power)


def istft(
    Zxx: ArrayLike,
    fs: ArrayLike = 1.0,
    window: Any = "hann",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
) -> tuple[Array, Array]:
    """The inverse of `stft`, by overlap and add.

    Args:
      Zxx: an array of transforms.
      fs, window, nperseg, noverlap, nfft: as given to `stft`.
      input_onesided: whether there are only frequencies from 0 on.
      boundary: whether the signal was extended.
      time_axis, freq_axis: the dimensions of time and frequency.

    Returns:
      Times, as many as the first dimension of the signal has elements (as in SciPy), and the
      signal. D. W. Griffin and J. S. Lim, Signal Estimation from Modified Short-Time Fourier
      Transform, 1984.

    Raises:
      ValueError: sizes do not match, or there is no such window.

    Example:
      >>> x = dnp.arange(8.0)
      >>> istft(stft(x, nperseg=4)[2], nperseg=4)[1].round(3)
      Array([0., 1., 2., 3., 4., 5., 6., 7.], dtype=float32)
    """
    z = inexact("istft", Zxx)
    if z.ndim < 2:
        raise value_error(f"istft: the transforms must be of rank 2 at least, got: shape {z.shape}")
    along, across = canonical_axis(time_axis, z.ndim), canonical_axis(freq_axis, z.ndim)
    if along == across:
        raise value_error(f"istft: time_axis and freq_axis must be different, got: {along} twice")
    z = moveaxis(z, (across, along), (-2, -1))
    count = 2 * (z.shape[-2] - 1) if input_onesided else z.shape[-2]
    size = _size("istft", "nperseg", nperseg, count)
    odd = input_onesided and size == count + 1
    points = _size("istft", "nfft", nfft, count + 1 if odd else count)
    overlap = (
        size // 2
        if not noverlap
        else operator.index(static(noverlap, "the istft argument 'noverlap'"))
    )
    _check_sizes("istft", size, points, overlap)
    inverse = fft.irfft if input_onesided else fft.ifft
    segments = moveaxis(inverse(z, points, -2)[..., :size, :], -2, -1)
    shape = _window("istft", window, size, dtypes.to_real_dtype(segments.dtype))
    step = size - overlap
    x = _overlap_and_add(segments * (sum(shape) * shape), step)
    norm = _overlap_and_add(ones((segments.shape[-2], 1), shape.dtype) * (shape * shape), step)
    if boundary:
        x, norm = (part[..., size // 2 : -(size // 2) or None] for part in (x, norm))
    x = moveaxis(x / where(norm > 1e-10, norm, 1), -1, along - (across < along))
    # SciPy counts along the first dimension, whichever that is.
    return arange(x.shape[0], dtype=shape.dtype) / fs, x


def _overlap_and_add(x: Array, step: int) -> Array:
    """The sum of segments (..., n, size) that are `step` apart."""
    count, size = x.shape[-2:]
    parts = -(-size // step)
    batch = x.shape[:-2]
    x = pad(x, [(0, 0)] * (len(batch) + 1) + [(0, parts * step - size)])
    x = x.reshape((*batch, count, parts, step))
    # Part i of a segment is i steps later.
    total = None
    for i in range(parts):
        later = pad(x[..., i, :], [(0, 0)] * len(batch) + [(i, parts - 1 - i), (0, 0)])
        total = later if total is None else total + later
    assert total is not None
    return total.reshape((*batch, -1))[..., : step * (count - 1) + size]


def _median(power: Array) -> Array:
    """The median of segments, divided by its bias: B. Allen and others, FINDCHIRP, 2012."""
    pairs = np.arange(2, power.shape[-1], 2)
    bias = 1 + float(np.sum(1 / (pairs + 1) - 1 / pairs))
    if dtypes.KINDS[power.dtype] == "c":
        return (median(real(power), -1) + 1j * median(imaginary(power), -1)) / bias
    return median(power, -1) / bias


def _size(name: str, what: str, given: Any, default: int) -> int:
    size = (
        default if given is None else operator.index(static(given, f"the {name} argument {what!r}"))
    )
    if size < 1:
        raise value_error(f"{name}: {what} must be positive, got: {size}")
    return size


def _check_sizes(name: str, size: int, points: int, overlap: int) -> None:
    if points < size:
        raise value_error(f"{name}: nfft must be at least nperseg, {size}, got: {points}")
    if overlap >= size:
        raise value_error(f"{name}: noverlap must be less than nperseg, {size}, got: {overlap}")


def _window(name: str, window: Any, size: int | None, dtype: np.dtype) -> Array:
    """The window as an array; the size of a given one is not checked."""
    if isinstance(window, (str, tuple)):
        from scipy import signal

        return asarray(np.asarray(signal.get_window(window, size or 1), dtype))
    array = as_operand(name, window)
    if array.ndim != 1:
        raise value_error(f"{name}: the window must be a vector, got: shape {array.shape}")
    if size is not None and array.size != size:
        raise value_error(
            f"{name}: the window must be of size {size}, as nperseg says, got: {array.size}"
        )
    return array.astype(dtype if dtypes.KINDS[array.dtype] != "c" else array.dtype)


def _segment_size(name: str, window: Any, nperseg: Any, length: int) -> int:
    if not isinstance(window, (str, tuple)):
        size = as_operand(name, window).size
        if size > length:
            raise value_error(
                f"{name}: the window must be no longer than the signal, got: {size} and {length}"
            )
        return _size(name, "nperseg", nperseg, size)
    size = _size(name, "nperseg", nperseg, length)
    if size > length:
        warn(f"{name}: nperseg is {size}, more than the {length} of the signal", 4)
        size = length
    return size


def _spectra(
    name: str,
    x: Any,
    y: Any,
    fs: Any,
    window: Any,
    nperseg: Any,
    noverlap: Any,
    nfft: Any,
    trend: Any,
    onesided: bool,
    scaling: str,
    axis: int,
    mode: str,
    boundary: str | None,
    padded: bool,
) -> tuple[Array, Array, Array]:
    """Frequencies, times, and spectra with time as the last dimension."""
    signals = promote(name, *([x] if y is None else [x, y]), to=dtypes.to_inexact_dtype)
    if boundary not in _EXTENSIONS:
        known = ", ".join(repr(b) for b in _EXTENSIONS)
        raise value_error(f"{name}: boundary must be one of {known}, got: {boundary!r}")
    if scaling not in ("density", "spectrum"):
        raise value_error(f"{name}: scaling must be 'density' or 'spectrum', got: {scaling!r}")
    place = canonical_axis(axis, signals[0].ndim)
    signals = [moveaxis(s, axis, -1) for s in signals]
    complex_type = dtypes.to_complex_dtype(signals[0].dtype)
    real_type = dtypes.to_real_dtype(complex_type)
    if not all(s.size for s in signals):
        return _empty(signals, place, complex_type, real_type)
    signals = _equally_long(name, signals)
    size = _segment_size(name, window, nperseg, signals[0].shape[-1])
    shape = _window(name, window, size, real_type)
    points = _size(name, "nfft", nfft, size)
    overlap = (
        size // 2
        if noverlap is None
        else operator.index(static(noverlap, f"the {name} argument 'noverlap'"))
    )
    _check_sizes(name, size, points, overlap)
    step = size - overlap
    signals = [_extended(name, s, boundary, size, step, padded) for s in signals]
    if onesided and any(dtypes.KINDS[s.dtype] == "c" for s in signals):
        warn(f"{name}: the signal is complex, so all frequencies are returned", 4)
        onesided = False
    scale = 1 / (fs * sum(shape * shape)) if scaling == "density" else 1 / sum(shape) ** 2
    transforms = [
        _transforms(s, shape, _trend(name, trend, place - s.ndim), size, step, points, onesided)
        for s in signals
    ]
    if mode == "stft":
        result = transforms[0] * scale**0.5
    else:
        result = conj(transforms[0]) * transforms[-1] * scale
        if onesided:
            # Negative frequencies have the same power; 0 and the Nyquist frequency of an even
            # length have no counterpart.
            double = np.full(result.shape[-1], 2.0)
            double[0] = 1
            if points % 2 == 0:
                double[-1] = 1
            result = result * asarray(double.astype(real_type))
        if y is None:
            result = real(result)
    frequencies = (fft.rfftfreq if onesided else fft.fftfreq)(points, 1 / fs)
    count = result.shape[-2]
    time = (arange(count, dtype=real_type) * step + size / 2) / fs
    if boundary is not None:
        time = time - size / 2 / fs
    # Frequencies go where the time was, times to the end.
    result = moveaxis(moveaxis(result, -2, -1), -2, place)
    return frequencies.astype(real_type), time.astype(real_type), result


def _empty(
    signals: list[Array], place: int, complex_type: np.dtype, real_type: np.dtype
) -> tuple[Array, Array, Array]:
    batch = broadcast_shapes(*(s.shape[:-1] for s in signals))
    least = min(s.shape[-1] for s in signals)
    shape = (*batch[:place], least, *batch[place:])
    return zeros(shape, real_type), zeros(shape, real_type), zeros(shape, complex_type)


def _equally_long(name: str, signals: list[Array]) -> list[Array]:
    broadcast_shapes(*(s.shape[:-1] for s in signals), name=name)
    most = max(s.shape[-1] for s in signals)
    return [pad(s, [(0, 0)] * (s.ndim - 1) + [(0, most - s.shape[-1])]) for s in signals]


def _extended(
    name: str, x: Array, boundary: str | None, size: int, step: int, padded: bool
) -> Array:
    if boundary is not None:
        margin = size // 2
        if boundary in ("even", "odd") and margin > x.shape[-1] - 1:
            raise value_error(
                f"{name}: the signal must be longer than half of a segment, {margin}, got: "
                f"{x.shape[-1]}"
            )
        x = _EXTENSIONS[boundary](x, margin)
    if padded:
        added = (-(x.shape[-1] - size) % step) % size
        x = pad(x, [(0, 0)] * (x.ndim - 1) + [(0, added)])
    return x


def _by_pad(mode: str, x: Array, n: int) -> Array:
    return pad(x, [(0, 0)] * (x.ndim - 1) + [(n, n)], mode)


def _odd(x: Array, n: int) -> Array:
    """Rotated by half a turn about the ends."""
    if not n:
        return x
    left, right = x[..., :1], x[..., -1:]
    before = 2 * left - flip(x[..., 1 : n + 1], -1)
    after = 2 * right - flip(x[..., -n - 1 : -1], -1)
    return concatenate([before, x, after], -1)


_EXTENSIONS: dict[str | None, Any] = {
    "zeros": functools.partial(_by_pad, "constant"),
    "even": functools.partial(_by_pad, "reflect"),
    "odd": _odd,
    "constant": functools.partial(_by_pad, "edge"),
    None: None,
}


def _trend(name: str, trend: Any, axis: int) -> Any:
    if isinstance(trend, str):
        return lambda x: without_trend(x, type=trend)
    if callable(trend):
        function: Any = trend
        # It expects the signal's dimension where it was.
        return lambda x: moveaxis(function(moveaxis(x, -1, axis)), axis, -1)
    if trend:
        raise value_error(
            f"{name}: detrend must be a type of scipy.signal.detrend, a function or False, got: "
            f"{trend!r}"
        )
    return lambda x: x


def _transforms(
    x: Array, window: Array, trend: Any, size: int, step: int, points: int, onesided: bool
) -> Array:
    """The transforms of all segments, of shape (..., segments, frequencies)."""
    starts = np.arange(0, x.shape[-1] - size + 1, step)
    segments = trend(x[..., starts[:, None] + np.arange(size)]) * window
    return fft.rfft(segments, points) if onesided else fft.fft(segments, points)

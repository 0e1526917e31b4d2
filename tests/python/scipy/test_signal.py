"""dovetail.scipy.signal against SciPy: convolution, trends and spectra."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.signal

import dovetail.numpy as dnp
from dovetail import grad, jit
from dovetail.scipy import signal

pytestmark = pytest.mark.usefixtures("in_64_bits")

REFERENCE: Any = scipy.signal
RNG = np.random.default_rng(0)
MODES = ("full", "same", "valid")


def samples(*shape: int, complex: bool = False) -> np.ndarray[Any, Any]:
    x = RNG.normal(size=shape)
    return x + 1j * RNG.normal(size=shape) if complex else x


SHAPES = [
    ((7,), (3,)),
    ((3,), (7,)),
    ((6,), (4,)),
    ((5, 6), (2, 3)),
    ((4, 4), (4, 4)),
    ((2, 3), (4, 5)),
]


@pytest.mark.parametrize(
    ("mode", "shapes", "complex"), list(itertools.product(MODES, SHAPES, (0, 1)))
)
def test_convolution(mode: str, shapes: Any, complex: int) -> None:
    x, y = (samples(*shape, complex=bool(complex)) for shape in shapes)
    for method in ("direct", "fft"):
        np.testing.assert_allclose(
            signal.convolve(x, y, mode, method),
            REFERENCE.convolve(x, y, mode, "direct"),
            atol=1e-12,
        )
    np.testing.assert_allclose(
        signal.fftconvolve(x, y, mode), REFERENCE.fftconvolve(x, y, mode), atol=1e-12
    )
    # SciPy swaps the operands of correlations if the first is smaller.
    if all(a >= b for a, b in zip(*shapes, strict=True)):
        np.testing.assert_allclose(
            signal.correlate(x, y, mode), REFERENCE.correlate(x, y, mode, "direct"), atol=1e-12
        )
    if x.ndim == 2:
        for name in ("convolve2d", "correlate2d"):
            expected = getattr(REFERENCE, name)(x, y, mode)
            np.testing.assert_allclose(getattr(signal, name)(x, y, mode), expected, atol=1e-12)


def test_fftconvolve_along_axes() -> None:
    x, y = samples(3, 8), samples(3, 4)
    for mode in MODES:
        np.testing.assert_allclose(
            signal.fftconvolve(x, y, mode, axes=[1]),
            REFERENCE.fftconvolve(x, y, mode, axes=[1]),
            atol=1e-12,
        )


def test_convolution_rejects() -> None:
    with pytest.raises(ValueError, match="mode must be one of full, same, valid, got: 'half'"):
        signal.convolve(np.ones(3), np.ones(2), "half")
    with pytest.raises(ValueError, match="method must be"):
        signal.convolve(np.ones(3), np.ones(2), method="slow")
    with pytest.raises(ValueError, match="ranks must be equal, got: 1 and 2"):
        signal.convolve(np.ones(3), np.ones((2, 2)))
    with pytest.raises(ValueError, match="the smaller in every dimension"):
        signal.fftconvolve(np.ones((3, 2)), np.ones((2, 3)), "valid")
    with pytest.raises(ValueError, match="must not be empty"):
        signal.convolve(np.ones(3), np.ones(0))
    with pytest.raises(NotImplementedError, match="boundary must be 'fill'"):
        signal.convolve2d(np.ones((3, 3)), np.ones((2, 2)), boundary="wrap")
    with pytest.raises(ValueError, match="operands must be matrices, got: ranks 1 and 2"):
        signal.correlate2d(np.ones(3), np.ones((2, 2)))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_detrend(axis: int) -> None:
    x = samples(9, 12)
    choices: list[dict[str, Any]] = [{"type": "constant"}, {}, {"bp": 4}, {"bp": [2, 5]}]
    for options in choices:
        expected = REFERENCE.detrend(x, axis, **options)
        np.testing.assert_allclose(signal.detrend(x, axis, **options), expected, atol=1e-12)
    with pytest.raises(ValueError, match="bp must be indices from 0 to"):
        signal.detrend(x, axis, bp=20)
    with pytest.raises(ValueError, match="type must be 'linear' or 'constant'"):
        signal.detrend(x, axis, "cubic")


STFT: list[dict[str, Any]] = [
    {"nperseg": 16},
    {"nperseg": 16, "noverlap": 12, "nfft": 32, "fs": 3.0},
    {"nperseg": 15, "window": "hamming", "boundary": "even"},
    {"nperseg": 16, "window": ("kaiser", 3.0), "boundary": "odd", "detrend": "linear"},
    {"nperseg": 16, "boundary": None, "padded": False, "detrend": "constant"},
    {"nperseg": 10, "boundary": "constant", "return_onesided": False},
    {"nperseg": 10, "detrend": lambda x: x - 1},
]


@pytest.mark.parametrize("options", STFT)
@pytest.mark.parametrize("axis", [-1, 0])
def test_stft(options: dict[str, Any], axis: int) -> None:
    x = samples(3, 50) if axis else samples(50, 3)
    for got, expected in zip(
        signal.stft(x, axis=axis, **options), REFERENCE.stft(x, axis=axis, **options), strict=True
    ):
        np.testing.assert_allclose(got, expected, atol=1e-12)


@pytest.mark.parametrize("options", STFT[:2] + STFT[5:6])
def test_istft(options: dict[str, Any]) -> None:
    x = samples(3, 48)
    z = REFERENCE.stft(x, **options)[2]
    shared = {k: options[k] for k in ("fs", "nperseg", "noverlap", "nfft") if k in options}
    shared["input_onesided"] = options.get("return_onesided", True)
    got, expected = signal.istft(z, **shared), REFERENCE.istft(z, **shared)
    np.testing.assert_allclose(got[0], expected[0], atol=1e-12)
    np.testing.assert_allclose(got[1], expected[1], atol=1e-12)
    np.testing.assert_allclose(got[1][:, :48].real, x, atol=1e-12)
    moved = signal.istft(np.moveaxis(z, (0, 1, 2), (2, 1, 0)), **shared, time_axis=0, freq_axis=1)
    np.testing.assert_allclose(np.asarray(moved[1]).T, got[1], atol=1e-12)


WELCH: list[dict[str, Any]] = [
    {"nperseg": 16},
    {"nperseg": 16, "scaling": "spectrum", "fs": 3.0},
    {"nperseg": 15, "average": "median"},
    {"nperseg": 16, "return_onesided": False, "detrend": False},
    {"nperseg": 50, "window": "boxcar"},
]


@pytest.mark.parametrize("options", WELCH)
def test_welch_and_csd(options: dict[str, Any]) -> None:
    x, y = samples(2, 50), samples(2, 40)
    pairs = [
        (signal.welch(x, **options), REFERENCE.welch(x, **options)),
        (signal.csd(x, y, **options), REFERENCE.csd(x, y, **options)),
        (signal.csd(x, None, **options), REFERENCE.csd(x, x, **options)),
    ]
    for got, expected in pairs:
        for mine, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(mine, other, atol=1e-12)


def test_complex_spectra() -> None:
    x = samples(50, complex=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, expected = signal.welch(x, nperseg=16), REFERENCE.welch(x, nperseg=16)
    np.testing.assert_allclose(got[1], expected[1], atol=1e-12)


def test_windows_are_arrays() -> None:
    x, window = samples(50), np.hanning(16)
    got, expected = signal.welch(x, window=window), REFERENCE.welch(x, window=window)
    np.testing.assert_allclose(got[1], expected[1], atol=1e-12)
    with pytest.raises(ValueError, match="of size 8, as nperseg says, got: 16"):
        signal.welch(x, window=window, nperseg=8)
    with pytest.raises(ValueError, match="noverlap must be less than nperseg, 8, got: 8"):
        signal.stft(x, nperseg=8, noverlap=8)
    with pytest.raises(ValueError, match="nfft must be at least nperseg, 8, got: 4"):
        signal.stft(x, nperseg=8, nfft=4)
    with pytest.raises(ValueError, match="boundary must be one of"):
        signal.stft(x, nperseg=8, boundary="wrap")
    with pytest.raises(ValueError, match="average must be"):
        signal.welch(x, nperseg=8, average="most")


def test_spectra_are_differentiable() -> None:
    x = samples(24)

    def power(x: Any) -> Any:
        return dnp.sum(signal.welch(x, nperseg=8)[1] ** 2)

    step = 1e-6 * np.eye(24)[3]
    numeric = (power(x + step) - power(x - step)) / 2e-6
    np.testing.assert_allclose(grad(power)(dnp.asarray(x))[3], numeric, rtol=1e-6)
    np.testing.assert_allclose(jit(power)(x), power(x), rtol=1e-12)

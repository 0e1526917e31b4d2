"""Fourier transforms of rows and images, real and complex, and what is built of them."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import scipy.fft
import scipy.signal

from .registry import Draw, program

# Its functions are typed as those of any backend.
scipy_fft: Any = scipy.fft


def complex_rows(draw: Draw, *shape: int) -> tuple[Any, ...]:
    return ((draw.normal(*shape) + 1j * draw.normal(*shape)).astype(np.complex64),)


def flops_of(count: float, n: float) -> float:
    """Returns the usual estimate for complex transforms, which is exact for no algorithm."""
    return 5 * count * n * log2(n)


@program(
    "fourier",
    sizes=((16, 1009), (256, 1009), (4096, 1009)),
    arguments=complex_rows,
    bytes=lambda b, n: 16 * b * n,
    flops=flops_of,
    numpy=lambda x: scipy_fft.fft(x, workers=2),
    torch=lambda torch, x: torch.fft.fft(x),
)
def rows_of_a_prime_length(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.fft(x)


@program(
    "fourier",
    sizes=((16, 1024), (256, 1024), (4096, 4096)),
    arguments=complex_rows,
    bytes=lambda b, n: 16 * b * n,
    flops=flops_of,
    numpy=lambda x: scipy_fft.fft(x, workers=2),
    torch=lambda torch, x: torch.fft.fft(x),
)
def rows_of_a_power_of_two(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.fft(x)


@program(
    "fourier",
    sizes=((16, 1000), (256, 1000), (4096, 6000)),
    arguments=lambda draw, b, n: (draw.normal(b, n),),
    bytes=lambda b, n: 8 * b * n,
    flops=lambda b, n: flops_of(b, n) / 2,
    numpy=lambda x: scipy_fft.rfft(x, workers=2),
    torch=lambda torch, x: torch.fft.rfft(x),
)
def real_rows(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.rfft(x)


@program(
    "fourier",
    sizes=(1 << 12, 1 << 18, 1 << 22),
    arguments=complex_rows,
    bytes=lambda n: 16 * n,
    flops=lambda n: flops_of(1, n),
    numpy=lambda x: scipy_fft.fft(x),
    torch=lambda torch, x: torch.fft.fft(x),
    tolerance=1e-3,
)
def one_long_transform(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.fft(x)


@program(
    "fourier",
    sizes=(64, 1024, 2048),
    arguments=lambda draw, n: complex_rows(draw, n, n),
    bytes=lambda n: 32 * n * n,
    flops=lambda n: flops_of(2 * n, n),
    numpy=lambda x: scipy_fft.fft2(x, workers=2),
    torch=lambda torch, x: torch.fft.fft2(x),
)
def transform_of_an_image(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.fft2(x)


@program(
    "fourier",
    sizes=(16, 64, 256),
    arguments=lambda draw, n: complex_rows(draw, n, n, n),
    bytes=lambda n: 48 * n**3,
    flops=lambda n: flops_of(3 * n * n, n),
    numpy=lambda x: scipy_fft.fftn(x, workers=2),
    torch=lambda torch, x: torch.fft.fftn(x),
)
def transform_in_space(lib: Any, x: Any) -> Any:
    return lib.numpy.fft.fftn(x)


@program(
    "fourier",
    sizes=(64, 512, 2048),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(n, n)),
    bytes=lambda n: 48 * n * n,
    flops=lambda n: flops_of(3 * n, n),
    numpy=lambda x, k: scipy_fft.irfft2(
        scipy_fft.rfft2(x, workers=2) * scipy_fft.rfft2(k, workers=2), x.shape, workers=2
    ),
    torch=lambda torch, x, k: torch.fft.irfft2(torch.fft.rfft2(x) * torch.fft.rfft2(k), x.shape),
)
def periodic_convolution(lib: Any, x: Any, k: Any) -> Any:
    fft = lib.numpy.fft
    return fft.irfft2(fft.rfft2(x) * fft.rfft2(k), x.shape)


@program(
    "fourier",
    sizes=(1 << 13, 1 << 18, 1 << 22),
    arguments=lambda draw, n: (draw.normal(n), np.hanning(512).astype(np.float32)),
    bytes=lambda n: 4 * n + 8 * n,
    flops=lambda n: flops_of(n / 256, 512) / 2,
    numpy=lambda x, window: np.abs(
        scipy_fft.rfft(np.lib.stride_tricks.sliding_window_view(x, 512)[::256] * window, workers=2)
    ),
    torch=lambda torch, x, window: torch.fft.rfft(x.unfold(0, 512, 256) * window).abs(),
)
def spectrogram(lib: Any, x: Any, window: Any) -> Any:
    xp = lib.numpy
    starts = xp.arange(0, x.shape[0] - 511, 256)
    frames = x[starts[:, None] + xp.arange(512)]
    return xp.abs(xp.fft.rfft(frames * window))


@program(
    "fourier",
    sizes=(1 << 12, 1 << 16, 1 << 20),
    arguments=lambda draw, n: (draw.normal(n), draw.normal(n)),
    bytes=lambda n: 40 * n,
    flops=lambda n: 3 * flops_of(1, 2 * n) / 2,
    numpy=lambda x, k: scipy.signal.fftconvolve(x, k),
    tolerance=1e-3,
)
def convolution_by_transforms(lib: Any, x: Any, k: Any) -> Any:
    fft, n = lib.numpy.fft, x.shape[0]
    return fft.irfft(fft.rfft(x, 2 * n) * fft.rfft(k, 2 * n))[: 2 * n - 1]

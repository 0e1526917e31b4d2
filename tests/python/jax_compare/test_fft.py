"""Fourier and cosine transforms, their derivatives and batches, against JAX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.scipy import fft as cosine

jax = pytest.importorskip("jax", minversion="0.10")

RNG = np.random.default_rng(3)
ONE = ("fft", "ifft", "rfft", "irfft")
SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")


def random(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    x = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * RNG.standard_normal(shape)
    return (4 * x).astype(dtype)


def assert_close(actual: Any, expected: Any) -> None:
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    scale = np.abs(expected).max(initial=1)
    np.testing.assert_allclose(actual, expected, rtol=0, atol=3e-6 * scale)


def operands(name: str) -> list[np.ndarray]:
    types = [np.float32, np.int32, np.float16, np.bool_]
    if "r" in name or name == "ihfft":
        types = types[:2]
    if not name.startswith("r") and name != "ihfft":
        types.append(np.complex64)
    return [random((4, 6), dtype) for dtype in types]


ARGUMENTS: list[dict[str, Any]] = [{}, {"n": 7}, {"n": 4, "axis": 0}]
# In JAX, hfft and ihfft agree with NumPy for the default norm only.
CALLS = [(name, arguments) for name in (*ONE, "hfft", "ihfft") for arguments in ARGUMENTS]
CALLS += [(name, {"norm": norm}) for name in ONE for norm in ("ortho", "forward")]


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=str)
def test_one_dimension(name: str, arguments: dict[str, Any]) -> None:
    for x in operands(name):
        expected = getattr(jax.numpy.fft, name)(x, **arguments)
        assert_close(getattr(dnp.fft, name)(x, **arguments), expected)


@pytest.mark.parametrize("name", SEVERAL)
@pytest.mark.parametrize("arguments", [{}, {"s": (5, 3)}, {"norm": "forward"}], ids=str)
def test_several_dimensions(name: str, arguments: dict[str, Any]) -> None:
    for x in operands(name):
        expected = getattr(jax.numpy.fft, name)(x, **arguments)
        assert_close(getattr(dnp.fft, name)(x, **arguments), expected)


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies(n: int) -> None:
    for name in ("fftfreq", "rfftfreq"):
        expected = getattr(jax.numpy.fft, name)(n, 0.5)
        assert_close(getattr(dnp.fft, name)(n, 0.5), expected)
    x = random((n, 3), np.float32)
    for name in ("fftshift", "ifftshift"):
        for axes in (None, 0, (1, 0)):
            expected = getattr(jax.numpy.fft, name)(x, axes)
            assert_close(getattr(dnp.fft, name)(x, axes), expected)


@pytest.mark.parametrize("kind", list(lax.FftType))
def test_lax(kind: lax.FftType) -> None:
    x = random((2, 4, 5), np.float32 if kind is lax.FftType.RFFT else np.complex64)
    lengths = (4, 8) if kind is lax.FftType.IRFFT else (4, 5)
    assert [t.name for t in lax.FftType] == [t.name for t in jax.lax.FftType]
    assert_close(lax.fft(x, kind, lengths), jax.lax.fft(x, jax.lax.FftType(int(kind)), lengths))


@pytest.mark.parametrize("n", [5, 6])
def test_derivatives(n: int) -> None:
    """The conventions of complex derivatives."""
    x, z = random((3, n), np.float32), random((3, n), np.complex64)
    cases = [("fft", z), ("ifft", z), ("rfft", x), ("irfft", z), ("fft2", z), ("irfftn", z)]
    for name, value in cases:
        own, peer = getattr(dnp.fft, name), getattr(jax.numpy.fft, name)
        result, pullback = dt.vjp(own, value)
        expected, peer_pullback = jax.vjp(peer, value)
        cotangent = random(expected.shape, expected.dtype)
        assert_close(result, expected)
        assert_close(pullback(cotangent)[0], peer_pullback(cotangent)[0])
        tangent = random(value.shape, value.dtype)
        for ours, theirs in zip(
            dt.jvp(own, (value,), (tangent,)), jax.jvp(peer, (value,), (tangent,)), strict=True
        ):
            assert_close(ours, theirs)


@pytest.mark.parametrize("name", ["fft", "ifft", "irfft", "fft2"])
def test_batches(name: str) -> None:
    z = random((3, 4, 5), np.complex64)
    own, peer = getattr(dnp.fft, name), getattr(jax.numpy.fft, name)
    for axis in range(3):
        assert_close(dt.vmap(own, axis, 1)(z), jax.vmap(peer, axis, 1)(z))


@pytest.mark.parametrize("name", ["dct", "idct", "dctn", "idctn"])
@pytest.mark.parametrize("norm", [None, "ortho"])
def test_cosine_transforms(name: str, norm: str | None) -> None:
    for x in (random((4, 5), np.float32), random((6, 3), np.complex64), random((4, 4), np.int32)):
        expected = getattr(jax.scipy.fft, name)(x, norm=norm)
        assert_close(getattr(cosine, name)(x, norm=norm), expected)

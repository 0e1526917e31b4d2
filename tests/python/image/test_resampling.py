"""dovetail.image against Pillow and SciPy, and what follows from its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.ndimage
from PIL import Image

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import image
from dovetail.test_util import check_grads

REFERENCE: Any = scipy.ndimage
RNG = np.random.default_rng(0)
SIZES = [((3, 2), (6, 4)), ((33, 17), (5, 39)), ((8, 8), (8, 3)), ((5, 4), (5, 4))]
PILLOW = {
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos3": Image.Resampling.LANCZOS,
}


@pytest.mark.parametrize("method", PILLOW)
@pytest.mark.parametrize(("before", "after"), SIZES)
@pytest.mark.parametrize("transform", [lambda f: f, dt.jit])
def test_resize_is_pillows(method: str, before: Any, after: Any, transform: Any) -> None:
    x = RNG.uniform(size=before).astype(np.float32)
    expected = np.asarray(Image.fromarray(x).resize(after[::-1], PILLOW[method]))
    found = transform(lambda x: image.resize(x, after, method))(x)
    np.testing.assert_allclose(found, expected, atol=3e-5)


@pytest.mark.parametrize(("before", "after"), SIZES)
def test_linear_and_nearest_without_antialiasing_are_scipys_zoom(before: Any, after: Any) -> None:
    x = RNG.uniform(size=before)
    factors = [m / n for m, n in zip(after, before, strict=True)]
    for method, order in (("linear", 1), ("nearest", 0)):
        expected = REFERENCE.zoom(x, factors, order=order, grid_mode=True, mode="grid-constant")
        if method == "linear":
            # Beyond the image there are no pixels, in the place of SciPy's zeros.
            ones = REFERENCE.zoom(
                np.ones(before), factors, order=1, grid_mode=True, mode="grid-constant"
            )
            expected = expected / ones
        found = image.resize(x.astype(np.float32), after, method, antialias=False)
        np.testing.assert_allclose(found, expected, atol=1e-5)


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("method", ["linear", "cubic", "lanczos3", "lanczos5", "cubic-pytorch"])
def test_methods_reproduce_what_they_interpolate(method: str) -> None:
    """Resampling keeps constants, and pixels that coincide."""
    x = dnp.asarray(RNG.uniform(size=9))
    np.testing.assert_allclose(image.resize(dnp.ones(9), (21,), method), 1, rtol=1e-12)
    three = image.resize(x, (27,), method)
    np.testing.assert_allclose(three[1::3], x, rtol=1e-12)
    assert three.dtype == np.float64


def test_area_is_the_mean_of_what_a_pixel_covers() -> None:
    x = RNG.uniform(size=(6, 10)).astype(np.float32)
    blocks = x.reshape(3, 2, 2, 5).mean((1, 3))
    np.testing.assert_allclose(image.resize(x, (3, 2), "area"), blocks, rtol=1e-6)
    # 1.5 pixels each: one whole and half of another.
    found = image.resize(dnp.array([0.0, 3.0, 6.0]), (2,), image.ResizeMethod.AREA)
    np.testing.assert_allclose(found, [1.0, 5.0], rtol=1e-6)


def test_pixels_of_the_edge_continue_as_in_pytorch() -> None:
    """`torch.nn.functional.interpolate(mode="bicubic")` gives these numbers."""
    x = dnp.array([[0.0, 1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0, 9.0]]) / 9
    found = image.resize(x, (4, 10), "bicubic-pytorch", antialias=False)
    first = [-0.0703, -0.0373, 0.0156, 0.0855, 0.1306, 0.1966, 0.2418, 0.3116, 0.3646, 0.3976]
    np.testing.assert_allclose(found[0], first, atol=1e-4)
    np.testing.assert_allclose(found[3, ::-1], 1 - np.array(first), atol=1e-4)
    smooth = image.resize(x, (4, 10), "bicubic-pytorch")
    np.testing.assert_array_equal(smooth, image.resize(x, (4, 10), "bicubic"))


def test_scale_and_translate_is_an_affine_map() -> None:
    """A linear image stays linear inside, and is zero outside."""
    x = dnp.arange(5.0) + 0.5

    def moved(scale: Any, shift: Any) -> Any:
        return image.scale_and_translate(
            x, (12,), (0,), scale[None], shift[None], "linear", antialias=False
        )

    for f in (moved, dt.jit(moved)):
        found = np.asarray(f(dnp.float32(2.0), dnp.float32(1.0)))
        places = (np.arange(12) + 0.5 - 1) / 2
        inside = (places >= 0) & (places <= 5)
        expected = np.where(inside, np.clip(places, 0.5, 4.5), 0)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_dimensions_may_be_negative_and_some() -> None:
    x = dnp.asarray(RNG.uniform(size=(2, 3, 4)))
    ones, zeros = dnp.ones(2), dnp.zeros(2)
    back = image.scale_and_translate(x, (2, 5, 6), (-2, -1), ones, zeros, "cubic")
    front = image.scale_and_translate(x, (2, 5, 6), (1, 2), ones, zeros, "cubic")
    np.testing.assert_array_equal(back, front)


@pytest.mark.usefixtures("in_64_bits")
@pytest.mark.parametrize("method", ["linear", "cubic", "lanczos3", "cubic-pytorch", "area"])
@pytest.mark.parametrize("antialias", [False, True])
def test_derivatives(method: str, antialias: bool) -> None:
    x = dnp.asarray(RNG.uniform(size=(5, 6)))
    check_grads(lambda x: image.resize(x, (3, 8), method, antialias), (x,), 2)

    def moved(scale: Any, shift: Any) -> Any:
        return image.scale_and_translate(x, (4, 7), (0, 1), scale, shift, method, antialias)

    scale, shift = dnp.array([0.83, 1.27]), dnp.array([0.21, -0.34])
    check_grads(moved, (scale, shift), 1, eps=1e-6)


def test_batches() -> None:
    x = dnp.asarray(RNG.uniform(size=(3, 5, 4)).astype(np.float32))
    scales = dnp.asarray(RNG.uniform(0.5, 2, size=(3, 2)).astype(np.float32))

    def one(x: Any, scale: Any) -> Any:
        shift = dnp.zeros(2)
        return image.scale_and_translate(x, (4, 6), (0, 1), scale, shift, "linear")

    expected = [one(a, b) for a, b in zip(x, scales, strict=True)]
    for f in (dt.vmap(one), dt.jit(dt.vmap(one))):
        np.testing.assert_allclose(f(x, scales), expected, atol=1e-6)
    np.testing.assert_allclose(
        dt.vmap(lambda x: image.resize(x, (7, 2), "nearest"))(x),
        image.resize(x, (3, 7, 2), "nearest"),
    )


def test_types_and_empty_images() -> None:
    whole = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert image.resize(whole, (4, 6), "nearest").dtype == np.int32
    assert image.resize(whole, (4, 6), "linear").dtype == np.float32
    assert image.resize(whole.astype(np.complex64), (4, 6), "linear").dtype == np.complex64
    assert image.resize(dnp.ones(3, dnp.bfloat16), (4,), "cubic").dtype == dnp.bfloat16
    for method in ("nearest", "linear", "lanczos3"):
        assert image.resize(dnp.ones((5, 5)), (0, 1), method).shape == (0, 1)
    # A shape may be an array.
    assert image.resize(dnp.ones((3, 4)), dnp.array((10, 17)), "nearest").shape == (10, 17)


def test_errors() -> None:
    x = dnp.ones((3, 4))
    with pytest.raises(ValueError, match=r"shape must have length equal .* 2, got: \(3,\)"):
        image.resize(x, (3,), "linear")
    with pytest.raises(ValueError, match=r"Unknown resize method: .*, got: 'best'"):
        image.resize(x, (3, 4), "best")
    with pytest.raises(TypeError):
        image.resize(x, [10.5, 17], "bicubic")
    one, zero = dnp.ones(1), dnp.zeros(1)
    with pytest.raises(ValueError, match="Nearest neighbor resampling is not currently supported"):
        image.scale_and_translate(x, (3, 4), (0,), one, zero, "nearest")
    with pytest.raises(ValueError, match=r"scale must be a vector of 2 numbers, .* shape \(1,\)"):
        image.scale_and_translate(x, (3, 4), (0, 1), one, zero, "linear")

"""Convolutions, their gradients, and pooling; images are N×C×H×W."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal

from .registry import Draw, program, torch_gradient

# Images, channels, height and width.
IMAGES = ((1, 16, 16), (8, 32, 32), (16, 64, 56))


def images(draw: Draw, n: int, c: int, h: int) -> tuple[Any, ...]:
    return draw.normal(n, c, h, h), draw.normal(c, c, 3, 3, scale=(9 * c) ** -0.5)


def same(lib: Any, x: Any, k: Any, **options: Any) -> Any:
    numbers = ("NCHW", "OIHW", "NCHW")
    return lib.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=numbers, **options)


def convolution_flops(n: int, c: int, h: int) -> float:
    return 18 * n * c * c * h * h


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=images,
    bytes=lambda n, c, h: 8 * n * c * h * h,
    flops=convolution_flops,
    torch=lambda torch, x, k: torch.nn.functional.conv2d(x, k, padding=1),
)
def convolution_3_by_3(lib: Any, x: Any, k: Any) -> Any:
    return same(lib, x, k)


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=lambda draw, n, c, h: (
        draw.normal(n, h, h, c),
        draw.normal(3, 3, c, c, scale=(9 * c) ** -0.5),
    ),
    bytes=lambda n, c, h: 8 * n * c * h * h,
    flops=convolution_flops,
    torch=lambda torch, x, k: torch.nn.functional.conv2d(
        x.permute(0, 3, 1, 2), k.permute(3, 2, 0, 1), padding=1
    ).permute(0, 2, 3, 1),
)
def convolution_channels_last(lib: Any, x: Any, k: Any) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    return lib.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=numbers)


@program(
    "convolutions",
    sizes=((1, 16, 16), (8, 32, 32), (8, 64, 56)),
    arguments=images,
    bytes=lambda n, c, h: 16 * n * c * h * h,
    flops=lambda n, c, h: 3 * convolution_flops(n, c, h),
    torch=torch_gradient(
        lambda torch, x, k: (torch.nn.functional.conv2d(x, k, padding=1) ** 2).sum()
    ),
    tolerance=1e-3,
)
def gradient_of_convolution(lib: Any, x: Any, k: Any) -> Any:
    return lib.grad(lambda x, k: lib.numpy.sum(same(lib, x, k) ** 2), argnums=(0, 1))(x, k)


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=lambda draw, n, c, h: (draw.normal(n, c, h, h), draw.normal(c, 1, 3, 3)),
    bytes=lambda n, c, h: 8 * n * c * h * h,
    flops=lambda n, c, h: 18 * n * c * h * h,
    torch=lambda torch, x, k: torch.nn.functional.conv2d(x, k, padding=1, groups=x.shape[1]),
)
def depthwise_convolution(lib: Any, x: Any, k: Any) -> Any:
    return same(lib, x, k, feature_group_count=x.shape[1])


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=lambda draw, n, c, h: (draw.normal(n, c, h, h), draw.normal(2 * c, c, 1, 1)),
    bytes=lambda n, c, h: 12 * n * c * h * h,
    flops=lambda n, c, h: 4 * n * c * c * h * h,
    torch=lambda torch, x, k: torch.nn.functional.conv2d(x, k),
)
def convolution_1_by_1(lib: Any, x: Any, k: Any) -> Any:
    return same(lib, x, k)


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=images,
    bytes=lambda n, c, h: 5 * n * c * h * h,
    flops=lambda n, c, h: convolution_flops(n, c, h) / 4,
    torch=lambda torch, x, k: torch.nn.functional.conv2d(x, k, stride=2, padding=1),
)
def strided_convolution(lib: Any, x: Any, k: Any) -> Any:
    numbers = ("NCHW", "OIHW", "NCHW")
    pads = ((1, 1), (1, 1))
    return lib.lax.conv_general_dilated(x, k, (2, 2), pads, dimension_numbers=numbers)


@program(
    "convolutions",
    sizes=((4, 16, 256), (16, 32, 1024), (32, 64, 4096)),
    arguments=lambda draw, n, c, h: (draw.normal(n, c, h), draw.normal(c, c, 5, scale=0.1)),
    bytes=lambda n, c, h: 8 * n * c * h,
    flops=lambda n, c, h: 10 * n * c * c * h,
    torch=lambda torch, x, k: torch.nn.functional.conv1d(x, k, padding=2),
)
def convolution_of_sequences(lib: Any, x: Any, k: Any) -> Any:
    numbers = ("NCH", "OIH", "NCH")
    return lib.lax.conv_general_dilated(x, k, (1,), "SAME", dimension_numbers=numbers)


@program(
    "convolutions",
    sizes=((1 << 12, 31), (1 << 17, 101), (1 << 21, 101)),
    arguments=lambda draw, n, k: (draw.normal(n), draw.normal(k)),
    bytes=lambda n, k: 8 * n,
    flops=lambda n, k: 2 * n * k,
    numpy=lambda x, k: np.convolve(x, k, "same"),
    torch=lambda torch, x, k: torch.nn.functional.conv1d(
        x[None, None], k.flip(0)[None, None], padding="same"
    )[0, 0],
)
def filter_of_a_signal(lib: Any, x: Any, k: Any) -> Any:
    return lib.numpy.convolve(x, k, "same")


@program(
    "convolutions",
    sizes=(128, 512, 2048),
    arguments=lambda draw, n: (draw.normal(n, n), draw.normal(5, 5)),
    bytes=lambda n: 8 * n * n,
    flops=lambda n: 50 * n * n,
    numpy=lambda x, k: scipy.signal.convolve2d(x, k, "same"),
    torch=lambda torch, x, k: torch.nn.functional.conv2d(
        x[None, None], k.flip((0, 1))[None, None], padding=2
    )[0, 0],
)
def blur_of_one_image(lib: Any, x: Any, k: Any) -> Any:
    k = lib.numpy.flip(k)[None, None]
    return lib.lax.conv_general_dilated(x[None, None], k, (1, 1), "SAME")[0, 0]


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=images,
    bytes=lambda n, c, h: 5 * n * c * h * h,
    flops=lambda n, c, h: n * c * h * h,
    torch=lambda torch, x, k: torch.nn.functional.max_pool2d(x, 2),
)
def max_pooling(lib: Any, x: Any, k: Any) -> Any:
    window = (1, 1, 2, 2)
    return lib.lax.reduce_window(x, -lib.numpy.inf, lib.lax.max, window, window, "VALID")


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=images,
    bytes=lambda n, c, h: 9 * n * c * h * h,
    flops=lambda n, c, h: 3 * n * c * h * h,
    torch=torch_gradient(
        lambda torch, x, k: (torch.nn.functional.max_pool2d(x, 2) ** 2).sum(), (0,)
    ),
)
def gradient_of_max_pooling(lib: Any, x: Any, k: Any) -> Any:
    def loss(x: Any) -> Any:
        return lib.numpy.sum(max_pooling(lib, x, k) ** 2)

    return (lib.grad(loss)(x),)


@program(
    "convolutions",
    sizes=IMAGES,
    arguments=images,
    bytes=lambda n, c, h: 8 * n * c * h * h,
    flops=lambda n, c, h: 9 * n * c * h * h,
    torch=lambda torch, x, k: torch.nn.functional.avg_pool2d(x, 3, 1) * 9,
)
def sum_of_windows(lib: Any, x: Any, k: Any) -> Any:
    window, strides = (1, 1, 3, 3), (1, 1, 1, 1)
    return lib.lax.reduce_window(x, 0.0, lib.lax.add, window, strides, "VALID")


@program(
    "convolutions",
    sizes=((1, 16, 16), (4, 32, 16), (8, 64, 28)),
    arguments=images,
    bytes=lambda n, c, h: 20 * n * c * h * h,
    flops=convolution_flops,
    torch=lambda torch, x, k: torch.nn.functional.conv_transpose2d(
        x, k.flip((2, 3)).transpose(0, 1), stride=2, padding=1, output_padding=1
    ),
)
def transposed_convolution(lib: Any, x: Any, k: Any) -> Any:
    return lib.lax.conv_general_dilated(
        x,
        k,
        (1, 1),
        ((1, 2), (1, 2)),
        lhs_dilation=(2, 2),
        dimension_numbers=("NCHW", "OIHW", "NCHW"),
    )

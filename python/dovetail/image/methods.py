"""Ways to resample an image, and their kernels."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import NamedTuple

from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error


class ResizeMethod(enum.Enum):
    """How an image is resampled; functions take a member or one of its names, such as `"linear"`.

    | member | names | what it computes |
    |---|---|---|
    | `NEAREST` | nearest | the nearest pixel |
    | `LINEAR` | linear, bilinear, trilinear, triangle | linear interpolation |
    | `LANCZOS3`, `LANCZOS5` | lanczos3, lanczos5 | a windowed sinc of this radius |
    | `CUBIC` | cubic, bicubic, tricubic | Keys' cubic convolution with a = -1/2 |
    | `CUBIC_PYTORCH` | cubic-pytorch, bicubic-pytorch | the same; without antialiasing with a = -3/4, and the pixels of the edge continued |
    | `AREA` | area | the mean over the area that a pixel of the result covers |

    Kernels: https://en.wikipedia.org/wiki/Bicubic_interpolation and
    https://en.wikipedia.org/wiki/Lanczos_resampling.

    Example:
      >>> from dovetail import image
      >>> image.ResizeMethod.from_string("bilinear")
      <ResizeMethod.LINEAR: 1>
    """  # noqa: E501

    NEAREST = 0
    LINEAR = 1
    LANCZOS3 = 2
    LANCZOS5 = 3
    CUBIC = 4
    CUBIC_PYTORCH = 5
    AREA = 6

    @staticmethod
    def from_string(s: str) -> ResizeMethod:
        """The method of a name.

        Args:
          s: one of the names above.

        Raises:
          ValueError: no method has this name.

        Example:
          >>> from dovetail import image
          >>> image.ResizeMethod.from_string("bicubic")
          <ResizeMethod.CUBIC: 4>
        """
        for method, names in _NAMES.items():
            if s in names:
                return method
        known = ", ".join(name for names in _NAMES.values() for name in names)
        raise value_error(f"Unknown resize method: it must be one of {known}, got: {s!r}")


_NAMES = {
    ResizeMethod.NEAREST: ("nearest",),
    ResizeMethod.LINEAR: ("linear", "bilinear", "trilinear", "triangle"),
    ResizeMethod.LANCZOS3: ("lanczos3",),
    ResizeMethod.LANCZOS5: ("lanczos5",),
    ResizeMethod.CUBIC: ("cubic", "bicubic", "tricubic"),
    ResizeMethod.CUBIC_PYTORCH: ("cubic-pytorch", "bicubic-pytorch"),
    ResizeMethod.AREA: ("area",),
}


class Kernel(NamedTuple):
    """A function of the distance between a sample and a pixel, in pixels.

    Attributes:
      weight: maps distances, which are not negative, to weights.
      radius: from this distance on, weights are zero.
      continues_edges: whether pixels beyond the image are those of its edge; otherwise they do not
        exist.
    """

    weight: Callable[[Array], Array]
    radius: int
    continues_edges: bool = False


def _triangle(x: Array) -> Array:
    return dnp.maximum(1 - x, 0)


def _lanczos(radius: int) -> Callable[[Array], Array]:
    def weight(x: Array) -> Array:
        # Near zero, the quotient of two small numbers is inexact, and its limit is one.
        is_near = x <= 1e-3
        angle = math.pi * dnp.where(is_near, 1, x)
        value = radius * dnp.sin(angle) * dnp.sin(angle / radius) / dnp.square(angle)
        return dnp.where(x > radius, 0, dnp.where(is_near, 1, value))

    return weight


def _cubic(a: float) -> Callable[[Array], Array]:
    """Keys' kernel. R. G. Keys, Cubic convolution interpolation for digital image processing,
    IEEE Transactions on Acoustics, Speech, and Signal Processing 29(6), 1981.
    """

    def weight(x: Array) -> Array:
        inner = ((a + 2) * x - (a + 3)) * x * x + 1
        outer = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return dnp.where(x >= 2, 0, dnp.where(x >= 1, outer, inner))

    return weight


def kernel(method: ResizeMethod, antialias: bool) -> Kernel:
    """The kernel of a method other than `NEAREST` and `AREA`, which have none.

    Args:
      method: the method.
      antialias: whether the kernel grows where the image shrinks.
    """
    if method is ResizeMethod.CUBIC_PYTORCH and not antialias:
        return Kernel(_cubic(-0.75), 2, continues_edges=True)
    return _KERNELS[method]


_KERNELS = {
    ResizeMethod.LINEAR: Kernel(_triangle, 1),
    ResizeMethod.LANCZOS3: Kernel(_lanczos(3), 3),
    ResizeMethod.LANCZOS5: Kernel(_lanczos(5), 5),
    ResizeMethod.CUBIC: Kernel(_cubic(-0.5), 2),
    ResizeMethod.CUBIC_PYTORCH: Kernel(_cubic(-0.5), 2),
}

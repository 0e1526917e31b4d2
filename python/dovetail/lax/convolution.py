"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.lax import basics as lax
from dovetail.lax.conv_dimensions import (
    ConvDimensionNumbers,
    Padding,
    conv_dimension_numbers,
    dilated,
    paddings,
    per_dimension,
    transposed_padding,
)
from dovetail.lax.precision import check_precision
from dovetail.ops.operands import ArrayLike, as_operand, check_kind
from dovetail.tracing.composed import composed
from dovetail.transforms.out_sharding import accepts_out_sharding

# Labels of dimensions: spatial ones come after these.
_BATCH, _GROUP, _IN, _OUT, _SPATIAL = range(5)


@accepts_out_sharding
def conv_general_dilated(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None = None,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Any = None,
    preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Array:
    """The convolution of an array with a kernel, as in neural networks: a correlation, summed over
    input features.

    Args:
      lhs: the array, of numbers or bools, of rank n + 2: a batch of features over n spatial
        dimensions.
      rhs: the kernel, of the same rank and element type: output features by input features over n
        spatial dimensions.
      window_strides: n distances between positions of the kernel.
      padding: "SAME", "SAME_LOWER", "VALID", or n pairs of zeros before and after; negative ones
        crop.
      lhs_dilation, rhs_dilation: n distances between the elements of each operand, by default 1.
      dimension_numbers: the order of dimensions, see `conv_dimension_numbers`; by default batch and
        features come first.
      feature_group_count: the number of groups, convolved separately, into which the features are
        divided.
      batch_group_count: the number of groups into which the batch and the output features are
        divided.
      precision: accepted; every target computes in the element type.
      preferred_element_type: the type in which products are formed and summed.

    Returns:
      An array with a batch of output features over n spatial dimensions; of bools, whether any
      product is true, or how many are if `preferred_element_type` is a type of numbers.

    Raises:
      TypeError: element types differ.
      ValueError: shapes, groups, strides, dilations or padding do not fit.

    Example:
      >>> x = lax.iota(np.float32, 5).reshape(1, 1, 5)
      >>> kernel = lax.full((1, 1, 2), 1.0)
      >>> conv_general_dilated(x, kernel, (1,), "VALID")
      Array([[[1., 3., 5., 7.]]], dtype=float32)
    """
    name = "conv_general_dilated"
    check_precision(name, precision)
    x, kernel = _operands(name, lhs, rhs)
    element = None
    if preferred_element_type is not None:
        element = dtypes.requested(preferred_element_type, name)
        element = None if element == x.dtype else element
    # Of bools the products that are true are counted.
    wanted = (element or x.dtype) if x.dtype == dtypes.bool_ else None
    if wanted is not None:
        x, kernel, element = ops.convert(x, dtypes.int32), ops.convert(kernel, dtypes.int32), None
    numbers = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    rank = x.ndim - 2
    strides = per_dimension(name, "window_strides", window_strides, rank)
    x_dilation = per_dimension(name, "lhs_dilation", lhs_dilation, rank)
    kernel_dilation = per_dimension(name, "rhs_dilation", rhs_dilation, rank)
    if isinstance(padding, str) and any(by > 1 for by in x_dilation):
        raise value_error(
            f"{name}: padding must be pairs where lhs_dilation is greater than 1, got: "
            f"{padding!r}; or use conv_transpose"
        )
    _check_groups(x.shape, kernel.shape, numbers, feature_group_count, batch_group_count)
    sizes = [
        dilated(x.shape[d], by) for d, by in zip(numbers.lhs_spec[2:], x_dilation, strict=True)
    ]
    spans = [
        dilated(kernel.shape[d], by)
        for d, by in zip(numbers.rhs_spec[2:], kernel_dilation, strict=True)
    ]
    result = _convolved(
        x,
        kernel,
        window_strides=strides,
        padding=tuple(paddings(name, sizes, spans, strides, padding)),
        lhs_dilation=x_dilation,
        rhs_dilation=kernel_dilation,
        dimension_numbers=numbers,
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        precision=precision,
        preferred_element_type=element,
        out_sharding=None,
    )
    if wanted is None:
        return result
    return result != 0 if wanted == dtypes.bool_ else ops.convert(result, wanted)


@composed("conv_general_dilated")
def _convolved(
    x: Array,
    kernel: Array,
    *,
    window_strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    lhs_dilation: Sequence[int],
    rhs_dilation: Sequence[int],
    dimension_numbers: Any,
    feature_group_count: int,
    batch_group_count: int,
    preferred_element_type: Any,
    precision: Any = None,
    out_sharding: Any = None,
) -> Array:
    """A convolution of checked arguments."""
    element = None if preferred_element_type is None else dtypes.dtype(preferred_element_type)
    if element == x.dtype:
        element = None
    numbers = ConvDimensionNumbers(*dimension_numbers)
    x = _padded(x, numbers, padding, lhs_dilation)
    groups = _Groups(numbers, feature_group_count, batch_group_count)
    x, x_labels = groups.split_lhs(x)
    kernel, kernel_labels = groups.split_rhs(kernel)
    spatial = tuple(range(_SPATIAL, _SPATIAL + len(window_strides)))
    result = ops.conv(
        x,
        kernel,
        x_labels,
        kernel_labels,
        groups.ans_labels(),
        spatial,
        tuple(window_strides),
        tuple(rhs_dilation),
        element,
    )
    return groups.joined(result)


def _operands(name: str, lhs: ArrayLike, rhs: ArrayLike) -> tuple[Array, Array]:
    x, y = as_operand(name, lhs), as_operand(name, rhs, 1)
    if x.dtype != y.dtype:
        raise type_error(
            f"{name} requires arguments to have the same dtypes, got: {x.dtype.name}, "
            f"{y.dtype.name}; convert one with x.astype(...)"
        )
    check_kind(name, x, "biufc")
    if x.ndim != y.ndim or x.ndim < 2:
        raise value_error(
            f"{name} lhs and rhs must have the same number of dimensions, at least 2, but got "
            f"{x.shape} and {y.shape}"
        )
    return x, y


def _check_groups(
    lhs: tuple[int, ...],
    rhs: tuple[int, ...],
    numbers: ConvDimensionNumbers,
    feature_groups: int,
    batch_groups: int,
) -> None:
    name = "conv_general_dilated"
    batch, features = lhs[numbers.lhs_spec[0]], lhs[numbers.lhs_spec[1]]
    outputs, inputs = rhs[numbers.rhs_spec[0]], rhs[numbers.rhs_spec[1]]
    for what, count in (
        ("feature_group_count", feature_groups),
        ("batch_group_count", batch_groups),
    ):
        if count < 1:
            raise value_error(f"{name} {what} must be a positive integer, got: {count}")
        if outputs % count:
            raise value_error(
                f"{name} rhs output feature dimension size must be a multiple of {what}, but "
                f"{outputs} is not a multiple of {count}"
            )
    if feature_groups > 1 and batch_groups > 1:
        raise value_error(
            f"{name}: At most one of batch_group_count and feature_group_count may be > 1, got: "
            f"batch_group_count={batch_groups} and feature_group_count={feature_groups}"
        )
    if batch % batch_groups:
        raise value_error(
            f"{name} batch_group_count must divide lhs batch dimension size, but {batch_groups} "
            f"does not divide {batch}"
        )
    if features != inputs * feature_groups:
        raise value_error(
            f"{name} lhs feature dimension size divided by feature_group_count must equal the rhs "
            f"input feature dimension size, but {features} // {feature_groups} != {inputs}"
        )


def _padded(
    x: Array,
    numbers: ConvDimensionNumbers,
    pads: Sequence[tuple[int, int]],
    x_dilation: Sequence[int],
) -> Array:
    """`x` with zeros between and around its elements."""
    config = [(0, 0, 0)] * x.ndim
    for d, (low, high), by in zip(numbers.lhs_spec[2:], pads, x_dilation, strict=True):
        config[d] = (low, high, by - 1)
    return lax.pad(x, lax.full((), 0, x.dtype), config)


class _Groups:
    """Groups as a separate dimension, which operands and result share."""

    def __init__(self, numbers: ConvDimensionNumbers, feature: int, batch: int) -> None:
        self.numbers = numbers
        self.of_features = feature
        self.of_batch = batch

    @property
    def count(self) -> int:
        return max(self.of_features, self.of_batch)

    def _labels(self, spec: Sequence[int], first: int, second: int) -> list[int]:
        labels = [0] * len(spec)
        spatial = range(_SPATIAL, _SPATIAL + len(spec) - 2)
        for label, d in zip((first, second, *spatial), spec, strict=True):
            labels[d] = label
        return labels

    def _split(self, x: Array, labels: list[int], d: int) -> tuple[Array, tuple[int, ...]]:
        """With the groups before dimension d, which is divided by their number."""
        if self.count == 1:
            return x, tuple(labels)
        shape = (*x.shape[:d], self.count, x.shape[d] // self.count, *x.shape[d + 1 :])
        return ops.reshape(x, shape), (*labels[:d], _GROUP, *labels[d:])

    def split_lhs(self, x: Array) -> tuple[Array, tuple[int, ...]]:
        spec = self.numbers.lhs_spec
        return self._split(x, self._labels(spec, _BATCH, _IN), spec[0 if self.of_batch > 1 else 1])

    def split_rhs(self, x: Array) -> tuple[Array, tuple[int, ...]]:
        spec = self.numbers.rhs_spec
        return self._split(x, self._labels(spec, _OUT, _IN), spec[0])

    def ans_labels(self) -> tuple[int, ...]:
        spec = self.numbers.out_spec
        labels = self._labels(spec, _BATCH, _OUT)
        features = spec[1]
        if self.count == 1:
            return tuple(labels)
        return (*labels[:features], _GROUP, *labels[features:])

    def joined(self, x: Array) -> Array:
        """The result without the dimension of groups."""
        if self.count == 1:
            return x
        d = self.numbers.out_spec[1]
        return ops.reshape(x, (*x.shape[:d], x.shape[d] * x.shape[d + 1], *x.shape[d + 2 :]))


def conv(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """`conv_general_dilated` without dilation and groups.

    Args:
      lhs, rhs, window_strides, padding, precision, preferred_element_type: as for
        `conv_general_dilated`.

    Returns:
      An array of shape (batch, output features, *spatial sizes).

    Raises:
      TypeError, ValueError: as for `conv_general_dilated`.

    Example:
      >>> conv(lax.full((1, 1, 4), 1.0), lax.full((2, 1, 3), 2.0), (1,), "VALID").shape
      (1, 2, 2)
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_with_general_padding(
    lhs: ArrayLike,
    rhs: ArrayLike,
    window_strides: Sequence[int],
    padding: Padding,
    lhs_dilation: Sequence[int] | None,
    rhs_dilation: Sequence[int] | None,
    precision: Any = None,
    preferred_element_type: Any = None,
) -> Array:
    """`conv_general_dilated` without groups.

    Args:
      lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision,
        preferred_element_type: as for `conv_general_dilated`.

    Returns:
      An array of shape (batch, output features, *spatial sizes).

    Raises:
      TypeError, ValueError: as for `conv_general_dilated`.

    Example:
      >>> x, kernel = np.ones((1, 1, 4), np.int32), np.ones((1, 1, 2), np.int32)
      >>> conv_with_general_padding(x, kernel, (1,), [(0, 0)], None, (3,))
      Array([[[2]]], dtype=int32)
    """
    return conv_general_dilated(
        lhs,
        rhs,
        window_strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )


def conv_transpose(
    lhs: ArrayLike,
    rhs: ArrayLike,
    strides: Sequence[int],
    padding: Padding,
    rhs_dilation: Sequence[int] | None = None,
    dimension_numbers: Any = None,
    transpose_kernel: bool = False,
    precision: Any = None,
    preferred_element_type: Any = None,
    use_consistent_padding: bool = False,
) -> Array:
    """The transposed convolution, also called fractionally strided: it spreads each element of the
    operand by the kernel.

    Args:
      lhs: the array, of rank n + 2.
      rhs: the kernel, of the same rank.
      strides: n distances between the spread elements of the operand.
      padding: "SAME" or "VALID", of the convolution that this one transposes; pairs are the padding
        of the spread operand, or, with `use_consistent_padding`, also that of the other
        convolution.
      rhs_dilation: n distances of the kernel's elements, by default 1.
      dimension_numbers: see `conv_dimension_numbers`; by default channels are last, as in
        `("NHWC", "HWIO", "NHWC")`.
      transpose_kernel: whether to reverse the kernel and swap its features, so that the result is
        the gradient of the convolution with the same kernel.
      precision, preferred_element_type: as for `conv_general_dilated`.
      use_consistent_padding: the meaning of pairs in `padding`.

    Returns:
      An array of rank n + 2.

    Raises:
      TypeError, ValueError: as for `conv_general_dilated`.

    Example:
      >>> x, kernel = lax.full((1, 3, 1), 1.0), lax.full((2, 1, 1), 1.0)
      >>> conv_transpose(x, kernel, (2,), "VALID").shape
      (1, 6, 1)
    """
    x, kernel = _operands("conv_transpose", lhs, rhs)
    if dimension_numbers is None:
        if x.ndim > 5:
            raise value_error(
                f"conv_transpose: rank {x.ndim} has no default order; give dimension_numbers"
            )
        spatial = {2: "", 3: "H", 4: "HW", 5: "HWD"}[x.ndim]
        dimension_numbers = (f"N{spatial}C", f"{spatial}IO", f"N{spatial}C")
    numbers = conv_dimension_numbers(x.shape, kernel.shape, dimension_numbers)
    rank = x.ndim - 2
    steps = per_dimension("conv_transpose", "strides", strides, rank)
    dilation = per_dimension("conv_transpose", "rhs_dilation", rhs_dilation, rank)
    if use_consistent_padding or padding in ("SAME", "VALID"):
        each = [padding] * rank if isinstance(padding, str) else [tuple(p) for p in padding]
        spans = [
            dilated(kernel.shape[d], by)
            for d, by in zip(numbers.rhs_spec[2:], dilation, strict=True)
        ]
        padding = [
            transposed_padding(span, step, pad)  # type: ignore[arg-type]
            for span, step, pad in zip(spans, steps, each, strict=True)
        ]
    if transpose_kernel:
        order = list(range(kernel.ndim))
        outputs, inputs = numbers.rhs_spec[:2]
        order[outputs], order[inputs] = inputs, outputs
        kernel = lax.transpose(lax.rev(kernel, numbers.rhs_spec[2:]), order)
    return conv_general_dilated(
        x,
        kernel,
        (1,) * rank,
        padding,
        steps,
        dilation,
        numbers,
        precision=precision,
        preferred_element_type=preferred_element_type,
    )

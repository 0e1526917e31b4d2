"""Layers of `stax`: pairs of functions, one that makes parameters and one that applies them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import dovetail.numpy as dnp
from dovetail import lax, nn, random
from dovetail.base.errors import value_error
from dovetail.nn.initializers import Initializer, glorot_normal, normal, ones, zeros

Shape = Any
# init(key, shape of the input) -> (shape of the output, parameters), and
# apply(parameters, input, **options) -> output.
Layer = tuple[Callable[..., tuple[Any, Any]], Callable[..., Any]]

_GLOROT, _NORMAL, _SMALL = glorot_normal(), normal(), normal(1e-6)


def elementwise(fun: Callable[..., Any], **fun_kwargs: Any) -> Layer:
    """The layer that applies a function to its input.

    Args:
      fun: the function, which keeps shapes.
      fun_kwargs: its keyword arguments.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.elementwise(dnp.maximum, x2=0)
      >>> init(None, (2, 3))
      ((2, 3), ())
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, tuple[()]]:
        return input_shape, ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return fun(inputs, **fun_kwargs)

    return init, apply


def Dense(out_dim: int, W_init: Initializer = _GLOROT, b_init: Initializer = _NORMAL) -> Layer:
    """The layer x @ W + b.

    Args:
      out_dim: the number of outputs.
      W_init, b_init: initializers of W and b.

    Returns:
      A layer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.Dense(3)
      >>> shape, (W, b) = init(random.key(0), (-1, 2))
      >>> shape, W.shape, b.shape
      ((-1, 3), (2, 3), (3,))
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        of_w, of_b = random.split(rng)
        weights = W_init(of_w, (input_shape[-1], out_dim))
        return (*input_shape[:-1], out_dim), (weights, b_init(of_b, (out_dim,)))

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        weights, bias = params
        return dnp.dot(inputs, weights) + bias

    return init, apply


# Convolutions -------------------------------------------------------------------------------------


def _convolution(
    dimension_numbers: Sequence[str],
    out_chan: int,
    filter_shape: Sequence[int],
    W_init: Initializer | None,
    b_init: Initializer,
    output_shape: Callable[..., Shape],
    convolve: Callable[..., Any],
) -> Layer:
    lhs, rhs, out = dimension_numbers
    make = W_init or glorot_normal(rhs.index("I"), rhs.index("O"))

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        sizes = iter(filter_shape)
        channels = {"O": out_chan, "I": input_shape[lhs.index("C")]}
        kernel = [channels[c] if c in channels else next(sizes) for c in rhs]
        of_w, of_b = random.split(rng)
        bias = b_init(of_b, [out_chan if c == "C" else 1 for c in out])
        return output_shape(input_shape, kernel), (make(of_w, kernel), bias)

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        kernel, bias = params
        return convolve(inputs, kernel) + bias

    return init, apply


def GeneralConv(
    dimension_numbers: Sequence[str],
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    W_init: Initializer | None = None,
    b_init: Initializer = _SMALL,
) -> Layer:
    """The layer of a convolution.

    Args:
      dimension_numbers: the layouts of input, kernel and output, such as ("NHWC", "HWIO", "NHWC").
      out_chan: the number of output channels.
      filter_shape: the sizes of the window.
      strides: the window's steps; by default 1.
      padding: "VALID", "SAME", or pairs of numbers.
      W_init, b_init: initializers of kernel and bias.

    Returns:
      A layer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.GeneralConv(("NHC", "HIO", "NHC"), 4, (3,))
      >>> init(random.key(0), (-1, 10, 2))[0]
      (-1, 8, 4)
    """
    one = (1,) * len(filter_shape)
    steps = strides or one

    def output_shape(input_shape: Shape, kernel: Shape) -> Shape:
        return lax.conv_general_shape_tuple(
            input_shape, kernel, steps, padding, tuple(dimension_numbers)
        )

    def convolve(inputs: Any, kernel: Any) -> Any:
        return lax.conv_general_dilated(
            inputs, kernel, steps, padding, one, one, tuple(dimension_numbers)
        )

    return _convolution(
        dimension_numbers, out_chan, filter_shape, W_init, b_init, output_shape, convolve
    )


def GeneralConvTranspose(
    dimension_numbers: Sequence[str],
    out_chan: int,
    filter_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    W_init: Initializer | None = None,
    b_init: Initializer = _SMALL,
) -> Layer:
    """The layer of a transposed convolution.

    Args:
      dimension_numbers, out_chan, filter_shape, strides, padding, W_init, b_init: as for
        `GeneralConv`.

    Returns:
      A layer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.GeneralConvTranspose(("NHC", "HIO", "NHC"), 4, (3,), (2,))
      >>> init(random.key(0), (-1, 10, 2))[0]
      (-1, 21, 4)
    """
    steps = strides or (1,) * len(filter_shape)

    def output_shape(input_shape: Shape, kernel: Shape) -> Shape:
        return lax.conv_transpose_shape_tuple(
            input_shape, kernel, steps, padding, tuple(dimension_numbers)
        )

    def convolve(inputs: Any, kernel: Any) -> Any:
        return lax.conv_transpose(
            inputs, kernel, steps, padding, dimension_numbers=tuple(dimension_numbers)
        )

    return _convolution(
        dimension_numbers, out_chan, filter_shape, W_init, b_init, output_shape, convolve
    )


Conv = functools.partial(GeneralConv, ("NHWC", "HWIO", "NHWC"))
ConvTranspose = functools.partial(GeneralConvTranspose, ("NHWC", "HWIO", "NHWC"))
Conv1DTranspose = functools.partial(GeneralConvTranspose, ("NHC", "HIO", "NHC"))


# Windows ------------------------------------------------------------------------------------------


def _pooling(
    reducer: Callable[..., Any],
    initial: float,
    averaged: bool,
    window_shape: Sequence[int],
    strides: Sequence[int] | None,
    padding: Any,
    spec: str | None,
) -> Layer:
    window, steps = list(window_shape), list(strides or (1,) * len(window_shape))
    apart = (0, len(window) + 1) if spec is None else (spec.index("N"), spec.index("C"))
    for axis in sorted(apart):
        window.insert(axis, 1)
        steps.insert(axis, 1)

    def reduce(x: Any, op: Callable[..., Any], start: float) -> Any:
        return lax.reduce_window(x, start, op, tuple(window), tuple(steps), padding)

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, tuple[()]]:
        one = (1,) * len(window)
        # The size of the batch may be -1, for unknown.
        known = tuple(1 if axis in apart else size for axis, size in enumerate(input_shape))
        pads = lax.padtype_to_pads(known, window, steps, padding)
        sizes = lax.reduce_window_shape_tuple(known, window, steps, pads, one, one)
        shape = tuple(input_shape[i] if i in apart else size for i, size in enumerate(sizes))
        return shape, ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        result = reduce(inputs, reducer, initial)
        if not averaged:
            return result
        sizes = [1 if axis in apart else n for axis, n in enumerate(inputs.shape)]
        return result / reduce(dnp.ones(sizes, inputs.dtype), lax.add, 0.0)

    return init, apply


def MaxPool(
    window_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    spec: str | None = None,
) -> Layer:
    """The layer of maxima of windows.

    Args:
      window_shape: the sizes of the window.
      strides: the window's steps; by default 1.
      padding: "VALID" or "SAME".
      spec: the layout, in which N and C are batch and channels; by default these are the first and
        the last dimension.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.MaxPool((2,), (2,))
      >>> apply((), dnp.arange(4.0).reshape(1, 4, 1)).ravel()
      Array([1., 3.], dtype=float32)
    """
    return _pooling(lax.max, -dnp.inf, False, window_shape, strides, padding, spec)


def SumPool(
    window_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    spec: str | None = None,
) -> Layer:
    """The layer of sums of windows.

    Args:
      window_shape, strides, padding, spec: as for `MaxPool`.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.SumPool((2,), (2,))
      >>> apply((), dnp.arange(4.0).reshape(1, 4, 1)).ravel()
      Array([1., 5.], dtype=float32)
    """
    return _pooling(lax.add, 0.0, False, window_shape, strides, padding, spec)


def AvgPool(
    window_shape: Sequence[int],
    strides: Sequence[int] | None = None,
    padding: Any = "VALID",
    spec: str | None = None,
) -> Layer:
    """The layer of means of windows; padding does not count.

    Args:
      window_shape, strides, padding, spec: as for `MaxPool`.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.AvgPool((2,), (2,))
      >>> apply((), dnp.arange(4.0).reshape(1, 4, 1)).ravel()
      Array([0.5, 2.5], dtype=float32)
    """
    return _pooling(lax.add, 0.0, True, window_shape, strides, padding, spec)


# Normalization, dropout, shapes -------------------------------------------------------------------


def BatchNorm(
    axis: int | Sequence[int] = (0, 1, 2),
    epsilon: float = 1e-5,
    center: bool = True,
    scale: bool = True,
    beta_init: Initializer = zeros,
    gamma_init: Initializer = ones,
) -> Layer:
    """The layer that standardizes over some dimensions, then scales and shifts.

    Args:
      axis: the dimensions.
      epsilon: a number added to the variance.
      center, scale: whether there is a shift beta, and a factor gamma.
      beta_init, gamma_init: initializers of beta and gamma.

    Returns:
      A layer.

    Source: Ioffe, Szegedy, arXiv:1502.03167, for training.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.BatchNorm(axis=0)
      >>> _, params = init(random.key(0), (2, 1))
      >>> apply(params, dnp.array([[1.0], [3.0]])).round(3).ravel()
      Array([-1.,  1.], dtype=float32)
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        shape = tuple(size for i, size in enumerate(input_shape) if i not in axes)
        of_beta, of_gamma = random.split(rng)
        beta = beta_init(of_beta, shape) if center else ()
        gamma = gamma_init(of_gamma, shape) if scale else ()
        return input_shape, (beta, gamma)

    def apply(params: Any, x: Any, **kwargs: Any) -> Any:
        beta, gamma = params
        place = tuple(None if i in axes else slice(None) for i in range(dnp.ndim(x)))
        result = nn.standardize(x, axes, epsilon=epsilon)
        if scale:
            result = gamma[place] * result
        return result + beta[place] if center else result

    return init, apply


def Dropout(rate: float, mode: str = "train") -> Layer:
    """The layer that in training keeps each element with a probability, and sets others to 0.

    Args:
      rate: the probability that an element is kept.
      mode: "train", or anything else, which keeps all elements.

    Returns:
      A layer, whose function takes the keyword argument `rng`, a random key.

    Raises:
      ValueError: when the layer is applied: there is no key.

    Source: Srivastava et al., Dropout, 2014.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.Dropout(0.5)
      >>> sorted(set(apply((), dnp.ones(100), rng=random.key(0)).tolist()))
      [0.0, 2.0]
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, tuple[()]]:
        return input_shape, ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        rng = kwargs.get("rng")
        if rng is None:
            raise value_error(
                "Dropout: the function must be given a random key, got: none; call it as "
                "apply(params, inputs, rng=random.key(0))"
            )
        if mode != "train":
            return inputs
        keep = random.bernoulli(rng, rate, inputs.shape)
        return dnp.where(keep, inputs / rate, 0)

    return init, apply


def _flatten() -> Layer:
    def init(rng: Any, input_shape: Shape) -> tuple[Shape, tuple[()]]:
        return (input_shape[0], math.prod(input_shape[1:])), ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return dnp.reshape(inputs, (inputs.shape[0], -1))

    return init, apply


Tanh = elementwise(dnp.tanh)
Relu = elementwise(nn.relu)
Exp = elementwise(dnp.exp)
LogSoftmax = elementwise(nn.log_softmax, axis=-1)
Softmax = elementwise(nn.softmax, axis=-1)
Softplus = elementwise(nn.softplus)
Sigmoid = elementwise(nn.sigmoid)
Elu = elementwise(nn.elu)
LeakyRelu = elementwise(nn.leaky_relu)
Selu = elementwise(nn.selu)
Gelu = elementwise(nn.gelu)
Identity = elementwise(lambda x: x)
Flatten = _flatten()

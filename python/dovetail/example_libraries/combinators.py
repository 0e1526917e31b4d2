"""Layers of `stax` that consist of others, or that split and join data between layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dovetail.numpy as dnp
from dovetail import random
from dovetail.arrays.array import Array
from dovetail.example_libraries.layers import Layer, Shape


def _keys(rng: Any, count: int) -> Sequence[Any] | Array:
    return [None] * count if rng is None else random.split(rng, count)


def serial(*layers: Layer) -> Layer:
    """The layers one after the other.

    Args:
      layers: the first gets the input.

    Returns:
      A layer, whose parameters are the list of the layers' parameters.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.serial(stax.Dense(8), stax.Relu, stax.Dense(1))
      >>> shape, params = init(random.key(0), (-1, 2))
      >>> shape, apply(params, dnp.ones((5, 2))).shape
      ((-1, 1), (5, 1))
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, list[Any]]:
        all_params = []
        for init_layer, _ in layers:
            rng, of_layer = random.split(rng)
            input_shape, params = init_layer(of_layer, input_shape)
            all_params.append(params)
        return input_shape, all_params

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        rngs = _keys(kwargs.pop("rng", None), len(layers))
        for (_, apply_layer), part, rng in zip(layers, params, rngs, strict=True):
            inputs = apply_layer(part, inputs, rng=rng, **kwargs)
        return inputs

    return init, apply


def parallel(*layers: Layer) -> Layer:
    """The layers side by side, between `FanOut` and `FanInSum` or `FanInConcat`.

    Args:
      layers: each gets its own input.

    Returns:
      A layer that maps a list of inputs to a list of outputs.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.parallel(stax.Relu, stax.Tanh)
      >>> [float(y) for y in apply(((), ()), [dnp.array(-1.0), dnp.array(0.0)])]
      [0.0, 0.0]
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Any, Any]:
        made = [
            init_layer(of_layer, shape)
            for (init_layer, _), of_layer, shape in zip(
                layers, random.split(rng, len(layers)), input_shape, strict=True
            )
        ]
        return tuple(shape for shape, _ in made), tuple(params for _, params in made)

    def apply(params: Any, inputs: Any, **kwargs: Any) -> list[Any]:
        rngs = _keys(kwargs.pop("rng", None), len(layers))
        return [
            apply_layer(part, x, rng=rng, **kwargs)
            for (_, apply_layer), part, x, rng in zip(layers, params, inputs, rngs, strict=True)
        ]

    return init, apply


def shape_dependent(make_layer: Callable[[Shape], Layer]) -> Layer:
    """The layer that a function makes once the shape of the input is known.

    Args:
      make_layer: takes the shape, returns a layer.

    Returns:
      A layer.

    Example:
      >>> from dovetail import random
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.shape_dependent(lambda shape: stax.Dense(2 * shape[-1]))
      >>> init(random.key(0), (1, 3))[0]
      (1, 6)
    """

    def init(rng: Any, input_shape: Shape) -> tuple[Shape, Any]:
        return make_layer(input_shape)[0](rng, input_shape)

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return make_layer(inputs.shape)[1](params, inputs, **kwargs)

    return init, apply


def FanOut(num: int) -> Layer:
    """The layer that repeats its input.

    Args:
      num: the number of repetitions.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.FanOut(2)
      >>> apply((), 1.0)
      [1.0, 1.0]
    """

    def init(rng: Any, input_shape: Shape) -> tuple[list[Shape], tuple[()]]:
        return [input_shape] * num, ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> list[Any]:
        return [inputs] * num

    return init, apply


def FanInConcat(axis: int = -1) -> Layer:
    """The layer that concatenates its inputs.

    Args:
      axis: the dimension to concatenate along.

    Returns:
      A layer.

    Example:
      >>> from dovetail.example_libraries import stax
      >>> init, apply = stax.FanInConcat()
      >>> init(None, [(1, 2), (1, 3)])[0]
      (1, 5)
    """

    def init(rng: Any, input_shape: Sequence[Shape]) -> tuple[Shape, tuple[()]]:
        first = input_shape[0]
        place = axis % len(first)
        size = sum(shape[place] for shape in input_shape)
        return (*first[:place], size, *first[place + 1 :]), ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return dnp.concatenate(inputs, axis)

    return init, apply


def _sum() -> Layer:
    def init(rng: Any, input_shape: Sequence[Shape]) -> tuple[Shape, tuple[()]]:
        return input_shape[0], ()

    def apply(params: Any, inputs: Any, **kwargs: Any) -> Any:
        return sum(inputs)

    return init, apply


FanInSum = _sum()

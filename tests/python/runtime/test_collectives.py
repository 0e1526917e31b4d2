"""Compiled collectives on participants, against NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
import pytest

from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from support.breadth import some
from support.collective_calls import DTYPES, element_name
from support.spmd import Mesh, by_group, executable, module_of, run, subsets

MESHES: dict[str, Mesh] = {
    "2": {"data": 2},
    "4": {"data": 4},
    "2x2": {"data": 2, "model": 2},
    "2x4": {"data": 2, "model": 4},
}

# A group's results, given its members' values.
Reference = Callable[[np.ndarray], "np.ndarray | list[np.ndarray]"]


def _alike(x: np.ndarray) -> list[np.ndarray]:
    return [x] * len(x)


def _sum(x: np.ndarray) -> np.ndarray:
    # In the type of the elements: types that are too narrow for NumPy to add hold small numbers.
    if x.dtype.isbuiltin == 1:
        return x.sum(0, dtype=x.dtype)
    return x.astype(np.float64).sum(0).astype(x.dtype)


def _extreme(step: np.ufunc) -> Reference:
    def apply(x: np.ndarray) -> list[np.ndarray]:
        values = x if x.dtype.isbuiltin == 1 else x.astype(np.float64)
        return [step.reduce(values).astype(x.dtype)] * len(x)

    return apply


def _pairs(size: int) -> list[tuple[int, int]]:
    """Cyclic, except for the last, which gets nothing."""
    return [(i, i + 1) for i in range(size - 1) if i + 1 != size - 1] + [(size - 1, 0)]


def _permuted(x: np.ndarray) -> np.ndarray:
    result = np.zeros_like(x)
    for source, target in _pairs(len(x)):
        result[target] = x[source]
    return result


def _calls(axes: tuple[str, ...], mesh: Mesh, element: str) -> list[tuple[str, str, Reference]]:
    """Collectives of %x, an array of 3 x g x 2 x g for groups of size g: op, result, reference."""
    g = math.prod(mesh[axis] for axis in axes)
    over = "over [" + ", ".join(f'"{axis}"' for axis in axes) + "]"
    sizes = f"sizes [{', '.join(str(mesh[axis]) for axis in axes)}]"
    type = f"tensor<3x{g}x2x{g}x{element}>"
    pairs = _pairs(g)
    sources, targets = ([pair[i] for pair in pairs] for i in (0, 1))
    is_ordered, is_summed = not element.startswith("complex"), element != "i1"
    calls: list[tuple[str, str, Reference]] = [
        (
            f"permute %x {over} {sizes} from {sources} to {targets} : {type}",
            *(type, _permuted),
        )
    ]
    if is_summed:
        calls.append((f"all_reduce_sum %x {over} : {type}", type, lambda x: _alike_sum(x)))
    if is_ordered:
        for name, step in (("max", np.maximum), ("min", np.minimum)):
            calls.append((f"all_reduce_{name} %x {over} : {type}", type, _extreme(step)))
    for dimension in (0, 2, 4):
        shape = [3, g, 2, g]
        shape.insert(dimension, g)
        result = f"tensor<{'x'.join(map(str, shape))}x{element}>"

        def gathered(x: np.ndarray, dimension: int = dimension) -> list[np.ndarray]:
            return [np.moveaxis(x, 0, dimension)] * len(x)

        calls.append(
            (f"all_gather %x {over} {sizes} dimension {dimension} : {type}", result, gathered)
        )
    for dimension in (1, 3):
        shape = [3, g, 2, g]
        del shape[dimension]
        result = f"tensor<{'x'.join(map(str, shape))}x{element}>"

        def scattered(x: np.ndarray, dimension: int = dimension) -> np.ndarray:
            return np.moveaxis(_sum(x), dimension, 0)

        if is_summed:
            text = f"reduce_scatter %x {over} {sizes} dimension {dimension} : {type}"
            calls.append((text, result, scattered))
        for to in (0, 1, 2, 3):
            shape_to = [*shape]
            shape_to.insert(to, g)
            result_to = f"tensor<{'x'.join(map(str, shape_to))}x{element}>"

            def exchanged(
                x: np.ndarray, dimension: int = dimension, to: int = to
            ) -> list[np.ndarray]:
                return [np.moveaxis(np.take(x, i, dimension + 1), 0, to) for i in range(len(x))]

            text = f"all_to_all %x {over} {sizes} from {dimension} to {to} : {type}"
            calls.append((text, result_to, exchanged))
    return calls


def _alike_sum(x: np.ndarray) -> list[np.ndarray]:
    return [_sum(x)] * len(x)


def _program(calls: list[tuple[str, str, Reference]], g: int, element: str) -> str:
    lines = [f"  %r{i} = dovetail.{call}" for i, (call, _, _) in enumerate(calls)]
    names = ", ".join(f"%r{i}" for i in range(len(calls)))
    types = ", ".join(type for _, type, _ in calls)
    return "\n".join(
        [
            f"func.func @main(%x: tensor<3x{g}x2x{g}x{element}>) -> ({types}) {{",
            *lines,
            f"  return {names} : {types}",
            "}",
        ]
    )


def _check(mesh: Mesh, axes: tuple[str, ...], dtype: np.dtype, x: np.ndarray) -> None:
    element = element_name(dtype)
    calls = _calls(axes, mesh, element)
    text = _program(calls, math.prod(mesh[axis] for axis in axes), element)
    # The module does not say which integers are unsigned.
    program = executable(mesh, text, output_dtypes=[dtype] * len(calls))
    results = run(program, x)
    for (call, _, reference), result in zip(calls, results, strict=True):
        expected = by_group(mesh, axes, x, reference)
        assert result.shape == expected.shape, call
        assert result.tobytes() == expected.tobytes(), call


def _small(random: np.random.Generator, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers whose sums are all exact."""
    if dtype == np.bool_:
        return random.integers(0, 2, shape).astype(bool)
    if dtype.name in ("int2", "uint2"):
        return (np.arange(math.prod(shape)).reshape(shape) % 53 == 0).astype(dtype)
    if dtype.name == "float8_e8m0fnu":
        # Powers of two; sums of two of them are.
        return np.broadcast_to(np.exp2(random.integers(-3, 4, shape[1:])), shape).astype(dtype)
    return random.integers(0, 2, shape).astype(dtype)


@pytest.mark.parametrize("dtype", some(DTYPES, 2), ids=str)
def test_every_element_type(dtype: np.dtype):
    mesh = MESHES["2x2"]
    x = _small(np.random.default_rng(1), dtype, (4, 3, 2, 2, 2))
    _check(mesh, ("model",), dtype, x)


@pytest.mark.parametrize("name", MESHES)
def test_every_choice_of_axes(name: str):
    mesh = MESHES[name]
    random = np.random.default_rng(2)
    for axes in subsets(mesh):
        g = math.prod(mesh[axis] for axis in axes)
        x = random.integers(-50, 50, (math.prod(mesh.values()), 3, g, 2, g)).astype(np.float32)
        _check(mesh, axes, x.dtype, x)


@pytest.mark.parametrize("target", ["cuda", "rocm"])
@pytest.mark.parametrize("dtype", ["float32", "bool", "int16", "bfloat16", "complex64"])
def test_gpus(dtype: str, target: str):
    """They compile; running them takes a process for each device."""
    mesh, axes = MESHES["2x2"], ("model", "data")
    element = element_name(np.dtype(getattr(ml_dtypes, dtype, None) or dtype))
    module = module_of(mesh, _program(_calls(axes, mesh, element), 4, element))
    phases.run(module, "lower", start="check", target=target)
    assert compile_lowered(module, target)

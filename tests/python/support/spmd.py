"""Programs for one device of a mesh, compiled and run on all of them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import dovetail as dt
from dovetail import _core
from dovetail.base import locations
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.reference import Evaluator
from dovetail.runtime.participants import Participants, SpmdExecutable
from dovetail.sharding import AbstractMesh
from dovetail.sharding import PartitionSpec as P

# Names of axes and sizes.
Mesh = dict[str, int]


def module_of(mesh: Mesh, functions: str) -> _core.Module:
    """Functions of one device."""
    axes = ", ".join(f'"{name}" = {size}' for name, size in mesh.items())
    attributes = f"{{dovetail.mesh = #dovetail.mesh<[{axes}]>}}"
    return _core.Module.parse(f"module attributes {attributes} {{\n{functions}\n}}")


def executable(
    mesh: Mesh,
    program: str | _core.Module,
    participants: Participants | None = None,
    **options: Any,
) -> SpmdExecutable:
    """Compile the program of one device, whose `main` is run on the whole mesh."""
    module = module_of(mesh, program) if isinstance(program, str) else program.clone()
    phases.run(module, "lower", start="")
    lines = [locations.describe(place) for place in module.collective_places()]
    participants = participants or Participants(math.prod(mesh.values()))
    options.setdefault("turns", _core.run_by_turns)
    return SpmdExecutable(compile_lowered(module), "main", participants, lines=lines, **options)


def run(program: SpmdExecutable, *arguments: np.ndarray) -> list[np.ndarray]:
    """Call a program on arrays, and stack results, whose leading dimension is the participant's."""
    results = program([list(parts) for parts in zip(*arguments, strict=True)])
    return [np.stack([one.numpy() for one in parts]) for parts in zip(*results, strict=True)]


def mapped(mesh: Mesh, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one device's data, for arrays whose leading dimension is the device's."""
    axes = tuple(mesh)
    names = AbstractMesh(tuple(mesh.values()), axes)

    def of_parts(*parts: Any) -> Any:
        return dt.tree.map(lambda result: result[None], function(*(part[0] for part in parts)))

    spec = P(axes)
    return dt.shard_map(of_parts, mesh=names, in_specs=spec, out_specs=spec, check_vma=False)


def traced(mesh: Mesh, function: Callable[..., Any], *arguments: np.ndarray) -> _core.Module:
    """The program of one device for `mapped`, whose parts have a leading dimension of size 1."""
    text = dt.jit(mapped(mesh, function)).lower(*arguments).as_text("trace")
    found = re.search(r"dovetail.shard_map @(\w+) on", text)
    assert found is not None
    module = _core.Module.parse(text.replace("@main(", "@whole("))
    module.keep_as_main(found[1])
    functions = re.search(r"^module \{\n(.*)^\}", module.text(), re.DOTALL | re.MULTILINE)
    assert functions is not None
    return module_of(mesh, functions[1])


def check(mesh: Mesh, function: Callable[..., Any], *arguments: np.ndarray, ulps: int = 8) -> None:
    """Compare a function on all devices with its meaning."""
    program = executable(mesh, traced(mesh, function, *arguments))
    results = run(program, *(x.reshape(len(x), 1, *x.shape[1:]) for x in arguments))
    expected = dt.tree.leaves(dt.jit(mapped(mesh, function))(*arguments))
    assert len(results) == len(expected)
    for result, other in zip(results, expected, strict=True):
        value = np.asarray(other)
        result = result.reshape(value.shape)
        scale = np.abs(value).max(initial=0) if value.dtype.kind in "fc" else 0
        tolerance = ulps * np.finfo(value.dtype).eps * scale if scale else 0
        np.testing.assert_allclose(result, value, rtol=0, atol=tolerance)


def subsets(mesh: Mesh) -> list[tuple[str, ...]]:
    """The axes over which collectives may be, in all orders."""
    return [
        axes for count in range(1, len(mesh) + 1) for axes in itertools.permutations(mesh, count)
    ]


def by_group(
    mesh: Mesh,
    axes: Sequence[str],
    x: np.ndarray,
    function: Callable[[np.ndarray], np.ndarray | list[np.ndarray]],
) -> np.ndarray:
    """Apply a function to the values of each group's members.

    Args:
      x: the leading dimension is the participant's.
      function: takes a stack in the members' order, and returns one with each member's result.
    """
    names, sizes = list(mesh), tuple(mesh.values())
    order = [names.index(axis) for axis in axes]
    order += [i for i in range(len(names)) if i not in order]
    numbers = np.arange(math.prod(sizes)).reshape(sizes).transpose(order)
    groups = numbers.reshape(math.prod(mesh[axis] for axis in axes), -1).T
    results: list[Any] = [None] * len(x)
    for members in groups:
        for member, result in zip(members, function(x[members]), strict=True):
            results[member] = result
    return np.stack(results)


# Partitioned programs -----------------------------------------------------------------------------

# The axes of each dimension.
Dims = Sequence[Sequence[str]]


def sharding(mesh: Mesh, dims: Dims) -> _core.ShardingAttribute:
    """A sharding in the dialect."""
    attribute = _core.MeshAttribute(list(mesh), list(mesh.values()))
    return _core.ShardingAttribute(attribute, [list(axes) for axes in dims], [False] * len(dims))


def partitioned(module: _core.Module, mesh: Mesh, arguments: Sequence[Dims | None]) -> _core.Module:
    """The program of one device after the phase `shard`, for arguments that are sharded so."""
    module = module.clone()
    attribute = _core.MeshAttribute(list(mesh), list(mesh.values()))
    module.partition_over(
        attribute, [None if dims is None else sharding(mesh, dims) for dims in arguments]
    )
    module.run("", "shard")
    assert module.shardings() is not None
    return module


def random_dims(mesh: Mesh, shape: Sequence[int], rng: np.random.Generator) -> Dims:
    """Dimensions divided over axes, into equal parts or not."""
    free = [name for name in rng.permutation(list(mesh)) if rng.integers(4)]
    dims: list[list[str]] = []
    for size in shape:
        count = int(rng.integers(3)) if size else 0
        dims.append(free[:count])
        del free[:count]
    return dims


def every_dims(mesh: Mesh, shape: Sequence[int]) -> Iterator[Dims]:
    """All ways to divide dimensions over axes, in every order of those that divide the same one."""
    for count in range(len(mesh) + 1 if shape else 1):
        for axes in itertools.permutations(mesh, count):
            for places in itertools.combinations_with_replacement(range(len(shape)), count):
                yield [
                    [axis for axis, place in zip(axes, places, strict=True) if place == d]
                    for d in range(len(shape))
                ]


def evaluated(
    module: _core.Module,
    mesh: Mesh,
    arguments: Sequence[Dims | None],
    values: Sequence[np.ndarray],
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The results of a partitioned program, by its meaning, and those of the program itself."""
    whole = module.clone()
    whole.run("", "check")
    expected = Evaluator(whole.program("main"))(list(values))
    return evaluated_parts(partitioned(module, mesh, arguments), mesh, values, expected), expected


def evaluated_parts(
    local: _core.Module,
    mesh: Mesh,
    values: Sequence[np.ndarray],
    like: Sequence[np.ndarray],
) -> list[np.ndarray]:
    """The results of the program of one device, by its meaning.

    Args:
      values: the arguments. What pads their parts spoils every result that depends on it.
      like: arrays with the shapes of the results.
    """
    module = meaning(local, mesh)
    inputs = [
        padded(value, shape)
        for value, (shape, _) in zip(values, module.function("main").inputs, strict=True)
    ]
    results = Evaluator(module.program("main"))(inputs)
    return [
        result[tuple(map(slice, np.shape(other)))]
        for result, other in zip(results, like, strict=True)
    ]


def dims_of(module: _core.Module) -> tuple[list[Dims], list[Dims]]:
    """The axes of the dimensions of a partitioned program's arguments and results, none of which
    are sums that are left to do.
    """
    found = module.shardings()
    assert found is not None
    assert not any(unreduced for each in found for _, unreduced, _ in each)
    arguments, results = ([dims for dims, _, _ in each] for each in found)
    return list(arguments), list(results)


def run_on_devices(
    local: _core.Module, mesh: Mesh, values: Sequence[np.ndarray], **options: Any
) -> list[list[np.ndarray]]:
    """Compile the program of one device, and run it on all: each device's parts of the results."""
    given, _ = dims_of(local)
    arguments = [
        parts_of(value, mesh, dims, shape)
        for value, dims, (shape, _) in zip(
            values, given, local.function("main").inputs, strict=True
        )
    ]
    program = executable(mesh, local, **options)
    results = program([list(parts) for parts in zip(*arguments, strict=True)])
    return [[part.numpy() for part in parts] for parts in zip(*results, strict=True)]


def check_on_devices(
    local: _core.Module,
    mesh: Mesh,
    values: Sequence[np.ndarray],
    expected: Sequence[np.ndarray],
    rtol: float,
    atol: float,
) -> None:
    """Compile the program of one device, and compare each device's parts of the results."""
    _, returned = dims_of(local)
    results = run_on_devices(local, mesh, values)
    for parts, whole, dims in zip(results, expected, returned, strict=True):
        whole = np.asarray(whole)
        elements = parts_of(np.ones(whole.shape, bool), mesh, dims, parts[0].shape)
        wanted = parts_of(whole, mesh, dims, parts[0].shape)
        for part, is_element, other in zip(parts, elements, wanted, strict=True):
            # What pads a part may have any value.
            np.testing.assert_allclose(part[is_element], other[is_element], rtol=rtol, atol=atol)


def joined(parts: Sequence[np.ndarray], mesh: Mesh, dims: Dims, shape: Sequence[int]) -> np.ndarray:
    """The array of this shape whose parts these are, one for each device."""
    indices = parts_of(np.arange(math.prod(shape)).reshape(shape), mesh, dims, parts[0].shape)
    elements = parts_of(np.ones(shape, bool), mesh, dims, parts[0].shape)
    whole = np.empty(math.prod(shape), parts[0].dtype)
    for part, index, is_element in zip(parts, indices, elements, strict=True):
        whole[index[is_element]] = part[is_element]
    return whole.reshape(shape)


def parts_of(value: np.ndarray, mesh: Mesh, dims: Dims, shape: Sequence[int]) -> list[np.ndarray]:
    """The part of an array on each device, padded to a shape."""
    parts = []
    for place in np.ndindex(*mesh.values()):
        at = dict(zip(mesh, place, strict=True))
        index = []
        for axes, size in zip(dims, shape, strict=True):
            number = 0
            for axis in axes:
                number = number * mesh[axis] + at[axis]
            index.append(slice(number * size, (number + 1) * size))
        parts.append(padded(value[tuple(index)], shape))
    return parts


def padded(value: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """An array with NaNs, or large numbers, at the ends of its dimensions."""
    number = np.nan if value.dtype.kind in "fcV" else 0 if value.dtype.kind == "b" else 99
    result = np.full(shape, number, value.dtype)
    result[tuple(map(slice, value.shape))] = value
    return result


def meaning(module: _core.Module, mesh: Mesh) -> _core.Module:
    """The program on whole arrays, padded, that the program of one device stands for."""
    text = module.text()
    whole, mesh = mesh, _mesh_in(text)
    parts = _parts_of_axes(whole, mesh)
    given, returned = (
        [[[part for axis in axes for part in parts[axis]] for axes in dims] for dims in each]
        for each in dims_of(module)
    )
    signature = next(line for line in text.splitlines() if "func.func @main(" in line)

    def types(part: str, shardings: Sequence[Dims]) -> list[str]:
        found = re.findall(r"tensor<((?:\d+x)*)(\w+|complex<\w+>)>", part)
        return [
            _array_type(map(int, shape.split("x")[:-1]), element, dims, mesh)
            for (shape, element), dims in zip(found, shardings, strict=True)
        ]

    ins, outs = map(types, signature.split(" -> "), (given, returned))
    arguments = ", ".join(f"%{i}: {kind}" for i, kind in enumerate(ins))
    names = ", ".join(f"%{i}" for i in range(len(ins)))
    results = ", ".join(f"%r#{i}" for i in range(len(outs)))
    every = ", ".join(f'"{axis}"' for axis in mesh)
    axes = ", ".join(f'"{axis}" = {size}' for axis, size in mesh.items())
    stated = [", ".join(str(sharding(mesh, dims)) for dims in each) for each in (given, returned)]
    main = f"""
  func.func @main({arguments}) -> ({", ".join(outs)}) {{
    %r:{len(outs)} = dovetail.shard_map @local on <[{axes}]> manual [{every}]
      in [{stated[0]}] out [{stated[1]}]({names}) : ({", ".join(ins)}) -> ({", ".join(outs)})
    return {results} : {", ".join(outs)}
  }}
"""
    body = text.replace("func.func @main(", "func.func private @local(")
    body = re.sub(r"module attributes \{[^\n]*\} \{", "module {", body)
    made = _core.Module.parse(body.rstrip().removesuffix("}") + main + "}")
    made.run("", "check")
    return made


def _mesh_in(text: str) -> Mesh:
    """The mesh of the program of one device, some axes of which may be in parts."""
    (alias,) = re.findall(r"^module attributes \{.*dovetail\.mesh = (#\w+)", text, re.MULTILINE)
    (axes,) = re.findall(rf"^{alias} = #dovetail\.mesh<\[(.*)\]>", text, re.MULTILINE)
    return {name: int(size) for name, size in re.findall(r'"([^"]*)" = (\d+)', axes)}


def _parts_of_axes(whole: Mesh, parts: Mesh) -> dict[str, list[str]]:
    """The axes of a mesh that are parts of each axis of one with the same devices."""
    names, found = iter(parts), {}
    for axis, size in whole.items():
        found[axis] = [next(names)]
        while math.prod(parts[name] for name in found[axis]) < size:
            found[axis].append(next(names))
    return found


def _array_type(shape: Iterable[int], element: str, dims: Dims, mesh: Mesh) -> str:
    """The type of an array with parts of this shape."""
    counts = [math.prod(mesh[axis] for axis in axes) for axes in dims]
    sizes = [size * count for size, count in zip(shape, counts, strict=True)]
    return f"tensor<{''.join(f'{size}x' for size in sizes)}{element}>"

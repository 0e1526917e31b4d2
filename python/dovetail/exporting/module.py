"""Merges functions into one module for other processes, with metadata about itself.

It calls no functions of this process: linear algebra is in the module, and the lowering rejects
callbacks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.base.errors import value_error
from dovetail.base.mlir_types import encode_array
from dovetail.compiler import phases
from dovetail.compiler.forms import compile_lowered
from dovetail.compiler.targets import Target, Targets
from dovetail.exporting.partitioned import build_partitioned
from dovetail.exporting.trees import plain
from dovetail.programs.program import Program
from dovetail.runtime import ArraySpec, Notes, Signature
from dovetail.runtime.notes import NOTES_KEY
from dovetail.runtime.notes import Parameters as WantedParameters
from dovetail.runtime.signature import REFLECTION_KEY
from dovetail.runtime.sizes import Name, Sizes, names_in
from dovetail.symbolic.scope import SymbolicScope
from dovetail.symbolic.size import is_symbolic_dim
from dovetail.symbolic.solve import scope_of, solved
from dovetail.trees.pytree import unflatten

# The scope of all parameters of a module.
SCOPE = "model"


class Parameter(NamedTuple):
    """An argument of a program that is not an argument of the exported function.

    Attributes:
      position: its number among the program's arguments, with captured arrays last.
      key: its name in a file of parameters.
      value: its value; None if only its type is known.
    """

    position: int
    key: str
    value: np.ndarray | None


class Function(NamedTuple):
    """A function of a module.

    Attributes:
      name: its name there.
      program: what it computes.
      dropped: the names of the program's arguments that are parameters.
      parameters: the parameters, which are not arguments.
    """

    name: str
    program: Program
    dropped: frozenset[str]
    parameters: tuple[Parameter, ...]


def captured_parameters(program: Program, known: dict[int, str]) -> list[Parameter]:
    """The arrays captured by a program, each under one name.

    Args:
      program: the program.
      known: the names, by the ids of the arrays; new ones are added.
    """
    program.check_leaks()
    first = len(program.signature.avals)
    parameters = []
    for i, operand in enumerate(program.captured):
        key = known.setdefault(id(operand), f"captured.{len(known)}")
        parameters.append(Parameter(first + i, key, operand._value()))
    return parameters


def build(
    functions: Sequence[Function], target: Target, are_outside: bool, portable: bool = False
) -> _core.Module:
    """The lowered module of functions for a target.

    Args:
      functions: the functions.
      target: the target.
      are_outside: whether the parameters are in a file; otherwise they are constants.
      portable: whether the code may also be for devices of another kind.

    Raises:
      ValueError: a function on several devices is together with others, or for another target than
        CPUs.
    """
    on_several = [f for f in functions if f.program.partition is not None]
    if on_several:
        [function, *others] = on_several
        if others or len(functions) > 1 or are_outside:
            raise value_error(
                f"export: a function on several devices must be the only one in its file, with "
                f"parameters as arguments or constants, got: {function.name!r} with "
                f"{'a file of parameters' if are_outside else 'others'}"
            )
        constants = [(p.position, encode_array(_known(p))) for p in function.parameters]
        return build_partitioned(function, target, signature_of(function), constants)
    module = _core.module()
    for function in functions:
        adopted = _core.adopt(module, function.program.module.function("main"))
        _core.publish(adopted, function.name)
        if not are_outside:
            constants = [(p.position, encode_array(_known(p))) for p in function.parameters]
            _core.bind_constants(adopted, [i for i, _ in constants], [c for _, c in constants])
        _core.reflect(adopted, {REFLECTION_KEY: signature_of(function).to_json()})
    phases.run(module, "lower", target="cpu-any" if portable and target.is_cpu else str(target))
    if are_outside:
        for function in functions:
            positions = [p.position for p in function.parameters]
            keys = [p.key for p in function.parameters]
            _core.bind_parameters(module.function(function.name), positions, keys, SCOPE)
    return module


def _known(parameter: Parameter) -> np.ndarray:
    assert parameter.value is not None
    return parameter.value


def wanted_parameters(functions: Sequence[Function], file: str) -> dict[str, WantedParameters]:
    """The metadata about the functions' parameters."""
    arrays = {}
    for function in functions:
        program = function.program
        avals = program.input_avals
        for parameter in function.parameters:
            aval = avals[parameter.position]
            arrays[parameter.key] = ArraySpec(aval.shape, aval.dtype)
    return {SCOPE: WantedParameters(file, arrays)} if arrays else {}


def values_of(functions: Sequence[Function]) -> Mapping[str, np.ndarray | None]:
    """The parameters of functions by their keys.

    Raises:
      ValueError: two functions have different arrays under one name.
    """
    values: dict[str, np.ndarray | None] = {}
    for function in functions:
        for _, key, value in function.parameters:
            other = values.setdefault(key, value)
            if other is value:
                continue
            if other is None or value is None or not _are_same(other, value):
                raise ValueError(
                    f"parameter {key!r} must be the same array in all functions of a module, got: "
                    f"another one in {function.name!r}; rename the argument in one of them"
                )
    return values


def _are_same(x: np.ndarray, y: np.ndarray) -> bool:
    same_type = x.dtype == y.dtype and x.shape == y.shape
    return same_type and (np.shares_memory(x, y) or x.tobytes() == y.tobytes())


def signature_of(function: Function) -> Signature:
    """The function's signature for the module file."""
    program = function.program
    avals = program.signature.avals
    places = {p.position for p in function.parameters}
    left = [i for i in range(len(avals)) if i not in places]
    numbers = {position: i for i, position in enumerate(left)}
    args, kwargs = unflatten(program.signature.spec, [numbers.get(i) for i in range(len(avals))])
    static = {n for n, _ in program.signature.statics}
    names, trees = [], []
    for i, arg in enumerate(args):
        if i not in static and program.parameters[i] not in function.dropped:
            names.append(program.parameters[i])
            trees.append(plain(arg))
    for key in sorted(kwargs.keys() - function.dropped):
        names.append(key)
        trees.append(plain(kwargs[key]))
    result = unflatten(program.out_spec, list(range(len(program.avals))))
    return Signature(
        tuple(ArraySpec(_dims(avals[i].shape), avals[i].dtype) for i in left),
        tuple(ArraySpec(_dims(aval.shape), aval.dtype) for aval in program.avals),
        tuple(trees),
        plain(result),
        tuple(names),
        sizes=_sizes_of([avals[i].shape for i in left]),
    )


def _dims(shape: tuple[Any, ...]) -> tuple[int | str, ...]:
    """A shape in the module file's format."""
    return tuple(str(size) if is_symbolic_dim(size) else size for size in shape)


def _sizes_of(shapes: Sequence[tuple[Any, ...]]) -> Sizes:
    """The names in shapes, in the module file's format."""
    scope = scope_of(shapes)
    if scope is None:
        return Sizes()
    solutions = solved(scope, shapes)
    known = {solution.name for solution in solutions}
    texts = [text for s in solutions for text in _bounds(scope, s.name)]
    texts += [text for text in scope.constraints if names_in(text) <= known]
    return Sizes(
        tuple(Name(s.name, s.array, s.dimension, s.factor, str(s.rest)) for s in solutions),
        tuple(dict.fromkeys(texts)),
    )


def _bounds(scope: SymbolicScope, name: str) -> list[str]:
    """The constraints of one name."""
    low, high = scope.bounds(scope.name(name))
    multiple = scope.multiples[name]
    texts = [f"{name} >= {int(low)}"]
    if not math.isinf(high):
        texts.append(f"{name} <= {int(high)}")
    if multiple != 1:
        texts.append(f"{name} % {multiple} == 0")
    return texts


class Group(NamedTuple):
    """Targets whose code is in one file, and the module that is compiled for them."""

    targets: tuple[Target, ...]
    module: _core.Module


def grouped(
    functions: Sequence[Function], targets: Sequence[Target], are_outside: bool, apart: bool
) -> list[Group]:
    """The files to write: one if all targets have the same lowered module, otherwise one for each.

    Args:
      functions: the functions.
      targets: the targets.
      are_outside: whether the parameters are in a file.
      apart: whether each target gets its own file in any case.
    """
    # A loader only distinguishes kinds of code.
    if not apart and len(targets) > 1 and len({target.code for target in targets}) == len(targets):
        first, *others = (build(functions, target, are_outside, True) for target in targets)
        if all(module.text() == first.text() for module in others):
            return [Group(tuple(targets), first)]
    return [Group((target,), build(functions, target, are_outside)) for target in targets]


def compile_group(functions: Sequence[Function], group: Group, notes: Notes) -> bytes:
    """The module file of a group of functions, with its notes."""
    for function in functions:
        _core.reflect(group.module.function(function.name), {NOTES_KEY: notes.to_json()})
    # Tiles were measured on CPUs.
    tiles = all(target.is_cpu for target in group.targets)
    return compile_lowered(group.module, Targets(group.targets), tiles=tiles)

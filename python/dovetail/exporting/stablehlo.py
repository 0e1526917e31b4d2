"""Functions from programs in StableHLO, the form in which other compilers exchange them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import ShapedArray
from dovetail.base import errors
from dovetail.base.errors import type_error, value_error
from dovetail.base.mlir_types import dtype_named
from dovetail.exporting.exported import PLATFORMS, Exported
from dovetail.placement.attributes import named_sharding
from dovetail.placement.meshes import AbstractMesh
from dovetail.placement.named_sharding import NamedSharding
from dovetail.programs.program import Program, Signature
from dovetail.tracing.arguments import LeafNames
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten

# The first bytes of MLIR's binary form.
_BYTECODE = b"ML\xefR"


class Loaded:
    """The function that a program computes, as `load` returns it.

    Attributes:
      exported: the function as what `export.deserialize` returns, which can be serialized.
      in_shardings: those that the program states of its arguments, over an abstract mesh; None
        where it states none.
      out_shardings: those of its results.

    Example:
      >>> text = '''func.func @main(%x: tensor<f32>) -> tensor<f32> {
      ...   return %x : tensor<f32>
      ... }'''
      >>> f = load(text)
      >>> f.exported.in_avals
      (ShapedArray(float32[]),)
    """

    def __init__(
        self,
        exported: Exported,
        in_shardings: tuple[NamedSharding | None, ...],
        out_shardings: tuple[NamedSharding | None, ...],
    ) -> None:
        self.exported = exported
        self.in_shardings, self.out_shardings = in_shardings, out_shardings
        self.__name__ = exported.fun_name

    def __repr__(self) -> str:
        return f"Loaded({self.exported.in_avals} -> {self.exported.out_avals})"

    def __call__(self, *args: Any) -> Any:
        """The result on arrays of the program's shapes and element types."""
        outs = self.exported.call(*args)
        return outs[0] if len(outs) == 1 else outs


class LoadedForShapes:
    """The function of a program whose arguments have unknown sizes, as `load` returns it.

    Each call with other shapes translates the program for these.

    Attributes:
      shapes: those of the arguments, with -1 for sizes that are not known.

    Example:
      >>> text = '''func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      ...   %y = stablehlo.add %x, %x : tensor<?xf32>
      ...   return %y : tensor<?xf32>
      ... }'''
      >>> f = load(text)
      >>> f(np.float32([1, 2]))
      Array([2., 4.], dtype=float32)
    """

    def __init__(self, text: str, file: str, shapes: list[list[int]]) -> None:
        self._text, self._file = text, file
        self.shapes = tuple(map(tuple, shapes))
        self._known: dict[tuple[tuple[int, ...], ...], Loaded] = {}
        self.__name__ = "loaded"

    def __repr__(self) -> str:
        return f"LoadedForShapes({', '.join(map(_shown, self.shapes))})"

    def refined(self, *args: Any) -> Loaded:
        """The function for arguments of the shapes of these.

        Args:
          *args: arrays, or what has `shape`, such as `ShapeDtypeStruct`.

        Returns:
          The function, which has the attribute `exported`.

        Raises:
          TypeError: these are not as many as the program has.
          TransformError: the program does not accept the shapes, or an op needs a size that only
            the values of arguments determine.
          ValueError: a shape is not one for which the program is, or has symbols as sizes.
        """
        if len(args) != len(self.shapes):
            raise type_error(
                f"the program takes {len(self.shapes)} arguments, got: {len(args)}; give one for "
                "each array"
            )
        shapes = tuple(tuple(np.shape(arg)) for arg in args)
        for i, (shape, stated) in enumerate(zip(shapes, self.shapes, strict=True)):
            is_like = len(shape) == len(stated) and all(
                isinstance(size, int) and known in (-1, size)
                for size, known in zip(shape, stated, strict=True)
            )
            if not is_like:
                raise value_error(
                    f"argument {i} must have the shape {_shown(stated)} with numbers as sizes, "
                    f"got: {shape}"
                )
        if shapes not in self._known:
            self._known[shapes] = _loaded(self._text, self._file, shapes)
        return self._known[shapes]

    def __call__(self, *args: Any) -> Any:
        """The result on arrays of the program's element types."""
        return self.refined(*args)(*args)


def load(source: str | bytes | os.PathLike[str]) -> Loaded | LoadedForShapes:
    """The function that a program in StableHLO computes.

    Args:
      source: the text of the program, as `jax.export.export(f)(x).mlir_module()` returns it, its
        bytecode (`mlir_module_serialized`), or the path of a file with one of them. It has a
        function `main`, or only one that is public. Bytecode is read by `jaxlib`, if it is
        installed.

    Returns:
      A function of the program's arguments, arrays of its shapes and element types. It returns an
      array if there is one result, otherwise a tuple. It can be differentiated, batched, compiled
      and exported like any other. Its attribute `exported` is an `export.Exported`. Sizes that the
      program leaves open are those of a call: then `f.refined(*args)` is such a function.

    Raises:
      FileNotFoundError: there is no such file.
      TypeError: the source is neither.
      ValueError: the text is no such program, an op has no counterpart, or there is no `jaxlib` to
        read bytecode.

    Example:
      >>> text = '''
      ... func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
      ...   %y = stablehlo.add %x, %x : tensor<3xf32>
      ...   %z = stablehlo.multiply %y, %x : tensor<3xf32>
      ...   return %z : tensor<3xf32>
      ... }'''
      >>> f = load(text)
      >>> f(np.float32([0, 1, 2]))
      Array([0., 2., 8.], dtype=float32)
    """
    text, name = _text_of(source)
    try:
        shapes = _core.stablehlo_argument_shapes(text, name)
    except _core.CompilerError as error:
        raise errors.explained(error) from None
    if any(-1 in shape for shape in shapes):
        return LoadedForShapes(text, name, shapes)
    return _loaded(text, name, None)


def _loaded(text: str, name: str, shapes: tuple[tuple[int, ...], ...] | None) -> Loaded:
    try:
        module, stated = _core.from_stablehlo(text, name, shapes)
    except _core.CompilerError as error:
        raise errors.explained(error) from None
    exported = Exported(_program(module), PLATFORMS)
    if stated is None:
        return Loaded(exported, (None,) * len(exported.in_avals), (None,) * len(exported.out_avals))
    names, sizes, *each = stated
    mesh = AbstractMesh(tuple(sizes), tuple(names))
    shardings = (
        tuple(None if axes is None else named_sharding(mesh, axes) for axes in of_values)
        for of_values in each
    )
    return Loaded(exported, *shardings)


def _text_of(source: Any) -> tuple[str, str]:
    """The text, and the name of its file."""
    name = "<stablehlo>"
    if isinstance(source, os.PathLike) or (
        isinstance(source, str) and "\n" not in source and not source.startswith("ML\xefR")
    ):
        path = Path(source)
        source, name = path.read_bytes(), str(path)
    if isinstance(source, str):
        if source.startswith("ML\xefR"):
            raise type_error("stablehlo.load: bytecode must be bytes, got: str")
        return source, name
    if not isinstance(source, bytes | bytearray):
        raise type_error(
            "stablehlo.load: source must be a text, bytecode or a path, got: "
            f"{type(source).__name__}"
        )
    if source.startswith(_BYTECODE):
        return _text_of_bytecode(bytes(source)), name
    return source.decode("utf-8", errors="surrogateescape"), name


def _text_of_bytecode(code: bytes) -> str:
    """The text of a portable artifact, which has the versions of ops that its writer had."""
    try:
        from jaxlib.mlir import ir  # pyright: ignore[reportMissingImports]
        from jaxlib.mlir.dialects import (  # pyright: ignore[reportMissingImports]
            chlo,
            sdy,
            stablehlo,
        )

        deserialize = stablehlo.deserialize_portable_artifact
    except (AttributeError, ImportError):
        raise value_error(
            "stablehlo.load reads bytecode with jaxlib, which must be installed, got: no such "
            "package; install it with `pip install jaxlib`, or write the text, such as "
            "`mlir_module()` in place of `mlir_module_serialized`"
        ) from None
    with ir.Context() as context:
        for dialect in (stablehlo, chlo, sdy):
            dialect.register_dialect(context)
        try:
            return str(deserialize(context, code))
        except Exception as error:
            raise value_error(
                "stablehlo.load: bytecode must be a portable artifact of a version that the "
                f"installed jaxlib knows, got: {error}"
            ) from None


def _program(module: _core.Module) -> Program:
    function = module.function("main")
    avals = [_aval(*each) for each in function.inputs]
    places = range(len(avals))
    spec = set_float0_aside(*flatten((tuple(places), {})))[1]
    outs = [_aval(*each) for each in function.outputs]
    return Program(
        name="loaded",
        module=module,
        signature=Signature(spec, (), tuple(avals)),
        names=LeafNames(None, tuple(places), {}),
        parameters=[f"x{i}" for i in places],
        captured=[],
        avals=outs,
        out_spec=set_float0_aside(*flatten(tuple(range(len(outs)))))[1],
    )


def _shown(shape: tuple[int, ...]) -> str:
    return f"({', '.join('?' if size == -1 else str(size) for size in shape)})"


def _aval(shape: tuple[int, ...], element: str) -> ShapedArray:
    return ShapedArray(shape, dtype_named(element), False)

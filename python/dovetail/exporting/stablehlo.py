"""Functions from programs in StableHLO, the form in which other compilers exchange them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from dovetail import _core
from dovetail.arrays.array import ShapedArray
from dovetail.base import errors
from dovetail.base.errors import type_error, value_error
from dovetail.base.mlir_types import dtype_named
from dovetail.exporting.exported import PLATFORMS, Exported
from dovetail.programs.program import Program, Signature
from dovetail.tracing.arguments import LeafNames
from dovetail.trees.float0 import set_float0_aside
from dovetail.trees.pytree import flatten

# The first bytes of MLIR's binary form.
_BYTECODE = "ML\xefR"


class Loaded:
    """The function that a program computes, as `load` returns it.

    Attributes:
      exported: the function as what `export.deserialize` returns, which can be serialized.

    Example:
      >>> text = '''func.func @main(%x: tensor<f32>) -> tensor<f32> {
      ...   return %x : tensor<f32>
      ... }'''
      >>> f = load(text)
      >>> f.exported.in_avals
      (ShapedArray(float32[]),)
    """

    def __init__(self, exported: Exported) -> None:
        self.exported = exported
        self.__name__ = exported.fun_name

    def __repr__(self) -> str:
        return f"Loaded({self.exported.in_avals} -> {self.exported.out_avals})"

    def __call__(self, *args: Any) -> Any:
        """The result on arrays of the program's shapes and element types."""
        outs = self.exported.call(*args)
        return outs[0] if len(outs) == 1 else outs


def load(source: str | os.PathLike[str]) -> Loaded:
    """The function that a program in StableHLO computes.

    Args:
      source: the text of the program, as `jax.export.export(f)(x).mlir_module()` returns it, or the
        path of a file with it. It has a function `main`, or only one that is public.

    Returns:
      A function of the program's arguments, arrays of its shapes and element types. It returns an
      array if there is one result, otherwise a tuple. It can be differentiated, batched, compiled
      and exported like any other. Its attribute `exported` is an
      `export.Exported`.

    Raises:
      FileNotFoundError: there is no such file.
      TypeError: the source is neither.
      ValueError: the text is no such program, an op has no counterpart, or an argument has a size
        that is not known.

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
    if text.startswith(_BYTECODE):
        raise value_error(
            "stablehlo.load needs the text of a program, got: bytecode; write `mlir_module()` to "
            "the file instead of `mlir_module_serialized`"
        )
    try:
        module = _core.from_stablehlo(text, name)
    except _core.CompilerError as error:
        raise errors.explained(error) from None
    return Loaded(Exported(_program(module), PLATFORMS))


def _text_of(source: Any) -> tuple[str, str]:
    """The text, and the name of its file."""
    if isinstance(source, os.PathLike) or (isinstance(source, str) and "\n" not in source):
        path = Path(source)
        return path.read_text(encoding="utf-8", errors="surrogateescape"), str(path)
    if not isinstance(source, str):
        raise type_error(
            f"stablehlo.load: source must be a text or a path, got: {type(source).__name__}"
        )
    return source, "<stablehlo>"


def _program(module: _core.Module) -> Program:
    function = module.function("main")
    avals = [_aval(*each) for each in function.inputs]
    for i, aval in enumerate(avals):
        if -1 in aval.shape:
            raise value_error(
                f"stablehlo.load: all sizes of arguments must be known, got: argument {i} of shape "
                f"{tuple('?' if size == -1 else size for size in aval.shape)}; export the program "
                "for one shape"
            )
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


def _aval(shape: tuple[int, ...], element: str) -> ShapedArray:
    return ShapedArray(shape, dtype_named(element), False)

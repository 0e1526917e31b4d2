"""What traced, lowered and compiled programs have in common: what they take and return, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.array import ShapedArray
from dovetail.descriptions import ShapeDtypeStruct
from dovetail.pytree import unflatten
from dovetail.pytreedef import PyTreeDef, public

if TYPE_CHECKING:
    from dovetail.lowered import Lowered, Program


@dataclass(frozen=True)
class ArgInfo:
    """What an argument of a program is.

    Attributes:
      shape, dtype: those of the array.
      donated: whether calls use it up.

    Example:
      >>> import dovetail as dt
      >>> (x,), _ = dt.jit(lambda x: x).lower(1.0).args_info
      >>> x.shape, x.donated
      ((), False)
    """

    _aval: ShapedArray
    donated: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The array's shape."""
        return self._aval.shape

    @property
    def dtype(self) -> np.dtype:
        """Its element type."""
        return self._aval.dtype


class Stage:
    """A program of a jitted function, on its way to being run."""

    _default_phase = "trace"

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def program(self) -> Program:
        """The program itself."""
        return self._program

    @property
    def in_tree(self) -> PyTreeDef:
        """The structure of (args, kwargs)."""
        return public(self._program.signature.spec)

    @property
    def in_avals(self) -> Any:
        """The arguments' types, in the tree of (args, kwargs)."""
        return unflatten(self._program.signature.spec, list(self._program.signature.avals))

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the result."""
        return public(self._program.out_spec)

    @property
    def args_info(self) -> Any:
        """An `ArgInfo` for each argument, in the tree of (args, kwargs)."""
        avals, donated = self._program.signature.avals, self._program.donated
        infos = [ArgInfo(aval, i in donated) for i, aval in enumerate(avals)]
        return unflatten(self._program.signature.spec, infos)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The numbers of the arguments, counted in the flattened tree, that calls use up."""
        return self._program.donated

    @property
    def out_info(self) -> Any:
        """The results' shapes and element types, in their tree."""
        return unflatten(self._program.out_spec, list(map(_as_struct, self._program.avals)))

    def as_text(self, phase: str | None = None, *, debug_info: bool = False) -> str:
        """The program's IR after a phase: trace, expand, simplify, shard, check, decompose, lower,
        merge, carry.

        By default a lowered program shows the first, a compiled one the code generator's input.
        With `debug_info` each op has its place in the user's program.
        """
        module = self._program.after(phase or self._default_phase)
        return module.text(locations=debug_info).rstrip("\n")

    def mlir_module(self, phase: str = "lower") -> Any:
        """The program after a phase as an `iree.compiler.ir.Module`.

        Ops of the dialect itself, which IREE does not know, are kept as unregistered ops.
        """
        from iree.compiler import ir as iree_ir

        library: Any = iree_ir  # its names come from a C extension
        context = library.Context()
        context.allow_unregistered_dialects = True
        return library.Module.parse(
            self._program.after(phase).text(generic=phase != "lower"), context
        )


class Traced(Stage):
    """A traced function: its program before any of the compiler's phases.

    Example:
      >>> import dovetail as dt
      >>> traced = dt.jit(lambda x: -x).trace(1.0)
      >>> print(traced.ir)
      module {
        func.func @main(%arg0: tensor<f32>) -> tensor<f32> {
          %0 = dovetail.neg %arg0 : tensor<f32>
          return %0 : tensor<f32>
        }
      }
      >>> float(traced.lower().compile()(2.0))
      -2.0
    """

    @property
    def fun_name(self) -> str:
        """The function's name."""
        return self._program.name

    @property
    def ir(self) -> str:
        """The program's IR."""
        return self.as_text("trace")

    @property
    def jaxpr(self) -> str:
        """The same, by the name that JAX has for a program before it is lowered."""
        return self.ir

    @property
    def out_avals(self) -> Any:
        """The results' types, in their tree."""
        return unflatten(self._program.out_spec, list(self._program.avals))

    def lower(self) -> Lowered:
        """The program, to be looked at or compiled."""
        from dovetail.lowered import Lowered

        return Lowered(self._program)


def _as_struct(aval: ShapedArray) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)

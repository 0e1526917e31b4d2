"""What traced, lowered and compiled programs have in common: what they take and return, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.array import ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.trees.pytree import unflatten
from dovetail.trees.treedef import PyTreeDef, public

if TYPE_CHECKING:
    from dovetail.programs.lowered import Program


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


def _as_struct(aval: ShapedArray) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)

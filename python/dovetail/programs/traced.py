"""The first stage of a jitted function's program: traced, not yet transformed."""

from __future__ import annotations

from typing import Any

from dovetail.programs.lowered import Lowered
from dovetail.programs.stage import Stage
from dovetail.trees.pytree import unflatten


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
        return Lowered(self._program)

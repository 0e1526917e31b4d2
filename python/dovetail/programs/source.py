"""A traced program on its way to an executable: lowered, compiled, loaded; evaluated meanwhile."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import _core
from dovetail.base import config, spans
from dovetail.placement import devices
from dovetail.placement.devices import HOST
from dovetail.reference import Evaluator
from dovetail.reference.cost import Cost, cost_of
from dovetail.reference.program import Watch
from dovetail.symbolic.solve import expected_shape, sizes_in

if TYPE_CHECKING:
    from dovetail.compiler.forms import Compilation, Lowering
    from dovetail.programs.lowered import Program
    from dovetail.runtime import Executable
    from dovetail.runtime.memory import OutOfMemoryError

# Programs with fewer elements in arguments and results run on the calling thread.
INLINE_ELEMENTS = 1 << 16


class Source:
    """A program before it has an executable.

    Args:
      program: what was traced.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.name = program.name
        self.avals = program.signature.avals
        inputs = [*program.signature.avals, *(operand.aval for operand in program.captured)]
        self._input_shapes = [expected_shape(aval.shape) for aval in inputs]
        self._elements = sum(
            math.prod(expected_shape(aval.shape)) for aval in [*inputs, *program.avals]
        )
        self.forget()

    def forget(self) -> None:
        """Let go of what is made again when it is asked for, by this thread or another."""
        self._prepared: _core.Module | None = None
        self._decoded: _core.Program | None = None
        self._evaluator: Evaluator | None = None

    @property
    def prepared(self) -> _core.Module:
        """The module after the phase that evaluation and lowering start from."""
        module = self._prepared
        if module is None:
            module = self._prepared = self.program.after("check")
        return module

    # Evaluation -----------------------------------------------------------------------------------

    @property
    def _instructions(self) -> _core.Program:
        decoded = self._decoded
        if decoded is None:
            decoded = self._decoded = self.prepared.program("main")
        return decoded

    @property
    def may_be_evaluated(self) -> bool:
        """Whether the evaluator can stand in: not where results are to be on another device, or
        the compiler, in this process, could not be ended with it.
        """
        return self.program.device == HOST and not config.compile_in_process.value

    def cost(self) -> Cost:
        """How long an evaluation takes; where sizes are symbolic, it may be much longer."""
        cost = cost_of(self._instructions, self._input_shapes)
        return cost._replace(is_bounded=False) if self.program.signature.is_symbolic else cost

    def evaluate(
        self, arrays: Sequence[np.ndarray], watch: Watch | None = None
    ) -> list[np.ndarray]:
        """The results by the reference evaluator; none of them shares memory with an argument.

        Raises:
          OpMemoryError: there is no memory for what an op gives.
        """
        evaluator = self._evaluator
        if evaluator is None:
            evaluator = self._evaluator = Evaluator(self._instructions)
        results = evaluator(arrays, spans.watched(watch))
        owners = {id(_owner(array)) for array in arrays}
        return [np.array(x) if id(_owner(x)) in owners else x for x in results]

    # Compilation ----------------------------------------------------------------------------------

    def lowering(self) -> Lowering:
        """The program on its way to the code generator."""
        platform = self.program.device.platform
        is_host = platform == "cpu"
        from dovetail.compiler.forms import Lowering  # lazy

        return Lowering(
            self.prepared, "check", platform=platform, host_functions=is_host, name=self.name
        )

    def compilation(self) -> Compilation:
        """The program compiled, or from the cache.

        Raises:
          CompileError: it cannot be compiled.
        """
        from dovetail.compiler.forms import compilation  # lazy

        return compilation(self.lowering(), self.program.device.platform)

    @property
    def runtime_device(self) -> str:
        """The name of the runtime's device that runs it."""
        return devices.runtime_name(self.program.device, self._elements < INLINE_ELEMENTS)

    def compile(self) -> Executable:
        """The executable, compiled or from the cache.

        Raises:
          CompileError: it cannot be compiled.
        """
        from dovetail.compiler import dump  # lazy
        from dovetail.runtime import Executable, HostFunctions, get_device  # lazy

        folder = dump.begin(self.program)
        compiled = self.compilation()
        functions = compiled.host_functions
        if folder is not None:
            dump.finish(folder, self.program, compiled)
        device, host = self.runtime_device, None
        if functions:
            # Its module has those of the user.
            host = HostFunctions(functions, get_device(device), self.program.module)
        return Executable(
            compiled.vmfb,
            "main",
            device,
            output_dtypes=self.program.result_dtypes,
            host_functions=host,
            out_of_memory=functools.partial(_out_of_memory, Source(self.program)),
        )

    def at(self, shapes: Sequence[tuple[int, ...]]) -> Source:
        """The program for arguments of known shapes.

        Raises:
          UnknownSizeError: it is not known what it was traced from.
        """
        if not self.program.signature.is_symbolic:
            return self
        symbolic = [aval.shape for aval in self.avals]
        return Source(self.program.at(sizes_in(symbolic, shapes[: len(symbolic)])))


def _out_of_memory(source: Source, shapes: Sequence[tuple[int, ...]]) -> OutOfMemoryError:
    from dovetail.programs.out_of_memory import of_call  # lazy

    return of_call(source, shapes)


def kept(data: Any) -> Any:
    """The data of an array as they stay, whatever the user does to a NumPy array of his own."""
    return np.array(data) if type(data) is np.ndarray else data


def _owner(array: np.ndarray) -> Any:
    """What has an array's memory."""
    while type(array.base) is np.ndarray:
        array = array.base
    return array

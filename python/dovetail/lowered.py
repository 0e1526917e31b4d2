"""A traced program: its IR after each phase, and the same compiled, callable and as a file."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from dovetail import config, ir
from dovetail.arguments import LeafNames, ShapeDtypeStruct, as_operand
from dovetail.array import Array, ShapedArray
from dovetail.pytree import flatten, unflatten
from dovetail.reference.checks import UnwantedValueError, first_of, unwanted
from dovetail.tracer import Operand, Tracer

# Programs with fewer elements in arguments and results run on the calling thread.
INLINE_ELEMENTS = 1 << 16


class Signature(NamedTuple):
    """What a traced program depends on.

    Attributes:
      spec: the structure of (args, kwargs), with None in the place of static arguments by number.
      statics: the static arguments, by number or name.
      avals: the arrays' types.
    """

    spec: Any
    statics: tuple[tuple[int | str, Hashable], ...]
    avals: tuple[ShapedArray, ...]


class Program(NamedTuple):
    """A traced function as a module with the function `main`.

    Attributes:
      name: the Python function's name.
      module: the compiler's module.
      signature: what it was traced for.
      names: what messages call the arguments' leaves.
      parameters: the names of the positional arguments.
      captured: the arrays that the function closes over, its last arguments.
      avals: the types of the results.
      out_spec: their structure.
    """

    name: str
    module: Any
    signature: Signature
    names: LeafNames
    parameters: list[str]
    captured: list[Operand]
    avals: list[ShapedArray]
    out_spec: Any

    def after(self, phase: str) -> Any:
        """A copy of the module, as it is to run in this process, after a phase."""
        if phase not in ir.phases:
            raise ValueError(f"phase must be one of {', '.join(ir.phases)}, got: {phase!r}")
        module = self.module.clone()
        ir.run_phases(module, phase, host_functions=True)
        return module


class _Stage:
    """What a lowered and a compiled program have in common."""

    _default_phase: str

    def __init__(self, program: Program) -> None:
        self._program = program

    @property
    def in_tree(self) -> Any:
        """The structure of (args, kwargs)."""
        return self._program.signature.spec

    @property
    def out_tree(self) -> Any:
        """The structure of the result."""
        return self._program.out_spec

    @property
    def args_info(self) -> Any:
        """The arguments' shapes and element types, in the tree of (args, kwargs)."""
        return unflatten(self.in_tree, list(map(_as_struct, self._program.signature.avals)))

    @property
    def out_info(self) -> Any:
        """The results' shapes and element types, in their tree."""
        return unflatten(self.out_tree, list(map(_as_struct, self._program.avals)))

    def as_text(self, phase: str | None = None) -> str:
        """The program's IR after a phase: trace, expand, simplify, shard, decompose, lower or carry.

        By default a lowered program shows the first, a compiled one the last.
        """
        return self._program.after(phase or self._default_phase).text().rstrip("\n")

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


class Lowered(_Stage):
    """A traced program, to be looked at or compiled."""

    _default_phase = "trace"

    def compile(self) -> Compiled:
        """Compile for this machine's CPU."""
        return Compiled(self._program)


class Compiled(_Stage):
    """A compiled program; call it with arrays of the types it was lowered for."""

    _default_phase = "lower"

    def __init__(self, program: Program) -> None:
        from dovetail.host_functions import host_functions_of
        from dovetail.runtime import Executable, HostFunctions, get_device, put
        from dovetail.runtime.devices import SHARE_BYTES

        super().__init__(program)
        for operand in program.captured:
            if type(operand) is Tracer:
                raise operand.leaked()
        inputs = [*program.signature.avals, *(operand.aval for operand in program.captured)]
        elements = sum(math.prod(aval.shape) for aval in [*inputs, *program.avals])
        device = "local-sync" if elements < INLINE_ELEMENTS else "local-task"
        lowered = program.after("lower")
        functions = host_functions_of(lowered)
        self._executable = Executable(
            _compile(lowered),
            "main",
            device,
            output_dtypes=[aval.dtype for aval in program.avals],
            host_functions=HostFunctions(functions, get_device(device)) if functions else None,
        )
        # Copied once: the user may write to a NumPy array later.
        self._captured = [put(operand.buffer, device) for operand in program.captured]
        self._share_bytes = SHARE_BYTES
        self._weak = [aval.weak_type for aval in program.avals]
        self._unflatten = program.out_spec.unflatten
        self._is_leaf = program.out_spec.is_leaf()

    def run(self, leaves: Sequence[Operand]) -> Any:
        """The result on arrays of the right types, flattened."""
        buffers = self._executable([self._placed(leaf) for leaf in leaves] + self._captured)
        if config.snapshot().checks:
            self._check(buffers, leaves)
        if self._is_leaf:
            return Array(buffers[0], self._weak[0])
        return self._unflatten(map(Array, buffers, self._weak))

    def _check(self, buffers: Sequence[Any], leaves: Sequence[Operand]) -> None:
        """Refuse results with unwanted values; the evaluator finds the op that they come from."""
        values = unwanted()
        found = [what for buffer in buffers if (what := first_of(buffer.numpy(), values))]
        if not found:
            return
        operands = [operand._value() for operand in [*leaves, *self._program.captured]]
        ir.Evaluator(self._program.after("simplify").program("main"))(operands)
        # They were among the arguments, or are of compiled code only.
        raise UnwantedValueError(f"`{self._program.name}`: {found[0]}")

    def _placed(self, leaf: Array) -> Any:
        """The array's data for a call. What would be copied at every call is copied once."""
        data = leaf.buffer
        if type(data) is not np.ndarray or data.nbytes < self._share_bytes:
            return data
        device = self._executable.device
        if device.can_share(data):
            return data
        from dovetail.runtime import put

        return leaf.move_to(put(data, device))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the program, without the static arguments.

        Raises:
          TypeError: structure, shapes or element types are not those it was lowered for.
        """
        program = self._program
        numbers = [n for n, _ in program.signature.statics if isinstance(n, int)]
        full = list(args)
        for number in numbers:
            full.insert(number, None)
        values, spec = flatten((tuple(full), kwargs))
        if spec != program.signature.spec:
            raise TypeError(
                f"arguments of the compiled `{program.name}` must have the structure "
                f"{program.signature.spec}, static ones left out, got: {spec} {ir.here()}"
            )
        leaves = []
        for i, (value, aval) in enumerate(zip(values, program.signature.avals, strict=True)):
            leaf = as_operand(value, program.names.at(i), copy=False)
            if type(leaf) is Tracer:
                raise TypeError(
                    f"the compiled `{program.name}` takes arrays only, got: a tracer for "
                    f"{program.names.at(i)} {ir.here()}; call the jitted function instead"
                )
            if leaf.shape != aval.shape or leaf.dtype != aval.dtype:
                raise TypeError(
                    f"{program.names.at(i)} must be {aval}, for which it was compiled, got: "
                    f"{leaf.aval} {ir.here()}; lower and compile again for other types"
                )
            leaves.append(leaf)
        return self.run(leaves)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module file that `dovetail.runtime.load` and IREE's own tools run.

        Its function is called `main`; it takes the arguments that are not static, those by keyword
        after the others. Arrays that the function closes over are in the file.
        """
        from dovetail.export_files import export

        export(Lowered(self._program), path=path)


def _compile(module: Any) -> bytes:
    """The module file of a lowered module."""
    from dovetail.compile import DATA_TILING, DATA_TILING_SIZE, CompileError, compile_module

    is_large = module.largest_contraction() >= DATA_TILING_SIZE
    flags = (DATA_TILING,) if is_large else ()
    try:
        return compile_module(module.text(), flags=flags)
    except CompileError as error:
        if not any("circular dependency" in message for message in error.diagnostics):
            raise
        module.separate_loops()
        vmfb = compile_module(module.text(), flags=flags)
        error.path.unlink(missing_ok=True)
        return vmfb

"""The stages of a jitted function under JAX's names: traced, lowered and compiled programs.

Each is a view of a `Program`; a compiled one has an `Execution` as well.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.arrays.descriptions import ShapeDtypeStruct
from dovetail.base import errors, markup
from dovetail.base.errors import value_error
from dovetail.base.late import files
from dovetail.base.locations import here
from dovetail.base.mlir_types import encode_array
from dovetail.placement.layouts import Format, Layout
from dovetail.programs.analysis import CompiledMemoryStats, cost_of, memory_of
from dovetail.programs.execution import Execution
from dovetail.programs.options import refuse_compiler_options
from dovetail.programs.program import Program
from dovetail.symbolic.size import has_sizes
from dovetail.symbolic.solve import check_shapes
from dovetail.tracing.arguments import as_operand
from dovetail.tracing.references import Ref
from dovetail.tracing.tracer import AnyTracer
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten, unflatten
from dovetail.trees.treedef import PyTreeDef, public

if TYPE_CHECKING:
    from dovetail.programs.partitions import PartitionedExecutable
    from dovetail.runtime import Executable


@dataclass(frozen=True)
class ArgInfo:
    """An argument of a program.

    Attributes:
      shape, dtype: those of the array.
      donated: whether calls consume it.

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
    """A view of a program of a jitted function."""

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
        if self._program.refs is not None:
            return public(flatten(self.out_info)[1])
        return public(self._program.out_spec)

    @property
    def args_info(self) -> Any:
        """An `ArgInfo` for each argument, in the tree of (args, kwargs)."""
        avals, donated = self._program.signature.avals, self._program.donated
        infos = [ArgInfo(aval, i in donated) for i, aval in enumerate(avals)]
        return unflatten(self._program.signature.spec, infos)

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The indices of the arguments, in the flattened tree, that calls consume."""
        return self._program.donated

    @property
    def out_info(self) -> Any:
        """The results' shapes and element types, in their tree."""
        results = unflatten(self._program.out_spec, list(map(_as_struct, self._program.avals)))
        # The arrays that references hold afterwards are none of the function's results.
        return results if self._program.refs is None else results[0]

    def as_text(
        self, phase: str | None = None, *, dialect: str | None = None, debug_info: bool = False
    ) -> str:
        """The program's IR after a phase: trace, expand, simplify, shard, check, decompose, lower,
        merge, carry.

        By default a lowered program shows the first phase, a compiled one the code generator's
        input. With `debug_info` each op has its location in the user's program. `stablehlo` is no
        phase, but the simplified program in the form in which other compilers read it. A `dialect`,
        "stablehlo" or "dovetail", stands for a phase that has it.

        Raises:
          TransformError: an op has no counterpart in StableHLO.
          ValueError: there is no such phase or dialect.
        """
        if dialect is not None:
            phase = _phase_of(dialect, "as_text")
        if phase == "stablehlo":
            # On many devices it is the program of all of them, which states shardings.
            phase = "check" if self._program.mesh is None else "simplify"
            simplified = self._program.after(phase).clone()
            # Its arguments are those of the function.
            captured = [encode_array(operand._value()) for operand in self._program.captured]
            simplified.bind_arguments(captured)
            try:
                return _core.to_stablehlo(simplified, debug_info).rstrip("\n")
            except _core.CompilerError as error:
                raise errors.explained(error) from None
        module = self._program.after(phase or self._default_phase)
        return module.text(locations=debug_info).rstrip("\n")

    def _repr_html_(self) -> str:
        program = self._program
        types = ", ".join(map(str, program.signature.avals))
        results = ", ".join(map(str, program.avals))
        phase = self._default_phase
        head = f"{program.name}({types}) → {results}, after the phase {phase}"
        return markup.caption(head) + markup.ir(self.as_text())

    def compiler_ir(self, dialect: str | None = None) -> str:
        """The program's text in a dialect.

        Args:
          dialect: `stablehlo`, which is the default, or `dovetail`.

        Raises:
          TransformError: an op has no counterpart in StableHLO.
          ValueError: there is no such dialect.
        """
        return self.as_text(_phase_of(dialect or "stablehlo", "compiler_ir"))

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
        """The same, under JAX's name for a program before it is lowered."""
        return self.ir

    @property
    def out_avals(self) -> Any:
        """The results' types, in their tree."""
        return unflatten(self._program.out_spec, list(self._program.avals))

    def lower(self, *, lowering_platforms: Sequence[str] | None = None) -> Lowered:
        """The program, for inspection or compilation.

        Args:
          lowering_platforms: the platforms that it is for, which make no difference: a program is
            the same for all of them until it is compiled.
        """
        return Lowered(self._program)


class Lowered(Stage):
    """A traced program, for inspection or compilation.

    Example:
      >>> import dovetail as dt
      >>> lowered = dt.jit(lambda x: x * 2).lower(1.0)
      >>> lowered.out_info.shape
      ()
    """

    def compile(self, compiler_options: Mapping[str, Any] | None = None) -> Compiled:
        """Compile for this machine's CPU.

        Args:
          compiler_options: None, or a dictionary without entries: options are those of JAX's
            compiler.

        Raises:
          ValueError: there are options.
        """
        refuse_compiler_options("Lowered.compile", compiler_options)
        return Compiled(self._program)

    def cost_analysis(self, **sizes: int) -> dict[str, float]:
        """The work of one run: `flops`, `transcendentals` and `bytes accessed`.

        Counted op by op, before the code generator fuses any; loops count once per iteration.

        Args:
          sizes: the sizes of the names in symbolic shapes, for which the function is traced again.

        Raises:
          ValueError: such a name has no size, or one that breaks constraints.

        Example:
          >>> import dovetail as dt
          >>> x = dt.ShapeDtypeStruct((8, 8), "float32")
          >>> dt.jit(lambda x: x @ x).lower(x).cost_analysis()["flops"]
          1024.0
        """
        return cost_of(self._program.at(sizes))


class Compiled(Stage):
    """A compiled program; call it with arrays of the types it was lowered for.

    Example:
      >>> import dovetail as dt
      >>> compiled = dt.jit(lambda x: x * 2).lower(1.0).compile()
      >>> float(compiled(3.0))
      6.0
    """

    _default_phase = "lower"

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._execution = Execution(program, "now")
        self._execution.executable()

    @property
    def name(self) -> str:
        """The function's name."""
        return self._program.name

    @property
    def input_shardings(self) -> Any:
        """How the arguments are sharded, in the tree of (args, kwargs); others are moved.

        Example:
          >>> import dovetail as dt
          >>> dt.jit(lambda x: x * 2).lower(1.0).compile().input_shardings[0]
          (SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device),)
        """
        return unflatten(self._program.signature.spec, self._program.argument_shardings)

    @property
    def output_shardings(self) -> Any:
        """How the results are sharded, in their tree."""
        return unflatten(self._program.out_spec, self._program.result_shardings)

    @property
    def input_formats(self) -> Any:
        """The layouts and the shardings of the arguments, in the tree of (args, kwargs).

        Example:
          >>> import dovetail as dt
          >>> dt.jit(lambda x: x * 2).lower(1.0).compile().input_formats[0][0].layout
          Layout(major_to_minor=(), tiling=None, sub_byte_element_size_in_bits=0)
        """
        signature = self._program.signature
        formats = map(_format, signature.avals, self._program.argument_shardings)
        return unflatten(signature.spec, list(formats))

    @property
    def output_formats(self) -> Any:
        """The layouts and the shardings of the results, in their tree."""
        formats = map(_format, self._program.avals, self._program.result_shardings)
        return unflatten(self._program.out_spec, list(formats))

    @property
    def out_info(self) -> Any:
        """The results' shapes, element types and shardings, in their tree."""
        pairs = zip(self._program.avals, self._program.result_shardings, strict=True)
        infos = [_as_struct(aval).update(sharding=sharding) for aval, sharding in pairs]
        return unflatten(self._program.out_spec, infos)

    def cost_analysis(self, **sizes: int) -> dict[str, float]:
        """The work of one run, as for `Lowered.cost_analysis`."""
        return cost_of(self._program.at(sizes))

    def memory_analysis(self, **sizes: int) -> CompiledMemoryStats:
        """The memory of arguments, results, temporaries and code, in bytes.

        Args:
          sizes: the sizes of the names in symbolic shapes. A program for only these sizes is
            compiled to determine it.

        Raises:
          ValueError: such a name has no size, or one that breaks constraints.

        Example:
          >>> import dovetail as dt
          >>> x = dt.ShapeDtypeStruct((8, 8), "float32")
          >>> stats = dt.jit(lambda x: x @ x).lower(x).compile().memory_analysis()
          >>> stats.argument_size_in_bytes, stats.output_size_in_bytes
          (256, 256)
        """
        return memory_of(self._program.at(sizes))

    def runtime_executable(self) -> Executable | PartitionedExecutable:
        """What calls run: a `dovetail.runtime.Executable`, or several of them."""
        return self._execution.executable()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the program, without the static arguments.

        Raises:
          TypeError: structure, shapes or element types differ from those it was lowered for.
        """
        program = self._program
        numbers = [n for n, _ in program.signature.statics if isinstance(n, int)]
        full = list(args)
        for number in numbers:
            full.insert(number, None)
        refs = program.refs
        if refs is not None and refs.captured:
            full.append(list(refs.captured))
        values, spec = flatten((tuple(full), kwargs))
        if spec != program.signature.spec:
            owners = "what was compiled", "this call"
            raise TypeError(
                "Function compiled with input pytree does not match the input pytree it was called "
                f"with, static arguments left out: `{program.name}` got "
                f"{where_unlike(program.signature.spec, spec, '(args, kwargs)', owners)} "
                f"{here()}"
            )
        leaves, others = [], []
        for i, (value, aval) in enumerate(zip(values, program.signature.avals, strict=True)):
            leaf = value
            if type(value) is not Ref or refs is None:
                leaf = as_operand(value, program.names.at(i), copy=False)
            if isinstance(leaf, AnyTracer):
                raise TypeError(
                    "Cannot apply JAX transformations to a function lowered and compiled for a "
                    f"particular signature. Detected a tracer for {program.names.at(i)} "
                    f"{here()}; call the jitted function instead"
                )
            is_like = leaf.ndim == aval.ndim if has_sizes(aval.shape) else leaf.shape == aval.shape
            if not is_like or leaf.dtype != aval.dtype:
                others.append(
                    f"Argument {program.names[i]!r} compiled with {aval} and called with "
                    f"{leaf.aval}"
                )
            leaves.append(leaf)
        if others:
            lines = "\n".join(others)
            raise TypeError(
                "Argument types differ from the types for which this computation was compiled. "
                f"The mismatches are:\n{lines}\nfor `{program.name}` {here()}; lower and "
                "compile again for other types"
            )
        if program.signature.is_symbolic:
            shapes = [aval.shape for aval in program.signature.avals]
            check_shapes(shapes, [leaf.shape for leaf in leaves], program.names)
        self._check_places([leaf._known() if type(leaf) is Ref else leaf for leaf in leaves])
        if refs is not None:
            return refs.run(self._execution, leaves)
        return self._execution.run(leaves)

    def _check_places(self, leaves: Sequence[Array]) -> None:
        """Reject arrays that are committed to another device."""
        program = self._program
        for i, leaf in enumerate(leaves):
            if leaf.committed and leaf.sharding._device_assignment != program.devices:
                raise ValueError(
                    f"{program.names.at(i)} must not be committed to another device than "
                    f"{', '.join(map(str, program.devices))}, for which it was compiled, got: "
                    f"{', '.join(map(str, leaf.sharding._device_assignment))} "
                    f"{here()}; move it with dovetail.device_put, or lower and compile again"
                )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module file that `dovetail.runtime.load` and IREE's own tools run.

        Its function is called `main`; it takes the arguments that are not static, keyword arguments
        last. Arrays that the function closes over are part of the file.
        """
        files.export(Lowered(self._program), path=path, targets=self._program.device.platform)


def _phase_of(dialect: str, what: str) -> str:
    """The phase whose text is in a dialect."""
    if dialect not in ("stablehlo", "dovetail"):
        raise value_error(
            f"{what}: dialect must be stablehlo or dovetail, got: {dialect!r}; other compilers "
            "read stablehlo"
        )
    return "trace" if dialect == "dovetail" else "stablehlo"


def _as_struct(aval: ShapedArray) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=aval.weak_type)


def _format(aval: ShapedArray, sharding: Any) -> Format:
    return Format(Layout(tuple(range(aval.ndim))), sharding)

"""A traced program: its IR after each phase, and the same compiled, callable and as a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array, ShapedArray
from dovetail.base import config, spans
from dovetail.base.errors import UnknownSizeError
from dovetail.base.late import files
from dovetail.base.locations import here
from dovetail.compiler import phases
from dovetail.placement import platforms
from dovetail.placement.devices import Device
from dovetail.placement.shardings import Place
from dovetail.programs.analysis import CompiledMemoryStats, cost_of, memory_of
from dovetail.programs.donation import check_donated, give_back, surrender, taken
from dovetail.programs.first_results import FirstResults
from dovetail.programs.source import Source, kept
from dovetail.programs.stage import Stage
from dovetail.symbolic.size import has_sizes
from dovetail.symbolic.solve import check_shapes, shapes_at
from dovetail.tracing.arguments import LeafNames, as_operand
from dovetail.tracing.check_finite import CODE, accepted
from dovetail.tracing.tracer import Operand, Tracer
from dovetail.trees.differences import where_unlike
from dovetail.trees.pytree import flatten

if TYPE_CHECKING:
    from dovetail.runtime import Executable


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

    @property
    def is_symbolic(self) -> bool:
        """Whether the arrays' types have sizes that are not known."""
        return any(has_sizes(aval.shape) for aval in self.avals)


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
      donated: the numbers of the arguments that a call uses up.
      place: where it runs, and its results are; None for the first device, which results need not
        stay on.
      traced_at: traces it again for sizes of the names in symbolic shapes.
      checks: values of which it tells, by one more result, which op makes them first.
    """

    name: str
    module: _core.Module
    signature: Signature
    names: LeafNames
    parameters: list[str]
    captured: list[Operand]
    avals: list[ShapedArray]
    out_spec: Any
    donated: tuple[int, ...] = ()
    place: Place | None = None
    traced_at: Callable[[Mapping[str, int]], Program] | None = None
    checks: tuple[str, ...] = ()

    def at(self, sizes: Mapping[str, int]) -> Program:
        """The program where the names in symbolic shapes have given sizes.

        Raises:
          ValueError: a name has no size, or the sizes break constraints.
          UnknownSizeError: it is not known what it was traced from.
        """
        shapes = [aval.shape for aval in self.signature.avals]
        if not sizes and not self.signature.is_symbolic:
            return self
        shapes_at(shapes, sizes)
        if self.traced_at is None:
            raise UnknownSizeError(
                f"work and memory are known of programs with known sizes, got: {self.name!r}, "
                f"which cannot be traced for others, {here()}; jit a function that calls it"
            )
        return self.traced_at(sizes)

    @property
    def device(self) -> Device:
        """The device that runs it."""
        return platforms.first() if self.place is None else self.place.device

    @property
    def result_dtypes(self) -> list[np.dtype]:
        """The element types of what a run gives."""
        return [*[aval.dtype for aval in self.avals], *[CODE] * bool(self.checks)]

    def after(self, phase: str) -> _core.Module:
        """A copy of the module, as it is to run in this process, after a phase."""
        if phase not in phases.NAMES:
            raise ValueError(f"phase must be one of {', '.join(phases.NAMES)}, got: {phase!r}")
        module = self.module.clone()
        module.donate_arguments(self.donated)
        if self.checks:
            module.check_finite(self.checks)
        target = self.device.platform
        phases.run(module, phase, target=target, host_functions=target == "cpu", name=self.name)
        return module


class Lowered(Stage):
    """A traced program, to be looked at or compiled.

    Example:
      >>> import dovetail as dt
      >>> lowered = dt.jit(lambda x: x * 2).lower(1.0)
      >>> lowered.out_info.shape
      ()
    """

    def compile(self) -> Compiled:
        """Compile for this machine's CPU."""
        return Compiled(self._program)

    def cost_analysis(self, **sizes: int) -> dict[str, float]:
        """The work of one run: `flops`, `transcendentals` and `bytes accessed`.

        Counted op by op, before the code generator fuses any; loops as often as they run.

        Args:
          sizes: of the names in symbolic shapes, for which the function is traced again.

        Raises:
          ValueError: such a name has no size, or one that breaks constraints.

        Example:
          >>> import dovetail as dt
          >>> x = dt.ShapeDtypeStruct((8, 8), "float32")
          >>> dt.jit(lambda x: x @ x).lower(x).cost_analysis()["flops"]
          1024.0
        """
        return cost_of(self._program.at(sizes))

    def start(self, compile: str | None) -> Compiled:
        """The program for calls of it, which are evaluated as long as it is not compiled.

        Args:
          compile: when it is, as the setting of that name; None for what the setting says.
        """
        return Compiled(self._program, FirstResults(Source(self._program), compile))


class Compiled(Stage):
    """A compiled program; call it with arrays of the types it was lowered for.

    Example:
      >>> import dovetail as dt
      >>> compiled = dt.jit(lambda x: x * 2).lower(1.0).compile()
      >>> float(compiled(3.0))
      6.0
    """

    _default_phase = "lower"

    def __init__(self, program: Program, first: FirstResults | None = None) -> None:
        super().__init__(program)
        for operand in program.captured:
            if type(operand) is Tracer:
                raise operand.leaked()
        self._weak = [aval.weak_type for aval in program.avals]
        self._unflatten = program.out_spec.unflatten
        self._is_leaf = program.out_spec.is_leaf()
        # Copied once: the user may write to a NumPy array later.
        self._captured = [kept(operand.buffer) for operand in program.captured]
        # What calls get until there is an executable, which is made at once if nothing is said.
        self._first = first or FirstResults(Source(program), "now")
        self._executable: Executable | None = None
        # The same with other checks.
        self._checking: dict[tuple[str, ...], Compiled] = {}
        # What calls in C++ use, where it is known and all that there is to be done.
        self.invocation: _core.Invocation | None = None
        if first is None:
            self._use(self._first.executable())

    def _use(self, executable: Executable) -> None:
        """Run the executable from now on."""
        if self._executable is not None:
            return
        from dovetail.programs.invocation import data_for_call, invocation  # lazy
        from dovetail.runtime import put  # lazy

        self._data_for_call = data_for_call
        self._captured = [put(data, executable.device) for data in self._captured]
        self._executable = executable
        self._first.forget()
        self.invocation = invocation(executable, self._program, self._captured)

    def run(self, leaves: Sequence[Operand]) -> Any:
        """The result on arrays of the right types, flattened."""
        checks = config.snapshot().checks
        if checks != self._program.checks:
            return self._with(checks).run(leaves)
        recorder = spans.recorder
        if recorder is None:
            return self.run_unrecorded(leaves)
        from dovetail.programs import replay  # lazy

        return replay.recorded(recorder, self, leaves)

    def _with(self, checks: tuple[str, ...]) -> Compiled:
        """The program with other checks, compiled when this one would be."""
        checking = self._checking.get(checks)
        if checking is None:
            program = self._program._replace(checks=checks)
            first = FirstResults(Source(program), self._first._mode)
            checking = self._checking[checks] = Compiled(program, first)
        return checking

    def run_unrecorded(self, leaves: Sequence[Operand]) -> Any:
        """The same, of which a trace of the profiler tells nothing."""
        donated, given = self._program.donated, leaves
        if donated:
            check_donated(leaves, donated)
            leaves = taken(leaves, donated)
        executable = self._executable
        if executable is None:
            try:
                executable = self._first.next(lambda: self.arguments(leaves))
                if not isinstance(executable, list):
                    self._use(executable)
            except BaseException:
                give_back(given, leaves, donated)
                raise
            if isinstance(executable, list):
                return self._tree(self._accepted(executable, given))
        data = [
            leaf.buffer if i in donated else self._data_for_call(leaf, executable.device)
            for i, leaf in enumerate(leaves)
        ]
        if donated:
            surrender(leaves, donated, executable.device, data)
        return self._tree(self._accepted(executable(data + self._captured), given))

    def arguments(self, leaves: Sequence[Operand]) -> list[np.ndarray]:
        """All that the program is given, on the host."""
        return [*[leaf._value() for leaf in leaves], *map(np.asarray, self._captured)]

    def _tree(self, buffers: Sequence[Any]) -> Any:
        """The results of a call as their user sees them."""
        if self._is_leaf:
            return Array(buffers[0], self._weak[0], self._program.place)
        return self._unflatten(map(self._array, buffers, self._weak))

    def _array(self, buffer: Any, weak_type: bool) -> Array:
        return Array(buffer, weak_type, self._program.place)

    def _accepted(self, results: Sequence[Any], leaves: Sequence[Operand]) -> Sequence[Any]:
        """The results without that which checks add; refused if they have unwanted values."""
        program = self._program
        if not program.checks:
            return results
        kept = [i for i in range(len(leaves)) if i not in program.donated]
        plain = program._replace(checks=())
        return accepted(
            results,
            program.checks,
            program.name,
            lambda: plain.after("simplify"),
            ((program.names.at(i), leaves[i]._value()) for i in kept),
        )

    @property
    def name(self) -> str:
        """The function's name."""
        return self._program.name

    @property
    def is_compiled(self) -> bool:
        """Whether calls run compiled code."""
        return self._executable is not None

    def source(self) -> Source:
        """What it is compiled from."""
        return Source(self._program)

    def cost_analysis(self, **sizes: int) -> dict[str, float]:
        """The work of one run, as `Lowered.cost_analysis` says it."""
        return cost_of(self._program.at(sizes))

    def memory_analysis(self, **sizes: int) -> CompiledMemoryStats:
        """The memory of arguments, results, what lies between, and code, in bytes.

        Args:
          sizes: of the names in symbolic shapes. What is told is then of a program for these sizes
            alone, which is compiled for it.

        Raises:
          ValueError: such a name has no size, or one that breaks constraints.

        Example:
          >>> import dovetail as dt
          >>> x = dt.ShapeDtypeStruct((8, 8), "float32")
          >>> stats = dt.jit(lambda x: x @ x).lower(x).compile().memory_analysis()
          >>> stats.argument_size_in_bytes, stats.output_size_in_bytes
          (256, 256)
        """
        return memory_of(Source(self._program.at(sizes)))

    def runtime_executable(self) -> Executable:
        """The `dovetail.runtime.Executable` that calls run."""
        executable = self._executable
        if executable is None:
            executable = self._first.executable()
            self._use(executable)
        return executable

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
            owners = "what was compiled", "this call"
            raise TypeError(
                "Function compiled with input pytree does not match the input pytree it was called "
                f"with, static arguments left out: `{program.name}` got "
                f"{where_unlike(program.signature.spec, spec, '(args, kwargs)', owners)} "
                f"{here()}"
            )
        leaves, others = [], []
        for i, (value, aval) in enumerate(zip(values, program.signature.avals, strict=True)):
            leaf = as_operand(value, program.names.at(i), copy=False)
            if type(leaf) is Tracer:
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
        self._check_places(leaves)
        return self.run(leaves)

    def _check_places(self, leaves: Sequence[Array]) -> None:
        """Refuse arrays that are committed to another device."""
        program = self._program
        for i, leaf in enumerate(leaves):
            if leaf.committed and leaf.device != program.device:
                raise ValueError(
                    f"{program.names.at(i)} must not be committed to another device than "
                    f"{program.device}, for which it was compiled, got: {leaf.device} "
                    f"{here()}; move it with dovetail.device_put, or lower and compile again"
                )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a module file that `dovetail.runtime.load` and IREE's own tools run.

        Its function is called `main`; it takes the arguments that are not static, those by keyword
        after the others. Arrays that the function closes over are in the file.
        """
        files.export(Lowered(self._program), path=path, targets=self._program.device.platform)

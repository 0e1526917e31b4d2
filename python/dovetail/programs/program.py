"""A traced function as a program: its module, types and trees, and what is derived from them.

The module after any phase, the instructions that evaluate it and the executable that it compiles to
are made here. An `Execution` decides which of them is made and used when.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from dovetail import _core
from dovetail.arrays.shaped_array import ShapedArray
from dovetail.base import spans
from dovetail.base.errors import UnknownSizeError
from dovetail.base.locations import describe, here
from dovetail.compiler import phases, progress
from dovetail.placement import devices, partitioning, platforms
from dovetail.placement.device_meshes import with_devices
from dovetail.placement.devices import MEMORY_KINDS, Device
from dovetail.placement.partitioning import Partition
from dovetail.placement.shardings import (
    Place,
    Sharding,
    SingleDeviceSharding,
    memory_of_results,
    place_of,
)
from dovetail.placement.type_shardings import typed
from dovetail.programs import partitions
from dovetail.programs.partitions import PartitionedExecutable
from dovetail.reference import Evaluator
from dovetail.reference.cost import Cost, cost_of
from dovetail.reference.program import Watch
from dovetail.symbolic.size import has_sizes
from dovetail.symbolic.solve import expected_shape, shapes_at, sizes_in
from dovetail.tracing.arguments import LeafNames
from dovetail.tracing.check_finite import CODE
from dovetail.tracing.trace import Operand, Tracer

if TYPE_CHECKING:
    from dovetail.compiler.forms import Compilation, Lowering
    from dovetail.placement.meshes import Mesh
    from dovetail.programs.references import Referred
    from dovetail.runtime import Executable
    from dovetail.runtime.memory import OutOfMemoryError

T = TypeVar("T")


class Signature(NamedTuple):
    """The arguments for which a program was traced.

    Attributes:
      spec: the structure of (args, kwargs), with None in place of static arguments by position.
      statics: the static arguments, by position or name.
      avals: the types of the arrays.
    """

    spec: Any
    statics: tuple[tuple[int | str, Hashable], ...]
    avals: tuple[ShapedArray, ...]

    @property
    def is_symbolic(self) -> bool:
        """Whether the types of the arrays have symbolic sizes."""
        return any(has_sizes(aval.shape) for aval in self.avals)


class _Derived(Generic[T]):
    """A property of a program that is computed on demand and cached until `forget`.

    Unlike `functools.cached_property`, it takes no lock, which would be shared by all programs: two
    threads that ask at the same time may both compute it.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, program: Program, owner: type | None = None) -> T:
        # Found in the instance before this descriptor from now on.
        value = program.__dict__[self._name] = self._compute(program)
        return value


@dataclass(frozen=True, eq=False)
class Program:
    """A traced function as a module with the function `main`.

    Attributes:
      name: the Python function's name.
      module: the compiler's module after the phase `trace`.
      signature: the arguments for which it was traced.
      names: the names of the arguments' leaves in messages.
      parameters: the names of the positional arguments.
      captured: the arrays that the function closes over, its last arguments.
      avals: the types of the results.
      out_spec: their structure.
      donated: the positions of the arguments that a call consumes.
      place: its device, and that of its results; None for the first device, to which results are
        not committed.
      traced_at: traces the function again for given sizes of the names in symbolic shapes.
      checks: values for which an additional result identifies the op that first produces them.
      shardings: those of its arguments, captured arrays included; None for one that is on no
        particular devices.
      refs: the references that it reads and writes, if there are any.
      stated_results: the shardings that the first results are to have; None for those that follow.
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
    shardings: tuple[Sharding | None, ...] = ()
    refs: Referred | None = None
    stated_results: tuple[Sharding | None, ...] = ()

    @property
    def device(self) -> Device:
        """The device that runs it."""
        return self.devices[0]

    @property
    def devices(self) -> tuple[Device, ...]:
        """The devices that its arguments may be committed to; the first one runs it."""
        return (
            (platforms.first(),) if self.place is None else self.place.sharding._device_assignment
        )

    @property
    def input_avals(self) -> list[ShapedArray]:
        """The types of all arguments of a run: the function's arguments, then captured arrays."""
        return [*self.signature.avals, *(operand.aval for operand in self.captured)]

    @property
    def result_dtypes(self) -> list[np.dtype]:
        """The element types of all results of a run."""
        return [*[aval.dtype for aval in self.avals], *[CODE] * bool(self.checks)]

    def check_leaks(self) -> None:
        """Check that everything that it closes over is known outside of the trace.

        Raises:
          LeakedTracerError: it closes over a value of another function.
        """
        for operand in self.captured:
            if type(operand) is Tracer:
                raise operand.leaked()

    # Specialization -------------------------------------------------------------------------------

    def at(self, sizes: Mapping[str, int]) -> Program:
        """The program for given sizes of the names in symbolic shapes.

        Raises:
          ValueError: a name has no size, or the sizes break constraints.
          UnknownSizeError: the traced function is unknown.
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

    def at_shapes(self, shapes: Sequence[tuple[int, ...]]) -> Program:
        """The program for arguments of known shapes.

        Raises:
          UnknownSizeError: the traced function is unknown.
        """
        if not self.signature.is_symbolic:
            return self
        symbolic = [aval.shape for aval in self.signature.avals]
        return self.at(sizes_in(symbolic, shapes[: len(symbolic)]))

    # Phases ---------------------------------------------------------------------------------------

    @property
    def mesh(self) -> Mesh | None:
        """The mesh over whose devices it is partitioned; None if it runs on one device."""
        return None if self.checks else partitioning.mesh_of(self.place)

    def after(self, phase: str, is_partitioned: bool = True) -> _core.Module:
        """A copy of the module after a phase, as it would run in this process.

        Args:
          phase: the phase.
          is_partitioned: whether, if it runs on several devices, it is to be the program of one of
            them rather than its meaning on whole arrays.
        """
        if phase not in phases.NAMES:
            raise ValueError(f"phase must be one of {', '.join(phases.NAMES)}, got: {phase!r}")
        module, mesh = self.module.clone(), self.mesh if is_partitioned else None
        module.donate_arguments(self.donated)
        if mesh is not None:
            partitioning.request(module, mesh, self.shardings)
        if self.checks:
            module.check_finite(self.checks)
        target = self.device.platform
        with partitioning.over(mesh):
            phases.run(module, phase, target=target, host_functions=target == "cpu", name=self.name)
        return module

    @_Derived
    def prepared(self) -> _core.Module:
        """The module after the phase from which it is evaluated and, on one device, lowered."""
        return self.after("check", is_partitioned=False)

    @property
    def is_multi_process(self) -> bool:
        """Whether some of its devices belong to other processes."""
        return self.place is not None and not self.place.sharding.is_fully_addressable

    @property
    def has_terms(self) -> bool:
        """Whether several devices hold terms of sums that they leave to do, which an evaluation on
        whole arrays would not tell apart.
        """
        if self.place is None or not self.place.is_spread:
            return False
        stated = (aval.sharding for aval in [*self.input_avals, *self.avals] if aval.explicit)
        return any(sharding.has_terms for sharding in stated) or self.module.has_terms()

    @property
    def partition(self) -> Partition | None:
        """The program of one of several devices; None if it runs on one.

        Raises:
          NotImplementedError: it cannot be partitioned, and no process has all of its data, or
            devices hold terms of sums.
        """
        found = None if self.mesh is None else self._partition
        if found is None and (self.is_multi_process or self.has_terms):
            what = (
                "on devices of several processes" if self.is_multi_process else "of terms of sums"
            )
            raise NotImplementedError(
                f"`{self.name}`: a program {what} must be partitioned, which programs with "
                "symbolic shapes, several meshes, or debug_nans are not, got: a program on "
                f"{self.place}"
            )
        return found

    @_Derived
    def _partition(self) -> Partition | None:
        assert self.mesh is not None
        return partitioning.partition(self.after("check"), self.mesh)

    @property
    def places(self) -> list[Place | None]:
        """Where each result is."""
        places: list[Place | None] = [self._place_of(aval) for aval in self.avals]
        if self.partition is not None:
            places = [
                place_of(sharding if aval.explicit is None else typed(sharding, aval.sharding))
                for sharding, aval in zip(self.partition.results, self.avals, strict=True)
            ]
        for i, kind in enumerate(self._memories):
            place = places[i]
            if kind is not None and place is not None and place.sharding.memory_kind != kind:
                places[i] = place_of(place.sharding.with_memory_kind(kind))
        return places

    def _place_of(self, aval: ShapedArray) -> Place | None:
        """Where a result is of a program that is not partitioned: as its type states, which may be
        over another mesh.
        """
        stated = aval.explicit
        if stated is None or stated.mesh.size != len(self.devices) or stated.mesh.size == 1:
            return self.place
        return place_of(stated.update(mesh=with_devices(stated.mesh, self.devices)))

    @property
    def _memories(self) -> Sequence[str | None]:
        """The memory of each of the first results: as stated, or else of what it is computed of;
        None for the memory of all arrays.
        """
        common = MEMORY_KINDS[0]
        has = [None if s is None else memory_of_results(s) for s in self.shardings]
        stated = [None if s is None else s.memory_kind for s in self.stated_results]
        if {*has} <= {None, common} and not self.module.has_memories(common):
            return stated
        found = self.after("simplify", is_partitioned=False).memories(has, common)
        stated += [None] * (len(found) - len(stated))
        return [mine or other or common for mine, other in zip(stated, found, strict=True)]

    @property
    def argument_shardings(self) -> list[Sharding]:
        """How each argument is sharded, captured arrays left out."""
        stated = self.shardings[: len(self.signature.avals)]
        if self.partition is not None:
            pairs = zip(stated, self.partition.arguments, strict=False)
            return [has or chosen for has, chosen in pairs]
        where = SingleDeviceSharding(self.device) if self.place is None else self.place.sharding
        return [has or where for has in stated]

    @property
    def result_shardings(self) -> list[Sharding]:
        """How each result is sharded."""
        where = SingleDeviceSharding(self.device)
        return [where if place is None else place.sharding for place in self.places]

    def forget(self) -> None:
        """Drop derived and cached properties, which are recomputed on demand."""
        for name in _DERIVED:
            # Nothing is freed by dropping that there is none.
            if self.__dict__.get(name) is not None:
                del self.__dict__[name]

    # Evaluation -----------------------------------------------------------------------------------

    @_Derived
    def instructions(self) -> _core.FlatBody:
        """The prepared module, decoded for evaluation."""
        return self.prepared.program("main")

    @_Derived
    def evaluation_cost(self) -> Cost:
        """The time that an evaluation takes; with symbolic sizes, it may be much longer."""
        shapes = [expected_shape(aval.shape) for aval in self.input_avals]
        cost = cost_of(self.instructions, shapes)
        return cost._replace(is_bounded=False) if self.signature.is_symbolic else cost

    @_Derived
    def evaluator(self) -> Evaluator:
        """The reference evaluator of the instructions."""
        return Evaluator(self.instructions)

    def evaluate(
        self, arrays: Sequence[np.ndarray], watch: Watch | None = None
    ) -> list[np.ndarray]:
        """The results by the reference evaluator; none of them shares memory with an argument.

        Raises:
          OpMemoryError: there is no memory for the result of an op.
        """
        results = self.evaluator(arrays, spans.watched(watch))
        owners = {id(_owner(array)) for array in arrays}
        return [np.array(x) if id(_owner(x)) in owners else x for x in results]

    # Compilation ----------------------------------------------------------------------------------

    def lowering(self) -> Lowering:
        """The program on its way to the code generator."""
        from dovetail.compiler.forms import Lowering  # lazy

        platform = self.device.platform
        if self.partition is not None:
            prepared = self.partition.module.clone()
            # Each device checks and makes views in every call, otherwise.
            prepared.pass_memory()
        else:
            # Lowered once, so that a module that no evaluation needs is not cached.
            prepared = self.__dict__.get("prepared") or self.after("check", is_partitioned=False)
        return Lowering(
            prepared, "check", platform=platform, host_functions=platform == "cpu", name=self.name
        )

    def compilation(self) -> Compilation:
        """The compiled program, from the cache on disk if it is there.

        Raises:
          CompileError: it cannot be compiled.
        """
        return self._compilation(self.lowering())

    def _compilation(self, lowering: Lowering) -> Compilation:
        from dovetail.compiler.forms import compilation  # lazy

        return compilation(lowering, self.device.platform)

    @property
    def runtime_device(self) -> str:
        """The name of the runtime's device that runs it."""
        return self._runtime_device(self.lowering())

    def _runtime_device(self, lowering: Lowering) -> str:
        is_cpu = self.device.platform == "cpu"
        return devices.runtime_name(
            self.device, is_small=is_cpu and lowering.module.saved_by_threads() <= 0
        )

    def compile(self) -> Executable | PartitionedExecutable:
        """The executable of the compiled program.

        Raises:
          CompileError: it cannot be compiled.
        """
        from dovetail.compiler import dump  # lazy
        from dovetail.runtime import Executable, HostFunctions, SpmdExecutable, get_device  # lazy
        from dovetail.runtime.threads_when_long import ThreadsWhenLong  # lazy

        folder = dump.begin(self)
        lowering = self.lowering()
        compiled = self._compilation(lowering)
        progress.enter(self.name, "loading")
        functions = compiled.host_functions
        foreign_lines = [describe(place) for place in compiled.module.foreign_places()]
        if folder is not None:
            dump.finish(folder, self, compiled)
        if self.partition is not None:
            assert self.mesh is not None
            places = compiled.module.collective_places()
            spmd = SpmdExecutable(
                compiled.vmfb,
                "main",
                partitions.participants_of(self.mesh),
                lines=[describe(place) for place in places],
                meets=bool(places),
                turns=_core.run_by_turns,
                identity=partitions.identity(self.name, self.signature.avals, self.partition),
                host_functions=functions,
                owner=self.module,
                output_dtypes=self.result_dtypes,
                output_shapes=partitions.result_parts(self.partition),
                foreign_lines=foreign_lines,
            )
            return PartitionedExecutable(spmd, self.partition, self.avals, self.donated)

        def load(device: str) -> Executable:
            # The traced module has the user's locations.
            host = HostFunctions(functions, get_device(device), self.module) if functions else None
            return Executable(
                compiled.vmfb,
                "main",
                device,
                output_dtypes=self.result_dtypes,
                host_functions=host,
                out_of_memory=functools.partial(_out_of_memory, self),
                foreign_lines=foreign_lines,
            )

        executable = load(self._runtime_device(lowering))
        is_inline = executable.device.on_host and not executable.device.has_threads
        is_static = not any(has_sizes(aval.shape) for aval in [*self.input_avals, *self.avals])
        if is_inline and not is_static and not functions and not foreign_lines:
            threads = devices.runtime_name(self.device, is_small=False)
            executable.invoke = ThreadsWhenLong(executable, lambda: load(threads))
        return executable


_DERIVED = [name for name, value in vars(Program).items() if isinstance(value, _Derived)]


def _out_of_memory(program: Program, shapes: Sequence[tuple[int, ...]]) -> OutOfMemoryError:
    from dovetail.programs.out_of_memory import of_call  # lazy

    return of_call(program, shapes)


def _owner(array: np.ndarray) -> Any:
    """The array whose memory an array is a view of."""
    while type(array.base) is np.ndarray:
        array = array.base
    return array

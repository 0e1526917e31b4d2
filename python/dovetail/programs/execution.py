"""The execution of a program: evaluated until it is compiled, then run by its executable.

The setting `compile` determines how calls are answered. By default, a program that is quick to
evaluate is evaluated until a compiler in the background is done; others wait for the compiler.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail import _core
from dovetail.arrays.array import Array
from dovetail.arrays.memory_limits import of_evaluation
from dovetail.arrays.shards import Shards
from dovetail.base import background, config, monitoring, spans
from dovetail.compiler import progress
from dovetail.placement.devices import is_host
from dovetail.programs import log
from dovetail.programs.donation import check_donated, give_back, surrender, take
from dovetail.programs.partitions import PartitionedExecutable, placed
from dovetail.programs.program import Program
from dovetail.reference.program import OpMemoryError, Watch
from dovetail.tracing.check_finite import accepted
from dovetail.tracing.trace import Operand

if TYPE_CHECKING:
    from dovetail.placement.shardings import Place
    from dovetail.reference.cost import Cost
    from dovetail.runtime import Executable

# A program that takes longer to evaluate waits for the compiler, which takes about this long for
# the smallest one.
_CHEAP_SECONDS = 0.25
# An evaluation that takes longer is abandoned if the compiler finishes first.
_WATCHED_SECONDS = 0.01
# One that takes longer, or an unknown time, starts after the compiler has been started.
_SHORT_SECONDS = 0.002


class _IsCompiled(Exception):
    """An evaluation need not continue."""


class Execution:
    """Answers calls of a program, which is traced, then evaluated, then compiled.

    At first there is only the traced program. Calls evaluate it while a job in the background
    compiles it; the first call after that switches to the executable and drops everything that only
    evaluation needs. If the compiler fails, calls continue to evaluate, and one that requires
    compiled code makes the compiler try again. `invocation` answers calls in C++, once there is
    one.

    Args:
      program: the program.
      mode: when it is compiled, as for the setting `compile`; None for the setting at each call.

    Raises:
      LeakedTracerError: the program closes over a value of a function that is not being traced.
    """

    def __init__(self, program: Program, mode: str | None) -> None:
        program.check_leaks()
        self.program = program
        self._mode = mode
        self._weak = [aval.weak_type for aval in program.avals]
        self._unflatten = program.out_spec.unflatten
        self._is_leaf = program.out_spec.is_leaf()
        # Of each result, once there is one.
        self._places: list[Place | None] | None = None
        # Copied once: the user may write to a NumPy array later.
        self._captured = [_own(operand._data) for operand in program.captured]
        self._job = self._new_job()
        self._failure_is_known = False
        self._executable: Executable | PartitionedExecutable | None = None
        # The same program with other checks.
        self._checking: dict[tuple[str, ...], Execution] = {}
        # For calls in C++, once the program is compiled.
        self.invocation: _core.Invocation | Callable[[list[Any]], Any] | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether calls run compiled code."""
        return self._executable is not None

    # Calls ----------------------------------------------------------------------------------------

    def run(self, leaves: Sequence[Operand]) -> Any:
        """The result, in its tree, for arrays of the program's types."""
        checks = config.snapshot().checks
        if checks != self.program.checks:
            return self._with(checks).run(leaves)
        recorder = spans.recorder
        if recorder is None:
            return self.run_unrecorded(leaves)
        from dovetail.programs import dispatch_times  # lazy

        return dispatch_times.recorded(recorder, self, leaves)

    def _with(self, checks: tuple[str, ...]) -> Execution:
        """The execution of the program with other checks, compiled when this one would be."""
        checking = self._checking.get(checks)
        if checking is None:
            program = replace(self.program, checks=checks)
            checking = self._checking[checks] = Execution(program, self._mode)
        return checking

    def run_unrecorded(self, leaves: Sequence[Operand]) -> Any:
        """Like `run`, without a span for the profiler."""
        donated, given = self.program.donated, leaves
        if donated:
            check_donated(leaves, donated)
            leaves = take(leaves, donated)
        executable = self._executable
        if executable is None:
            try:
                answer = self._executable_or_results(leaves)
            except BaseException:
                give_back(given, leaves, donated)
                raise
            if isinstance(answer, list):
                return self._tree(self._accepted(answer, given))
            executable = answer
        if isinstance(executable, PartitionedExecutable):
            results = executable([leaf._data for leaf in leaves] + self._captured)
            return self._tree(self._accepted(results, given))
        data = [
            leaf.buffer if i in donated else self._data_for_call(leaf, executable.device)
            for i, leaf in enumerate(leaves)
        ]
        if donated:
            surrender(leaves, donated, executable.device, data)
        return self._tree(self._accepted(executable(data + self._captured), given))

    def arguments(self, leaves: Sequence[Operand]) -> list[np.ndarray]:
        """All arguments of a run of the program, on the host."""
        return [*[leaf._value() for leaf in leaves], *map(np.asarray, self._captured)]

    def _tree(self, buffers: Sequence[Any]) -> Any:
        """The results of a call as the user sees them."""
        places = self._places
        if places is None:
            places = self._places = self.program.places
        if self._is_leaf:
            return _array(buffers[0], self._weak[0], places[0])
        return self._unflatten(map(_array, buffers, self._weak, places))

    def _accepted(self, results: Sequence[Any], leaves: Sequence[Operand]) -> Sequence[Any]:
        """The results without that of the checks; an error if they have unwanted values."""
        program = self.program
        if not program.checks:
            return results
        kept = [i for i in range(len(leaves)) if i not in program.donated]
        return accepted(
            results,
            program.checks,
            program.name,
            lambda: replace(program, checks=()).after("shard"),
            ((program.names.at(i), leaves[i]._value()) for i in kept),
        )

    # First results --------------------------------------------------------------------------------

    def _executable_or_results(
        self, leaves: Sequence[Operand]
    ) -> Executable | PartitionedExecutable | list[np.ndarray]:
        """The executable, if calls are to use it from now on, or the results of one evaluation."""
        mode = self._mode or config.compile.value
        if mode == "never" and not self.program.has_terms:
            return self._evaluated(leaves)
        if mode == "now" or not self._may_be_evaluated:
            return self.executable()
        program, job = self.program, self._job
        cost = program.evaluation_cost
        # A loop of unknown length can be abandoned, unless others have observed part of it.
        can_be_ended = cost.is_bounded or not cost.has_effects
        if not job.is_done and not (cost.seconds < _CHEAP_SECONDS and can_be_ended):
            self._wait()
        if job.is_done:
            self._tell()
            if job.error is None:
                return self._use(job.result())
            self._warn(job.error)
            return self._evaluated(leaves)
        if cost.seconds > _SHORT_SECONDS or not cost.is_bounded:
            # A long loop ends when its program is compiled; others that are queued have results.
            job.start(is_next=not cost.is_bounded)
        try:
            return program.evaluate(self.arguments(leaves), self._watch(cost))
        except _IsCompiled:
            return self._use(job.result())
        except OpMemoryError as error:
            if cost.has_effects:
                raise of_evaluation(program.name, error) from error
            # The compiled program, which computes the results piece by piece, needs less memory.
            return self.executable()
        finally:
            job.start()

    @property
    def _may_be_evaluated(self) -> bool:
        """Whether an evaluation can stand in: not if results are to be on another device or in
        other processes, if devices hold terms of sums, or if the compiler, in this process, could
        not be ended with it.
        """
        program = self.program
        is_here = is_host(program.device) and not program.is_multi_process
        return is_here and not program.has_terms and not config.compile_in_process.value

    def _evaluated(self, leaves: Sequence[Operand]) -> list[np.ndarray]:
        """The results, even if evaluation needs memory that a compiled program would not."""
        try:
            return self.program.evaluate(self.arguments(leaves))
        except OpMemoryError as error:
            raise of_evaluation(self.program.name, error) from error

    def _watch(self, cost: Cost) -> Watch | None:
        """Ends an evaluation when the program is compiled, if that helps."""
        job = self._job
        if cost.has_effects or (cost.is_bounded and cost.seconds < _WATCHED_SECONDS):
            return None

        def look(name: str, answer: Any, place: Callable[[], Any]) -> None:
            if job.is_done and job.error is None:
                raise _IsCompiled

        return look

    # Compilation ----------------------------------------------------------------------------------

    def executable(self) -> Executable | PartitionedExecutable:
        """The executable, after waiting for it; calls run it from now on.

        Raises:
          CompileError: the program cannot be compiled.
        """
        if self._executable is not None:
            return self._executable
        self._wait()
        self._tell()
        try:
            executable = self._job.result()
        except Exception:
            # The next call may have other settings.
            self._job = self._new_job()
            raise
        return self._use(executable)

    def compile_in_background(self) -> bool:
        """Whether calls run compiled code; if not yet, a compiler works in the background.

        Raises:
          CompileError: the program cannot be compiled.
        """
        if self._executable is None:
            if not self._job.is_done:
                self._job.start()
                return False
            self._use(self._job.result())
        return True

    def _new_job(self) -> background.Job[Executable | PartitionedExecutable]:
        # Without a reference to the execution: nobody compiles for one that no longer exists.
        return background.Job(functools.partial(_compiled, self.program))

    def _wait(self) -> None:
        """Wait for the compiler."""
        if not self._job.is_done:
            with progress.bar(self.program.name):
                self._job.finish()

    def _use(
        self, executable: Executable | PartitionedExecutable
    ) -> Executable | PartitionedExecutable:
        """Run the executable from now on."""
        if self._executable is not None:
            return self._executable
        if isinstance(executable, PartitionedExecutable):
            self._executable = executable
            self._captured = executable.placed(self._captured)
            self._places = self.program.places
            from dovetail.programs import partitioned_calls  # lazy

            self.invocation = partitioned_calls.invocation(executable, self.program, self._captured)
            self.program.forget()
            return executable
        from dovetail.programs.invocation import data_for_call, invocation  # lazy
        from dovetail.runtime import put  # lazy

        self._data_for_call = data_for_call
        self._captured = [put(_gathered(data), executable.device) for data in self._captured]
        self._executable = executable
        self.program.forget()
        self.invocation = invocation(executable, self.program, self._captured)
        return executable

    def _tell(self) -> None:
        """Show the warnings that came up in the background."""
        notices = self._job.notices
        while notices:
            background.warn(notices.pop(0))

    def _warn(self, error: Exception) -> None:
        """Report once that the program is not compiled."""
        if self._failure_is_known:
            return
        self._failure_is_known = True
        background.warn(
            f"`{self.program.name}` could not be compiled and is evaluated op by op: {error}\n"
            "Set compile to 'now' to make this an error, or to 'never' for no attempt."
        )


def _compiled(program: Program) -> Executable | PartitionedExecutable:
    with (
        log.timed("compiling", program.name, program.signature.avals),
        spans.step("compile", monitoring.COMPILE_EVENT, program.name),
    ):
        try:
            return program.compile()
        finally:
            progress.leave(program.name)


def _array(data: Any, weak_type: bool, place: Place | None) -> Array:
    """A result; one of an evaluation is moved to where it is to be."""
    return Array(placed(data, place) if type(data) is np.ndarray else data, weak_type, place)


def _gathered(data: Any) -> Any:
    """The elements as one array."""
    return np.asarray(data) if type(data) is Shards else data


def _own(data: Any) -> Any:
    """The data of an array, unaffected by later writes of the user to a NumPy array."""
    return np.array(data) if type(data) is np.ndarray else data

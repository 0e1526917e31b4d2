"""The first results of a program: by evaluation while it is compiled, or once it is compiled.

The setting `compile` says which. By default, what is quick to evaluate is evaluated until a
compiler in the background is done; what is not waits for it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dovetail.arrays.memory_limits import of_evaluation
from dovetail.base import background, config, monitoring, spans
from dovetail.compiler import progress
from dovetail.programs import log
from dovetail.reference.program import OpMemoryError

if TYPE_CHECKING:
    from dovetail.programs.source import Source
    from dovetail.reference.cost import Cost
    from dovetail.runtime import Executable

# A program that takes longer to evaluate waits for the compiler, which takes about this long for
# the smallest one.
_CHEAP_SECONDS = 0.25
# An evaluation that takes longer is given up when the compiler is done first.
_WATCHED_SECONDS = 0.01
# One that takes longer, or nobody knows how long, begins after the compiler has been asked.
_SHORT_SECONDS = 0.002


class _IsCompiled(Exception):
    """An evaluation need not go on."""


class FirstResults:
    """Gives the results of a program until its executable is ready.

    Args:
      source: the program.
      mode: when it is compiled; None for what the setting says at each call.
    """

    def __init__(self, source: Source, mode: str | None) -> None:
        self._source = source
        self._mode = mode
        self._job = self._new_job()
        self._failure_is_known = False

    @functools.cached_property
    def _cost(self) -> Cost:
        return self._source.cost()

    def executable(self) -> Executable:
        """The executable, waited for.

        Raises:
          CompileError: the program cannot be compiled.
        """
        if not self._job.is_done:
            with progress.note(f"compiling `{self._source.name}`"):
                self._job.finish()
        self._tell()
        try:
            return self._job.result()
        except Exception:
            # The next call may have other settings.
            self._job = self._new_job()
            raise

    def next(self, arrays: Callable[[], Sequence[np.ndarray]]) -> Executable | list[np.ndarray]:
        """The executable, if calls are to use it from now on, or the results of one call.

        Args:
          arrays: gives the arguments of the call.
        """
        mode = self._mode or config.compile.value
        if mode == "never":
            return self._evaluated(arrays())
        if mode == "now" or not self._source.may_be_evaluated:
            return self.executable()
        job = self._job
        if not job.is_done and not self._is_cheap():
            with progress.note(f"compiling `{self._source.name}`"):
                job.finish()
        if job.is_done:
            self._tell()
            if job.error is None:
                return job.result()
            self._warn(job.error)
            return self._evaluated(arrays())
        if self._cost.seconds > _SHORT_SECONDS or not self._cost.is_bounded:
            job.start()
        try:
            return self._source.evaluate(arrays(), self._watch())
        except _IsCompiled:
            return job.result()
        except OpMemoryError as error:
            if self._cost.has_effects:
                raise _out_of_memory(self._source.name, error) from error
            # What the compiled program computes piece by piece needs less.
            return self.executable()
        finally:
            job.start()

    def _evaluated(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The results, though memory may lack that a compiled program would not need."""
        try:
            return self._source.evaluate(arrays)
        except OpMemoryError as error:
            raise _out_of_memory(self._source.name, error) from error

    def _new_job(self) -> background.Job[Executable]:
        return background.Job(functools.partial(_compile, self._source))

    def forget(self) -> None:
        """Let go of what only evaluations need."""
        self._source.forget()

    def _is_cheap(self) -> bool:
        """Whether to evaluate rather than wait."""
        cost = self._cost
        # A loop of unknown length can be given up, unless others have seen some of it.
        return cost.seconds < _CHEAP_SECONDS and (cost.is_bounded or not cost.has_effects)

    def _watch(self) -> Any:
        """What gives an evaluation up when the program is compiled, where that is of use."""
        cost, job = self._cost, self._job
        if cost.has_effects or (cost.is_bounded and cost.seconds < _WATCHED_SECONDS):
            return None

        def look(name: str, answer: Any, place: Callable[[], Any]) -> None:
            if job.is_done and job.error is None:
                raise _IsCompiled

        return look

    def _tell(self) -> None:
        """Give the warnings that came up in the background."""
        notices = self._job.notices
        while notices:
            background.warn(notices.pop(0))

    def _warn(self, error: Exception) -> None:
        """Say once that the program is not compiled."""
        if self._failure_is_known:
            return
        self._failure_is_known = True
        background.warn(
            f"`{self._source.name}` could not be compiled and is evaluated op by op: {error}\n"
            "Set compile to 'now' to make this an error, or to 'never' for no attempt."
        )


def _out_of_memory(name: str, error: OpMemoryError) -> MemoryError:
    return of_evaluation(name, error)


def _compile(source: Source) -> Executable:
    with (
        log.timed("compiling", source.name, source.avals),
        spans.step("compile", monitoring.COMPILE_EVENT, source.name),
    ):
        return source.compile()

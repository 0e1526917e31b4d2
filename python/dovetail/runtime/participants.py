"""Runs one program on several devices at a time, each on its own thread."""

from __future__ import annotations

import contextlib
import math
import os
import threading
import weakref
from collections.abc import Callable, Sequence
from time import perf_counter, thread_time
from typing import Any, TypeVar

import numpy as np
from iree.runtime import VmModule

from .buffer import Buffer, put
from .communicator import TIMEOUT, CollectiveError, Communicator, Lines, Turns
from .devices import Device, get_device
from .executable import Call, Executable, LoadedModule, module_of
from .host_functions import HostFunction, HostFunctions
from .transports import Identity, Transport

T = TypeVar("T")

_NO_LINES = Lines()
# Programs that compute longer, in seconds on all devices together, run on threads without a trial.
_SHORT = 5e-3
_CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Crew:
    """Threads that take part in one run at a time; unusable once one has failed."""

    def __init__(
        self,
        numbers: Sequence[int],
        processes: Sequence[int] | None,
        timeout: float,
        transport: Transport | None,
    ) -> None:
        size = self._size = len(numbers)
        self._numbers = numbers
        self._communicator = Communicator(processes or size, timeout, transport)
        self._error: BaseException | None = None
        # In the last run.
        self.waits = 0
        self._function: Callable[[int], Any] | None = None
        self._results: list[Any] = []
        # Held locks: releasing one lets another thread continue.
        self._starts = [_taken() for _ in range(size)]
        self._count = len(processes or numbers)
        names = (f"participant {number} of {self._count}" for number in numbers)
        self._threads = [
            threading.Thread(target=self._work, args=(number,), name=name, daemon=True)
            for number, name in enumerate(names)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, function: Callable[[int], T], lines: Lines) -> list[T]:
        """The function's results on each participant."""
        self._function, self._results = function, [None] * self._size
        waited = self._communicator.waited
        self._communicator.start(lines)
        self._starts[0].release()
        self._communicator.finish()
        self.waits = self._communicator.waited - waited
        results = self._results
        self._function, self._results = None, []
        if self._error is not None:
            raise self._error
        if failure := self._communicator.failure:
            raise CollectiveError(failure)
        return results

    def _work(self, number: int) -> None:
        start, communicator = self._starts[number], self._communicator
        communicator.enter(self._numbers[number])
        while True:
            start.acquire()
            function = self._function
            if function is None:
                return
            try:
                # One after the other: if all began at once, they would wait for Python's lock, and
                # be woken for it again and again.
                if number + 1 < self._size:
                    self._starts[number + 1].release()
                self._results[number] = function(number)
            except BaseException as error:
                # An error of the collective itself comes from another participant, or has been
                # reported already.
                who = self._numbers[number]
                if communicator.fail(f"participant {who} failed: {error}"):
                    error.add_note(f"on participant {who} of {self._count}")
                    self._error = error
            del function
            communicator.leave()

    @property
    def received_bytes(self) -> int:
        """What participants got from each other's memory, in all runs."""
        return self._communicator.received_bytes

    def stop(self) -> None:
        """End the threads, and a run."""
        self._communicator.fail("the run was interrupted")
        self._function = None
        for start in self._starts:
            if start.locked():
                start.release()
        for thread in self._threads:
            thread.join()


def _taken() -> threading.Lock:
    lock = threading.Lock()
    lock.acquire()
    return lock


def _stop(crews: list[_Crew]) -> None:
    while crews:
        crews.pop().stop()


class Participants:
    """Devices of the host that run programs together.

    Several runs may take place at the same time: each has its own threads.

    Args:
      count: the number of devices in this process.
      timeout: how long a participant waits for the others in a collective, in seconds. Participants
        that cannot arrive any more are not waited for.
      transport: connects them with those of other processes. Runs then take place one after the
        other, in the same order everywhere, and none after one that failed.
      processes: the process of each participant of all; by default each process has as many, in
        order.
      turn: a lock that is held during a run; by default one of these participants' own.

    Attributes:
      devices: the devices of this process, in the order of their numbers.
      global_numbers: their numbers among those of all processes.
      numbers: the same, as buffers.
      waits: how often participants waited for others in the last run that ended well.

    Example:
      >>> Participants(3).run(lambda number: 10 * number)
      [0, 10, 20]
    """

    def __init__(
        self,
        count: int,
        timeout: float = TIMEOUT,
        transport: Transport | None = None,
        *,
        processes: Sequence[int] | None = None,
        turn: Any = None,
    ) -> None:
        numbers: Sequence[int] = range(count)
        self._others: list[int] = []
        if transport is not None:
            processes = processes or [n // count for n in range(count * transport.processes)]
            numbers = [n for n, process in enumerate(processes) if process == transport.process]
            self._others = sorted({*processes} - {transport.process})
            if len(numbers) != count:
                raise ValueError(
                    f"Participants: count must be the number of this process's, {len(numbers)}, "
                    f"got: {count}"
                )
        self.count = count
        self.timeout = timeout
        self.transport = transport
        self.processes = processes
        self.devices = [get_device(f"local-sync:{number}") for number in range(count)]
        self.global_numbers = numbers
        self.numbers = [
            put(np.array(number, np.int32), device)
            for number, device in zip(numbers, self.devices, strict=True)
        ]
        shared = threading.Lock() if turn is None else turn
        self._turn = contextlib.nullcontext() if transport is None else shared
        self.waits = 0
        self._idle: list[_Crew] = []
        # Of runs on one thread.
        self._idle_communicators: list[Communicator] = []
        self._end = weakref.finalize(self, _stop, self._idle)
        _all.add(self)

    def __repr__(self) -> str:
        return f"Participants({self.count})"

    def run(
        self,
        function: Callable[[int], T],
        lines: Lines = _NO_LINES,
        identity: Identity | None = None,
    ) -> list[T]:
        """Call a function for each participant, at the same time.

        Args:
          function: takes the participant's number in this process. The programs that it calls
            take part in collectives with those of the other calls.
          lines: the lines of the program's collectives, for messages.
          identity: what is run, which other processes must run, too; None if that is not checked.

        Returns:
          The results, in the order of the participants.

        Raises:
          CollectiveError: the participants did not meet in a collective, or another process runs
            something else, or has ended.
          Exception: the first exception that the function raised; the other participants did not
            get beyond their next collective.
        """
        idle = self._idle
        with self._turn:
            if self.transport is not None and identity is not None:
                try:
                    self.transport.begin(self._others, identity)
                except RuntimeError as error:
                    raise CollectiveError(f"{identity.text}: {error}") from error
            crew = idle.pop() if idle else self._new_crew()
            try:
                results = crew.run(function, lines)
            except BaseException as error:
                if self.transport is not None:
                    # The others do not wait for messages any more.
                    self.transport.close(f"a run failed: {error}")
                crew.stop()
                raise
            self.waits = crew.waits
            idle.append(crew)
        return results

    def run_by_turns(
        self, calls: list[tuple[Any, ...]], turns: Turns, lines: Lines = _NO_LINES
    ) -> tuple[int, BaseException] | None:
        """A run on the calling thread, where the next participant goes on as soon as one waits.

        Args:
          calls: for each participant, a function of C and its arguments.
          turns: calls them.
          lines: as for `run`.

        Returns:
          The number of the first participant that failed, and its error; None if none did.

        Raises:
          CollectiveError: the participants did not meet in a collective.
        """
        idle = self._idle_communicators
        communicator = idle.pop() if idle else Communicator(self.count, self.timeout)
        waited = communicator.waited
        failed = communicator.run_by_turns(lines, calls, turns)
        if failed is None:
            if failure := communicator.failure:
                raise CollectiveError(failure)
            self.waits = communicator.waited - waited
            idle.append(communicator)
        return failed

    @property
    def received_bytes(self) -> int:
        """What participants of this process got from each other's memory in collectives, in bytes:
        in all runs that have ended well.
        """
        return sum(each.received_bytes for each in (*self._idle, *self._idle_communicators))

    def _new_crew(self) -> _Crew:
        return _Crew(self.global_numbers, self.processes, self.timeout, self.transport)


_all: weakref.WeakSet[Participants] = weakref.WeakSet()


def _after_fork() -> None:
    # The threads belong to another process.
    for participants in _all:
        participants._idle.clear()
        participants._idle_communicators.clear()


os.register_at_fork(after_in_child=_after_fork)


class Choice:
    """Which of two ways to run a program takes less time, as measured: what threads cost depends on
    the machine, on its load, and on how often they wait for each other.

    Example:
      >>> choice = Choice()
      >>> for _ in range(20):
      ...     is_apart = choice.next()
      ...     choice.took(is_apart, 2.0 if is_apart else 1.0)
      >>> choice.next()
      False
    """

    # How often each is tried first, and after how many runs the slower one is tried again.
    _TRIALS, _AGAIN = 3, 128

    def __init__(self) -> None:
        self._least = [math.inf, math.inf]
        self._tries = [0, 0]

    def next(self) -> bool:
        """The way to take in the next run."""
        tries = self._tries
        if min(tries) < self._TRIALS:
            return tries[True] < tries[False]
        is_faster = self._least[True] < self._least[False]
        return is_faster != (sum(tries) % self._AGAIN == 0)

    def took(self, way: bool, seconds: float) -> None:
        """Note how long a run took."""
        self._tries[way] += 1
        # What was measured long ago counts less and less.
        self._least[way] = min(seconds, 1.02 * self._least[way])


class SpmdExecutable:
    """One function of a module on participants, which takes a participant's number last.

    Args:
      vmfb: the module file's bytes, or the module.
      function: the function's name.
      participants: the participants that run it.
      lines: the lines in the user's program of its collectives, for messages.
      identity: what other processes must run at the same time; None if that is not checked.
      meets: whether the participants meet in collectives. Otherwise one thread may run them one
        after the other.
      turns: lets one thread run them if they do; by default each has its own.
      host_functions: functions of this process that the module imports.
      owner: as for `HostFunctions`.
      options: as for `Executable`.

    Attributes:
      executables: the function on each device.

    Example:
      >>> from dovetail import runtime
      >>> from dovetail.compiler.module_files import compile_module
      >>> vmfb = compile_module('''
      ... func.func @add(%x: tensor<i32>, %number: tensor<i32>) -> tensor<i32> {
      ...   %y = arith.addi %x, %number : tensor<i32>
      ...   return %y : tensor<i32>
      ... }''')
      >>> add = runtime.SpmdExecutable(
      ...     vmfb, "add", runtime.Participants(2), output_dtypes=[np.dtype(np.int32)]
      ... )
      >>> [int(result.numpy()) for [result] in add([[np.int32(10)], [np.int32(20)]])]
      [10, 21]
    """

    def __init__(
        self,
        vmfb: bytes | VmModule,
        function: str,
        participants: Participants,
        *,
        lines: Sequence[str] = (),
        identity: Identity | None = None,
        meets: bool = True,
        turns: Turns | None = None,
        host_functions: Sequence[HostFunction] = (),
        owner: Any = None,
        **options: Any,
    ) -> None:
        self.participants = participants
        self._lines = Lines(lines)
        self._identity = identity
        # Processes compare what they run even if they do not meet afterwards.
        self._meets = meets or participants.transport is not None
        # How long one participant computed in the last run.
        self._seconds = math.inf
        self._choice = Choice()
        is_loaded = isinstance(vmfb, VmModule)
        module = vmfb if is_loaded else module_of(vmfb)

        def executable(device: Device) -> Executable:
            if not host_functions:
                return Executable(LoadedModule(module, device), function, **options)
            host = HostFunctions(host_functions, device, owner)
            loaded = LoadedModule(module, device, [host.module])
            return Executable(loaded, function, host_functions=host, **options)

        self.executables = [*map(executable, participants.devices)]
        # Foreign functions and those of the host may run Python, which knows one stack of a thread.
        is_of_c = not host_functions and all(
            one._loaded.foreign is None and not one.device.has_threads for one in self.executables
        )
        self._turns = turns if is_of_c and participants.transport is None else None

    def __call__(self, arguments: Sequence[Sequence[Any]]) -> list[list[Buffer]]:
        """Call the function on all participants.

        Args:
          arguments: the arguments of each participant, as for `Executable`.

        Returns:
          The results of each participant.

        Raises:
          CollectiveError: the participants did not meet in a collective.
        """
        executables, numbers = self.executables, self.participants.numbers
        if len(arguments) != len(executables):
            raise ValueError(
                f"SpmdExecutable: arguments must be of {len(executables)} participants, "
                f"got: {len(arguments)}"
            )

        def begin(number: int) -> Call:
            try:
                return executables[number].begin([*arguments[number], numbers[number]])
            except Exception as error:
                error.add_note(f"on participant {number} of {len(executables)}")
                raise

        # What needs Python's lock is done here: the threads would hand it to each other.
        calls = [*map(begin, range(len(executables)))]
        self.run(calls)
        return [executable.end(call) for executable, call in zip(executables, calls, strict=True)]

    def run(self, calls: Sequence[Call]) -> None:
        """Run a call of each participant, on as many threads as pay.

        Raises:
          CollectiveError: the participants did not meet in a collective.
        """
        executables, participants = self.executables, self.participants
        count = participants.count

        def timed(number: int) -> None:
            # Without the time that the thread waits for Python's lock.
            start = thread_time()
            executables[number].run(calls[number])
            self._seconds = thread_time() - start

        has_choice = self._turns is not None or not self._meets
        is_short = self._seconds * count < _SHORT or _CORES == 1
        is_apart = not has_choice or not is_short or self._choice.next()
        start = perf_counter()
        if is_apart:
            participants.run(timed, self._lines, self._identity)
        elif self._meets:
            self._run_by_turns(calls)
        else:
            self._run_in_order(calls)
        if has_choice and is_short:
            self._choice.took(is_apart, perf_counter() - start)

    def _run_in_order(self, calls: Sequence[Call]) -> None:
        count = self.participants.count
        # Once for all: what asks for the time costs as much as a small program.
        start = thread_time()
        for number, (executable, call) in enumerate(zip(self.executables, calls, strict=True)):
            try:
                executable.run(call)
            except Exception as error:
                error.add_note(f"on participant {number} of {count}")
                raise
        self._seconds = (thread_time() - start) / count

    def _run_by_turns(self, calls: Sequence[Call]) -> None:
        executables, participants = self.executables, self.participants
        assert self._turns is not None
        start = thread_time()
        failed = participants.run_by_turns(
            [
                (one.invoke, one.function, call.arguments, call.results)
                for one, call in zip(executables, calls, strict=True)
            ],
            self._turns,
            self._lines,
        )
        if failed is None:
            self._seconds = (thread_time() - start) / participants.count
            return
        number, error = failed
        if isinstance(error, Exception):
            error = executables[number].failure(error, calls[number].arrays)
        error.add_note(f"on participant {number} of {participants.count}")
        raise error

"""Participants: runs that fail, end, are interrupted or take place at the same time."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from dovetail.runtime import CollectiveError, Participants, SpmdExecutable, participants
from support.spmd import executable, module_of, run

MESH = {"data": 4}
SUM = """
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = dovetail.mul %x, %x : tensor<8xf32>
  %1 = dovetail.all_reduce_sum %0 over ["data"] : tensor<8xf32> loc("model.py":7:0)
  return %1 : tensor<8xf32>
}
"""
# Only those with a positive number go to the collective.
SOME = """
func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = dovetail.case %x of(%x) : (tensor<i32>, tensor<i32>) -> tensor<i32> {
  ^bb0(%y: tensor<i32>):
    dovetail.yield %y : tensor<i32>
  }, {
  ^bb0(%y: tensor<i32>):
    %1 = dovetail.all_reduce_max %y over ["data"] : tensor<i32> loc("model.py":9:0)
    dovetail.yield %1 : tensor<i32>
  }
  return %0 : tensor<i32>
}
"""
X = np.arange(32, dtype=np.float32).reshape(4, 8)
SQUARES = np.broadcast_to((X * X).sum(0), X.shape)


# Whether each participant has a thread.
WAYS = {"threads": True, "turns": False}


@pytest.fixture(autouse=True, params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Participants have threads, or take turns on one."""
    monkeypatch.setattr(participants, "_SHORT", math.inf)
    monkeypatch.setattr(participants.Choice, "next", lambda _: WAYS[request.param])
    return request.param


@pytest.fixture(scope="module")
def program() -> SpmdExecutable:
    return executable(MESH, SUM)


def _works(program: SpmdExecutable) -> None:
    np.testing.assert_array_equal(run(program, X)[0], SQUARES)


def test_results_are_each_participants_own(program: SpmdExecutable) -> None:
    results = program([[x] for x in X])
    assert [len(one) for one in results] == [1] * 4
    assert [one[0].device.name for one in results] == [
        "local-sync",
        "local-sync:1",
        "local-sync:2",
        "local-sync:3",
    ]
    # Buffers of one can be arguments of any other.
    results = program(results[::-1])
    np.testing.assert_array_equal(results[0][0].numpy(), 4 * SQUARES[0] ** 2)


def test_the_number_of_arguments(program: SpmdExecutable) -> None:
    with pytest.raises(
        ValueError, match="SpmdExecutable: arguments must be of 4 participants, got: 3"
    ):
        program([[x] for x in X[:3]])


# Failures -----------------------------------------------------------------------------------------


def test_an_error_of_one_participant_is_that_of_the_run(program: SpmdExecutable) -> None:
    arguments: list[list[Any]] = [[x] for x in X]
    arguments[2] = [np.array(["no number"])]
    with pytest.raises(TypeError, match="dtype must be one of") as caught:
        program(arguments)
    assert caught.value.__notes__ == ["on participant 2 of 4"]
    _works(program)


def test_participants_that_do_not_take_part() -> None:
    program = executable(MESH, SOME)
    np.testing.assert_array_equal(run(program, np.array([1, 2, 5, 3], np.int32))[0], 5)
    np.testing.assert_array_equal(run(program, np.array([0, 0, 0, 0], np.int32))[0], 0)
    with pytest.raises(CollectiveError) as caught:
        run(program, np.array([1, 0, 2, 3], np.int32))
    message = str(caught.value)
    assert message.startswith("participants must take part in the same collectives")
    assert "in all_reduce_max over data, model.py:9" in message
    assert message.endswith("; 1 has finished")
    np.testing.assert_array_equal(run(program, np.array([1, 2, 5, 3], np.int32))[0], 5)


def test_a_participant_that_is_late() -> None:
    few = Participants(4, timeout=0.2)
    program = executable(MESH, SUM, few)
    late = threading.Event()

    def participate(number: int) -> Any:
        if number == 3:
            late.wait(10)
        return program.executables[number]([X[number], few.numbers[number]])

    threading.Timer(0.5, late.set).start()
    with pytest.raises(CollectiveError) as caught:
        few.run(participate)
    assert str(caught.value) == (
        "all_reduce_sum over data: participants must arrive within 0.2 seconds of each other, "
        "got: no arrival of 3"
    )
    _works(program)


def test_a_wrong_number_of_participants() -> None:
    program = executable(MESH, SUM, Participants(2))
    with pytest.raises(CollectiveError) as caught:
        program([[x] for x in X[:2]])
    assert str(caught.value).endswith("the program must run on 4 participants, got: 2")


def test_an_error_of_one_program_is_that_of_the_run(program: SpmdExecutable) -> None:
    calls = [
        one.begin([x, number])
        for one, x, number in zip(program.executables, X, program.participants.numbers, strict=True)
    ]
    wrong = program.executables[2].begin([X[2, :3], program.participants.numbers[2]])
    with pytest.raises(ValueError, match="shape") as caught:
        program.run([*calls[:2], wrong, calls[3]])
    assert caught.value.__notes__ == ["on participant 2 of 4"]
    _works(program)


def test_many_collectives_over_several_axes() -> None:
    lines = [
        f'%{n + 1} = dovetail.all_reduce_sum %{n} over ["{"xy"[n % 3 % 2]}"] : tensor<8xf32>'
        for n in range(30)
    ]
    text = "\n".join(
        [
            "func.func @main(%0: tensor<8xf32>) -> tensor<8xf32> {",
            *(line.replace("%0 ", "%x ") for line in lines),
            "return %30 : tensor<8xf32> }",
        ]
    ).replace("@main(%0:", "@main(%x:")
    program = executable({"x": 2, "y": 3}, text)
    x = np.random.default_rng(0).integers(0, 9, (6, 8)).astype(np.float32)
    expected = x.reshape(2, 3, 8)
    for n in range(30):
        axis = n % 3 % 2
        expected = np.broadcast_to(expected.sum(axis, keepdims=True), expected.shape)
    for _ in range(3):
        np.testing.assert_allclose(run(program, x)[0], expected.reshape(6, 8))


@pytest.mark.parametrize("slow", [1.2, 30.0])
@pytest.mark.parametrize("slower", [False, True])
def test_the_faster_way_is_found(
    monkeypatch: pytest.MonkeyPatch, slower: bool, slow: float
) -> None:
    """Also if runs vary, if the first ones are slow, and if another way becomes the faster one."""
    monkeypatch.undo()
    random = np.random.default_rng(0)
    choice = participants.Choice()
    for is_slower in (slower, not slower):
        took = []
        for n in range(2000):
            way = choice.next()
            took.append(way)
            seconds = (slow if way == is_slower else 1.0) * random.uniform(1, 1.1)
            choice.took(way, seconds * (50 if n < 2 else 1))
        assert took[-1000:].count(is_slower) <= 8


def test_short_programs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    program = executable(MESH, SUM)
    ran: list[str] = []
    for name in ("run", "run_by_turns"):
        original = getattr(Participants, name)

        def noted(*args: Any, name: str = name, original: Any = original) -> Any:
            ran.append(name)
            return original(*args)

        monkeypatch.setattr(Participants, name, noted)
    for _ in range(20):
        _works(program)
    # How long a participant takes is known after a run.
    assert ran[0] == "run"
    assert "run_by_turns" in ran


def test_a_program_with_collectives_that_runs_alone(
    program: SpmdExecutable, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Exception, match="executable entry point returned"):
        program.executables[1]([X[1], program.participants.numbers[1]])
    assert "must run on participants" in capfd.readouterr().err


# Several at a time --------------------------------------------------------------------------------


def test_runs_at_the_same_time(program: SpmdExecutable) -> None:
    other = executable(MESH, SUM.replace("mul", "add"), program.participants)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: _works(program), range(60)))
        doubled = pool.map(lambda _: run(other, X)[0], range(20))
        for result in doubled:
            np.testing.assert_array_equal(result, np.broadcast_to(2 * X.sum(0), X.shape))


def test_a_run_within_a_run(program: SpmdExecutable) -> None:
    results = program.participants.run(lambda number: run(program, X + number)[0][0])
    for number, result in enumerate(results):
        np.testing.assert_array_equal(result, ((X + number) ** 2).sum(0))


def test_a_run_that_fails_leaves_others_alone(program: SpmdExecutable) -> None:
    some = executable(MESH, SOME, program.participants)

    def fail(_: int) -> None:
        with pytest.raises(CollectiveError):
            run(some, np.array([1, 0, 2, 3], np.int32))

    with ThreadPoolExecutor(4) as pool:
        failing = [pool.submit(fail, i) for i in range(10)]
        working = [pool.submit(_works, program) for _ in range(20)]
        for future in (*failing, *working):
            future.result()


# The end ------------------------------------------------------------------------------------------


def _participant_threads() -> int:
    gc.collect()
    return sum(thread.name.endswith("of 7") for thread in threading.enumerate())


def test_threads_end_with_their_participants() -> None:
    seven = Participants(7)
    assert seven.run(lambda number: number) == list(range(7))
    assert _participant_threads() == 7
    with pytest.raises(ZeroDivisionError):
        seven.run(lambda number: 1 // (number - 3))
    assert _participant_threads() == 0
    seven.run(lambda number: number)
    del seven
    assert _participant_threads() == 0


def test_a_forked_process_has_threads_of_its_own(program: SpmdExecutable) -> None:
    _works(program)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _works(program)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    _works(program)


PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
from dovetail.runtime import Participants, SpmdExecutable

vmfb = open(sys.argv[1], "rb").read()
participants = Participants(4)
program = SpmdExecutable(vmfb, "main", participants)
arguments = [[np.full(8, i, np.float32)] for i in range(4)]
results = program(arguments)
"""
INTERRUPTED = """
waiting = threading.Event()

def participate(number):
    if number == 3:
        # One computes for a long time while the others wait.
        waiting.set()
        time.sleep(1)
    return program.executables[number]([*arguments[number], participants.numbers[number]])

def interrupt():
    waiting.wait()
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    participants.run(participate)
except KeyboardInterrupt:
    print("interrupted")
print(program(arguments)[3][0].numpy()[0])
"""


@pytest.fixture(scope="module")
def vmfb(tmp_path_factory: pytest.TempPathFactory) -> str:
    from dovetail.compiler import phases
    from dovetail.compiler.forms import compile_lowered

    module = module_of(MESH, SUM)
    phases.run(module, "lower", start="")
    file = tmp_path_factory.mktemp("module") / "sum.vmfb"
    file.write_bytes(compile_lowered(module))
    return str(file)


def _in_process(vmfb: str, *code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "\n".join((PROGRAM, *code)), vmfb]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "",
        "del program, participants",
        "class A: kept = program, results",
        "thread = threading.Thread(target=program, args=(arguments,)); thread.start()",
    ],
)
def test_the_end_of_a_process(vmfb: str, code: str) -> None:
    done = _in_process(vmfb, code, "print('done')")
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_an_interrupt(vmfb: str) -> None:
    start = time.monotonic()
    done = _in_process(vmfb, INTERRUPTED)
    assert (done.returncode, done.stdout, done.stderr) == (0, "interrupted\n14.0\n", "")
    assert time.monotonic() - start < 60


def test_an_interrupt_that_nobody_catches(vmfb: str) -> None:
    code = INTERRUPTED.replace("except KeyboardInterrupt", "except ZeroDivisionError")
    done = _in_process(vmfb, code)
    assert done.returncode in (-signal.SIGINT, 130)
    assert done.stderr.endswith("KeyboardInterrupt\n")

"""First results: evaluation while a compiler works, the switch-over, failures, forks and exits."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.base import background
from dovetail.compiler import file_lock, processes, progress
from dovetail.compiler.module_files import CompileError, default_cache, entry_of
from dovetail.compiler.targets import Target
from dovetail.programs import execution
from dovetail.programs.execution import Execution

X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path) -> Iterator[None]:
    """Nothing is compiled before, and calls behave as they do by default."""
    config.update("compilation_cache_dir", tmp_path / "cache")
    config.update("compile", "auto")
    yield
    background.wait()


@pytest.fixture
def no_compilers() -> Iterator[None]:
    """Only compilers that the test starts."""
    before = processes._idle[:]
    processes._idle.clear()
    yield
    for process in processes._idle:
        process.end()
    processes._idle[:] = before


def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let this program replace the compiler; in it, `real()` is the compiler."""
    path = tmp_path / "compiler.py"
    path.write_text(
        f"""
import os, pickle, signal, sys, time
def real():
    os.execv(sys.executable, [sys.executable, "-P", {str(processes._PROGRAM)!r}])
{text}"""
    )
    monkeypatch.setattr(processes, "_PROGRAM", path)


@contextlib.contextmanager
def busy_elsewhere(jitted: Any, *args: Any) -> Iterator[None]:
    """As if another process were compiling the function for these arguments."""
    directory = default_cache().directory
    assert directory is not None
    directory.mkdir(mode=0o700, exist_ok=True)
    target = Target("cpu")
    lowering = jitted.lower(*args).program.lowering()
    form = next(lowering.forms(target))
    entry = entry_of(lowering.in_form(form).text(), target)
    with file_lock.held(directory / f".lock-{entry}", 0) as is_held:
        assert is_held
        yield


def is_compiled(jitted: Any) -> list[bool]:
    return [execution.is_compiled for execution in jitted._executions.values()]


def another(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same as a separate function: jitted functions of one function share programs."""

    @functools.wraps(function)
    def same(x: Any) -> Any:
        return function(x)

    return same


def softmax(x: Any) -> Any:
    scores = dnp.exp(x - dnp.max(x, axis=-1, keepdims=True))
    return {"out": scores / dnp.sum(scores, axis=-1, keepdims=True), "max": dnp.max(x)}


# Evaluated or compiled


def test_calls_are_evaluated_until_the_compiler_is_done() -> None:
    calls = []
    f = dt.jit(lambda x: calls.append(1) or softmax(x))
    with busy_elsewhere(dt.jit(another(softmax)), X):
        first = f(X)
        second = f(X)
        assert is_compiled(f) == [False]
    background.wait()
    assert is_compiled(f) == [False]
    third = f(X)
    assert is_compiled(f) == [True]
    assert len(calls) == 1
    for name, value in softmax(X).items():
        for got in (first, second, third):
            assert got[name].dtype == value.dtype
            np.testing.assert_allclose(got[name], value, rtol=1e-6)


def test_now_and_never() -> None:
    for mode, expected in (("now", [True]), ("never", [False])):
        f, g = dt.jit(another(softmax)), dt.jit(another(softmax), compile=mode)
        with config.compile(mode):
            f(X)
        # The option takes precedence over the setting.
        with config.compile("now" if mode == "never" else "never"):
            g(X)
        background.wait()
        assert is_compiled(f) == is_compiled(g) == expected
    assert is_compiled_by_lower("never")


def is_compiled_by_lower(mode: str) -> bool:
    compiled = dt.jit(another(softmax), compile=mode).lower(X).compile()
    return compiled._execution.is_compiled


def test_a_compiled_program_is_not_used_if_not_allowed() -> None:
    f = dt.jit(another(softmax))
    with config.compile("now"):
        f(X)
    with config.compile("never"):
        f(X)
    assert is_compiled(f) == [True, False]


def test_modes_are_checked() -> None:
    with pytest.raises(ValueError, match="compile must be one of 'auto', 'now', 'never', got: 'al"):
        config.update("compile", "always")
    with pytest.raises(ValueError, match="None or one of 'auto', 'now', 'never', got: 'always'"):
        dt.jit(another(softmax), compile="always")


def test_slow_evaluations_wait_for_the_compiler() -> None:
    f = dt.jit(lambda x: lax.fori_loop(0, 200_000, lambda i, c: dnp.cos(c) + x, x))
    f(np.float32(1))
    assert is_compiled(f) == [True]


def test_a_loop_of_unknown_length_is_given_up() -> None:
    def count(n: Any) -> Any:
        return lax.while_loop(lambda i: i < n, lambda i: i + 1, 0)

    program = dt.jit(count).lower(5).program
    evaluating = Execution(program, None)
    five = np.array(5, np.int32)
    watch = evaluating._watch(program.evaluation_cost)
    with busy_elsewhere(dt.jit(count), 5):
        assert int(evaluating.run([dnp.asarray(five)])) == 5
        assert program.evaluate([five], watch) == [five]
    background.wait()
    assert not evaluating.is_compiled
    with pytest.raises(execution._IsCompiled):
        program.evaluate([five], watch)
    assert int(evaluating.run([dnp.asarray(five)])) == 5
    assert evaluating.is_compiled


def test_the_first_call_of_a_long_loop_does_not_evaluate_all_of_it() -> None:
    # Minutes of evaluation, less than a second of compiled code.
    many = 100_000_000
    f = dt.jit(lambda n: lax.while_loop(lambda i: i < n, lambda i: i + 1, 0))
    assert int(f(many)) == many
    assert is_compiled(f) == [True]


def test_a_compiler_in_this_process_is_waited_for() -> None:
    f = dt.jit(another(softmax))
    with config.compile_in_process(True):
        f(X)
    assert is_compiled(f) == [True]


def test_threads() -> None:
    f = dt.jit(another(softmax))
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: f(X)["out"], range(8)))
    for result in results:
        np.testing.assert_allclose(result, softmax(X)["out"], rtol=1e-6)
    background.wait()
    f(X)
    assert is_compiled(f) == [True]


def test_abandoned_programs_are_not_compiled() -> None:
    blockers = [dt.jit(another(softmax)) for _ in range(background._MOST_THREADS)]
    with busy_elsewhere(blockers[0], X):
        for blocker in blockers:
            blocker(X)
        before = dt.cache_statistics()
        f = dt.jit(lambda x: x + 1)
        f(X)
        assert len(background._queue) > 0
        f.clear_cache()
        del f
    background.wait()
    assert dt.cache_statistics().misses - before.misses <= 1


@pytest.mark.parametrize("mode", ["auto", "now"])
def test_data_only_for_evaluation_is_dropped(mode: str) -> None:
    f = dt.jit(another(softmax), compile=mode)
    f(X)
    [execution] = f._executions.values()
    program = execution.program
    fields = {field.name for field in dataclasses.fields(program)}
    assert (vars(program).keys() > fields) == (mode == "auto")
    background.wait()
    f(X)
    assert execution.is_compiled
    program.compilation()
    assert vars(program).keys() == fields


# Arguments and results


def test_results_are_not_views_of_arguments() -> None:
    table = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    f = dt.jit(lambda x: (x, x.T, x.reshape(-1)[None], dnp.broadcast_to(x, (2, 2, 3)), table + x))
    with busy_elsewhere(f, x):
        first = f(x)
        x[:] = 0
        table[:] = 0
        for got in first[:4]:
            assert float(dnp.sum(abs(got))) > 1
        np.testing.assert_array_equal(first[4], 2 * np.arange(6).reshape(2, 3))
        # The program keeps what it saw.
        np.testing.assert_array_equal(f(x)[4], np.arange(6).reshape(2, 3))
    background.wait()
    np.testing.assert_array_equal(f(x)[4], np.arange(6).reshape(2, 3))


def test_types_are_those_of_the_program() -> None:
    for mode in ("never", "now"):
        f = dt.jit(lambda x, n: (x * 2, n + 1, dnp.sum(x), 1.0), compile=mode)
        results = f(X, 3)
        assert [r.dtype.name for r in results] == ["float32", "int32", "float32", "float32"]
        assert [r.weak_type for r in results] == [False, True, False, True]


def test_effects_take_place_once() -> None:
    seen: list[float] = []
    f = dt.jit(lambda x: (dt.debug.callback(lambda v: seen.append(float(v)), x), x + 1)[1])
    for expected in range(1, 6):
        f(np.float32(expected))
        assert seen == list(range(1, expected + 1))
        if expected == 2:
            background.wait()
    assert is_compiled(f) == [True]
    with config.debug_nans(True), pytest.raises(FloatingPointError):
        dt.jit(lambda x: (dt.debug.callback(lambda v: seen.append(-1.0), x), dnp.log(x))[1])(-1.0)
    assert seen.count(-1.0) == 1


def test_donated_arguments_are_used_up() -> None:
    f = dt.jit(lambda x, y: x + y, donate_argnums=0, compile="never")
    x, y = dnp.ones(3), dnp.ones(3)
    np.testing.assert_array_equal(f(x, y), [2, 2, 2])
    assert x.is_deleted()
    assert not y.is_deleted()
    with pytest.raises(ValueError, match="only one of a call's arguments"):
        f(y, y)


# Failures


@pytest.mark.usefixtures("no_compilers")
def test_a_failure_is_reported_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler(
        tmp_path,
        monkeypatch,
        """
while True:
    pickle.load(sys.stdin.buffer)
    pickle.dump((None, ["error: it is too hard"]), sys.stdout.buffer)
    sys.stdout.buffer.flush()
""",
    )
    f = dt.jit(another(softmax))
    expected = softmax(X)["out"]
    np.testing.assert_allclose(f(X)["out"], expected, rtol=1e-6)
    background.wait()
    with pytest.warns(RuntimeWarning, match="`softmax` could not be compiled and is eval") as told:
        np.testing.assert_allclose(f(X)["out"], expected, rtol=1e-6)
    message = str(told[0].message)
    assert "it is too hard" in message
    assert "The program's text was kept in " in message
    assert "Set compile to 'now'" in message
    assert told[0].filename == __file__
    np.testing.assert_allclose(f(X)["out"], expected, rtol=1e-6)
    with config.compile("now"), pytest.raises(CompileError, match="it is too hard") as caught:
        f(X)
    caught.value.path.unlink()


@pytest.mark.usefixtures("no_compilers")
def test_a_killed_compiler_is_retried_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = tmp_path / "attempts"
    compiler(
        tmp_path,
        monkeypatch,
        f"""
with open({str(attempts)!r}, "a") as file:
    file.write("x")
if os.path.getsize({str(attempts)!r}) > 1:
    real()
pickle.load(sys.stdin.buffer)
os.kill(os.getpid(), signal.SIGKILL)
""",
    )
    f = dt.jit(another(softmax), compile="now")
    np.testing.assert_allclose(f(X)["out"], softmax(X)["out"], rtol=1e-6)
    assert is_compiled(f) == [True]
    assert attempts.read_text() == "xx"


@pytest.mark.usefixtures("no_compilers")
def test_a_compiler_that_is_always_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attempts = tmp_path / "attempts"
    compiler(
        tmp_path,
        monkeypatch,
        f"""
pickle.load(sys.stdin.buffer)
with open({str(attempts)!r}, "a") as file:
    file.write("x")
os.kill(os.getpid(), signal.SIGKILL)
""",
    )
    f = dt.jit(another(softmax))
    f(X)
    background.wait()
    assert attempts.read_text() == "xx"
    with pytest.warns(RuntimeWarning, match="the compiler died: SIGKILL"):
        np.testing.assert_allclose(f(X)["out"], softmax(X)["out"], rtol=1e-6)
    with pytest.raises(CompileError, match="the compiler died: SIGKILL") as caught:
        dt.jit(another(softmax), compile="now")(X)
    caught.value.path.unlink()


@pytest.mark.usefixtures("no_compilers")
def test_an_interrupt_leaves_all_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = processes._PROGRAM
    compiler(
        tmp_path,
        monkeypatch,
        """
pickle.load(sys.stdin.buffer)
os.kill(os.getppid(), signal.SIGINT)
time.sleep(600)
""",
    )
    f = dt.jit(another(softmax), compile="now")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            f(X)
    finally:
        signal.signal(signal.SIGINT, before)
    assert not processes._idle
    assert not processes._busy
    assert {path.suffix for path in (tmp_path / "cache").iterdir()} == {".mlirbc"}
    monkeypatch.setattr(processes, "_PROGRAM", real)
    np.testing.assert_allclose(f(X)["out"], softmax(X)["out"], rtol=1e-6)
    assert is_compiled(f) == [True]


# Forks and the end of the process

FORK = """
import os, sys
import numpy as np
import dovetail as dt, dovetail.numpy as dnp
from dovetail.base import background
from dovetail.compiler import processes as compiler_processes

small, large = dt.jit(lambda x: dnp.sum(x * 2)), dt.jit(lambda x: x * 2 + 1)
pending = dt.jit(lambda x: dnp.sum(dnp.exp(x)))
ones = np.ones(100_000, np.float32)
with dt.config.compile("now"):
    small(ones[:8]), large(ones)
kept = large(ones)
pending(ones[:8])

def check():
    assert float(small(ones[:8])) == 16
    assert float(dnp.sum(large(kept))) == 700_000
    pending(ones[:8])
    background.wait()
    assert abs(float(pending(ones[:8])) - 8 * np.e) < 1e-4
    assert all(c.is_compiled for c in pending._executions.values())
    with dt.config.compile("now"):
        assert float(dt.jit(lambda x: dnp.sum(x - 1))(ones[:8])) == 0

def forked(what):
    child = os.fork()
    if child == 0:
        what()
        sys.stdout.flush()
        sys.exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7

def child():
    assert not compiler_processes._idle and not compiler_processes._busy
    check()
    forked(check)

forked(child)
check()
print("done")
"""


def script(text: str, tmp_path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", text],
        env={
            **os.environ,
            "DOVETAIL_CACHE_DIR": str(tmp_path / "script-cache"),
            "DOVETAIL_COMPILE": "auto",
            **environment,
        },
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )


def test_a_fork_computes_and_compiles(tmp_path: Path) -> None:
    done = script(FORK, tmp_path)
    assert (done.stdout, done.stderr, done.returncode) == ("done\n", "", 0)


EXIT = """
import sys
import numpy as np
import dovetail as dt
from pathlib import Path
from dovetail.compiler import processes as compiler_processes
compiler_processes._PROGRAM = Path(sys.argv[1] if len(sys.argv) > 1 else "compiler.py")
f = dt.jit(lambda x: x + 1)
print(f(np.float32(1)))
# The compiler says here that it works.
with open("fifo") as fifo:
    print(int(fifo.readline()))
"""


def test_an_exit_while_something_compiles(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "compiler.py").write_text(
        """
import os, pickle, sys, time
pickle.load(sys.stdin.buffer)
with open("fifo", "w") as fifo:
    fifo.write(f"{os.getpid()}\\n")
time.sleep(600)
"""
    )
    done = script(EXIT, tmp_path)
    assert (done.stderr, done.returncode) == ("", 0)
    result, pid = done.stdout.split()
    assert float(result) == 2
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid), 0)
    # Neither a lock nor half an entry, but what the passes made.
    assert {path.suffix for path in (tmp_path / "script-cache").iterdir()} == {".mlirbc"}


# The note


class Terminal(io.StringIO):
    """Records the time at which something was written."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal
        self.has_text = threading.Event()

    def isatty(self) -> bool:
        return self.is_terminal

    def write(self, text: str) -> int:
        size = super().write(text)
        self.has_text.set()
        return size


def test_a_bar_on_the_terminal_explains_delays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    terminal, file = Terminal(True), Terminal(False)
    monkeypatch.setattr(sys, "stderr", terminal)
    progress.enter("f", "code generation")
    with progress.bar("f"):
        assert terminal.has_text.wait(60)
    shown = terminal.getvalue()
    assert shown.startswith("\rdovetail: █████░░░░░░░░░░░░░░░ compiling `f`: code generation, 0 s")
    # None of it stays.
    assert shown.rsplit("\r", 2)[1].isspace()
    assert shown.endswith("\r")
    monkeypatch.setattr(sys, "stderr", file)
    before = threading.active_count()
    with progress.bar("f"):
        assert threading.active_count() == before
    assert file.getvalue() == ""


def test_the_bar_follows_the_parts_of_a_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[tuple[str, str]] = []
    monkeypatch.setattr(progress, "enter", lambda *part: entered.append(part))
    dt.jit(lambda x: x * 3.25 + 0.125).lower(X).compile()
    parts = [part for name, part in entered if name == "<lambda>"]
    assert [*dict.fromkeys(parts)] == ["transforms", "lowering", "code generation", "loading"]


def test_the_bar_never_goes_back() -> None:
    shares = [
        progress._share(part, seconds)
        for part in ("", "transforms", "lowering", "code generation", "loading")
        for seconds in (0, 1, 10, 100)
    ]
    assert shares == sorted(shares)
    assert 0 <= min(shares) <= max(shares) < 1

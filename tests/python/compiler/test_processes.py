"""The compiler in separate processes: its death, interrupts, forks, threads."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, monitoring
from dovetail.base import background
from dovetail.compiler import iree_compiler, pass_process, processes
from dovetail.compiler.cache import Cache
from dovetail.compiler.module_files import CompileError, Target, compile_module

IDENTITY = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {{ return %a : tensor<4xf32> }} // {}"
FLAGS = Target("cpu").flags


@pytest.fixture
def none_idle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before, processes._idle[:] = processes._idle[:], []
    yield
    for process in processes._idle:
        process.end()
    processes._idle[:] = before


def compiled(number: int = 0) -> bytes | None:
    return processes.compile_text(IDENTITY.format(number), FLAGS).vmfb


def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let this program replace the compiler."""
    path = tmp_path / "compiler.py"
    path.write_text(text)
    monkeypatch.setattr(processes, "_PROGRAM", path)


@pytest.mark.usefixtures("none_idle")
def test_both_ways_agree() -> None:
    text = IDENTITY.format(0)
    assert processes.compile_text(text, FLAGS) == iree_compiler.compile_text(text, FLAGS)
    for way in (processes, iree_compiler):
        outcome = way.compile_text("bogus", FLAGS)
        assert outcome.vmfb is None
        assert "custom op 'bogus' is unknown" in outcome.diagnostics[0]
        with pytest.raises(ValueError, match="option not found: bogus"):
            way.compile_text(text, ["--bogus"])


@pytest.mark.usefixtures("none_idle")
def test_a_process_is_for_targets_of_one_kind() -> None:
    text = IDENTITY.format(0)
    vulkan = Target("vulkan").flags
    for flags in (FLAGS, vulkan, FLAGS, vulkan):
        assert processes.compile_text(text, flags).vmfb
    kinds = [iree_compiler.process_flags(flags) for flags in (FLAGS, vulkan)]
    assert [process.flags for process in processes._idle] == kinds
    slow = tuple(flag.replace("=O2", "=O1") for flag in FLAGS)
    assert processes.compile_text(text, slow).vmfb
    kinds = [kinds[1], iree_compiler.process_flags(slow)]
    assert [process.flags for process in processes._idle] == kinds


def test_verifying_between_phases_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
      %b = arith.addf %a, %a : tensor<4xf32>
      return %b : tensor<4xf32>
    }"""
    verified = iree_compiler.compile_text(text, FLAGS)
    monkeypatch.setattr(iree_compiler, "_PHASES", ("end",))
    assert iree_compiler.compile_text(text, FLAGS) == verified
    assert verified.vmfb


def test_a_phase_that_makes_an_invalid_program_is_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    from iree.compiler.api import ctypes_dl

    verified: list[int] = []

    def is_invalid(module: int) -> bool:
        verified.append(module)
        return False

    monkeypatch.setattr(ctypes_dl._dylib, "mlirOperationVerify", is_invalid)
    assert iree_compiler.compile_text(IDENTITY.format(0), FLAGS).vmfb is None
    assert len(verified) == 1


@pytest.mark.usefixtures("none_idle")
def test_a_process_is_used_again() -> None:
    assert compiled()
    (process,) = processes._idle
    assert compiled(1)
    assert processes._idle == [process]


@pytest.mark.usefixtures("none_idle")
def test_the_death_of_the_compiler_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(
        tmp_path,
        monkeypatch,
        "import os, pickle, signal, sys\n"
        "pickle.load(sys.stdin.buffer)\n"
        "print('stack dump', file=sys.stderr, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGSEGV)\n",
    )
    with pytest.raises(CompileError, match="the compiler died: SIGSEGV") as caught:
        compile_module(IDENTITY.format(0), cache=Cache(None))
    assert "note: stack dump" in caught.value.diagnostics
    caught.value.path.unlink()
    assert not processes._idle


REFUSAL = """
import os, pickle, sys
requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
while True:
    text, flags, *_ = pickle.load(requests)
    with open({log!r}, "a") as log:
        log.write(f"{{hash((text, flags))}}\\n")
    pickle.dump((None, ["error: refused"]), answers)
    answers.flush()
"""


@pytest.mark.usefixtures("none_idle")
def test_rejected_programs_are_tried_once_in_each_way_and_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, kept = tmp_path / "log", tmp_path / "kept"
    kept.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(kept))
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    program(tmp_path, monkeypatch, REFUSAL.format(log=str(log)))
    config.update("enable_compilation_cache", False)

    def loop(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda i, c: dnp.sin(c @ x), x)

    for f, size in ((loop, 512), (lambda x: x + 1, 2)):
        with pytest.raises(CompileError, match="error: refused") as caught:
            dt.jit(f).lower(dt.ShapeDtypeStruct((size, size), "float32")).compile()
        assert list(kept.iterdir()) == [caught.value.path]
        caught.value.path.unlink()
        asked = log.read_text().splitlines()
        log.unlink()
        assert len(asked) == len(set(asked)) > 1


FIRST_REFUSED = """
import os, pickle, sys
from dovetail.compiler.iree_compiler import compile_text
requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
first = None
while True:
    text, flags, *_ = pickle.load(requests)
    with open({log!r}, "a") as log:
        print(len(text), file=log)
    first = first or text
    answer = (None, ["error: refused"]) if text == first else tuple(compile_text(text, flags))
    pickle.dump(answer, answers)
    answers.flush()
"""


@pytest.mark.rejected
@pytest.mark.usefixtures("none_idle")
def test_what_was_rejected_before_another_form_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    log = tmp_path / "log"
    program(tmp_path, monkeypatch, FIRST_REFUSED.format(log=str(log)))
    config.update("compilation_cache_dir", str(tmp_path / "cache"))

    def step(x: Any) -> Any:
        return dnp.sin(x @ x) @ x

    x = np.full((4, 4), 0.1, np.float32)
    with config.explain_cache_misses(True):
        compiled = dt.jit(step).lower(x).compile()
    assert "`step` is compiled in another form: error: refused" in caplog.messages
    asked = log.read_text()
    assert len(set(asked.splitlines())) == 2
    dt.clear_caches()
    again = dt.jit(step).lower(x).compile()
    assert log.read_text() == asked
    np.testing.assert_array_equal(again(x), compiled(x))


@pytest.mark.rejected
@pytest.mark.usefixtures("none_idle")
def test_programs_that_compile_with_other_flags_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = FIRST_REFUSED.format(log=str(tmp_path / "log"))
    refused = source.replace("text == first", "any('level=O2' in flag for flag in flags)")
    assert refused != source
    program(tmp_path, monkeypatch, refused)
    config.update("compilation_cache_dir", str(tmp_path / "cache"))
    seen: list[Any] = []

    def listen(event: str, /, **about: Any) -> None:
        if event == "/dovetail/core/compile/rejected":
            seen.append(about)

    def step(x: Any) -> Any:
        return dnp.sin(x) + 1

    monitoring.register_event_listener(listen)
    try:
        with config.explain_cache_misses(True):
            dt.jit(step).lower(1.0).compile()
    finally:
        monitoring.unregister_event_listener(listen)
    assert seen == [{"fun_name": "step", "reason": "error: refused"}]
    assert "`step` is compiled with fewer fusions: error: refused" in caplog.messages


@pytest.mark.usefixtures("none_idle")
def test_a_compiler_without_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "raise SystemExit(3)")
    diagnostics = processes.compile_text("", ()).diagnostics
    assert diagnostics[0] == "error: the compiler died: it ended with 3"


@pytest.mark.usefixtures("none_idle")
def test_one_that_was_ended_while_idle_is_replaced() -> None:
    assert compiled()
    (process,) = processes._idle
    process._popen.send_signal(signal.SIGKILL)
    process._popen.wait()
    assert compiled(1)
    assert process not in processes._idle


@pytest.mark.usefixtures("none_idle")
def test_threads() -> None:
    with ThreadPoolExecutor(4) as pool:
        modules = list(pool.map(compiled, range(8)))
    assert all(modules)
    assert 1 <= len(processes._idle) <= 2


@pytest.mark.usefixtures("none_idle")
def test_an_interrupt_ends_the_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path, monkeypatch, "import time; time.sleep(60)")
    pids = []
    end = processes._Process.end

    def noted(process: processes._Process) -> None:
        pids.append(process._popen.pid)
        end(process)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(processes._Process, "end", noted)
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled()
    finally:
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(ProcessLookupError):
        os.kill(pids[0], 0)
    assert not processes._idle


@pytest.mark.usefixtures("none_idle")
def test_a_fork_starts_its_own() -> None:
    assert compiled()
    child = os.fork()
    if child == 0:
        os._exit(0 if not processes._idle and compiled(1) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert compiled(2)


SCRIPT = """
import os, sys
from dovetail.compiler import processes as compiler_processes
from dovetail.compiler.targets import Target
compiler_processes.compile_text(sys.argv[1], Target("cpu").flags)
print(compiler_processes._idle[0]._popen.pid, flush=True)
if len(sys.argv) > 2:
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("kill", [False, True])
def test_the_compiler_ends_with_the_program(kill: bool) -> None:
    command = [sys.executable, "-c", SCRIPT, IDENTITY.format(0), *(["kill"] if kill else [])]
    pid = int(subprocess.run(command, stdout=subprocess.PIPE, check=not kill).stdout)
    for _ in range(100):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return
        # Nobody waits for it in a container without an init process.
        if state == "Z":
            return
        time.sleep(0.1)
    pytest.fail("the compiler still runs")


def test_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "compile_text", None)
    with config.compile_in_process(True):
        assert compile_module(IDENTITY.format(3), cache=Cache(None))


# The compiler's own passes ------------------------------------------------------------------------


def dying_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let this script replace the program that runs passes."""
    path = tmp_path / "dovetail-opt"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setattr(pass_process, "program_of_passes", lambda: path)


def test_passes_agree_in_both_processes() -> None:
    lowered = dt.jit(lambda x: dnp.sort(dnp.tanh(x @ x))).lower(dnp.ones((9, 9)))
    for phase in ("decompose", "lower", "carry"):
        text = lowered.as_text(phase, debug_info=True)
        with config.compile_in_process(True):
            assert lowered.as_text(phase, debug_info=True) == text


def test_passes_that_die_leave_a_program_and_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program_of_passes = pass_process.program_of_passes()
    lowered = dt.jit(lambda x: dnp.tanh(x) * 7).lower(dnp.ones(3))
    with monkeypatch.context() as changed:
        dying_passes(tmp_path, changed, "echo stack dump >&2\nkill -SEGV $$")
        with pytest.raises(CompileError, match="the compiler died: SIGSEGV, while it") as caught:
            lowered.compile()
    error = caught.value
    assert f"lowered `<lambda>`, at {__file__}:" in str(error)
    assert "note: stack dump" in error.diagnostics
    assert "dovetail.tanh" in error.path.read_text()
    name, *arguments = shlex.split(str(error).splitlines()[-1])
    assert name == "dovetail-opt"
    done = subprocess.run([program_of_passes, *arguments], check=False)
    assert done.returncode == 0
    error.path.unlink()
    assert lowered.compile()(dnp.ones(3)).shape == (3,)


def test_programs_whose_passes_die_are_evaluated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dying_passes(tmp_path, monkeypatch, "kill -ABRT $$")
    f = dt.jit(lambda x: dnp.tanh(x) * 11, compile="auto")
    x = np.ones(3, np.float32)
    np.testing.assert_allclose(f(x), 11 * np.tanh(x), rtol=1e-6)
    background.wait()
    with pytest.warns(RuntimeWarning, match="could not be compiled .*: the compiler died: SIGABRT"):
        np.testing.assert_allclose(f(x), 11 * np.tanh(x), rtol=1e-6)
    (job_error,) = (execution._job.error for execution in f._executions.values())
    assert isinstance(job_error, CompileError)
    job_error.path.unlink()


def test_passes_that_were_killed_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, mark = pass_process.program_of_passes(), tmp_path / "mark"
    dying_passes(
        tmp_path,
        monkeypatch,
        f'[ -e {mark} ] && exec {real} "$@"\ntouch {mark}\nkill -KILL $$',
    )
    assert "linalg" in dt.jit(lambda x: dnp.tanh(x) * 13).lower(dnp.ones(3)).as_text("lower")


def test_passes_run_here_without_another_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pass_process, "program_of_passes", lambda: tmp_path / "none")
    assert "linalg" in dt.jit(lambda x: dnp.tanh(x) * 17).lower(dnp.ones(3)).as_text("lower")


def test_the_result_of_passes_is_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lowered = dt.jit(lambda x: dnp.tanh(x) * 23).lower(dnp.ones(3))
    with config.compilation_cache_dir(tmp_path):
        texts = [lowered.as_text("lower")]
        (entry,) = tmp_path.glob("*.mlirbc")
        dt.clear_caches()
        with monkeypatch.context() as patched:
            patched.setattr(pass_process, "_passed", None)
            texts.append(lowered.as_text("lower"))
        entry.write_bytes(b"damaged")
        texts.append(lowered.as_text("lower"))
        # A compiler that was built anew may give another result.
        program = pass_process.program_of_passes()
        other = tmp_path / "dovetail-opt"
        other.write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        other.chmod(0o755)
        monkeypatch.setattr(pass_process, "program_of_passes", lambda: other)
        texts.append(lowered.as_text("lower"))
        assert len(list(tmp_path.glob("*.mlirbc"))) == 2
    assert len(set(texts)) == 1


def test_an_interrupt_ends_the_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dying_passes(tmp_path, monkeypatch, "exec sleep 60")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    lowered = dt.jit(lambda x: dnp.tanh(x) * 19).lower(dnp.ones(3))
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            lowered.as_text("lower")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not pass_process._running


def test_errors_of_passes_name_the_users_line() -> None:
    lines = [
        '"{}":7:0: error: no lowering for it\n    x = f(y)\n        ^\n',
        "{}:8:0: error: the second\nof two lines\n{}:8:0: note: see\nhere\n",
        "<unknown>:0:0: error: nowhere\n",
    ]
    printed = "".join(line.replace('"', "").format("a:b.py", "a:b.py") for line in lines)
    refusal = pass_process._refusal(printed)
    assert refusal is not None
    messages = "no lowering for it\nthe second\nof two lines\nnowhere"
    assert refusal.args == (messages, "a:b.py", 7)
    assert pass_process._refusal("terminate called") is None

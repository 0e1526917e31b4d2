"""`dovetail check`: a program for each kind of finding, and one without any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config
from dovetail.arrays.array import Array
from dovetail.base import background, monitoring
from dovetail.compiler import processes
from dovetail.compiler.iree_compiler import Outcome
from dovetail.diagnostics.checking.command import main
from dovetail.diagnostics.checking.findings import REMEDIES
from dovetail.programs.jitted import Jitted

HEAD = """
import numpy as np
import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random
"""

Check = Callable[..., tuple[int, list[dict[str, Any]]]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def run(
        program: str, *options: str, compiles: bool = False
    ) -> tuple[int, list[dict[str, Any]]]:
        script, output = tmp_path / "program.py", tmp_path / "report.json"
        script.write_text(HEAD + program)
        # As at the start of a process: no program of another test is known.
        dt.clear_caches()
        # Most findings do not depend on it; the time of a test does.
        with config.compile("auto" if compiles else "never"):
            status = main(["--json", "--output", str(output), *options, str(script)])
        return status, json.loads(output.read_text())

    return run


def line_of(program: str, marker: str) -> int:
    return (HEAD + program).splitlines().index(marker) + 1


RETRACED = """
@dt.jit
def total(x):
    return x.sum()
for n in range(1, 6):
    total(np.ones(n, np.float32))
"""
STATIC = """
power = dt.jit(lambda x, n: x**n, static_argnums=1)
for n in range(6):
    power(dnp.ones(3), n)
"""
IN_LOOP = """
for i in range(3):
    dt.jit(lambda x: x + 1)(1.0)
"""
UNROLLED = """
@dt.jit
def far(x):
    for _ in range(150):
        x = dnp.sin(x) + 1
    return x
far(1.0)
"""
LARGE = """
table = np.ones((600, 600), np.float32)
@dt.jit
def look_up(i):
    return dnp.asarray(table)[i].sum()
look_up(3)
"""
ROUND_TRIPS = """
step = dt.jit(lambda x: x * 0.5)
x = dnp.float32(1)
for _ in range(30):
    x = step(x)
    if float(x) < 0:
        break
"""
NARROWED = """
y = dnp.asarray(np.linspace(0, 1, 5))
"""
NARROWED_BY_JIT = """
y = dt.jit(lambda x: x + 1)(np.linspace(0, 1, 5))
"""
NARROWED_BY_OP = """
y = dnp.ones(5) + np.linspace(0, 1, 5)
"""
DONATED = """
f = dt.jit(lambda x: x.sum(), donate_argnums=0)
f(dnp.ones(10))
"""
KEY = """
key = random.key(0)
a = random.normal(key)
b = random.uniform(key)
"""
KEY_IN_JIT = """
@dt.jit
def twice(key):
    a = random.normal(key)
    return a + random.normal(key)
twice(random.key(0))
"""
NAN = """
y = dnp.log(-dnp.ones(3))
"""
NAN_IN_JIT = """
@dt.jit
def root(x):
    y = dnp.sqrt(x - 3)
    return y.sum()
y = root(dnp.ones(3))
"""

CASES = [
    ("retracing", RETRACED, "    total(np.ones(n, np.float32))", "traced 5 times"),
    ("retracing", STATIC, "    power(dnp.ones(3), n)", "different static arguments"),
    ("jit-in-loop", IN_LOOP, "    dt.jit(lambda x: x + 1)(1.0)", "3 times"),
    ("unrolled-loop", UNROLLED, "        x = dnp.sin(x) + 1", "150 copies"),
    ("large-constant", LARGE, "look_up(3)", "1.4 MB"),
    ("host-round-trip", ROUND_TRIPS, "    if float(x) < 0:", "float(x) waits"),
    ("float64", NARROWED, "y = dnp.asarray(np.linspace(0, 1, 5))", "float64[5]"),
    ("float64", NARROWED_BY_JIT, "y = dt.jit(lambda x: x + 1)(np.linspace(0, 1, 5))", "32 bits"),
    ("float64", NARROWED_BY_OP, "y = dnp.ones(5) + np.linspace(0, 1, 5)", "32 bits"),
    ("donation", DONATED, "f(dnp.ones(10))", "float32[10]"),
    ("key-reuse", KEY, "b = random.uniform(key)", "used before, by normal"),
    ("key-reuse", KEY_IN_JIT, "    return a + random.normal(key)", "used before, by normal"),
    ("nan", NAN, "y = dnp.log(-dnp.ones(3))", "encountered in log"),
    ("nan", NAN_IN_JIT, "    y = dnp.sqrt(x - 3)", "encountered in sqrt"),
]


@pytest.mark.parametrize(("kind", "program", "marker", "message"), CASES)
def test_finding(check: Check, kind: str, program: str, marker: str, message: str) -> None:
    status, [finding] = check(program)
    assert status == 1
    assert finding["kind"] == kind
    assert Path(finding["file"]).name == "program.py"
    assert finding["line"] == line_of(program, marker)
    assert message in finding["message"]
    assert finding["remedy"] == REMEDIES[kind]


def test_every_kind_has_a_program() -> None:
    kinds = {kind for kind, *_ in CASES} | {"slow-code", "not-compiled"}
    assert kinds == REMEDIES.keys() - {"failure"}


CLEAN = """
from dovetail import optim
x = np.linspace(0, 1, 64, dtype=np.float32)[:, None]
y = np.sin(x)
params = {"w": dnp.ones((1, 8)), "v": dnp.zeros((8, 1))}
def loss(params):
    return dnp.mean((dnp.tanh(x @ params["w"]) @ params["v"] - y) ** 2)
optimizer = optim.adam(0.01)
@dt.jit
def step(params, state):
    value, gradient = dt.value_and_grad(loss)(params)
    updates, state = optimizer.update(gradient, state)
    return optim.apply_updates(params, updates), state, value
state, losses = optimizer.init(params), []
for i in range(50):
    params, state, value = step(params, state)
    losses.append(value)
    if i % 10 == 0:
        print(i, float(value))
print([float(value) for value in losses][-1])
first, second = random.split(random.key(0))
random.normal(first), random.uniform(second)
dnp.asarray(np.ones(3), dnp.float32), dnp.float32(0.5), dnp.array([0.5, 1.5])
dnp.log(dnp.where(params["v"] > 0, params["v"], 1.0))
dt.jit(lambda x: lax.fori_loop(0, 500, lambda _, x: dnp.sin(x), x))(1.0)
for n in (4, 8):
    step.lower
    dt.jit(loss, static_argnames=())(params)
"""


def test_nothing_is_found(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(CLEAN, compiles=True) == (0, [])
    assert capsys.readouterr().out.startswith("0 ")


def test_allowed_kinds(check: Check) -> None:
    assert check(IN_LOOP, "--allow", "jit-in-loop") == (0, [])
    with pytest.raises(SystemExit):
        check(IN_LOOP, "--allow", "everything")


def test_a_failing_program(check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    program = IN_LOOP + "raise ValueError('no more')\n"
    status, [failure, finding] = check(program)
    assert status == 2
    assert failure["kind"] == "failure"
    assert failure["line"] == line_of(program, "raise ValueError('no more')")
    assert failure["message"] == "ValueError: no more"
    assert finding["kind"] == "jit-in-loop"
    assert "no more" in capsys.readouterr().err


def test_exit_of_a_program(check: Check) -> None:
    assert check("import sys\nsys.exit(0)") == (0, [])
    status, [failure] = check("import sys\nsys.exit(3)")
    assert (status, failure["message"]) == (2, "the program exits with 3")


REJECTED = """
def f(x):
    return dnp.tanh(x) * 0.7
dt.jit(f, compile="now")(np.arange(12, dtype=np.float32))
"""


@pytest.mark.rejected
def test_slower_code(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is known of which the code generator rejects the first form: this one stands for
    them.
    """
    texts: list[str] = []
    compile_text = processes.compile_text

    def rejects_the_first(text: str, *arguments: Any) -> Outcome:
        texts.append(text)
        return compile_text(text, *arguments) if texts[1:] else Outcome(None, ["error: rejected"])

    monkeypatch.setattr(processes, "compile_text", rejects_the_first)
    with config.enable_compilation_cache(False):
        # No program of another test is compiled meanwhile.
        background.wait()
        status, [finding] = check(REJECTED, compiles=True)
    assert status == 1
    assert finding["kind"] == "slow-code"
    assert finding["line"] == line_of(REJECTED, REJECTED.splitlines()[-1])
    assert finding["message"].startswith("`f` is compiled to slower code: ")
    assert finding["remedy"] == REMEDIES["slow-code"]


FULL_DISK = """import resource
import dovetail as dt
import dovetail.numpy as dnp

# As on a full disk, on which the compiler cannot write.
resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


@dt.jit
def f(x):
    return dnp.sin(x) + 1


print(f(0.0))
"""


def test_what_cannot_be_compiled(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(FULL_DISK)
    command = [sys.executable, "-m", "dovetail", "check", "--json", "program.py"]
    environment = {**os.environ, "DOVETAIL_COMPILE": "auto", "DOVETAIL_CACHE_DIR": ""}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 1, done.stderr
    assert done.stdout == "1.0\n"
    # Threads of the program that cannot write either may have more to say, before and after.
    report = done.stderr[done.stderr.index("[\n") :]
    [finding], _ = json.JSONDecoder().raw_decode(report)
    assert finding["kind"] == "not-compiled"
    assert finding["line"] == FULL_DISK.splitlines().index("print(f(0.0))") + 1
    assert finding["message"].startswith("`f` could not be compiled, and is evaluated op by op: ")
    assert "No usable temporary directory" in finding["message"]
    assert finding["remedy"] == REMEDIES["not-compiled"]


def test_nothing_is_left_behind(check: Check) -> None:
    before = {name: vars(Array).get(name) for name in ("__float__", "item", "__array__")}
    call, settings, listeners = Jitted._call, config.debug_nans.value, monitoring._events.all
    check(NAN)
    assert {name: vars(Array).get(name) for name in before} == before
    assert Jitted._call is call
    assert config.debug_nans.value == settings
    assert monitoring._events.all == listeners
    with dt.debug_nans(), pytest.raises(FloatingPointError):
        dnp.log(-dnp.ones(3))
    with dt.debug_nans(), pytest.raises(FloatingPointError):
        dt.jit(lambda x: dnp.log(x))(-np.ones(3, np.float32))


def command_line(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command on a program that prints its arguments and has one finding."""
    (tmp_path / "program.py").write_text(HEAD + NAN + "import sys; print(sys.argv[1:])\n")
    command = [sys.executable, "-m", "dovetail", "check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    return done


def test_command_line(tmp_path: Path) -> None:
    done = command_line(tmp_path, "program.py", "--epochs", "-x")
    assert done.stdout == "['--epochs', '-x']\n"
    place = f"program.py:{line_of(NAN, 'y = dnp.log(-dnp.ones(3))')} (<module>)"
    assert done.stderr.startswith(f"1. nan at {place}\n   invalid value (nan) encountered in log")
    assert REMEDIES["nan"].split()[0] in done.stderr
    assert done.stderr.endswith("dovetail check: 1 finding\n")


@pytest.mark.parametrize(
    "arguments",
    [("--json", "program.py"), ("program.py", "--json", "--"), ("--json", "program.py", "--")],
)
@pytest.mark.parametrize("own", [(), ("--json", "--", "-x")])
def test_options_stand_before_or_after_the_script(
    tmp_path: Path, arguments: tuple[str, ...], own: tuple[str, ...]
) -> None:
    if own and arguments[-1] != "--":
        arguments = (*arguments, "--")
    done = command_line(tmp_path, *arguments, *own)
    assert done.stdout == f"{[*own]}\n"
    assert json.loads(done.stderr)[0]["kind"] == "nan"


def test_options_that_the_script_gets_are_named(tmp_path: Path) -> None:
    done = command_line(tmp_path, "program.py", "--json")
    assert done.stdout == "['--json']\n"
    note, *_ = done.stderr.splitlines()
    assert note == (
        "dovetail check: --json follows the script, and is given to it; put it before the script, "
        "or put -- after it"
    )


def test_arguments_before_the_mark_are_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([str(tmp_path), "3", "--"])
    assert "only options may stand between the script and --, got: ['3']" in capsys.readouterr().err


JAX_PROGRAM = """
import jax
import jax.numpy as jnp

step = jax.jit(lambda x: x * 0.5)
x = jnp.float32(1)
for i in range(100):
    x = step(x)
    if float(x) < 1e-12:
        break
"""


def test_a_program_for_jax(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(JAX_PROGRAM)
    command = [sys.executable, "-m", "dovetail", "check", "--json", "--as-jax", str(script)]
    done = subprocess.run(command, capture_output=True, text=True)
    [finding] = json.loads(done.stderr)
    assert finding["kind"] == "host-round-trip"
    assert finding["line"] == 1 + JAX_PROGRAM.splitlines().index("    if float(x) < 1e-12:")
    assert done.returncode == 1

"""The program viewer: what its page has of a program, and the command that writes it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, lax
from dovetail.diagnostics.viewer.command import main
from support.viewer_pages import Op, data_of, ops_of, phase_of

W, X = np.ones((64, 32), np.float32), np.ones((16, 64), np.float32)


def layer(w: Any, x: Any) -> Any:
    with dt.named_scope("hidden"):
        return dnp.tanh(x @ w)


def loss(w: Any, x: Any) -> Any:
    return (layer(w, x) ** 2).sum()


def descent(w: Any, x: Any) -> Any:
    return lax.fori_loop(0, 3, lambda i, w: w - 0.1 * dt.grad(loss)(w, x), w)


def shown(function: Any, *args: Any, **options: Any) -> dict[str, Any]:
    [program] = data_of(dt.view(function, *args, **options).html)["programs"]
    return program


def test_each_phase_has_its_text() -> None:
    program = shown(dt.grad(loss), W, X)
    lowered = dt.jit(dt.grad(loss)).lower(W, X)
    names = [phase["name"] for phase in program["phases"]]
    assert names == ["trace", "expand", "simplify", "shard", "lower", "dispatches"]
    for name in names[:-1]:
        assert phase_of(program, name)["text"] == lowered.as_text(name), name


def test_ops_are_on_their_lines() -> None:
    for phase in shown(descent, W, X)["phases"][:-1]:
        for row in phase["ops"]:
            op = Op(phase, row)
            plain = op.name.removeprefix("func.").removeprefix("builtin.")
            assert plain in op.text, (phase["name"], op.line)
            for value in op.results:
                assert phase["values"][value][0].partition("#")[0] in op.text


def test_what_an_op_became_has_its_number() -> None:
    program = shown(descent, W, X)
    [tanh] = ops_of(phase_of(program, "trace"), "dovetail.tanh")
    [number] = tanh.origins
    for name in ("expand", "simplify", "shard", "lower"):
        phase = phase_of(program, name)
        made = {row[0] for row in phase["ops"] if number in row[7]}
        assert made, name
        # Its derivative is 1 - tanh².
        assert name == "lower" or {"dovetail.tanh", "dovetail.sub"} <= made
        [dot, *_] = ops_of(phase_of(program, "trace"), "dovetail.dot_general")
        assert not any(number in row[7] and dot.origins[0] in row[7] for row in phase["ops"])
    steps = phase_of(program, "dispatches")
    assert any(number in row[7] for row in steps["ops"])


def test_places_are_those_of_the_program() -> None:
    data = data_of(dt.view(loss, W, X).html)
    [program] = data["programs"]
    [tanh] = ops_of(phase_of(program, "simplify"), "dovetail.tanh")
    file, line, function, text = data["places"][tanh.place]
    assert (file, function, text) == (__file__, "hidden/layer", "return dnp.tanh(x @ w)")
    assert Path(file).read_text().splitlines()[line - 1].strip() == text


def test_costs_and_memory() -> None:
    program = shown(loss, W, X)
    lowered = dt.jit(loss).lower(W, X)
    assert program["cost"] == [*lowered.cost_analysis().values()]
    [dot] = ops_of(phase_of(program, "shard"), "dovetail.dot_general")
    assert dot.cost == [2 * 16 * 64 * 32, 0, 4 * (16 * 64 + 64 * 32 + 16 * 32)]
    assert max(program["alive"]) == _core.peak_bytes(lowered.program.after("shard"))
    shard = phase_of(program, "shard")
    [main_function] = [i for i, row in enumerate(shard["ops"]) if row[0] == "func.func"]
    inside = [row for row in shard["ops"] if row[2] == main_function]
    assert len(program["alive"]) == len(inside)
    stats = lowered.compile().memory_analysis()
    assert program["memory"]["temporaries"] == stats.temp_size_in_bytes
    assert program["memory"]["arguments"] == W.nbytes + X.nbytes


def test_requests_have_no_cost_but_name_their_function() -> None:
    trace = phase_of(shown(dt.grad(loss), W, X), "trace")
    [request] = ops_of(trace, "dovetail.vjp")
    assert request.cost is None
    assert request.callees == ["loss_0"]


def test_long_constants_are_left_out() -> None:
    table = np.arange(1000, dtype=np.float32)
    with dt.ensure_compile_time_eval():
        program = shown(lambda x: x + dnp.asarray(table), np.ones(1000, np.float32))
    assert all(len(phase["text"]) < 10_000 for phase in program["phases"])


def test_dispatches_depend_on_each_other() -> None:
    w, x = np.ones((640, 320), np.float32), np.ones((160, 640), np.float32)
    steps = phase_of(shown(descent, w, x), "dispatches")["steps"]
    kinds = [step[0] for step in steps]
    assert kinds.count("argument") == 2
    assert kinds.count("result") == 1
    products = [i for i, step in enumerate(steps) if step[1] == "dot_general"]
    [first, second] = products
    [between] = [i for i, step in enumerate(steps) if "tanh" in step[1]]
    assert first in steps[between][3]
    assert between in steps[second][3]
    assert second in steps[-2][3]


def test_dispatches_are_timed() -> None:
    w, x = np.ones((640, 320), np.float32), np.ones((160, 640), np.float32)
    program = shown(descent, w, x, profile=True)
    phase = phase_of(program, "dispatches")
    assert not program["notes"]
    for kind, _, _, _, seconds in phase["steps"]:
        assert (seconds is not None and 0 < seconds < 60) == (kind == "dispatch")
    assert "µs" in phase["text"]
    unprofiled = phase_of(shown(descent, w, x), "dispatches")
    assert all(step[4] is None for step in unprofiled["steps"])


def test_static_arguments_and_keywords_of_jit() -> None:
    power = dt.jit(lambda x, n: x**n, static_argnums=1)
    program = shown(power, np.ones(8, np.float32), 3, profile=True)
    assert "integer_pow %arg0, 3" in phase_of(program, "trace")["text"]


def test_a_program_that_cannot_be_timed_says_why() -> None:
    def calls_back(x: Any) -> Any:
        return dt.pure_callback(np.sin, dt.ShapeDtypeStruct(x.shape, x.dtype), x)

    program = shown(calls_back, np.ones(3, np.float32), profile=True)
    [note] = program["notes"]
    assert "functions of this process" in note


def test_two_programs() -> None:
    page = dt.view(loss, W, X, against=lambda w, x: loss(w, x) * 2)
    names = [program["name"] for program in data_of(page.html)["programs"]]
    assert names == ["loss", "<lambda>"]
    assert repr(page).startswith("View(loss, <lambda>)")


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match=r"view: phases must be among trace, .*, got: 'parse'"):
        dt.view(loss, W, X, phases=["parse"])
    struct = dt.ShapeDtypeStruct(W.shape, W.dtype)
    with pytest.raises(ValueError, match=r"view: .*w.* must be an array, since profile is true"):
        dt.view(loss, struct, X, profile=True)
    assert shown(loss, struct, X)["name"] == "loss"


def test_the_page_needs_no_network(tmp_path: Path) -> None:
    text = dt.view(loss, W, X).save(tmp_path / "page.html").read_text()
    assert not re.search(
        r"<(script|img|iframe)[^>]*\bsrc=|<link\b|@import|url\(\s*['\"]?http", text
    )
    assert "CodeMirror" in text or "codemirror" in text
    assert "MIT License" in text


def test_notebooks_show_it_in_a_frame() -> None:
    shown = dt.view(loss, W, X)._repr_html_()
    assert shown.startswith('<iframe title="loss: program" srcdoc="&lt;!DOCTYPE html&gt;')
    assert "<script" not in shown


SCRIPT = """
import numpy as np
import dovetail as dt
import sys

@dt.jit
def double(x):
    return 2 * x

@dt.jit
def sine(x):
    return dt.numpy.sin(x)

for n in 3, 4:
    double(np.ones(n, np.float32))
sine(np.ones(3, np.float32))
print(sys.argv[1:])
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT)
    return path


def test_command(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = script.with_suffix(".html")
    assert main(["--output", str(output), "--profile", str(script), "--quick"]) == 0
    assert capsys.readouterr().out == f"['--quick']\n{output}\n"
    programs = data_of(output.read_text())["programs"]
    assert [program["name"] for program in programs] == ["double", "double", "sine"]
    for program in programs:
        [seconds] = [s for *_, s in phase_of(program, "dispatches")["steps"] if s is not None]
        assert 0 < seconds < 10


def test_options_after_the_script(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = script.with_suffix(".html")
    arguments = [f"{script}:sine", "--phases", "trace", "--output", str(output), "--", "--output"]
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"['--output']\n{output}\n"
    [program] = data_of(output.read_text())["programs"]
    assert [phase["name"] for phase in program["phases"]] == ["trace", "dispatches"]


def test_command_of_one_function(script: Path) -> None:
    output = script.with_suffix(".html")
    assert main(["--output", str(output), "--phases", "trace,lower", f"{script}:sine"]) == 0
    [program] = data_of(output.read_text())["programs"]
    assert [phase["name"] for phase in program["phases"]] == ["trace", "lower", "dispatches"]


def test_command_without_anything_to_show(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{script}:cosine"]) == 2
    assert "a jitted function called cosine must run, got: double, sine" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([str(script.with_name("absent.py"))])
    with pytest.raises(SystemExit):
        main(["--phases", "parse", str(script)])


def test_command_of_a_program_that_fails(script: Path) -> None:
    script.write_text(SCRIPT + "1 / 0\n")
    output = script.with_suffix(".html")
    done = subprocess.run(
        [sys.executable, "-m", "dovetail", "view", "--output", output, script],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    # What had run by then is shown.
    assert len(data_of(output.read_text())["programs"]) == 3

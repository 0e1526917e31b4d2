"""debug.breakpoint: variables of traced functions, calls, and commands."""

from __future__ import annotations

import io
from typing import Any

import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax


def answers(f: Any, *args: Any, commands: str) -> list[str]:
    """What the debugger says to commands, given one a line; `f` takes its files, too."""
    stdin, stdout = io.StringIO("\n".join(commands.split(";")) + "\n"), io.StringIO()
    f({"stdin": stdin, "stdout": stdout}, *args)
    dt.effects_barrier()
    return stdout.getvalue().split("\n")


@pytest.mark.parametrize("way", [lambda f: f, dt.jit], ids=["evaluated", "compiled"])
def test_variables(way: Any) -> None:
    def f(files: Any, x: Any) -> Any:
        def traced(x: Any) -> Any:
            pair = {"sum": x + 1, "name": "text"}
            dt.debug.breakpoint(**files)
            return pair["sum"]

        return way(traced)(x)

    said = answers(f, dnp.float32(2), commands="p x;pair['name'];pp pair['sum'] * 2;p missing;c")
    assert said == [
        "Entering jdb:",
        "(jdb) Array(2., dtype=float32)",
        "(jdb) 'text'",
        "(jdb) Array(6., dtype=float32)",
        "(jdb) *** NameError: name 'missing' is not defined",
        "(jdb) ",
    ]


def test_calls() -> None:
    def f(files: Any) -> Any:
        def inner(x: Any) -> Any:
            dt.debug.breakpoint(num_frames=2, **files)
            return x

        def outer(y: Any) -> Any:
            z = y * 3
            return inner(z)

        return dt.jit(outer)(1.0)

    said = answers(f, commands="l;u;p z;u;d;d;w;c")
    text = "\n".join(said)
    assert sum(line.startswith("->") for line in said) == 5
    assert "->              dt.debug.breakpoint(num_frames=2, **files)" in text
    assert "->              return inner(z)" in text
    assert "(jdb) Array(3., dtype=float32" in text
    assert "At topmost frame." in text
    assert "At bottommost frame." in text
    calls = [line.strip() for line in said[said.index("(jdb) Traceback:") :]]
    assert calls[2] == "return inner(z)"
    assert calls[4] == "dt.debug.breakpoint(num_frames=2, **files)"


def test_batches_and_loops() -> None:
    def batch(files: Any) -> Any:
        def one(x: Any) -> Any:
            dt.debug.breakpoint(**files)
            return x

        return dt.jit(dt.vmap(one))(dnp.arange(2.0))

    said = answers(batch, commands="p x;c;p x;c")
    assert [line for line in said if "Array" in line] == [
        "(jdb) Array(0., dtype=float32)",
        "(jdb) Array(1., dtype=float32)",
    ]

    def loop(files: Any) -> Any:
        def body(i: Any, c: Any) -> Any:
            dt.debug.breakpoint(**files)
            return c + i

        return lax.fori_loop(0, 2, body, 5)

    said = answers(loop, commands="p c;c;p c;c")
    assert sum("Array(5" in line for line in said) == 2


def test_ends() -> None:
    def f(files: Any) -> None:
        dt.debug.breakpoint(**files)

    for commands in ("q", "exit"):
        with pytest.raises(SystemExit):
            answers(f, commands=commands)
    with pytest.raises(ValueError, match=r"backend must be 'cli' .* got: backend='web'"):
        dt.debug.breakpoint(backend="web")
    with pytest.raises(ValueError, match="got: token=3"):
        dt.debug.breakpoint(token=3)


def test_variables_that_are_no_trees() -> None:
    def f(files: Any) -> None:
        odd = {len: 1, max: 2}
        dt.debug.breakpoint(**files)
        assert odd

    said = answers(f, commands="p len(odd);p type(odd).__name__;c")
    assert said[1:3] == ["(jdb) 2", "(jdb) 'dict'"]

"""Random programs that read and write windows of a large reference: their values, and no copies."""

from __future__ import annotations

from random import Random
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax

SHAPE = (1024, 512)
NAMES = {"dt": dt, "dnp": dnp, "np": np, "lax": lax}


class Program:
    """The text of a function of a reference and a number, which uses windows of one shape."""

    def __init__(self, random: Random, depth: int) -> None:
        self.random, self.numbers = random, iter(range(1000))
        self.are_rows, self.rows = random.random() < 0.5, random.randint(1, 3)
        lines, reads = self.statements(depth, "    ")
        results = [name for name in reads if random.random() < 0.5]
        self.text = "\n".join(
            ["def function(ref, i):", *lines, f"    return [{', '.join(results)}]", ""]
        )

    def window(self) -> str:
        random, rows = self.random, self.rows
        start = random.randint(0, 6)
        forms = [f"{start}:{start + rows}", f"dt.ds(i + {start}, {rows})"]
        forms.append(f"{start}:{start + 2 * rows}:2")
        if self.are_rows:
            forms.append(f"np.array({[random.randint(0, 9) for _ in range(rows)]})")
            return random.choice(forms)
        first = random.randint(0, 6)
        columns = random.choice([f"{first}:{first + 8}", f"dt.ds(i + {first}, 8)"])
        return f"{random.choice(forms)}, {columns}"

    def statements(self, depth: int, indent: str) -> tuple[list[str], list[str]]:
        """Lines, and the names of windows that these read."""
        random, lines, reads = self.random, [], []
        for _ in range(random.randint(1, 4)):
            kind = random.random()
            if kind < 0.45 or not reads:
                name = f"v{next(self.numbers)}"
                form = random.choice(["", "", "[::-1]", " * 2", " + 1"])
                lines.append(f"{indent}{name} = ref[{self.window()}]{form}")
                reads.append(name)
            elif kind < 0.85 or depth == 0:
                how = ["", " * 0.5", "[::-1]", f" + {random.choice(reads)}"]
                how.append(f" * {random.choice(reads)}.max()")
                value = random.choice([random.choice(reads) + random.choice(how), "2.0"])
                update = random.choice(["=", "=", "+="])
                lines.append(f"{indent}ref[{self.window()}] {update} {value}")
            else:
                lines += self.control(depth, indent, reads)
        return lines, reads

    def control(self, depth: int, indent: str, reads: list[str]) -> list[str]:
        """A loop or a branch, which returns windows that it reads."""
        random, number = self.random, next(self.numbers)
        body, inner = self.statements(depth - 1, indent + "    ")
        start, first, second = random.choice(reads), random.choice(inner), random.choice(inner)
        name = f"w{number}"
        kind = random.choice(["fori", "scan", "cond"])
        if kind == "fori":
            ends = random.choice(["", " + c"])
            lines = [f"{indent}def f{number}(i, c):", *body, f"{indent}    return {first}{ends}"]
            lines.append(f"{indent}{name} = lax.fori_loop(0, 3, f{number}, {start})")
        elif kind == "scan":
            lines = [
                f"{indent}def f{number}(c, i):",
                *body,
                f"{indent}    return {first}, {second}",
            ]
            lines.append(f"{indent}{name}, y{name} = lax.scan(f{number}, {start}, dnp.arange(3))")
            reads.append(f"y{name}[1]")
        else:
            lines = [f"{indent}def f{number}():", *body, f"{indent}    return {first}"]
            is_taken = f"ref[0, 0] < {random.choice(['0', '1e9'])}"
            lines.append(f"{indent}{name} = lax.cond({is_taken}, f{number}, lambda: {start})")
        reads.append(name)
        return lines


def address(ref: Any) -> int:
    return int(ref._known().buffer.view.map().asarray(ref.shape, ref.dtype).ctypes.data)


def run(text: str) -> None:
    """Compare two calls with those of the evaluator, and check that the second is in place."""
    names = dict(NAMES)
    exec(text, names)
    function: Any = names["function"]
    start = np.random.default_rng(0).normal(size=SHAPE).astype(np.float32)
    made = dt.jit(lambda: dnp.asarray(start) + 0, compile="now")()
    ref, expected = dt.new_ref(made), dt.new_ref(start)
    f = dt.jit(lambda ref, i: function(ref, i), compile="now")
    i = np.int32(1)
    first = f(ref, i)
    before = address(ref)
    second = f(ref, i)
    assert address(ref) == before, text
    # Later calls leave what was returned alone.
    f(ref, i)
    with dt.config.compile("never"):
        wanted = function(expected, i), function(expected, i)
        function(expected, i)
    np.testing.assert_allclose(ref[...], expected[...], rtol=1e-4, atol=1e-6, err_msg=text)
    for a, b in zip(dt.tree.leaves((first, second)), dt.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6, err_msg=text)


@pytest.mark.parametrize("depth", [0, 1, 2])
@settings(max_examples=12)
@given(random=st.randoms(use_true_random=False))
def test_windows_are_read_and_written_in_place(depth: int, random: Random) -> None:
    run(Program(random, depth).text)


# Of each kind, a program that copied the reference, or that the code generator rejected.
FOUND = {
    "constants": ["ref[6:12:2] = 2.0"],
    "two results": ["ref[dt.ds(i + 4, 3)] = v * v.max()"],
    "read behind": ["ref[3:5] = v[:2] + 1", "ref[np.array([6, 7])] = v[:2]", "ref[1:5:2] = v[:2]"],
    "fused twice": ["ref[2:3] = v[:1] * 0.5", "ref[6:7] += v[:1] * v[:1].max()"],
    "parts": ["ref[5:8, dt.ds(i, 8)] = v[:, :8]", "ref[dt.ds(i + 6, 3), 0:8] = v[::-1, :8]"],
    "a loop": ["ref[0:3] = v * 2", "lax.fori_loop(0, 3, lambda k, c: add(ref, k), 0)"],
    "a loop of constants": ["lax.fori_loop(0, 3, lambda k, c: fill(ref), 0)"],
    "a branch": ["ref[0:3] = v", "lax.cond(ref[0, 0] < 0, lambda: fill(ref), lambda: 0)"],
    "several returned": ["w = ref[0:1, 0:8] * 2", "v = [v, w]", "ref[0:1, 0:8] = 2.0"],
}


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("read", ["ref[dt.ds(i + 1, 3)]", "ref[1:7:2]", "ref[2:5][::-1]"])
def test_found(name: str, read: str) -> None:
    run(
        "def add(ref, k):\n    ref[4:6] += 2.0\n    ref[dt.ds(k, 2)] = ref[3:7:2]\n    return 0\n"
        "def fill(ref):\n    ref[3:6, 6:14] = 2.0\n    return 0\n"
        f"def function(ref, i):\n    v = {read}\n    {'; '.join(FOUND[name])}\n    return v\n"
    )

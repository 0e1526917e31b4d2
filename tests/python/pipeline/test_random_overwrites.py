"""Random programs in which what overwrites an array also reads it, or something else does later.

Updates whose values, indices or masks come from the array that they change; foreign functions and
kernels that write over an argument which they also get a second time; references that are read and
written in one expression; all of that in loops, too, and of donated arguments.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, ffi, lax
from dovetail.experimental import pallas as pl
from support import breadth
from support.gpus import on_gpus, run_on
from support.native_libraries import library

FOLDER = Path(__file__).parents[1] / "ffi"
SHAPES = [
    (1,),
    (7,),
    (16,),
    (33,),
    (129,),
    (3, 5),
    (16, 16),
    (9, 33),
    (64, 3),
    (2000,),
    (130, 40),
    (1024, 64),
]
MODULUS = 1009


@pytest.fixture(scope="module")
def foreign() -> None:
    loaded = ctypes.CDLL(str(library(FOLDER / "functions.c")))
    ffi.register_c_function("add_turned", loaded.add_turned)


def add_turned(x: Any, y: Any) -> Any:
    """`x + y[::-1]` of flat arrays, by a foreign function that writes over `x`."""
    call = ffi.ffi_call(
        "add_turned", dt.ShapeDtypeStruct(x.shape, x.dtype), input_output_aliases={0: 0}
    )
    return call(x, y)


def kernel_turned(x: Any, y: Any) -> Any:
    """The same for the first dimension, by a kernel of one program for each index of it."""

    def kernel(x_ref: Any, y_ref: Any, o_ref: Any) -> None:
        i = pl.program_id(0)
        o_ref[i] += y_ref[y_ref.shape[0] - 1 - i]

    call = pl.pallas_call(
        kernel,
        dt.ShapeDtypeStruct(x.shape, x.dtype),
        grid=x.shape[0],
        input_output_aliases={0: 0},
    )
    return call(x, y)


def kernel_both(x: Any, y: Any) -> Any:
    """The sum of two results that start as these arrays, each of which changes by the other."""

    def kernel(x_ref: Any, y_ref: Any, a_ref: Any, b_ref: Any) -> None:
        i = pl.program_id(0)
        a_ref[i] += b_ref[b_ref.shape[0] - 1 - i]
        b_ref[i] -= 2 * a_ref[i]

    like = dt.ShapeDtypeStruct(x.shape, x.dtype)
    aliases = {0: 0, 1: 1}
    a, b = pl.pallas_call(kernel, [like] * 2, grid=x.shape[0], input_output_aliases=aliases)(x, y)
    return a + 3 * b


def swapped(ref: Any, x: Any) -> Any:
    """What the reference held before."""
    return dt.ref.swap(ref, ..., x)


NAMES = {
    "dt": dt,
    "dnp": dnp,
    "np": np,
    "lax": lax,
    "add_turned": add_turned,
    "kernel_turned": kernel_turned,
    "kernel_both": kernel_both,
    "swapped": swapped,
    "small": lambda x: x % MODULUS,
}


class Program:
    """The text of a function of two arrays of one shape and a number; all numbers are integers, of
    which remainders are taken so that floats hold them exactly.
    """

    def __init__(self, random: Random, is_portable: bool = False) -> None:
        self.random, self.is_portable = random, is_portable
        # Devices that are emulated take long.
        shapes = [shape for shape in SHAPES if np.prod(shape) < 300] if is_portable else SHAPES
        self.shape: tuple[int, ...] = random.choice(shapes)
        self.dtype = random.choice(
            ["int32", "float32"]
            if is_portable
            else ["int32", "float32", "int8", "float64", "int64"]
        )
        self.numbers = iter(range(1000))
        lines = self.statements(["x", "y"], "    ", random.randint(1, 4), depth=1)
        self.text = "\n".join(["def function(x, y, i):", *lines, "    return x, y", ""])

    # Expressions ----------------------------------------------------------------------------------

    def places(self, axis: int, source: str) -> str:
        """Places along a dimension, several of which may be the same."""
        random, n = self.random, self.shape[axis]
        along = f"{source}.reshape(-1)[:{n}]"
        kinds = [
            f"({along}.astype('int32') % {n})",
            f"dnp.argsort({along})",
            f"(({along}.astype('int32') * 7 + i) % {2 * n} - {n // 2})",
            f"np.array({[random.randrange(n) for _ in range(min(n, 9))]})",
            f"np.random.default_rng({random.randrange(99)}).permutation({n})",
        ]
        return random.choice(kinds)

    def permutation(self, axis: int, source: str) -> str:
        """All places along a dimension, in some order."""
        n = self.shape[axis]
        kinds = [
            f"dnp.argsort({source}.reshape(-1)[:{n}])",
            f"np.random.default_rng({self.random.randrange(99)}).permutation({n})",
        ]
        return self.random.choice(kinds)

    def axis_index(self, axis: int, index: str) -> str:
        return ", ".join([":"] * axis + [index])

    def value(self, names: list[str], depth: int = 2) -> str:
        """An array of the shape, of values that the arrays have now."""
        random = self.random
        name = random.choice(names)
        if depth == 0 or random.random() < 0.2:
            return name
        inner = self.value(names, depth - 1)
        axis = random.randrange(len(self.shape))
        index = self.permutation(axis, random.choice(names))
        first = self.axis_index(axis, "0:1")
        kinds = [
            f"{inner}[{self.axis_index(axis, '::-1')}]",
            f"dnp.roll({inner}, {random.randint(1, 5)}, {axis})",
            f"{name}[{self.axis_index(axis, index)}]",
            f"({inner} + {self.value(names, depth - 1)})",
            f"({inner} + {name}[{first}])",
            f"({inner} - {name}.max())",
            f"dnp.where({name} > 3, {inner}, {random.choice(names)})",
            f"small(dnp.cumsum({inner}, {axis})).astype({name}.dtype)",
            f"dnp.sort({inner}, {axis})",
            f"({inner} * 2)",
        ]
        if len(self.shape) == 2 and self.shape[0] == self.shape[1]:
            kinds.append(f"{inner}.T")
        return f"small({random.choice(kinds)})"

    def update(self, names: list[str], name: str) -> str:
        random = self.random
        axis = random.randrange(len(self.shape))
        n = self.shape[axis]
        value = self.value(names)
        source = random.choice(names)
        method = random.choice(["add", "add", "min", "max"])
        size = random.randint(1, n)
        a, b = random.randint(0, n - size), random.randint(0, n - size)
        step = random.choice([2, 3, -1])
        each = f"{source}[{self.axis_index(axis, f'{b}:{b + size}')}]"
        index = self.permutation(axis, source)
        places = self.places(axis, source)
        dynamic = random.choice(["i", f"{source}.reshape(-1)[0].astype('int32') % {n}"])
        mask = f"np.random.default_rng({random.randrange(99)}).random({self.shape}) > 0.5"
        at = lambda place: f"{name}.at[{self.axis_index(axis, place)}]"  # noqa: E731
        # Different indices that are not known, for a part of the array.
        part = f"dnp.argsort({source}.reshape(-1)[:{n}])[:{size}]"
        own, stepped = self.axis_index(axis, "p"), self.axis_index(axis, f"::{step}")
        kinds = [
            f"{at(part)}.set({each})",
            f"{at(part)}.{method}({each}, unique_indices=True)",
            f"{at(part)}.{method}({each})",
            f"{at(index)}.{method}({value})",
            f"{at(index)}.set({value})",
            f"{at(index)}.{method}({value}, unique_indices=True)",
            f"{at(places)}.{method}({value}[{self.axis_index(axis, '0:1')}])",
            f"{at(places)}.set({value}[{self.axis_index(axis, '0:1')}] * 0 + 5)",
            f"(lambda p: {at('p')}.{method}({value}[{own}], mode='drop'))({places})",
            f"{at(f'{a}:{a + size}')}.set({each})",
            f"{at(f'{a}:{a + size}')}.{method}({each})",
            f"{at(f'::{step}')}.{random.choice(['set', 'add'])}({value}[{stepped}])",
            f"{at(f'{a}:{a + size}')}.set({value}[{self.axis_index(axis, f'{b}:{b + size}')}])",
            f"lax.dynamic_update_slice_in_dim({name}, {each}, {dynamic}, {axis})",
            f"{at(dynamic)}.set({value}[{self.axis_index(axis, str(b))}])",
            f"{at(dynamic)}.add({source}[{self.axis_index(axis, dynamic)}])",
            f"{name}.at[{mask}].set({source}.reshape(-1)[0])",
            f"{name}.at[{mask}].{method}({value}[{mask}])",
            value,
        ]
        if not self.is_portable:
            kinds += [f"kernel_turned({name}, {random.choice([source, value])})"] * 2
            kinds.append(f"kernel_both({name}, {random.choice([source, value])})")
            if self.dtype in ("int32", "float32"):
                kinds += [f"add_turned({name}, {random.choice([source, value])})"] * 2
        return f"small({random.choice(kinds)})"

    # Statements -----------------------------------------------------------------------------------

    def statements(self, names: list[str], indent: str, count: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(count):
            kind, name = self.random.random(), self.random.choice(names)
            if depth and kind < 0.25:
                lines += self.loop(names, indent)
            elif kind < 0.4 and not self.is_portable:
                lines += self.reference(names, name, indent)
            else:
                lines.append(f"{indent}{name} = {self.update(names, name)}")
            if self.random.random() < 0.3:
                other = self.random.choice(names) + self.random.choice(["", "[::-1]"])
                lines.append(f"{indent}{name} = small({name} + {other})")
        return lines

    def loop(self, names: list[str], indent: str) -> list[str]:
        random, number = self.random, next(self.numbers)
        body = self.statements(["x", "y"], indent + "    ", random.randint(1, 2), 0)
        ends = random.choice(["x, y", "y, x", "x, x", "small(x + y), x"])
        kind = random.choice(["fori", "scan", "while", "cond"])
        names_of = {
            "fori": (f"f{number}(i, c)", f"lax.fori_loop(0, 3, f{number}, (x, y))"),
            "scan": (f"f{number}(c, i)", f"lax.scan(f{number}, (x, y), dnp.arange(3))[0]"),
            "while": (
                f"f{number}(s)",
                f"lax.while_loop(lambda s: s[0] < 3, f{number}, (0, (x, y)))[1]",
            ),
            "cond": (
                f"f{number}(c)",
                f"lax.cond(i > {random.randrange(3)}, f{number}, lambda c: c, (x, y))",
            ),
        }
        head, call = names_of[kind]
        lines = [f"{indent}def {head}:"]
        if kind == "while":
            lines.append(f"{indent}    i, c = s")
        lines += [f"{indent}    x, y = c", *body]
        result = {"scan": f"({ends}), x.reshape(-1)[:1]", "while": f"i + 1, ({ends})"}
        lines.append(f"{indent}    return {result.get(kind, f'({ends})')}")
        return [*lines, f"{indent}x, y = {call}"]

    def reference(self, names: list[str], name: str, indent: str) -> list[str]:
        """Reads and writes of a reference, some by one expression."""
        random, number = self.random, next(self.numbers)
        ref = f"r{number}"
        lines = [f"{indent}{ref} = dt.new_ref({name})"]
        read = [*names, f"{ref}[...]"]
        for _ in range(random.randint(1, 3)):
            axis = random.randrange(len(self.shape))
            n = self.shape[axis]
            size = random.randint(1, n)
            a, b = random.randint(0, n - size), random.randint(0, n - size)
            to, of = (self.axis_index(axis, f"{s}:{s + size}") for s in (a, b))
            places = self.permutation(axis, f"{ref}[...]")
            kinds = [
                f"{ref}[{to}] = {ref}[{of}]",
                f"{ref}[{to}] += {ref}[{of}]",
                f"{ref}[{self.axis_index(axis, places)}] = {self.value(read)}",
                f"{ref}[{self.axis_index(axis, places)}] += {self.value(read)}",
                f"{ref}[...] = {self.value(read)}",
                f"{name} = small(swapped({ref}, {self.value(read)}) + {ref}[...])",
                f"{ref}.addupdate({self.value(read)}, ...)",
            ]
            if len(self.shape) == 1:
                kinds.append(f"{ref}[{of}], {ref}[{to}] = {ref}[{to}], {ref}[{of}]")
            lines += [f"{indent}{random.choice(kinds)}", f"{indent}{ref}[...] = small({ref}[...])"]
        return [*lines, f"{indent}{random.choice(names)} = dt.freeze({ref})"]

    # Runs -----------------------------------------------------------------------------------------

    def function(self) -> Callable[..., Any]:
        names = dict(NAMES)
        exec(self.text, names)
        found: Any = names["function"]
        return found

    def inputs(self) -> tuple[np.ndarray, np.ndarray, np.int32]:
        rng = np.random.default_rng(0)
        x, y = (rng.integers(-8, 9, self.shape).astype(self.dtype) for _ in range(2))
        return x, y, np.int32(1)

    def note(self) -> str:
        return f"{self.shape} {self.dtype}\n{self.text}"


def arrays_of(results: Any) -> list[np.ndarray]:
    return [np.array(x) for x in dt.tree.leaves(results)]


def check(program: Program, donated: tuple[int, ...]) -> None:
    function, inputs = program.function(), program.inputs()

    def run(mode: str, donated: tuple[int, ...]) -> list[np.ndarray]:
        x, y, i = inputs
        given = [dnp.array(x), dnp.array(y), i]
        with config.compile(mode):
            jitted = dt.jit(lambda *args: function(*args), donate_argnums=donated)
            found = jitted(*given)
            for j in {0, 1} - {*donated}:
                # What is not donated is as before.
                np.testing.assert_array_equal(given[j], inputs[j], program.note())
            return arrays_of(found)

    expected = run("never", ())
    for a, e in zip(run("now", donated), expected, strict=True):
        np.testing.assert_array_equal(a, e, program.note())


@pytest.mark.usefixtures("foreign")
@pytest.mark.parametrize("merges", [False, True])
@settings(max_examples=400 if breadth.IS_NIGHTLY else 12)
@given(st.randoms(use_true_random=False), st.sampled_from([(), (0,), (1,), (0, 1)]))
def test_what_is_overwritten_is_read_before(
    merges: bool, random: Random, donated: tuple[int, ...]
) -> None:
    with config.enable_x64(), config.merge_small_ops(merges):
        check(Program(random), donated)


@on_gpus
@settings(
    max_examples=20 if breadth.IS_NIGHTLY else 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(random=st.randoms(use_true_random=False))
def test_gpus(gpu: str, tmp_path_factory: pytest.TempPathFactory, random: Random) -> None:
    program = Program(random, is_portable=True)
    function, inputs = program.function(), program.inputs()
    found = arrays_of(run_on(gpu, tmp_path_factory.mktemp("run"), function, *inputs))
    with config.compile("never"):
        expected = arrays_of(dt.jit(function)(*inputs))
    for a, e in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, e, program.note())

"""Code of dispatches that several programs have is compiled once."""

from __future__ import annotations

import itertools
import json
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.compiler import iree_compiler, module_files, processes
from dovetail.compiler.iree_compiler import Outcome, Shared
from dovetail.compiler.iree_compiler.bindings import Part, split
from dovetail.compiler.iree_compiler.objects import with_names
from dovetail.compiler.targets import Target

FLAGS = (*Target.parse("cpu").flags, module_files.WITHOUT_LIBRARY)


def network(activation: Callable[[Any], Any], *, width: int = 128, hidden: int = 1) -> Any:
    """A training step, and its arguments."""
    rng = np.random.default_rng(0)
    sizes = [64, *[width] * (hidden + 1), 10]
    weights = [
        rng.standard_normal(each).astype(np.float32) * 0.1 for each in itertools.pairwise(sizes)
    ]
    x, y = (rng.standard_normal((64, n)).astype(np.float32) for n in (64, 10))

    def loss(weights: list[Any], x: Any, y: Any) -> Any:
        for w in weights[:-1]:
            x = activation(x @ w)
        return dnp.mean((x @ weights[-1] - y) ** 2)

    def step(weights: list[Any], x: Any, y: Any) -> Any:
        value, gradients = dt.value_and_grad(loss)(weights, x, y)
        return value, [w - 0.1 * g for w, g in zip(weights, gradients, strict=True)]

    return step, (weights, x, y)


def looped() -> Any:
    def f(x: Any, w: Any) -> Any:
        carry = lax.fori_loop(0, 5, lambda i, c: dnp.tanh(c @ w) + c[i], x)
        return carry, dnp.sort(carry, axis=0), dnp.cumsum(carry @ w, axis=1)

    rng = np.random.default_rng(1)
    return f, tuple(rng.standard_normal((96, 96)).astype(np.float32) * 0.1 for _ in range(2))


def updated() -> Any:
    """A function with a dispatch that calls a function which it gets when it is loaded."""

    def f(x: Any, w: Any) -> Any:
        rows = lax.rev(x[:40:2], (0,))
        return x.at[dnp.arange(20) * 3].set(rows), dnp.sort(x @ w, axis=0), dnp.cos(x).sum(0)

    return f, looped()[1]


PROGRAMS = {
    "updated": updated,
    "network": lambda: network(dnp.tanh),
    "deeper": lambda: network(lambda x: dnp.maximum(x, 0), hidden=3),
    "looped": looped,
}


_numbers = itertools.count()


class Store:
    """Code in memory.

    Args:
      context: stores with the same one have the same code; by default, no other has it.
    """

    def __init__(self, context: str | None = None) -> None:
        self.context = context or f"test {next(_numbers)}"
        self.kept: dict[str, bytes] = {}

    def compile(
        self, f: Callable[..., Any], arguments: Sequence[Any], executables: int = 1
    ) -> Outcome:
        text = dt.jit(f).lower(*arguments).as_text("carry")
        shared = Shared(self.context, lambda keys: [self.kept.get(key) for key in keys])
        outcome = processes.compile_text(text, FLAGS, shared, executables)
        self.kept.update(outcome.kept)
        return outcome

    @property
    def dispatches(self) -> dict[str, Any]:
        """What is kept of dispatches."""
        return {key: json.loads(code) for key, code in self.kept.items() if code[:1] == b"["}

    @property
    def objects(self) -> set[str]:
        """The keys of the files with their code."""
        return {code[-1] for code in self.dispatches.values()}

    @property
    def libraries(self) -> set[str]:
        """The keys of the files with the functions of all executables."""
        return self.kept.keys() - self.dispatches.keys() - self.objects


def test_an_edit_compiles_what_it_changes() -> None:
    store = Store()
    first = store.compile(*network(lambda x: dnp.maximum(x, 0)))
    number = len(store.dispatches)
    assert first.known == 0
    assert len(first.kept) == number + 2
    assert len(store.objects) == len(store.libraries) == 1
    again = store.compile(*network(lambda x: dnp.maximum(x, 0)))
    assert (again.known, again.kept) == (number, {})
    other = store.compile(*network(lambda x: dnp.minimum(x, 0)))
    assert number // 3 <= other.known < number
    # Where arrays are in memory does not matter, or how often a dispatch runs.
    deeper = store.compile(*network(lambda x: dnp.maximum(x, 0), hidden=2))
    assert deeper.known >= number // 2
    wider = store.compile(*network(lambda x: dnp.maximum(x, 0), width=192))
    assert wider.known < number // 2


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_the_same(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    f, arguments = PROGRAMS[name]()
    known: list[int] = []
    compile_text = processes.compile_text

    def counted(*arguments: Any) -> Outcome:
        outcome = compile_text(*arguments)
        known.append(outcome.known)
        return outcome

    monkeypatch.setattr(processes, "compile_text", counted)
    results = []
    for directory in (None, tmp_path, tmp_path):
        with (
            dt.config.compilation_cache_dir(directory and str(directory)),
            dt.config.enable_compilation_cache(directory is not None),
        ):
            result = dt.jit(lambda *args: f(*args), compile="now")(*arguments)
            results.append([np.asarray(leaf) for leaf in dt.tree.leaves(result)])
        for path in tmp_path.glob("*.vmfb"):
            path.unlink()
    assert known[:2] == [0, 0]
    assert known[2] > 0
    for other in results[1:]:
        for leaf, expected in zip(other, results[0], strict=True):
            np.testing.assert_array_equal(leaf, expected)


def test_code_that_is_missing_or_damaged_is_compiled() -> None:
    store = Store()
    program = network(dnp.sin)
    store.compile(*program)
    whole = dict(store.kept)
    (objects,) = store.objects
    del store.kept[objects]
    assert store.compile(*program).known == 0
    store.kept = {**whole, objects: zlib.compress(b"bogus")}
    outcome = store.compile(*program)
    assert outcome.vmfb is not None
    assert (outcome.known, outcome.kept) == (0, {})
    code = {
        key: json.dumps(["bogus", *code[1:]]).encode() for key, code in store.dispatches.items()
    }
    store.kept = {**whole, **code}
    assert store.compile(*program).vmfb is not None


def test_large_programs_are_linked_into_several_executables() -> None:
    store = Store()
    program = PROGRAMS["deeper"]()
    for executables, number in ((1, 1), (2, 2)):
        store.kept.clear()
        outcome = store.compile(*program, executables=executables)
        assert outcome.vmfb is not None
        assert len(store.objects) == number
        again = store.compile(*program, executables=executables)
        assert (again.known, again.kept) == (len(store.dispatches), {})
    store.kept.clear()
    store.compile(*network(lambda x: dnp.maximum(x, 0), width=16), executables=100)
    assert len(store.objects) == 1


def test_exported_files_do_not_depend_on_what_was_compiled_before(tmp_path: Path) -> None:
    f, arguments = network(dnp.sin)
    files = []
    for warm in (False, True):
        folder = tmp_path / str(warm)
        with dt.config.compilation_cache_dir(str(folder)):
            if warm:
                dt.jit(f, compile="now")(*arguments)
            exported = dt.export.export(dt.jit(f))(*arguments)
            files.append(exported.serialize())
    assert files[0] == files[1]


def test_the_library_of_executables_is_compiled_once() -> None:
    store = Store()
    for i in range(3):
        outcome = store.compile(lambda x, i=i: x + (i + 1), (np.ones(1000, np.float32),))
        assert outcome.vmfb is not None
        assert not outcome.diagnostics
        assert len(outcome.kept) == (i == 0)
    (library,) = store.libraries
    store.kept[library] = zlib.compress(b"bogus")
    outcome = store.compile(lambda x: x * 2, (np.ones(1000, np.float32),))
    assert outcome.vmfb is not None
    assert not outcome.kept


def test_the_library_of_executables_is_compiled_once_for_several_caches() -> None:
    stores = [Store("caches"), Store("caches")]
    for i, store in enumerate(stores):
        store.compile(lambda x, i=i: x - (i + 1), (np.ones(1000, np.float32),))
    first, second = (store.kept for store in stores)
    assert len(first) == 1
    assert first == second


def test_others_are_compiled_as_ever() -> None:
    text = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
    shared = Shared("test", lambda keys: [None] * len(keys))
    plain = iree_compiler.compile_text(text, FLAGS)
    assert processes.compile_text(text, FLAGS, shared) == plain
    refused = processes.compile_text("bogus", FLAGS, shared)
    assert refused.vmfb is None
    assert "custom op 'bogus' is unknown" in refused.diagnostics[0]


# Parts

READ, WRITE = (f"#hal.pipeline.binding<storage_buffer{kind}>" for kind in (", ReadOnly", ""))
LAYOUT = f"bindings = [{READ}, {WRITE}]"


def subspan(binding: int, offset: str = "", layout: str = LAYOUT) -> str:
    clause = f" offset({offset})" if offset else ""
    return (
        f"hal.interface.binding.subspan layout(<{layout}>) binding({binding}) alignment(64){clause}"
        " flags(Indirect) : memref<4xf32>\n"
    )


def test_arrays_get_bindings() -> None:
    text = (
        f"export layout(#hal.pipeline.layout<{LAYOUT}>)\n"
        "  %c0 = arith.constant 0 : index\n"
        "  %c640 = arith.constant 640 : index\n"
        "  %c4 = arith.constant 4 : index\n"
        f"  %0 = {subspan(0, '%c640')}"
        f"  %1 = {subspan(0, '%c0')}"
        f"  %2 = {subspan(1, '%c4')}"
        f"  %3 = {subspan(1, '%c640')}"
    )
    found = split(text)
    assert found is not None
    assert found.parts == [Part(0, 0, -1), Part(0, 640, -1), Part(1, 0, -1), Part(1, 640, -1)]
    layout = f"bindings = [{READ}, {READ}, {WRITE}, {WRITE}]"
    assert found.text == (
        f"export layout(#hal.pipeline.layout<{layout}>)\n"
        "  %c4 = arith.constant 4 : index\n"
        f"  %0 = {subspan(1, layout=layout)}"
        f"  %1 = {subspan(0, layout=layout)}"
        # Not where allocations may begin.
        f"  %2 = {subspan(2, '%c4', layout)}"
        f"  %3 = {subspan(3, layout=layout)}"
    )
    assert split(found.text) is None


@pytest.mark.parametrize("used", ["", "offset", "cast", "known"])
def test_operands_that_are_offsets(used: str) -> None:
    """An operand is only dropped if it is used for nothing else, and other values stay."""
    layout = f"constants = 2, {LAYOUT}"
    text = (
        f"  %0 = hal.interface.constant.load layout(<{layout}>) ordinal(0) : i32\n"
        f"  %1 = hal.interface.constant.load layout(<{layout}>) ordinal(1) : i32\n"
        "  %2 = arith.index_castui %0 : i32 to index\n"
        "  %3 = arith.index_castui %1 : i32 to index\n"
        "  %4:2 = util.assume.int\n"
        "      %2[<umin = 64, umax = 64, udiv = 64>, <umin = 0, umax = 0, udiv = 0>],\n"
        "      %3<umin = 128, umax = 192, udiv = 64>\n"
        "    : index, index\n"
        f"  %5 = {subspan(1, '%4#1', layout)}"
        f"  %6 = {subspan(1, '%4#0', layout)}"
    )
    others = {
        "": "",
        "offset": "  %7 = arith.addi %4#0, %4#0 : index\n",
        "cast": "  %7 = arith.index_castui %in : i32 to index\n",
        "known": "  %7 = util.assume.int %6<umin = 0, umax = 7> : index\n",
    }
    text += others[used]
    found = split(text)
    if used == "offset":
        assert found is None
        return
    assert found is not None
    assert found.parts == [Part(0, 0, -1), Part(1, 0, 0), Part(1, 0, 1)]
    assert "constant" not in found.text
    assert found.text.endswith(others[used])
    assert found.text.count("assume") == (used == "known")
    assert found.drops_operands


def test_files_that_are_no_objects() -> None:
    for content in (b"", b"bogus", b"\x7fELF\x01\x01" + bytes(64)):
        assert with_names(content, {"a": "b"}) == (content, set())

"""Files of programs with symbolic sizes: they reject sizes that violate their constraints."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
from dovetail import export, runtime
from dovetail.runtime.commands import main
from dovetail.runtime.sizes import Name, Sizes

CONSTRAINTS = ["b <= 64", "s % 4 == 0", "s <= 2*b"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scope = export.SymbolicScope(CONSTRAINTS)
    x, y = (export.symbolic_shape(text, scope=scope) for text in ("2*b + 1, s", "s, b"))
    specs = [dt.ShapeDtypeStruct(shape, np.float32) for shape in (x, y)]
    file = tmp_path_factory.mktemp("files") / "sizes.vmfb"
    dt.export(lambda x, y: (x * 2, y[:1]), *specs, path=file, targets="cpu-generic")
    return file


def test_sizes_that_fit(path: Path) -> None:
    function = runtime.load(path).main
    for b, s in [(2, 4), (4, 8), (64, 128)]:
        x = np.arange((2 * b + 1) * s, dtype=np.float32).reshape(2 * b + 1, s)
        doubled, row = function(x, np.ones((s, b), np.float32))
        np.testing.assert_array_equal(doubled, 2 * x)
        assert row.shape == (1, b)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ((8, 4), (4, 4), r"dimension 0 of x must be 2\*b \+ 1 = 9 where b = 4, got: 8"),
        ((9, 4), (8, 4), r"y must be float32\[s,b\] where s = 4, got: float32\[8,4\]"),
        ((9, 3), (3, 4), "satisfy s >= 4, s % 4 == 0, for which main .* got: s = 3 from dimension"),
        ((9, 12), (12, 4), r"satisfy s <= 2\*b, .* got: s = 12 from dimension 1 of x, b = 4 from"),
        ((131, 4), (4, 65), "must satisfy b <= 64, .* got: b = 65 from dimension 1 of y"),
        ((9, 4, 1), (4, 4), r"x must be float32\[2\*b \+ 1,s\], got: float32\[9,4,1\]"),
    ],
)
def test_sizes_that_do_not_fit(path: Path, x: Any, y: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        runtime.load(path).main(np.ones(x, np.float32), np.ones(y, np.float32))


def test_names_that_follow_from_others() -> None:
    scope = export.SymbolicScope(["b >= 0"])
    specs = [
        dt.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), np.float32)
        for text in ("3*b + 2", "b*c + c")
    ]
    exported = export.export(dt.jit(lambda x, y: x[:1] + y[:1]))
    with pytest.raises(ValueError, match="no such size for c"):
        exported(*specs)


def test_inspection_shows_constraints(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["inspect", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "argument x: float32[2*b + 1,s]" in shown
    assert "where s >= 4, s % 4 == 0, b >= 1, b <= 64, s <= 2*b" in shown


def test_signatures_keep_sizes() -> None:
    spec = runtime.ArraySpec(("2*b + 1",), np.dtype(np.float32))
    sizes = Sizes((Name("b", 0, 0, 2, "1"),), ("b % 8 == 0", "max(b, 3) <= 64"))
    signature = runtime.Signature((spec,), (spec,), sizes=sizes)
    assert runtime.Signature.from_json(signature.to_json()) == signature
    assert sizes.broken({"b": 72}) == ["max(b, 3) <= 64"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"2*b + 1"', '"2*b + "'),
        ('"b >= 1"', '"print(b, b)"'),
        ('"b >= 1"', '"b.real"'),
        ('["b", 0, 0, 2, "1"]', '["b", 1, 0, 2, "1"]'),
        ('["b", 0, 0, 2, "1"]', '["b", 0, 7, 2, "1"]'),
        ('["b", 0, 0, 2, "1"]', '["b", 0]'),
    ],
)
def test_signatures_that_are_malformed(old: str, new: str) -> None:
    spec = runtime.ArraySpec(("2*b + 1",), np.dtype(np.float32))
    sizes = Sizes((Name("b", 0, 0, 2, "1"),), ("b >= 1",))
    text = runtime.Signature((spec,), (spec,), sizes=sizes).to_json()
    spaced = text.replace(",", ", ").replace(":", ": ")
    assert old in spaced
    with pytest.raises(ValueError, match="is malformed"):
        runtime.Signature.from_json(spaced.replace(old, new))


def test_serialized_functions_keep_constraints() -> None:
    (b,) = export.symbolic_shape("b", constraints=["b % 8 == 0", "b <= 64"])
    exported = export.export(dt.jit(lambda x: x * x.shape[0]))(
        dt.ShapeDtypeStruct((b,), np.float32)
    )
    again = export.deserialize(exported.serialize())
    np.testing.assert_array_equal(again.call(np.ones(16, np.float32)), np.full(16, 16))
    for size, message in ((12, "b % 8 == 0, got: b = 12"), (72, "b <= 64, got: b = 72")):
        with pytest.raises(ValueError, match=message):
            again.call(np.ones(size, np.float32))


def test_work_and_memory_at_sizes() -> None:
    def f(x: Any) -> Any:
        return x @ x.T

    symbolic: Any = dt.jit(f, dynamic_shapes="b, 6", dynamic_constraints=["b <= 64"])
    lowered = symbolic.lower(np.ones((4, 6), np.float32))
    known: Any = dt.jit(f).lower(np.ones((16, 6), np.float32))
    assert lowered.cost_analysis(b=16) == known.cost_analysis()
    stats = lowered.compile().memory_analysis(b=16)
    assert (stats.argument_size_in_bytes, stats.output_size_in_bytes) == (16 * 6 * 4, 16 * 16 * 4)
    for sizes, message in (({}, "its size, b, got: none"), ({"b": 65}, "b <= 64")):
        with pytest.raises(ValueError, match=message):
            lowered.cost_analysis(**sizes)
    with pytest.raises(ValueError, match="its size, none, got: b=3"):
        known.cost_analysis(b=3)

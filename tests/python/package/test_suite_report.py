"""The tables of `benchmarks/suite.py`, of rows with known times."""

from __future__ import annotations

import importlib
import json
import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
report: Any = importlib.import_module("report")
turns: Any = importlib.import_module("by_turns").turns


def row(program: str, ours: float | None, jax: float, numpy: float, note: str = "") -> Any:
    times = {"dovetail": ours, "jax": jax, "numpy": numpy}
    return {
        "program": program,
        "family": "memory",
        "size": "small",
        "shape": [4, 5],
        "limit": 1e-3,
        "times": {name: {"minimum": t, "median": t, "turns": 3} for name, t in times.items() if t},
        "first": {"dovetail": 0.5, "jax": 0.25},
        "memory": {"dovetail": 2**24, "jax": 2**23, "numpy": 1},
        "notes": {"dovetail": note} if note else {},
    }


def test_line_has_times_ratios_and_the_part_of_the_limit() -> None:
    names = ["dovetail", "jax", "numpy"]
    line = report.line(row("add", 2e-3, 4e-3, 1e-3), names, True, True)
    assert line == (
        "| add | small: 4×5 | 2 | 4 | 1 | 0.50 | 2.00 | 50 % | 0.50 | 0.25 | 16.0 | 8.0 | 0.0 |  |"
    )
    assert report.heading(names, True, True).splitlines()[0].count("|") == line.count("|")


def test_a_failure_has_a_note_and_no_ratio() -> None:
    failed = row("add", None, 4e-3, 1e-3, "ValueError: no")
    assert report.line(failed, ["dovetail", "jax"], False, False) == (
        "| add | small: 4×5 |  | 4 |  |  |  | Dovetail: ValueError: no |"
    )
    summary = report.summary([failed, row("sub", 2e-3, 4e-3, 1e-3)], False, False)
    assert "Dovetail failed in 1 of 2 rows: add (small)." in summary


def test_summary_has_geometric_means_and_counts_of_misses() -> None:
    rows = [row("add", 2e-3, 1e-3, 4e-3), row("sub", 1e-3, 2e-3, 4e-3)]
    lines = report.summary(rows, True, True).splitlines()
    assert "| **all** | 2 | 1.00 | 1.00 | 1 of 2 | 1 of 2 | 2.00 | 2.00, at most 2.00 |" in lines


def test_comparison_has_what_changed_by_more_than_others() -> None:
    before = {"rows": [row(name, 1e-3, 1e-3, 2e-3) for name in ("faster", "busy", "mended")]}
    before["rows"][2] = row("mended", None, 1e-3, 2e-3, "ValueError: no")
    after = {"rows": [row("faster", 5e-4, 1e-3, 2e-3), row("busy", 2e-3, 2e-3, 4e-3)]}
    after["rows"].append(row("mended", 1e-3, 1e-3, 2e-3))
    text = report.comparison(before, after, noise=0.1)
    assert "| faster | small | 1 | 0.5000 | 0.50 | 1.00 → 0.50 | 1.00 → 0.50 |" in text
    assert "| busy |" not in text
    assert "| mended (small) | | ValueError: no | runs | | | |" in text
    assert "1 of 3 rows changed by more than 10 %" in text


def test_turns_call_each_library_in_every_round() -> None:
    found: list[str] = []
    calls = {name: lambda name=name: found.append(name) for name in ("a", "b")}
    times = turns(calls, seconds=0.01, most=4)
    assert {name: each.turns for name, each in times.items()} == {"a": 4, "b": 4}
    assert all(0 < each.minimum <= each.median for each in times.values())
    order = [name for name, other in zip(found, ["", *found], strict=False) if name != other]
    assert order == ["a", "b"] * (len(order) // 2)


def test_a_call_that_is_slow_once_has_turns() -> None:
    pauses = iter([0.0, 0.05])
    times = turns({"a": lambda: time.sleep(next(pauses, 0.0))}, seconds=0.02)
    assert times["a"].turns >= 3


def test_chart(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "ratios.png"
    assert report.chart([row("add", 2e-3, 1e-3, 4e-3)], path)
    assert path.stat().st_size > 1000


def test_condensed_runs_keep_the_ratios() -> None:
    small = {"about": {"cores": 2}, "rows": [row("add", 2e-3, 4e-3, 1e-3), row("sub", 1, 2, 3)]}
    large = {"about": {"cores": 2}, "rows": [{**row("add", 3e-3, 4e-3, 1e-3), "size": "large"}]}
    kept = json.loads(report.condensed([large, {**small}]))
    assert [(each["program"], each["size"]) for each in kept["rows"][:2]] == [
        ("add", "small"),
        ("add", "large"),
    ]
    assert [report.over_jax(each) for each in kept["rows"]] == [0.5, 0.75, 0.5]


def test_the_kept_results_are_those_that_the_page_states() -> None:
    benchmarks = Path(__file__).parents[3] / "benchmarks"
    rows = json.loads((benchmarks / "results" / "suite.json").read_text())["rows"]
    text = (benchmarks / "README.md").read_text()
    jax, best = (report.geometric_mean(map(of, rows)) for of in (report.over_jax, report.over_best))
    means = " ".join(text.split("**")[1].split())
    assert f"takes {jax:.2f} of JAX's time and {best:.2f} of that" in means
    table = text[text.index("| family | programs |") :].split("\n\n")[0]
    families = re.findall(r"^\| ([a-z ]+) \| \d+ \|", table, flags=re.MULTILINE)
    assert {each["family"] for each in rows} == set(families)

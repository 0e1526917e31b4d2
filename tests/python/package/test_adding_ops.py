"""The diffs in dialects/README.md match existing ops, and are complete."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
README = (ROOT / "dialects/README.md").read_text(encoding="utf-8")
# Folders with code that knows ops; users' functions, their tests and generated files do not count.
SEARCHED = ("cpp", "dialects", "python/dovetail", "tests/lit", "tests/python/support/op_*")
NOT_SEARCHED = (
    *("*.md", "*.txt", "python/dovetail/ops/functions"),
    *(f"python/dovetail/{package}" for package in ("lax", "numpy", "scipy", "random", "nn")),
)


def diff_of(heading: str) -> dict[str, list[str]]:
    """The added lines of the diff below a heading, by file."""
    section = README.split(f"## {heading}\n", 1)[1]
    block = re.search(r"```diff\n(.*?)```", section, re.DOTALL)
    assert block
    files: dict[str, list[str]] = {}
    path = ""
    for line in block[1].splitlines():
        if line.startswith("+++ "):
            path = line[4:]
            files[path] = []
        else:
            assert line[0] == "+"
            files[path].append(line[1:])
    return files


CASES = [
    ("Adding a pointwise op", "heaviside", "HeavisideOp", 6),
    ("Adding a structured op", "cumlogsumexp", "CumlogsumexpOp", 9),
]


@pytest.mark.parametrize(("heading", "name", "op", "most"), CASES, ids=lambda case: str(case)[:20])
def test_diff_is_that_of_the_op(heading: str, name: str, op: str, most: int) -> None:
    files = diff_of(heading)
    assert len(files) <= most
    for path, added in files.items():
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        missing = [line for line in added if line not in lines]
        assert not missing, path
    listed = subprocess.run(
        ["git", "grep", "--untracked", "-lwE", f"{name}|{op}", "--", *SEARCHED]
        + [f":!{path}" for path in NOT_SEARCHED],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(listed.stdout.split()) == set(files)

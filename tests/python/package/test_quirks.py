"""`cpp/iree/Quirks.h` names workarounds and tests that exist, and every test of a fault."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[3]
QUIRKS = "tests/lit/iree/quirks"
# The flags of all passes.
PASSES = {
    f"--{flag}"
    for file in (ROOT / "cpp").rglob("Passes.td")
    for flag in re.findall(r'ModulePass<"([\w-]+)">', file.read_text())
}


class Entry(NamedTuple):
    """What is known of one fault.

    Args:
      fault: what IREE does, in words.
      workarounds: files, each with the names of the passes, functions and constants in it.
      tests: those that show the fault.
    """

    fault: str
    workarounds: dict[str, list[str]]
    tests: list[str]


def _entry(paragraph: str) -> Entry:
    lines = paragraph.replace("\n//     ", " ").splitlines()
    fault = " ".join(line.removeprefix("// ") for line in lines if not line.startswith("//   "))
    fields = dict(re.findall(r"^//   (\w+): (.*)$", "\n".join(lines), re.M))
    assert fields.keys() == {"Workaround", "Test"}, fields
    workarounds = {}
    for part in fields["Workaround"].split("; "):
        match = re.fullmatch(r"([\w/.]+) \((.*)\)", part)
        assert match, part
        file, names = match.groups()
        workarounds[file] = names.split(", ")
    return Entry(fault, workarounds, fields["Test"].split(", "))


def _entries() -> list[Entry]:
    text = (ROOT / "cpp/iree/Quirks.h").read_text()
    entries = text.split("namespace dovetail {")[1].split("//===- Builders")[0]
    # A line without text, or a heading, ends an entry.
    return [_entry(each) for each in re.split(r"^(?://|//===.*)?\n", entries, flags=re.M) if each]


ENTRIES = _entries()


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.fault[:40])
def test_entry_names_what_exists(entry):
    assert entry.fault.endswith(".")
    assert entry.workarounds
    for file, names in entry.workarounds.items():
        text = (ROOT / file).read_text()
        for name in names:
            known = name in PASSES if name.startswith("--") else re.search(rf"\b{name}\b", text)
            assert known, f"{file} has no {name}"
    for file in entry.tests:
        assert (ROOT / file).is_file(), file


def test_every_test_of_a_fault_has_an_entry():
    named = [test for entry in ENTRIES for test in entry.tests if test.startswith(QUIRKS)]
    files = [f"{QUIRKS}/{file.name}" for file in sorted((ROOT / QUIRKS).glob("*.mlir"))]
    assert sorted(named) == files

"""Runs tests that others wrote, and records what became of each: a plugin of pytest, and its use.

The plugin appends a line of JSON for each test to the file that `OUTCOMES` names. A test in which
the process dies is left as "begun". `OUTCOMES_SAMPLE`, a number and a seed, has only so
many run.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import unittest
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

# Faults of the running test that let it go on to its end.
faults: list[str] = []


def record(test: str, outcome: str, kind: str = "", message: str = "") -> None:
    """Append what became of a test, or that it has begun."""
    line = json.dumps({"test": test, "outcome": outcome, "kind": kind, "message": message[:3000]})
    with Path(os.environ["OUTCOMES"]).open("a") as file:
        file.write(line + "\n")


def _name(node: str) -> str:
    """A test's name: without its file, if the run is of one file."""
    return node.partition("::")[2] if "OUTCOMES_OF_ONE_FILE" in os.environ else node


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "OUTCOMES_SAMPLE" not in os.environ:
        return
    size, seed = map(int, os.environ["OUTCOMES_SAMPLE"].split())
    names = sorted(item.nodeid for item in items)
    chosen = set(random.Random(seed).sample(names, min(size, len(names))))
    config.hook.pytest_deselected(items=[each for each in items if each.nodeid not in chosen])
    items[:] = [each for each in items if each.nodeid in chosen]


def pytest_runtest_setup(item: pytest.Item) -> None:
    faults.clear()
    record(_name(item.nodeid), "begun")


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    import pytest  # Those who only run tests may lack it.

    if call.when != "call" and not (call.when == "setup" and call.excinfo):
        return
    test = _name(item.nodeid)
    if call.excinfo is None and faults:
        record(test, "failed", "AssertionError", faults[0])
    elif call.excinfo is None:
        record(test, "passed")
    elif call.excinfo.errisinstance((unittest.SkipTest, pytest.skip.Exception)):
        record(test, "skipped", message=str(call.excinfo.value))
    elif call.excinfo.errisinstance(pytest.xfail.Exception) or item.get_closest_marker("xfail"):
        record(test, "skipped", message="expected to fail by the test itself")
    else:
        message = str(call.excinfo.value)
        cause = call.excinfo.value.__cause__
        if cause is not None:
            message += f" [cause {type(cause).__name__}: {cause}]"
        record(test, "failed", call.excinfo.typename, message)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        test = "(collection)" if "OUTCOMES_OF_ONE_FILE" in os.environ else report.nodeid
        record(test, "failed", "CollectError", str(report.longrepr)[-2500:])


def run(
    command: Sequence[str | Path], output: Path, cwd: Path, environment: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """Run pytest with this plugin until every test has an outcome.

    Args:
      command: pytest's command line, in which tests are named as in their records.
      output: the file of the records.
      cwd: the folder to run in.
      environment: variables beside those of this process.

    Returns:
      The record of each test; a test in which the process dies has failed.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    prefix = environment.get("OUTCOMES_OF_ONE_FILE", "")
    records: dict[str, dict[str, str]] = {}
    while True:
        skipped = [argument for test in records for argument in ("--deselect", prefix + test)]
        with output.with_suffix(".log").open("a" if records else "w") as log:
            code = subprocess.run(
                [*command, *skipped],
                cwd=cwd,
                env=os.environ | environment | {"OUTCOMES": str(output)},
                stdout=log,
                stderr=subprocess.STDOUT,
            ).returncode
        before = len(records)
        records |= read(output)
        begun = [test for test, each in records.items() if each["outcome"] == "begun"]
        for test in begun:
            records[test] |= {"outcome": "failed", "kind": "Died", "message": f"signal {-code}"}
        # After a signal, the tests that had not begun are run by another process.
        if code >= 0 or len(records) == before:
            return records


def read(output: Path) -> dict[str, dict[str, str]]:
    """The last record of each test; failed tests stay failed."""
    records: dict[str, dict[str, str]] = {}
    if output.exists():
        for line in output.read_text().splitlines():
            each: dict[str, Any] = json.loads(line)
            if each["outcome"] != "begun" or each["test"] not in records:
                records[each["test"]] = each
    return records

"""A plugin of pytest that writes what became of each of JAX's tests, a line of JSON for each."""

from __future__ import annotations

import json
import os
import unittest
from pathlib import Path
from typing import Any

import pytest
from absl.testing import parameterized

_OUTPUT = Path(os.environ["JAX_TESTS_OUTPUT"])


def _record(test: str, outcome: str, kind: str = "", message: str = "") -> None:
    with _OUTPUT.open("a") as file:
        file.write(json.dumps({"test": test, "outcome": outcome, "kind": kind, "message": message}))
        file.write("\n")


class _Names:
    """Names of tests in a class under construction; one that is taken gets a number."""

    def __init__(self, members: dict[str, Any]) -> None:
        self.members = members

    def __contains__(self, name: str) -> bool:
        return False

    def __setitem__(self, name: str, test: Any) -> None:
        count, free = 0, name
        while free in self.members:
            count += 1
            free = f"{name}_dup{count}"
        self.members[free] = test


def _let_parameters_be_placeholders() -> None:
    """Names of cases made of placeholders may coincide, and there may be no cases at all."""
    update = parameterized._update_class_dict_for_param_test_case
    decorator = parameterized._parameter_decorator

    def update_members(class_name: str, members: Any, *rest: Any) -> None:
        update(class_name, _Names(members), *rest)

    def decorate(naming: Any, cases: Any) -> Any:
        try:
            return decorator(naming, cases)
        except parameterized.NoTestsError:
            return _without_cases

    parameterized._update_class_dict_for_param_test_case = update_members
    parameterized._parameter_decorator = decorate


def _without_cases(test: Any) -> Any:
    if isinstance(test, type):
        return test

    def fail(self: Any, *args: Any, **kwargs: Any) -> None:
        raise AttributeError("INTERNAL test cases made of placeholders")

    fail.__name__ = getattr(test, "__name__", "test")
    return fail


_texts: list[str] = []  # messages of the running test that are not JAX's


def _go_on_after_other_texts() -> None:
    """A test whose error has the right class and another text goes on, and fails at its end."""
    context: Any = unittest.case._AssertRaisesContext  # pyright: ignore[reportAttributeAccessIssue]
    leave = context.__exit__

    def leave_and_note(self: Any, *exception: Any) -> Any:
        try:
            return leave(self, *exception)
        except AssertionError as error:
            if " does not match " not in str(error) or isinstance(exception[1], AssertionError):
                raise
            _texts.append(str(error))
            self.exception = exception[1].with_traceback(None)
            return True

    context.__exit__ = leave_and_note


def pytest_configure(config: pytest.Config) -> None:
    import jax

    if jax.__dict__.get("_target") is None:
        raise pytest.UsageError(f"these are tests of Dovetail, but `jax` is {jax.__file__}")
    _let_parameters_be_placeholders()
    _go_on_after_other_texts()


def pytest_collection_finish(session: pytest.Session) -> None:
    import jax_gaps

    jax_gaps.collecting = False


def _short(node: str) -> str:
    return node.partition("::")[2]


def pytest_runtest_setup(item: pytest.Item) -> None:
    _texts.clear()
    # If the process dies, this is the test's last record.
    _record(_short(item.nodeid), "begun")


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.when != "call" and not (call.when == "setup" and call.excinfo):
        return
    test = _short(item.nodeid)
    if call.excinfo is None and _texts:
        _record(test, "failed", "AssertionError", _texts[0][:3000])
    elif call.excinfo is None:
        _record(test, "passed")
    elif call.excinfo.errisinstance((unittest.SkipTest, pytest.skip.Exception)):
        _record(test, "skipped", message=str(call.excinfo.value))
    else:
        message = str(call.excinfo.value)
        cause = call.excinfo.value.__cause__
        if cause is not None:
            message += f" [cause {type(cause).__name__}: {cause}]"
        _record(test, "failed", call.excinfo.typename, message[:3000])


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        _record("(collection)", "failed", "CollectError", str(report.longrepr)[-2500:])


def pytest_runtest_teardown(item: pytest.Item) -> None:
    import jax

    # What a failed test has left.
    jax.set_mesh(None)

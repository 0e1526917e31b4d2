"""A plugin of pytest, beside `outcomes`, that lets JAX's tests run as far as they can."""

from __future__ import annotations

import unittest
from typing import Any

import jax_stand_in  # noqa: F401
import outcomes
import pytest
from absl.testing import parameterized


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
            outcomes.faults.append(str(error))
            self.exception = exception[1].with_traceback(None)
            return True

    context.__exit__ = leave_and_note


def pytest_configure(config: pytest.Config) -> None:
    import jax

    if jax.__name__ != "dovetail.as_jax.jax":
        raise pytest.UsageError(f"these are tests of Dovetail, but `jax` is {jax.__file__}")
    _let_parameters_be_placeholders()
    _go_on_after_other_texts()


def pytest_collection_finish(session: pytest.Session) -> None:
    from dovetail.as_jax import missing

    missing.is_lenient = False


def pytest_runtest_teardown(item: pytest.Item) -> None:
    import jax

    # What a failed test has left.
    jax.set_mesh(None)

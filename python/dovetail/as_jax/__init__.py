"""Dovetail in JAX's place: from this import on, `import jax` and its submodules give Dovetail's.

Three ways to have that, for a program or a library that was written for JAX:

- `import dovetail.as_jax` before the first `import jax`;
- `python -m dovetail.as_jax script.py arguments…`, or `python -m dovetail.as_jax -m module …`;
- `pytest -p dovetail.as_jax`.

A module of JAX is Dovetail's module of that name (`jax.numpy is dovetail.numpy`); those that JAX
has under other names (`jax.core`, `jax.extend`, `jax.interpreters`) are in `dovetail.as_jax.jax`. A
name of JAX that Dovetail lacks can be imported, so that a library that does not need it works; its
use is an error, and `report` lists all such names. To `hasattr` they do not exist.

>>> import dovetail.as_jax
>>> import jax.numpy, dovetail.numpy
>>> jax.numpy is dovetail.numpy, jax.__version__
(True, '0.10.2')
"""

from __future__ import annotations

from typing import Any

from dovetail.as_jax.finder import install as _install
from dovetail.as_jax.missing import MissingNameError as MissingNameError
from dovetail.as_jax.missing import Request as Request
from dovetail.as_jax.missing import report as report

_install()


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Show the report after the tests that pytest has run with `-p dovetail.as_jax`."""
    if report():
        terminalreporter.section("names of JAX that Dovetail lacks")
        for request in report():
            terminalreporter.line(str(request))

"""Fixtures of all tests: a compile cache, settings that do not leak, reproducible inputs."""

from __future__ import annotations

import collections
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import settings

from support import cuda_on_cpu
from support.breadth import chosen, compiles

REPOSITORY = Path(__file__).parents[2]

os.environ.setdefault("DOVETAIL_CACHE_DIR", str(REPOSITORY / "build" / "test-cache"))
# Numbers are those of compiled programs, from the first call on.
os.environ.setdefault("DOVETAIL_COMPILE", "now")

# Compiling makes the first example slow. A failure must recur on the next run. A third of
# hypothesis's usual examples: the same in each run, so that more of them find a fault once only.
settings.register_profile(
    "dovetail", deadline=None, derandomize=True, print_blob=True, max_examples=33
)
# New examples in every run, as `tools/test --nightly` requires, and as many as usual.
settings.register_profile("nightly", deadline=None, print_blob=True, max_examples=100)
settings.register_profile("fast", settings.get_profile("dovetail"), max_examples=10)
# What `tools/test` sets; pytest alone runs all cases of tests, with the examples of a day.
PROFILE = os.environ.get("DOVETAIL_PROFILE", "")
settings.load_profile(PROFILE or "dovetail")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out cases of tests that have many, if this is a run of `tools/test`."""
    cases = collections.defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    left = set()
    for each in cases.values():
        kept = chosen([item.nodeid for item in each], each[0].path.parent.name, PROFILE)
        left.update(item for item in each if item.nodeid not in kept)
    if left:
        config.hook.pytest_deselected(items=[item for item in items if item in left])
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish(session: pytest.Session) -> None:
    """Checks that `import jax` still means JAX, with which tests compare."""
    if "dovetail.as_jax" in sys.modules:
        raise pytest.UsageError(
            "no test module may import dovetail.as_jax, which changes what `import jax` means: its "
            "programs, tests/python/as_jax/program_*.py, run in processes of their own"
        )


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return REPOSITORY


@pytest.fixture(autouse=True)
def settings_of_a_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whether programs are compiled; and undoes changes that a test makes through
    `dovetail.config.update`.
    """
    from dovetail import config

    before = [(o, o.value) for o in vars(config).values() if isinstance(o, config.Option)]
    if not compiles(request.path.parent.name, request.node.name):
        config.update("compile", "never")
    yield
    for option, value in before:
        option.set(value)


@pytest.fixture(autouse=True)
def accepted_at_once(request: pytest.FixtureRequest) -> Iterator[None]:
    """The code generator accepts programs as they are given to it first. Otherwise they still
    compile, in another way, and only take more time, which no other test would see.
    """
    from dovetail.base.monitoring import REJECTION_EVENT
    from dovetail.monitoring import register_event_listener, unregister_event_listener

    reasons: list[Any] = []

    def listen(event: str, /, **about: Any) -> None:
        if event == REJECTION_EVENT:
            reasons.append(about["reason"])

    register_event_listener(listen)
    yield
    unregister_event_listener(listen)
    if request.node.get_closest_marker("rejected") is None:
        assert not reasons, "mark the test as `rejected` if there is nothing to do about it"


@pytest.fixture(autouse=True)
def seed_generators(request: pytest.FixtureRequest) -> None:
    """Restarts a module's generators, seeded by the test's name: its numbers do not depend on which
    tests the same worker has run before.
    """
    seed = crc32(request.node.name.encode())
    for value in vars(request.module).values():
        if isinstance(value, np.random.Generator):
            value.bit_generator.state = type(value.bit_generator)(seed).state


@pytest.fixture
def in_64_bits() -> Iterator[None]:
    """With 64-bit types."""
    from dovetail import config

    with config.enable_x64(True):
        yield


@pytest.fixture
def vulkan() -> Iterator[None]:
    """Only if there is such a device."""
    yield from _closed_device("vulkan")


@pytest.fixture
def gpu(request: pytest.FixtureRequest) -> Iterator[str]:
    """The platform of that name, only if it has a device; the CPU is one for CUDA."""
    if request.param == "cuda":
        cuda_on_cpu.load(REPOSITORY / "build" / "cuda")
    for _ in _closed_device(request.param):
        yield request.param


def _closed_device(platform: str) -> Iterator[None]:
    """The device is closed before and after: two threads of an open one occupy a core each with
    Mesa's driver for CPUs, and compilers take three times as long.
    """
    from dovetail.runtime import devices

    try:
        devices.get_device(platform)
    except ValueError as error:
        pytest.skip(str(error))
    devices._devices.pop(platform)
    yield
    devices._devices.pop(platform, None)


@pytest.fixture(scope="session")
def add_module() -> bytes:
    """A module file whose function `add` takes two float32[4]."""
    from support.runtime_modules import ADD, module

    return module(ADD)


@pytest.fixture(params=["compiled", "evaluated", "eager"])
def run(request: pytest.FixtureRequest) -> Any:
    """A way to run a function with callbacks."""
    from support.callback_tools import RUNS

    return RUNS[request.param]


@pytest.fixture
def log() -> Any:
    """An empty log of calls."""
    from support.callback_tools import Log

    return Log()

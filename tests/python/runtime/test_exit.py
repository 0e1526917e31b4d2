"""The end of a process: no complaints about anything still alive."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import numpy as np
import pytest

import dovetail as dt

PYTREE = """
from dovetail import tree_util

@tree_util.register_pytree_node_class
class Held:
    def __init__(self, a):
        self.a = a
    def tree_flatten(self):
        return (self.a,), None
    @classmethod
    def tree_unflatten(cls, _, children):
        return cls(*children)

Held.array = dt.jit(lambda x: x + 1)(dnp.ones(3))
Held.program = dt.jit(lambda held: Held(held.a * 2))
Held.gradient = dt.jit(dt.grad(lambda x: dnp.sum(x**2)))
Held.instance = Held.program(Held(Held.array))
Held.gradient(Held.array)
"""
ENUM = """
import enum

class Mode(str, enum.Enum):
    CLIP = "clip"

Mode.program = dt.jit(lambda x, mode: x + 1, static_argnums=1)
Mode.array = Mode.program(dnp.ones(3), Mode.CLIP)
for _ in range(4):
    dnp.take(Mode.array, np.array([0]), mode=Mode.CLIP)
"""


CHECKED = """
class Held:
    pass

Held.program = dt.jit(lambda x: x + 1)
with dt.debug_nans():
    Held.array = dnp.flip(Held.program(dnp.ones(3)))
"""


@pytest.mark.parametrize("compile", ["now", "never"])
@pytest.mark.parametrize("held", [PYTREE, ENUM, CHECKED], ids=["pytree", "enum", "checked"])
def test_classes_that_hold_arrays_and_programs_are_let_go(held: str, compile: str) -> None:
    start = (
        "import numpy as np, dovetail as dt, dovetail.numpy as dnp\n"
        f"dt.config.update('compile', {compile!r})\n"
    )
    done = subprocess.run([sys.executable, "-c", start + held], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Names of a user's program.
PROGRAM = """
def loss(x):
    return dnp.sum(dnp.sin(x) ** 2)

x = np.ones(3, np.float32)
step = dt.jit(dt.grad(loss))
array, lowered = step(x), step.lower(x)
seen = np.asarray(array)
dt.jit(loss)(x)
pullback, linear = dt.vjp(loss, x)[1], dt.linearize(loss, x)[1]
"""
# Objects that make Python keep them longer than other globals, or forever.
COLLECTED = """
import gc
gc.callbacks.append(lambda phase, info: None)
"""
FROZEN = """
import gc
gc.freeze()
"""
UNSEEN = """
functions = np.array([loss, step, array, lowered, pullback, linear], dtype=object)
"""
DAEMON = """
import threading
started = threading.Event()

def work():
    mine = step(x), step.lower(x), dt.vjp(loss, x)
    started.set()
    threading.Event().wait()

threading.Thread(target=work, daemon=True).start()
started.wait()
"""


@pytest.mark.parametrize("compile", ["now", "never"])
@pytest.mark.parametrize(
    "kept", [COLLECTED, FROZEN, UNSEEN, DAEMON], ids=["collected", "frozen", "unseen", "daemon"]
)
def test_objects_that_python_keeps_are_released(kept: str, compile: str) -> None:
    start = (
        "import numpy as np, dovetail as dt, dovetail.numpy as dnp\n"
        f"dt.config.update('compile', {compile!r})\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", start + PROGRAM + kept], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("transform", [dt.linearize, dt.vjp])
def test_callbacks_that_hold_derivatives_of_their_callers_are_collected(transform: Any) -> None:
    x = np.ones(3, np.float32)

    def make() -> Any:
        def callback(value: Any) -> Any:
            return np.asarray(value)

        shape = dt.ShapeDtypeStruct((3,), np.float32)
        held = transform(lambda x: x * dt.pure_callback(callback, shape, np.ones(3)), x)
        callback.held = held  # type: ignore[attr-defined]
        return weakref.ref(callback)

    callback = make()
    gc.collect()
    assert callback() is None


WATCH = """
import sys, weakref, numpy as np
from dovetail import runtime

class Watch:
    def __del__(self, say=print, device=weakref.ref(runtime.get_device("local-task"))):
        say(device() is not None)

# This module is no garbage: it loses its names, after all that it imports.
sys.name_of_the_test = sys.modules["__main__"]
last = [Watch(), runtime.put(np.ones(3))]
"""


def test_devices_outlive_references_from_modules() -> None:
    """Memory of a device that is already gone could not be released."""
    done = subprocess.run([sys.executable, "-c", WATCH], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")

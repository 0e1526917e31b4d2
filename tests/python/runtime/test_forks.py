"""Forked processes: they take over no lock and no thread of a device."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# Threads call a program on the device while processes are forked: each of them must make devices
# and contexts of its own, also in a child of a child, and arrays of the parent stay readable.
PROGRAM = """
import os, sys, threading
import numpy as np
import dovetail as dt
import dovetail.numpy as jnp
from dovetail.runtime import devices, get_device

name, size = sys.argv[1], int(sys.argv[2])
weights = jnp.asarray(np.linspace(0.0, 1.0, size, dtype=np.float32))
program = dt.jit(lambda x: jnp.sin(x * weights).sum())
expected = float(program(3.0))
assert list(devices._devices) == [name], devices._devices
array = dt.jit(lambda x: x + 1)(weights)
more = np.asarray(array) + 1
parent = get_device(name)

def check(depth):
    child = os.fork()
    if child == 0:
        assert get_device(name) is not parent
        assert float(program(3.0)) == expected
        assert float(program(3.0)) == expected
        assert np.array_equal(array + 1, more)
        if depth:
            check(depth - 1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

done = threading.Event()

def compute():
    while not done.is_set():
        program(3.0)

threads = [threading.Thread(target=compute) for _ in range(2)]
for each in threads:
    each.start()
try:
    for _ in range(10):
        check(1)
finally:
    done.set()
for each in threads:
    each.join()
assert float(program(3.0)) == expected and get_device(name) is parent
"""


@pytest.mark.parametrize(("device", "size"), [("local-sync", 2_000), ("local-task", 4_000_000)])
def test_children_make_devices_of_their_own(device: str, size: int) -> None:
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", PROGRAM, device, str(size)]
    environment = os.environ | {"DOVETAIL_COMPILE": "now"}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)

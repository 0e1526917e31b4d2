"""Modules of the runtime are complete, whichever thread imports them first."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import importlib, sys, threading
import iree.runtime
import dovetail

sys.setswitchinterval(1e-6)
failures = []

def load(*names):
    barrier.wait()
    try:
        for name in names:
            importlib.import_module(name)
        assert dovetail.runtime.Device and dovetail.runtime.load
    except BaseException as error:
        failures.append(error)

lists = [["dovetail.runtime"], ["dovetail.runtime.devices"], ["dovetail.runtime.module"]]
barrier = threading.Barrier(len(lists))
threads = [threading.Thread(target=load, args=names) for names in lists]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
"""


@pytest.mark.parametrize("attempt", range(5))
def test_threads_import_the_runtime_at_once(attempt: int) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)

"""Programs on Vulkan, where IREE's driver needs help."""

from __future__ import annotations

import itertools
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from dovetail.runtime import plugins
from support.vulkan import Timeline

ERROR_DEVICE_LOST = -4
SUPPORT = Path(__file__).resolve().parents[1]
IMPORTS = f"""
import sys

import numpy as np

sys.path.insert(0, {str(SUPPORT)!r})

from dovetail.runtime import Executable, devices
from support.runtime_modules import PAD_TWICE, module
"""


def run(program: str) -> None:
    """In a process of its own, in which no device has been made."""
    subprocess.run([sys.executable, "-c", IMPORTS + textwrap.dedent(program)], check=True)


@pytest.mark.usefixtures("vulkan")
def test_late_signals_are_left_out() -> None:
    """A device is not lost by a signal with a value that the semaphore has passed."""
    semaphore = Timeline(plugins.path(plugins.VULKAN))
    assert [semaphore.signal(value) for value in (5, 3, 5)] == [0, 0, 0]
    assert semaphore.value() == 5
    # From several threads, each of which takes a number and signals it afterwards.
    numbers, results = itertools.count(6), []

    def signals() -> None:
        for _ in range(2000):
            results.append(semaphore.signal(next(numbers)))

    threads = [threading.Thread(target=signals) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [0] * 8000
    assert semaphore.value() == 8005
    semaphore.close()


@pytest.mark.usefixtures("vulkan")
def test_late_signals_lose_the_device_otherwise() -> None:
    """Mesa's driver for CPUs; if it does no longer, other drivers still may."""
    semaphore = Timeline("libvulkan.so.1")
    assert [semaphore.signal(value) for value in (5, 3)] == [0, ERROR_DEVICE_LOST]
    semaphore.close()


@pytest.mark.usefixtures("vulkan")
def test_later_calls_read_their_own_arguments() -> None:
    """Also in a process that has listed its devices before: a driver reads its flags once."""
    run(
        """
            assert devices.models("vulkan")
            pad = Executable(module(PAD_TWICE, target="vulkan"), "pad_twice", "vulkan")
            x = np.arange(3, dtype=np.int32)
            for i in range(5):
                results = pad([x + i, np.array(10 + i, np.int32), np.array(20 + i, np.int32)])
                first, second = (result.numpy() for result in results)
                np.testing.assert_array_equal(first, [10 + i, 10 + i, *(x + i), 10 + i])
                np.testing.assert_array_equal(second, [*(x + i), 20 + i])
        """
    )


@pytest.mark.usefixtures("vulkan")
def test_a_device_ends_after_what_is_on_it() -> None:
    """A result, and its copy for the host, may be the last that knows its device."""
    run(
        """
            import gc

            pad = Executable(module(PAD_TWICE, target="vulkan"), "pad_twice", "vulkan")
            numbers = [np.array(i, np.int32) for i in range(2)]
            first, second = pad([np.arange(3, dtype=np.int32), *numbers])
            host = second.numpy()
            del pad, second
            devices._devices.clear()
            gc.collect()
            del first
            np.testing.assert_array_equal(host, [0, 1, 2, 1])
            del host
        """
    )

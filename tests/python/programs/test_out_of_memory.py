"""Running out of memory is an error that states what needs how much, and where."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.runtime.memory import is_out_of_memory, memory_of_host

# More than any machine has: a square of it in float32 is 16 PiB.
MANY = 1 << 26


def _squares(x: Any) -> Any:
    return dnp.cumsum(dnp.outer(x, x), 0)


def _line(function: Callable[..., Any]) -> str:
    code = function.__code__
    return f"{code.co_filename}:{code.co_firstlineno + 1}"


@pytest.mark.parametrize(
    "make",
    [
        lambda: dnp.zeros(10**15),
        lambda: dnp.ones((10**8, 10**8), dnp.int8),
        lambda: dnp.full(10**15, 2.0),
        lambda: dnp.broadcast_to(dnp.ones(3), (10**15, 3)),
        lambda: dnp.zeros_like(dnp.ones(1), shape=10**15),
        lambda: dnp.eye(10**8),
    ],
)
def test_arrays_beyond_the_machine(make: Callable[[], Any]) -> None:
    # A cached call fails in the same way.
    for _ in range(3):
        with pytest.raises(MemoryError):
            make()


def test_the_error_of_an_array_states_its_size_and_line() -> None:
    with pytest.raises(MemoryError, match=r"3.6 PiB.*float32\[1000000000000000\].*test_out_of_mem"):
        dnp.zeros(10**15)


@pytest.mark.parametrize("mode", ["now", "auto"])
def test_a_compiled_program(mode: Any) -> None:
    program = dt.jit(_squares, compile=mode)
    x = dnp.ones(MANY)
    # The first call is made in Python, others in C++. JAX's programs catch a RuntimeError.
    for expected in (MemoryError, RuntimeError, dt.runtime.OutOfMemoryError):
        with pytest.raises(expected) as caught:
            program(x)
        message = str(caught.value)
        assert message.startswith("RESOURCE_EXHAUSTED: `_squares` needs memory"), message
        assert re.search(r"allocates \d+\.\d PiB", message), message
        assert f"at {_line(_squares)} (_squares)" in message, message
    # The argument is unchanged.
    assert float(x[-1]) == 1


def test_a_program_for_all_sizes() -> None:
    program = dt.jit(_squares, compile="now", dynamic_shapes=("n",))
    for _ in range(3):
        assert program(dnp.ones(3)).shape == (3, 3)
    with pytest.raises(MemoryError, match=r"`_squares` needs memory.*allocates \d+\.\d PiB"):
        program(dnp.ones(MANY))


def test_an_evaluated_program() -> None:
    program = dt.jit(_squares, compile="never")
    with pytest.raises(MemoryError, match=r"`_squares`: mul: .*16.0 PiB.*") as caught:
        program(dnp.ones(MANY))
    assert _line(_squares) in str(caught.value)

    def looped(x: Any) -> Any:
        return lax.fori_loop(0, 3, lambda _, total: total + _squares(x)[0, 0], 0.0)

    with pytest.raises(MemoryError, match=r"`looped`: mul: "):
        dt.jit(looped, compile="never")(dnp.ones(MANY))


def test_evaluation_gives_way_to_a_program_that_needs_less() -> None:
    # Evaluated, the product is an array.
    program = dt.jit(lambda x: dnp.sum(dnp.outer(x, x)[:, -2:][-2:]))
    np.testing.assert_allclose(program(dnp.ones(MANY)), 4.0)


@pytest.mark.parametrize("mode", ["now", "never"])
def test_the_error_of_a_callback_is_its_own(mode: Any) -> None:
    def fail(x: Any) -> Any:
        raise MemoryError("of the user")

    program = dt.jit(lambda x: dt.pure_callback(fail, x, x), compile=mode)
    with pytest.raises(MemoryError, match=r"^of the user$"):
        program(dnp.ones(3))


def test_a_module_without_the_compiler(tmp_path: Any) -> None:
    path = tmp_path / "squares.vmfb"
    dt.export(_squares, dt.ShapeDtypeStruct((MANY,), "float32"), path=path)
    loaded = dt.runtime.load(path)
    with pytest.raises(dt.runtime.OutOfMemoryError, match="`main` needs memory"):
        loaded.main(np.ones(MANY, np.float32))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("allocator_libc.c:57: RESOURCE_EXHAUSTED; libc allocator failed the request", True),
        ("RESOURCE_EXHAUSTED; new stack size would exceed maximum size", False),
        ("OUT_OF_RANGE; alloca", False),
    ],
)
def test_messages_about_memory(text: str, expected: bool) -> None:
    assert is_out_of_memory(RuntimeError(text)) is expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own figures")
def test_memory_of_host() -> None:
    assert 1 << 28 < memory_of_host() < 1 << 50

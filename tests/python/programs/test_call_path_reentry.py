"""Code that runs within calls made by C++: callbacks, `==`, `hash`, the collector, interrupts."""

from __future__ import annotations

import functools
import gc
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core
from dovetail.arrays.array import Array

# Compiled at the first call, so that the second one is made by C++.
jit = functools.partial(dt.jit, compile="now")

SCALAR = dt.ShapeDtypeStruct((), "float32")
# Large enough for its own dispatch, which writes over a donated array.
N = 1 << 14


class Acts:
    """A static argument whose `==` and `hash` run code; all are equal."""

    def __init__(self, act: Callable[[], Any] = lambda: None, hashes: bool = False) -> None:
        self.act, self.hashes = act, hashes

    def __hash__(self) -> int:
        if self.hashes:
            self.act()
        return 1

    def __eq__(self, other: object) -> bool:
        self.act()
        return isinstance(other, Acts)


# Callbacks ----------------------------------------------------------------------------------------


def test_callbacks_that_call_the_function_again() -> None:
    def again(x: np.ndarray) -> np.ndarray:
        return np.asarray(0.0 if x <= 0 else summed(x - 1), np.float32)

    summed = jit(lambda x: x + dt.pure_callback(again, SCALAR, x))
    for _ in range(3):
        assert float(summed(np.float32(4))) == 10
    assert len(summed._executions) == 1


@pytest.mark.parametrize("act", ["clear_cache", "_forget", "delete", "collect"])
def test_callbacks_that_take_the_program_away(act: str) -> None:
    kept: dict[str, Any] = {}

    def run(x: np.ndarray) -> np.ndarray:
        if act == "delete":
            kept.pop("f", None)
        elif act == "collect":
            gc.collect()
        else:
            getattr(kept["f"], act)()
        gc.collect()
        return x

    for _ in range(2):
        kept["f"] = jit(lambda x: {"y": dt.pure_callback(run, SCALAR, x) + x})
        function = weakref.ref(kept["f"])
        for k in range(3):
            if function() is not None:
                # No name holds the function during the call.
                assert float(function()(np.float32(k))["y"]) == 2 * k  # type: ignore[misc]


def computed(value: float) -> Any:
    """An array that a compiled program made."""
    return maker()(np.zeros(N, np.float32), value)


@functools.cache
def maker() -> Any:
    return jit(lambda x, value: x + value)


def test_arrays_donated_while_a_call_reads_them() -> None:
    given: list[Any] = []
    step = jit(lambda w: w * 0 - 1, donate_argnums=0)

    def donate(x: np.ndarray) -> np.ndarray:
        step(given[0])
        return x

    read = jit(lambda w: w * dt.pure_callback(donate, SCALAR, w[0]))
    for k in range(1, 5):
        given[:] = [computed(k)]
        np.testing.assert_array_equal(read(given[0]), np.full(N, k * k, np.float32))
        assert given[0].is_deleted()
    assert step._cached_count() == read._cached_count() == 1


def test_arrays_used_within_the_call_that_they_are_donated_to() -> None:
    given: list[Any] = []
    messages: list[str] = []

    def use(x: np.ndarray) -> np.ndarray:
        for function in (read, step):
            try:
                function(given[0])
            except RuntimeError as error:
                messages.append(str(error))
        return x

    read = jit(lambda w: w + 1)
    step = jit(lambda w: w * dt.pure_callback(use, SCALAR, w[0]), donate_argnums=0)
    read(computed(0.0))
    for k in range(1, 5):
        given[:] = [computed(k)]
        np.testing.assert_array_equal(step(given[0]), np.full(N, k * k, np.float32))
    assert len(messages) == 8
    assert all("donated" in message for message in messages)


# Static arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize("hashes", [False, True])
def test_static_arguments_that_call_the_function_again(hashes: bool) -> None:
    jitted = jit(lambda x, static: x + 1, static_argnums=1)
    depth = 0

    def act() -> None:
        nonlocal depth
        if depth < 3:
            depth += 1
            assert float(jitted(1.0, Acts(act, hashes))) == 2
            depth -= 1

    for k in range(4):
        assert float(jitted(float(k), Acts(act, hashes))) == k + 1


@pytest.mark.parametrize("hashes", [False, True])
def test_static_arguments_that_raise(hashes: bool) -> None:
    class Refused(Exception):
        pass

    def refuse() -> None:
        raise Refused

    jitted = jit(lambda x, static: x + 1, static_argnums=1)
    first, second = Acts(), Acts()
    for _ in range(3):
        assert float(jitted(1.0, first)) == 2
    # The cached one compares itself.
    odd = second if hashes else first
    odd.act, odd.hashes = refuse, hashes
    with pytest.raises(Refused if hashes else ValueError) as caught:
        jitted(1.0, second)
    # An `__eq__` that raises is reported as in JAX.
    assert hashes or type(caught.value.__cause__) is Refused
    odd.act = lambda: None
    assert float(jitted(1.0, second)) == 2


# Exceptions that must not be caught ---------------------------------------------------------------


class Node:
    """A registered class that runs code as it is flattened."""

    def __init__(self, content: Any, act: Callable[[], Any] = lambda: None) -> None:
        self.content, self.act = content, act

    def parts(self) -> tuple[tuple[Any], None]:
        self.act()
        return (self.content,), None


dt.tree_util.register_pytree_node(Node, Node.parts, lambda _, parts: Node(*parts))


class Once:
    """Interrupts only the first time: whoever catches it continues."""

    def __init__(self) -> None:
        self.left = 1

    def __call__(self) -> None:
        if self.left:
            self.left -= 1
            raise KeyboardInterrupt


def test_interrupts_within_static_arguments() -> None:
    for hashes in (False, True):
        jitted = jit(lambda x, static: x + 1, static_argnums=1)
        first, second = Acts(), Acts()
        for _ in range(3):
            jitted(1.0, first)
        odd = second if hashes else first
        odd.act, odd.hashes = Once(), hashes
        with pytest.raises(KeyboardInterrupt):
            jitted(1.0, second)
        assert float(jitted(1.0, second)) == 2


def test_interrupts_while_trees_are_flattened() -> None:
    jitted = jit(lambda node: node.content + 1)
    for _ in range(3):
        jitted(Node(1.0))
    with pytest.raises(KeyboardInterrupt):
        jitted(Node(1.0, Once()))
    assert float(jitted(Node(1.0))) == 2


def test_interrupts_of_callbacks() -> None:
    act: list[Callable[[], Any]] = [lambda: None]

    def run(x: np.ndarray) -> np.ndarray:
        act[0]()
        return x

    jitted = jit(lambda x: dt.pure_callback(run, SCALAR, x))
    for _ in range(3):
        act[0] = lambda: None
        assert float(jitted(1.0)) == 1
        act[0] = Once()
        with pytest.raises(KeyboardInterrupt):
            jitted(1.0)


# Objects that are not what they should be ---------------------------------------------------------


def test_arrays_that_were_never_initialized() -> None:
    jitted = jit(lambda x: x + 1)
    donating = jit(lambda x: x + 1, donate_argnums=0)
    for function in (jitted, donating, dnp.negative):
        for _ in range(2):
            function(dnp.ones(2))
            with pytest.raises(AttributeError):
                function(Array.__new__(Array))


def test_descriptions_that_are_not_complete() -> None:
    jitted = jit(lambda x: x + 1)
    jitted(1.0)
    [execution] = jitted._executions.values()
    descriptions: list[dict[str, Any]] = [{}, {"inputs": [], "outputs": [], "captured": []}]
    for description in descriptions:
        made = _core.Invocation.__new__(_core.Invocation)
        with pytest.raises(TypeError, match="missing required argument"):
            made.__init__(**description)
        assert jitted._cache_call((), {}, [], made)
    with pytest.raises(TypeError, match="described once"):
        execution.invocation.__init__()


# Results ------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A named tuple."""

    x: Any


class Checked(Pair):
    """One whose class runs code as it is made."""

    acts: ClassVar[list[Callable[[], Any]]] = []

    def __new__(cls, x: Any) -> Any:
        for act in cls.acts:
            act()
        return super().__new__(cls, x)


def test_classes_of_results_that_run_code() -> None:
    jitted = jit(lambda x: [Checked(x + 1), {"y": Checked(x)}])
    for _ in range(3):
        assert float(jitted(1.0)[0].x) == 2
    try:
        Checked.acts[:] = [gc.collect, jitted.clear_cache]
        for _ in range(3):
            assert float(jitted(1.0)[1]["y"].x) == 1
        Checked.acts.clear()
        jitted(1.0)
        Checked.acts.append(Once())
        with pytest.raises(KeyboardInterrupt):
            jitted(1.0)
    finally:
        Checked.acts.clear()


def test_a_process_that_makes_no_eager_call() -> None:
    program = (
        "import numpy as np, dovetail as dt\n"
        "f = dt.jit(lambda x: dt.pure_callback(np.copy, dt.ShapeDtypeStruct((), 'float32'), x))\n"
        "print([float(f(np.float32(i))) for i in range(3)])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[0.0, 1.0, 2.0]\n", done.stderr

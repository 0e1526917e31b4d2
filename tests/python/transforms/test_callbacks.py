"""Python functions that programs call: their values, and their errors."""

from __future__ import annotations

import concurrent.futures
import contextvars
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax
from dovetail.experimental import io_callback
from support.callback_tools import F32, SCALAR, Log, Refusal, Transform, debug, sine

# Values ----------------------------------------------------------------------------------------


def test_trees(run: Transform) -> None:
    def host(x: Any, *, scale: Any) -> Any:
        assert isinstance(x["a"], dt.Array)
        return [x["a"] * scale, (np.asarray(x["b"][0]).sum(),)]

    types = [dt.ShapeDtypeStruct((3,), F32), (dt.ShapeDtypeStruct((), np.int32),)]

    @run
    def program(a: Any, b: Any) -> Any:
        y, (n,) = dt.pure_callback(host, types, {"a": a, "b": (b, None)}, scale=2.0)
        return y + 1, n * 2

    y, n = program(dnp.arange(3.0), dnp.arange(4))
    np.testing.assert_array_equal(y, [1, 3, 5])
    assert int(n) == 12


DTYPES = [
    *(np.bool_, np.int8, np.int32, np.uint8, np.uint32, np.float16, ml_dtypes.bfloat16),
    *(np.float32, np.complex64, np.int64, np.float64, np.complex128),
]


def test_element_types(run: Transform) -> None:
    with config.enable_x64(True):
        arrays = [
            np.array(values, dtype)
            for dtype in DTYPES
            for values in ([1, 0, 1], [[1], [2]], 1, np.zeros((0, 2)))
        ]
        types = [dt.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]

        def host(values: list[Any]) -> list[Any]:
            for value, array in zip(values, arrays, strict=True):
                assert value.dtype == array.dtype
                np.testing.assert_array_equal(value, array)
            return values[::-1]

        program = run(lambda values: dt.pure_callback(host, types[::-1], values))
        for result, array in zip(program(arrays), arrays[::-1], strict=True):
            assert result.dtype == array.dtype
            np.testing.assert_array_equal(result, array)


def test_without_arguments_or_results(run: Transform) -> None:
    calls: list[str] = []

    @run
    def program() -> Any:
        dt.debug.callback(lambda: calls.append("debug"))
        io_callback(lambda: calls.append("io"), None)
        return io_callback(lambda: 2.5, SCALAR)

    assert float(program()) == 2.5
    assert calls == ["debug", "io"]


def test_arguments_may_be_kept(run: Transform) -> None:
    kept: list[Any] = []
    program = run(lambda x: dt.debug.callback(kept.append, x * 2))
    for i in range(5):
        program(dnp.full(1000, float(i)))
    for i, array in enumerate(kept):
        np.testing.assert_array_equal(array, np.full(1000, 2.0 * i))


def test_results_are_not_shared(run: Transform) -> None:
    buffer = np.zeros(3, F32)

    def host() -> np.ndarray:
        buffer[:] += 1
        return buffer

    program = run(lambda: io_callback(host, dt.ShapeDtypeStruct((3,), F32)))
    first, second = program(), program()
    np.testing.assert_array_equal(first, np.ones(3))
    np.testing.assert_array_equal(second, np.full(3, 2.0))


def test_wide_results_are_made_narrow(run: Transform) -> None:
    wide = run(lambda x: dt.pure_callback(lambda x: np.float64(x) / 3, SCALAR, x))
    assert float(wide(1.0)) == np.float32(1 / 3)
    assert float(run(lambda: io_callback(lambda: 3, SCALAR))()) == 3.0


# Errors -------------------------------------------------------------------------------------------


def test_results_are_where_the_arguments_are(run: Transform) -> None:
    program = run(lambda x: dt.pure_callback(np.sin, SCALAR, x))
    assert not program(1.0).committed
    here = dt.device_put(1.0, dt.devices()[0])
    assert program(here).committed


def test_the_context_of_the_caller_holds(run: Transform) -> None:
    seen: contextvars.ContextVar[str] = contextvars.ContextVar("seen", default="another")

    def host(x: Any) -> Any:
        assert seen.get() == "the caller's"
        return np.asarray(x) / 3

    @run
    def program(x: Any) -> Any:
        return dt.pure_callback(host, dt.ShapeDtypeStruct((2,), np.float64), x)

    seen.set("the caller's")
    with config.enable_x64(True):
        third = program(dnp.ones(2))
    assert third.dtype == np.float64
    np.testing.assert_array_equal(third, np.full(2, 1 / 3))


def test_exceptions_come_out(run: Transform, log: Log) -> None:
    def refuse(x: Any) -> Any:
        if float(x) > 1:
            raise Refusal(f"too large: {float(x)}")
        return x

    for call in (
        lambda x: dt.pure_callback(refuse, SCALAR, x) + 1,
        lambda x: io_callback(refuse, SCALAR, x) + 1,
        lambda x: (dt.debug.callback(refuse, x), x + 1)[1],
        lambda x: lax.fori_loop(0, 3, lambda i, x: (dt.debug.callback(refuse, x), x + 1)[1], x),
    ):
        program = run(lambda x, call=call: (call(x), debug(log, x))[0])
        for _ in range(2):
            with pytest.raises(Refusal, match=r"too large: \d") as caught:
                program(5.0)
            lines = traceback.extract_tb(caught.value.__traceback__)
            assert any(line.name == "refuse" for line in lines)
            assert any(line.name == "test_exceptions_come_out" for line in lines)
            assert log.take() == []
        program(-5.0)
        assert log.take() == [-5.0]


def test_arguments_that_do_not_fit(run: Transform) -> None:
    def two(x: Any, y: Any) -> Any:
        return x + y

    def own(x: Any) -> Any:
        return x + two(x)  # type: ignore[call-arg]

    def program(function: Callable[..., Any]) -> Callable[..., Any]:
        return run(lambda x: dt.pure_callback(function, SCALAR, x))

    text = rf"the pure_callback of `two`, called at .*{Path(__file__).name}:\d+ .*, cannot take its"
    for error in (TypeError, dt.errors.JaxRuntimeError):
        with pytest.raises(error, match=rf"{text} arguments: .*missing 1 required positional"):
            program(two)(1.0)
    with pytest.raises(TypeError, match="missing 1 required") as caught:
        program(own)(1.0)
    assert str(caught.value).startswith("TypeError: ")


def test_wrong_results(run: Transform) -> None:
    def returning(value: Any, struct: Any = SCALAR) -> Callable[[], Any]:
        return run(lambda: io_callback(lambda: value, struct))

    place = rf"`<lambda>`, called at .*{Path(__file__).name}:\d+"
    with pytest.raises(ValueError, match=rf"{place}.*float32\[\], got: float32\[2\]"):
        returning(np.zeros(2, F32))()
    with pytest.raises(ValueError, match=r"float32\[\], got: int32\[\]"):
        returning(np.int32(1))()
    with pytest.raises(ValueError, match=r"float32\[\], got: complex64\[\]"):
        returning(1j)()
    with pytest.raises(ValueError, match=r"float32\[\], got: object\[\]"):
        returning(object())()
    with pytest.raises(ValueError, match="as many arrays as result_shape_dtypes has, 1, got: 2"):
        returning((1.0, 2.0))()
    with pytest.raises(ValueError, match="as many arrays as result_shape_dtypes has, 0, got: 1"):
        returning(1.0, None)()


def test_wrong_arguments() -> None:
    with pytest.raises(TypeError, match="pure_callback must get a function, got: 3"):
        dt.pure_callback(3, SCALAR)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="leaves of result_shape_dtypes must have a shape"):
        dt.pure_callback(abs, "float32", 1.0)
    with pytest.raises(TypeError, match=r"`arguments.*` of the pure_callback of `abs` must be an"):
        dt.pure_callback(abs, SCALAR, "text")
    with config.enable_x64(False), pytest.raises(ValueError, match="cannot specify 64-bit types"):
        dt.pure_callback(abs, np.zeros(2), 1.0)


def test_values_of_effects_are_unknown_while_traced() -> None:
    def f(x: Any) -> Any:
        return x if io_callback(lambda: True, dt.ShapeDtypeStruct((), np.bool_)) else 2 * x

    with pytest.raises(TypeError, match=r"known only when the traced function runs.*lax\.cond"):
        dt.grad(f)(1.0)
    # Pure ones may be called any number of times.
    assert float(dt.grad(lambda x: x if sine(lax.stop_gradient(x)) > 0 else 2 * x)(1.0)) == 1.0


def test_export_is_rejected(tmp_path: Path) -> None:
    compiled = dt.jit(lambda x: sine(x)).lower(1.0).compile()
    with pytest.raises(
        ValueError, match=r"must run on the CPU of the Python program.*without callbacks"
    ):
        compiled.save(tmp_path / "f.vmfb")


# Programs within programs ------------------------------------------------------------------------


def test_callbacks_call_jitted_functions(run: Transform, log: Log) -> None:
    @dt.jit
    def factorial(n: Any) -> Any:
        debug(log, n)

        def smaller(n: Any) -> Any:
            return n * factorial(n - 1) if int(n) > 0 else dnp.float32(1)

        return dt.pure_callback(smaller, SCALAR, n)

    assert float(run(lambda n: factorial(n) + 0)(5.0)) == 120
    assert log.take() == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]


def test_callbacks_differentiate(run: Transform) -> None:
    slope = dt.grad(lambda x: dnp.sin(x) * x)
    program = run(lambda x: dt.pure_callback(slope, SCALAR, x))
    np.testing.assert_allclose(program(0.5), np.sin(0.5) + 0.5 * np.cos(0.5), rtol=1e-6)
    np.testing.assert_allclose(
        dt.grad(lambda x: x * program(lax.stop_gradient(x)))(0.5), program(0.5)
    )


class _Refused(KeyError):
    """Made of other arguments than those of its class."""

    def __init__(self, number: int, word: str) -> None:
        super().__init__(f"{word} {number}")
        self.number = number


@pytest.mark.parametrize(
    "error",
    [
        *(ValueError("no"), KeyError("k"), OSError(2, "gone"), RuntimeError(), Refusal("no")),
        *(
            Exception("x"),
            _Refused(3, "no"),
            UnicodeDecodeError("utf8", b"a", 0, 1, "bad"),
            StopIteration(1),
        ),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_are_of_their_class_and_of_runtime(error: Exception, run: Transform) -> None:
    def fail(x: Any) -> Any:
        del x
        raise error

    inner = run(lambda x: dt.pure_callback(fail, SCALAR, x))
    outer = run(lambda x: dt.pure_callback(lambda x: inner(x), SCALAR, x))
    for program in (inner, outer):
        with pytest.raises(dt.errors.JaxRuntimeError) as caught:
            program(1.0)
        assert isinstance(caught.value, type(error))
        assert str(caught.value) == traceback.format_exception_only(error)[-1].strip()
        assert caught.value.args == error.args
        assert {**vars(caught.value)}.items() >= vars(error).items()
        assert getattr(caught.value, "errno", None) == getattr(error, "errno", None)


def test_threads() -> None:
    def host(x: Any) -> Any:
        if float(x) % 7 == 0:
            raise Refusal(str(float(x)))
        return inner(x)

    inner = dt.jit(lambda x: x * 2)
    program = dt.jit(lambda x: dt.pure_callback(host, SCALAR, x) + 1)

    def call(i: int) -> bool:
        try:
            return float(program(float(i))) == 2 * i + 1
        except Refusal as error:
            return error.args == (str(float(i)),) and i % 7 == 0

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(call, range(100)))


def test_programs_that_are_evaluated_often_call_what_they_would() -> None:
    calls = []

    def called(x: Any) -> Any:
        calls.append(x)
        return np.sin(x)

    def refused(x: Any) -> Any:
        raise RuntimeError("a branch that is not taken was called")

    like = dt.ShapeDtypeStruct((), np.float32)

    @dt.jit
    def f(x: Any) -> Any:
        known = dt.pure_callback(called, like, np.float32(2))
        untaken = lambda: dt.pure_callback(refused, like, np.float32(2))  # noqa: E731
        return known + lax.cond(x > 5, untaken, lambda: x)

    with dt.config.compile("never"):
        for _ in range(100):
            np.testing.assert_allclose(f(np.float32(1)), np.sin(np.float32(2)) + 1, rtol=1e-6)
    assert len(calls) == 100

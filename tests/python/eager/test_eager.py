"""Cached eager calls: the same results as uncached ones, whatever changes in between."""

from __future__ import annotations

import inspect
import math
import operator
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import _core, config, lax
from dovetail.arrays.array import Array
from dovetail.eager.recorded_values import ScalarProxy
from dovetail.eager.recording import Recording, Unrecordable, record

# The first call is noted, the second recorded, the third replayed.
CALLS = 4


@pytest.fixture(autouse=True)
def fresh_memory() -> Iterator[None]:
    _core.clear_eager_cache()
    yield
    _core.limit_eager_cache(4096)


def executor_of(function: Any, *args: Any, by_value: bool = False) -> Any:
    """The recorded executor of a call, all of whose scalars are operands."""
    return record(function.__wrapped__, args, {}, [True] * len(args), by_value).executor


def check_same(result: Any, expected: Any) -> None:
    assert type(result) is type(expected)
    if isinstance(expected, (tuple, list)):
        assert len(result) == len(expected)
        for part, other in zip(result, expected, strict=True):
            check_same(part, other)
    elif isinstance(expected, Array):
        assert (result.dtype, result.weak_type) == (expected.dtype, expected.weak_type)
        np.testing.assert_array_equal(np.asarray(result), np.asarray(expected))
    else:
        assert result == expected


# Arguments of one type and different values, including those easily confused with others.
X = [dnp.array(v, "float32") for v in ([1.5, -2.0, 0.0], [-0.0, math.nan, math.inf], [3.0, 2, 1])]
Y = [x[::-1] for x in X]
N = [dnp.array(v) for v in ([1, -2, 3], [2, 1, 7], [0, 1, 2])]
M = [dnp.outer(x, y) for x, y in zip(Y, X, strict=True)]

FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "add": (dnp.add, (X, Y)),
    "add float": (dnp.add, (X, [1.0, -0.0, 1e30])),
    "add int": (dnp.add, (X, [1, 0, -7])),
    "float less": (dnp.less, ([1.0, 0.0, math.inf], X)),
    "mixed types": (dnp.multiply, (X, N)),
    "weak": (dnp.add, ([1.0, 2.0, 3.0], [1, 2, 3])),
    "large int": (dnp.add, (N, [1, 2**31 - 1, 5])),
    "power int": (dnp.power, (X, [2, 3, 0])),
    "power float": (dnp.power, (X, [2.0, 0.5, -1.0])),
    "numpy": (dnp.add, (X, [np.arange(k, k + 3, dtype="f4") for k in range(3)])),
    "numpy 64": (dnp.multiply, (X, [np.arange(3), np.arange(3) + 2**40, -np.arange(3)])),
    "numpy scalar": (dnp.add, (X, [np.float64(1.5), np.float64(2.5), np.float64(0.1)])),
    "where": (dnp.where, ([x > 0 for x in X], X, Y)),
    "clip": (dnp.clip, (X, [0.0, -1.0, 0.5], [1.0, 0.0, 2.0])),
    "concatenate": (dnp.concatenate, ([[x, y] for x, y in zip(X, Y, strict=True)],)),
    "stack scalars": (dnp.stack, ([[1.0, 2], [3.0, 4], [5.0, 6]],)),
    "sum": (dnp.sum, (X,)),
    "mean": (dnp.mean, (M, [0, 1, -1])),
    "std": (dnp.std, (M,)),
    "floor divide": (dnp.floor_divide, (N, [3, -2, 0])),
    "divmod": (dnp.divmod, (X, Y)),
    "sort": (dnp.sort, (X,)),
    "argsort": (dnp.argsort, (M,)),
    "astype": (dnp.astype, (X, ["int32", "bool", "float16"])),
    "matmul": (dnp.matmul, (M, X)),
    "getitem array": (dnp.getitem, (X, [dnp.array([0, 2]), dnp.array([-1, 7]), dnp.array([1, 1])])),
    "getitem scalar": (dnp.getitem, (X, [dnp.array(0), dnp.array(-1), dnp.array(9)])),
    "getitem int": (dnp.getitem, (X, [0, -1, 9])),
    "getitem mask": (dnp.getitem, (X, [x > 0 for x in X])),
    "mask of rows": (dnp.getitem, (M, [x > 0 for x in X])),
    "floor divide int8": (dnp.floor_divide, ([n.astype("int8") for n in N], [2, 0, -3])),
    "remainder": (dnp.remainder, (N, [3, 0, -2])),
    "remainder unsigned": (dnp.remainder, ([n.astype("uint8") for n in N], [3, 0, 2])),
    "dtype": (dnp.astype, (X, [dnp.int8, dnp.uint8, dnp.bfloat16])),
    "getitem slice": (dnp.getitem, (X, [np.s_[1:], np.s_[::-1], np.s_[None, 1]])),
    "take": (dnp.take, (X, [dnp.array([0, 5]), dnp.array([1, 2]), dnp.array([-1, -9])])),
    "nonzero": (dnp.nonzero, (X,)),
    "arange": (dnp.arange, ([3, 5, 7],)),
    "zeros": (dnp.zeros, ([3, (2, 2), ()],)),
    "array": (dnp.array, ([[1, 2], [1.0, 2], [True, 2]],)),
    "split": (dnp.split, (X, [3, 1, [1]])),
    "einsum": (dnp.einsum, (["ij,j->i", "ij,j", "ij,i->j"], M, X)),
    "dynamic slice": (lax.dynamic_slice, (X, [(1,), (0,), (9,)], [(2,), (1,), (3,)])),
    "sort pairs": (lambda x, n: lax.sort((x, n), num_keys=1), (X, N)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_values_replay_to_the_results_of_the_function(name: str) -> None:
    function, arguments = FUNCTIONS[name]
    plain = getattr(function, "__wrapped__", function)
    for args in zip(*arguments, strict=True):
        expected = plain(*args)
        for _ in range(CALLS):
            check_same(function(*args), expected)
    for args in zip(*arguments, strict=True):
        check_same(function(*args), plain(*args))


PAIRS: list[Callable[[Any, Any], Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    dnp.maximum,
    dnp.arctan2,
    lambda x, y: dnp.where(x > y, x, 2 * y),
    lambda x, y: dnp.concatenate([x, y])[::2] + x[:1],
    lambda x, y: x @ y + x,
]
SINGLES: list[Callable[[Any], Any]] = [
    dnp.tanh,
    dnp.cumsum,
    dnp.sort,
    operator.neg,
    lambda x: x.sum() + x,
    lambda x: (x - x.mean()) / (1 + dnp.std(x)),
    lambda x: x.reshape(2, 2).T.ravel(),
    lambda x: x[dnp.array([0, 3, -1, 1])],
    lambda x: dnp.clip(x, -1.0, 1.0) ** 2,
    lambda x: dnp.pad(x, 1, constant_values=0.5)[1:-1],
]

programs = st.lists(
    st.tuples(st.sampled_from(PAIRS + SINGLES), st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
    max_size=5,
)
elements = st.floats(-4, 4, width=32)
vectors = st.lists(elements, min_size=4, max_size=4).map(
    lambda values: np.array(values, np.float32)
)


@settings(max_examples=60, deadline=None)
@given(program=programs, inputs=st.lists(vectors, min_size=8, max_size=8))
def test_random_programs_agree_each_time_and_traced(
    program: list[tuple[Any, int, int]], inputs: list[np.ndarray]
) -> None:
    def run(*values: Any) -> Any:
        known = list(values)
        for function, i, j in program:
            operands = (known[i],) if function in SINGLES else (known[i], known[j])
            known[i] = function(*operands)
        return tuple(known)

    first, other = inputs[:4], inputs[4:]
    results = [run(*map(dnp.asarray, values)) for values in (first, other, first, other, first)]
    check_same(results[2], results[0])
    check_same(results[4], results[0])
    check_same(results[3], results[1])
    _core.clear_eager_cache()
    check_same(run(*map(dnp.asarray, other)), results[1])
    traced, _ = dt.vjp(run, *map(dnp.asarray, other))
    for result, expected in zip(traced, results[1], strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-6, atol=1e-6)


# Cached calls -------------------------------------------------------------------------------------


def test_only_calls_independent_of_values_are_recorded() -> None:
    x = dnp.ones(3)
    assert len(executor_of(dnp.add, x, 1.0).functions) == 2
    assert len(executor_of(dnp.nonzero, x).functions) == 1
    assert len(executor_of(dnp.bincount, dnp.arange(3)).functions) == 1
    assert executor_of(dnp.unravel_index, dnp.arange(3), (2, 2)) is None
    assert executor_of(dnp.power, x, 2) is None
    assert executor_of(dnp.power, x, 2, by_value=True) is not None
    assert executor_of(dnp.allclose, x, x) is None or not isinstance(dnp.allclose(x, x), bool)


def test_a_shape_that_values_decide_is_not_recorded() -> None:
    x = dnp.array([1.0, -1.0, 2.0])
    mask = x > 0

    def doubled(x: Any, mask: Any) -> Any:
        return -x[mask]

    def counted(x: Any, mask: Any) -> Any:
        return x[mask] + x[mask].shape[0]

    assert executor_of(lambda_with(doubled), x, mask) is not None
    assert executor_of(lambda_with(counted), x, mask) is None


def test_steps_on_constants_are_done_once() -> None:
    executor = executor_of(dnp.arange, 4, by_value=True)
    assert executor.functions == [np.array]
    assert len(executor_of(dnp.zeros, 10**6, by_value=True).constants) == 1


def test_large_constants_are_not_kept() -> None:
    values = list(range(40))
    big = np.ones(10_000, np.float32)
    assert executor_of(lambda_with(lambda x: x + dnp.asarray(big)), dnp.ones(10_000)) is None
    for _ in range(CALLS):
        assert dnp.array(values).tolist() == values


def lambda_with(function: Callable[..., Any]) -> Any:
    """A function in the form of public ones."""
    return SimpleNamespace(__wrapped__=function)


def test_memory_is_bounded() -> None:
    _core.limit_eager_cache(8)
    x = dnp.ones(3)
    for i in range(100):
        for _ in range(3):
            assert x[:i].shape == (min(i, 3),)
        assert _core.eager_cache_size() <= 8
    _core.limit_eager_cache(0)
    assert _core.eager_cache_size() == 0
    assert float(dnp.sum(x)) == 3


def test_those_used_last_stay() -> None:
    _core.limit_eager_cache(2)
    x = dnp.ones(3)
    for _ in range(CALLS):
        dnp.sum(x)
    calls = []

    def counted(value: Any) -> Any:
        calls.append(value)
        return dnp.sum.__wrapped__(value)  # type: ignore[attr-defined]

    from dovetail.eager.cache import remembered

    function = remembered(counted, __name__, "counted")  # type: ignore[arg-type]
    for _ in range(CALLS):
        function(x)
    assert len(calls) == 2
    for function_of_x in (dnp.exp, dnp.log):
        function_of_x(x)
    function(x)
    assert len(calls) == 3


# State that changes between calls -----------------------------------------------------------------


def test_arguments_that_are_written_to_afterwards() -> None:
    source = np.array([1, 2, 3], np.float32)
    results = [dnp.add(source, 1.0) for _ in range(CALLS)]
    held = [dnp.reshape(source, (3, 1)) for _ in range(CALLS)]
    source[:] = 7
    for result, other in zip(results, held, strict=True):
        assert result.tolist() == [2, 3, 4]
        assert other.tolist() == [[1], [2], [3]]
    assert dnp.add(source, 1.0).tolist() == [8, 8, 8]
    rows = [[1.0, 2.0], [3.0, 4.0]]
    for _ in range(CALLS):
        assert dnp.array(rows).tolist() == rows
    rows[0][0] = 9.0
    assert dnp.array(rows).tolist() == rows


@pytest.mark.parametrize(
    "make", [lambda: dnp.zeros(3), lambda: dnp.arange(3), lambda: dnp.array([1, 2, 3]), dnp.eye]
)
def test_results_share_no_memory(make: Any) -> None:
    make = (lambda: dnp.eye(3)) if make is dnp.eye else make
    results = [make() for _ in range(CALLS)]
    for i, result in enumerate(results):
        for other in results[:i]:
            assert not np.shares_memory(result._value(), other._value())


def test_lists_are_new() -> None:
    for _ in range(CALLS):
        parts = dnp.split(dnp.arange(4), 2)
        assert len(parts) == 2
        parts.clear()


def test_an_argument_is_returned_itself() -> None:
    x = dnp.ones(3)
    for _ in range(CALLS):
        assert dnp.asarray(x) is x
        assert dnp.positive(x) is x


def test_settings_are_part_of_a_call() -> None:
    x = dnp.ones((2, 3), "int32")
    for _ in range(CALLS):
        assert dnp.add(x, 1.5).dtype == "float32"
        with config.enable_x64(True):
            assert dnp.add(x, 1.5).dtype == "float64"
        with (
            config.numpy_rank_promotion("raise"),
            pytest.raises(ValueError, match="rank_promotion"),
        ):
            dnp.add(x, x[0])
        assert dnp.add(x, x[0]).shape == (2, 3)
        with (
            config.numpy_dtype_promotion("strict"),
            pytest.raises(ValueError, match="promotion path"),
        ):
            dnp.add(x, dnp.ones(3))
        assert dnp.add(x, dnp.ones(3)).dtype == "float32"
    before = config.read("numpy_rank_promotion")
    config.update("numpy_rank_promotion", "raise")
    try:
        with pytest.raises(ValueError, match="rank_promotion"):
            dnp.add(x, x[0])
    finally:
        config.update("numpy_rank_promotion", before)
    assert dnp.add(x, x[0]).shape == (2, 3)


def test_nan_is_found_if_a_setting_requests_it() -> None:
    x = dnp.array([1.0, -1.0])
    for _ in range(CALLS):
        assert np.isnan(np.asarray(dnp.log(x))).any()
        with config.debug_nans(True):
            for _ in range(CALLS):
                with pytest.raises(FloatingPointError):
                    dnp.log(x)
                with pytest.raises(FloatingPointError):
                    x.at[0].add(math.nan)


def test_warnings_come_each_time() -> None:
    x = dnp.ones(3)
    for _ in range(CALLS):
        with pytest.warns(UserWarning, match="truncated to dtype float32") as caught:
            x.astype("float64")
        assert caught[0].filename == __file__


def test_no_warnings_of_arithmetic() -> None:
    x = dnp.array([0.0, -1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(CALLS):
            dnp.log(x / 0.0)
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        np.log(np.float32(-1))


def test_errors_recur_and_name_the_line() -> None:
    x, y = dnp.ones(3), dnp.ones(4)
    for _ in range(CALLS):
        with pytest.raises(TypeError, match=r"incompatible shapes.*test_eager\.py"):
            dnp.add(x, y)
        with pytest.raises(TypeError, match=r"and was passed to .* at position 0"):
            dnp.add("a", x)  # type: ignore[arg-type]
        with pytest.raises(OverflowError, match="turn on enable_x64"):
            dnp.add(dnp.arange(3), 2**40)
        assert dnp.add(dnp.arange(3), 1).tolist() == [1, 2, 3]


def test_a_deleted_array_stays_deleted() -> None:
    for _ in range(CALLS):
        x = dnp.ones(3) + 1
        dnp.sum(x)
        x.delete()
        with pytest.raises(RuntimeError, match="after delete"):
            dnp.sum(x)


def test_threads_share_the_memory() -> None:
    _core.limit_eager_cache(4)
    wrong = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(100):
            values = rng.normal(size=rng.integers(1, 6)).astype(np.float32)
            x = dnp.asarray(values)
            if float(dnp.sum(x * 2.0)) != float(np.sum(values * np.float32(2))):
                wrong.append(values)
            with config.enable_x64(seed % 2 == 0):
                expected = "float64" if seed % 2 == 0 else "float32"
                if dnp.zeros(2).dtype != expected:
                    wrong.append(expected)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# Traces -------------------------------------------------------------------------------------------


def test_traces_are_as_ever() -> None:
    def function(x: Any) -> Any:
        return dnp.add(x, 1.0) + dnp.zeros(3) + dnp.arange(3)

    x = dnp.ones(3)
    before = str(dt.make_ir(function)(x))
    for _ in range(CALLS):
        function(x)
    assert str(dt.make_ir(function)(x)) == before
    assert before.count("dovetail.iota") == 1


def test_a_leaked_tracer_is_an_error_each_time() -> None:
    leaked: list[Any] = []
    dt.make_ir(lambda x: leaked.append(x) or x)(1.0)
    for _ in range(CALLS):
        with pytest.raises(dt.errors.LeakedTracerError):
            dnp.add(leaked[0], 1.0)


# Functions and scalars as others see them ---------------------------------------------------------


def test_functions_look_like_functions() -> None:
    assert list(inspect.signature(dnp.sum).parameters)[:2] == ["a", "axis"]
    assert dnp.sum.__name__ == "sum"
    assert "The sum of elements" in str(dnp.sum.__doc__)
    assert pickle.loads(pickle.dumps(dnp.sum)) is dnp.sum
    assert inspect.isroutine(dnp.sum)
    assert dnp.abs is dnp.absolute
    with pytest.raises(TypeError, match=r"and was passed to .* at position 0"):
        dnp.positive.__get__(object())()


@pytest.mark.parametrize("value", [1, 1.5, 1j, True, np.float32(1), np.ones(2)])
def test_proxies_of_scalars_reveal_only_their_type(value: Any) -> None:
    proxy = ScalarProxy(Recording(), value, 0)
    assert isinstance(proxy, type(value))
    questions: list[Callable[[Any], Any]] = [
        bool,
        float,
        int,
        str,
        repr,
        hash,
        abs,
        operator.neg,
        operator.index,
        np.asarray,
        lambda x: x == 1,
        lambda x: x < 1,
        lambda x: 1 + x,
        lambda x: x * 1,
        lambda x: x in (1, 2),
        lambda x: f"{x}",
        lambda x: np.float32(1) + x,
        lambda x: math.isnan(x),
        lambda x: range(x),
        lambda x: x.real,
        lambda x: x.conjugate(),
    ]
    for question in questions:
        recording = Recording()
        with pytest.raises(Unrecordable):
            question(ScalarProxy(recording, value, 0))
        assert recording.refused
    assert hasattr(proxy, "shape") == hasattr(value, "shape")
    assert not hasattr(proxy, "weak_type")


def test_nothing_is_compiled() -> None:
    """Eager calls, derivatives and batches need no compiler: it is not even imported."""
    program = """if True:
        import sys
        import dovetail as dt
        import dovetail.numpy as dnp
        from dovetail import lax
        x = dnp.arange(6.0).reshape(2, 3)
        for _ in range(3):
            dnp.sort(x @ x.T)[0] + x.sum(), x.at[1].set(2.0), lax.cumsum(x), dnp.where(x > 0, x, 1)
        dt.grad(lambda x: dnp.tanh(x).sum())(x), dt.vmap(dnp.sum)(x)
        loaded = [name for name in sys.modules if name.startswith("iree.compiler")]
        assert not loaded, loaded
    """
    subprocess.run([sys.executable, "-c", program], check=True)

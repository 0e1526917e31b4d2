"""`debug_nans` and `debug_infs` in whole programs: the run that produces a value names the op."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.scipy import special

MODES = ["never", "now"]


def line_of(marker: str) -> str:
    """The place in this file marked by a comment, in the form of messages."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return f"{__file__}:{number}"


def refused(call: Callable[..., Any], *args: Any, op: str, marker: str) -> str:
    """The message of a call that produces a NaN, which names that op and the marked line."""
    with dt.debug_nans(), pytest.raises(FloatingPointError) as caught:
        call(*args)
    message = str(caught.value)
    assert message.startswith(
        f"invalid value (nan) encountered in {op}: results must have no NaN"
    ), message
    assert message.endswith(f"{line_of(marker)} ({message.rsplit(' (', 1)[1]}"), message
    return message


# Where the op is


def straight(x: Any) -> Any:
    y = dnp.sqrt(x * x) + 1.0
    return dnp.log(y - 3.0) * 2.0  # straight


def scanned(x: Any) -> Any:
    def step(carry: Any, slice_: Any) -> Any:
        carry = dnp.sqrt(carry - slice_)  # scanned
        return carry, dnp.tanh(carry)

    last, stack = lax.scan(step, x, dnp.arange(3.0))
    return last + stack[1]


def looped(x: Any) -> Any:
    return lax.while_loop(
        lambda carry: carry[0] < 4,
        lambda carry: (carry[0] + 1, dnp.log(carry[1])),  # looped
        (0, x),
    )[1]


def chosen(x: Any) -> Any:
    return lax.cond(
        x.sum() > 0,
        lambda x: dnp.exp(x),
        lambda x: dnp.sqrt(x),  # chosen
        x,
    )


def nested(x: Any) -> Any:
    def inner(y: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            return lax.cond(i == 2, lambda y: dnp.arccosh(y), lambda y: y * 0.5, y)  # nested

        return lax.fori_loop(0, 4, step, y)

    return lax.map(inner, dnp.stack([x, x + 1.0]))


def jitted(x: Any) -> Any:
    return dt.jit(dt.jit(lambda y: dnp.log1p(y)))(x - 5.0) + 1.0  # jitted


STRUCTURES = [
    (straight, "log"),
    (scanned, "sqrt"),
    (looped, "log"),
    (chosen, "sqrt"),
    (nested, "acosh"),
    (jitted, "log1p"),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("function", "op"), STRUCTURES, ids=lambda p: getattr(p, "__name__", p))
def test_the_op_and_its_line_are_named(function: Any, op: str, mode: str) -> None:
    call = dt.jit(function, compile=mode)
    good = 30.0 if function in (scanned, looped) else 8.0
    bad = 0.5 if function in (scanned, looped, nested) else -0.5
    expected = function(good * dnp.ones(2))
    for _ in range(2):
        with dt.debug_nans():
            np.testing.assert_allclose(call(good * dnp.ones(2)), expected, rtol=1e-5)
        refused(call, bad * dnp.ones(2), op=op, marker=function.__name__)


def root(x: Any) -> Any:
    return dnp.sum(dnp.sqrt(x))  # root


def guarded(x: Any) -> Any:
    return dnp.sum(dnp.where(x > 0, dnp.sqrt(x), 0.0))  # guarded


@pytest.mark.parametrize("mode", ["eager", *MODES])
def test_transforms(mode: str) -> None:
    def made(function: Any) -> Any:
        return function if mode == "eager" else dt.jit(function, compile=mode)

    x = dnp.array([1.0, -4.0])
    refused(made(dt.grad(root)), x, op="sqrt", marker="root")
    refused(made(dt.vmap(root)), x[:, None], op="sqrt", marker="root")
    refused(made(dt.vmap(dt.grad(root))), x[:, None], op="sqrt", marker="root")
    refused(made(dt.hessian(root)), x, op="sqrt", marker="root")
    refused(made(lambda x: dt.jvp(root, (x,), (x,))), x, op="sqrt", marker="root")
    # The derivative of the branch that is not chosen: zero times infinity.
    message = refused(made(dt.grad(guarded)), x * 0.0, op="div", marker="guarded")
    assert "2 among 2 elements, first at (0,)" in message


@pytest.mark.parametrize("mode", MODES)
def test_batched_loops_and_branches(mode: str) -> None:
    for function, op in STRUCTURES[1:4] if mode == "never" else STRUCTURES[1:2]:
        good, bad = (1.0, -0.5) if function is chosen else (30.0, 0.5)
        batch = dnp.array([[good, good], [bad, bad]])
        refused(dt.jit(dt.vmap(function), compile=mode), batch, op=op, marker=function.__name__)


# The reported op


@pytest.mark.parametrize("mode", MODES)
def test_the_first_one_executed_is_named(mode: str) -> None:
    @dt.jit(compile=mode)
    def f(x: Any) -> Any:
        def step(i: Any, carry: Any) -> Any:
            a, b = carry
            a = dnp.log(a)  # of the third step
            b = dnp.sqrt(b - 1.0)  # of the first step
            return a, b

        a, b = lax.fori_loop(0, 3, step, (x, x * 0.0))
        return a + b + dnp.log(-x)

    refused(f, 2.5, op="sqrt", marker="of the first step")


@pytest.mark.parametrize("mode", MODES)
def test_only_results_are_rejected(mode: str) -> None:
    @dt.jit(compile=mode)
    def f(x: Any) -> Any:
        root = dnp.sqrt(x)
        return dnp.where(dnp.isnan(root), 0.0, root), dnp.nan_to_num(dnp.log(x))

    with dt.debug_nans():
        np.testing.assert_array_equal(f(dnp.array([-1.0, 4.0]))[0], [0.0, 2.0])


@pytest.mark.parametrize("mode", MODES)
def test_no_op_is_blamed_for_inputs(mode: str) -> None:
    @dt.jit(compile=mode)
    def f(x: Any, y: Any) -> Any:
        z = x.T * 2.0 + dnp.array([np.nan, 1.0])
        return z, dnp.log(y)  # not of the inputs

    x, y = dnp.array([[1.0, np.nan], [2.0, 3.0]]), dnp.ones(())
    with dt.debug_nans(), pytest.raises(FloatingPointError) as caught:
        f(x, y)
    assert str(caught.value).startswith(
        "invalid value (nan) encountered in `f`: results must have no NaN while debug_nans is on"
    )
    assert "2 among 4 elements, first at (0, 0), in what `f` returns" in str(caught.value)
    assert "which come from `x` of `f`" in str(caught.value)
    with (
        dt.debug_nans(),
        pytest.raises(FloatingPointError, match="from its arguments or constants"),
    ):
        f(dnp.ones((2, 2)), y)
    message = refused(f, x, -y, op="log", marker="not of the inputs")
    assert "while `x` of `f` came with some" in message


@pytest.mark.parametrize("mode", MODES)
def test_infinities(mode: str) -> None:
    @dt.jit(compile=mode)
    def f(x: Any, mask: Any) -> Any:
        masked = dnp.where(mask, x, -np.inf) + 1.0
        shares = dnp.exp(masked - dnp.max(masked, axis=-1, keepdims=True))
        return masked, shares / shares.sum(axis=-1, keepdims=True) / x  # the quotient

    x, all_of_it = dnp.array([2.0, 0.0]), dnp.array([True, True])
    with dt.debug_infs(), pytest.raises(FloatingPointError) as caught:
        f(x, all_of_it)
    assert str(caught.value).startswith(
        "invalid value (inf) encountered in div: results must have no infinity while "
    )
    assert line_of("the quotient") in str(caught.value)
    with (
        dt.debug_infs(),
        pytest.raises(FloatingPointError, match="from its arguments or constants"),
    ):
        f(x + 1.0, ~all_of_it.at[0].set(False))
    # If there are both, the first is reported, which is not always the one in the result.
    g = dt.jit(lambda x: dnp.exp(x) * 0.0, compile=mode)
    with (
        dt.debug_nans(),
        pytest.raises(FloatingPointError, match=r"in mul: results must have no NaN"),
    ):
        g(1000.0)
    with dt.debug_nans(), dt.debug_infs(), pytest.raises(FloatingPointError) as caught:
        g(1000.0)
    assert str(caught.value).startswith(
        "invalid value (inf) encountered in exp: results must have no infinity"
    )
    assert "the first here, and in the end NaN: 1 among 1 elements" in str(caught.value)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "complex64"])
def test_element_types(dtype: str, mode: str) -> None:
    f = dt.jit(lambda x: dnp.sum(x / (x - 1.0)) * 2.0, compile=mode)
    good, bad = dnp.array([2.0, 0.0], dtype), dnp.array([2.0, 1.0], dtype)
    with dt.debug_nans(), dt.debug_infs():
        assert complex(f(good)) == 4.0
        with pytest.raises(FloatingPointError, match=r"in div: results must have no "):
            f(bad)


# One run


@pytest.mark.parametrize("mode", MODES)
def test_programs_run_once_and_are_traced_once(mode: str) -> None:
    traced: list[int] = []
    seen: list[float] = []

    @dt.jit(compile=mode)
    def f(x: Any) -> Any:
        traced.append(1)

        def step(x: Any, _: None) -> Any:
            dt.debug.callback(lambda value: seen.append(float(value)), x, ordered=True)
            return dnp.log(x), None  # with effects

        return lax.scan(step, x, None, length=2)[0]

    f(3.0)
    assert len(seen) == 2
    refused(f, 0.5, op="log", marker="with effects")
    np.testing.assert_allclose(seen[2:], [0.5, np.log(0.5)], rtol=1e-6)
    assert len(traced) == 1


def test_results_of_callbacks() -> None:
    def nothing(x: Any) -> np.ndarray:
        return np.full(x.shape, np.nan, x.dtype)

    f = dt.jit(lambda x: dt.pure_callback(nothing, x, x) + 1.0)  # the callback
    refused(f, np.float32(-2.0), op="callback", marker="the callback")


@pytest.mark.parametrize("mode", MODES)
def test_donated_arguments(mode: str) -> None:
    f = dt.jit(lambda w, g: w + dnp.sqrt(g), donate_argnums=0, compile=mode)  # donated
    w, g = dnp.ones(4096) * 2.0, dnp.ones(4096)
    with dt.debug_nans():
        np.testing.assert_array_equal(f(w, g), np.full(4096, 3.0))
    assert w.is_deleted()
    w = dnp.ones(4096) * 2.0
    refused(f, w, g.at[7].set(-1.0), op="sqrt", marker="donated")
    assert w.is_deleted()


def test_programs_that_were_compiled_before() -> None:
    compiled = dt.jit(straight).lower(dnp.ones(2)).compile()
    assert np.isnan(compiled(dnp.zeros(2))).all()
    refused(compiled, dnp.zeros(2), op="log", marker="straight")
    np.testing.assert_array_equal(np.isnan(compiled(dnp.zeros(2))), [True, True])


def test_equal_programs_have_lines_of_their_own() -> None:
    # The compiled code of the second comes from the cache.
    first = dt.jit(lambda x: dnp.log(x * 0.372) + 1.0)  # first of two
    second = dt.jit(lambda x: dnp.log(x * 0.372) + 1.0)  # second of two
    x = dnp.array([-1.0, 1.0])
    refused(first, x, op="log", marker="first of two")
    refused(second, x, op="log", marker="second of two")


def test_symbolic_sizes() -> None:
    @dt.jit(dynamic_shapes="n")
    def f(x: Any) -> Any:
        def step(carry: Any, each: Any) -> Any:
            return dnp.sqrt(carry + each), carry  # of any size

        last, stack = lax.scan(step, dnp.ones(()), x)
        return x * last, dnp.concatenate([stack, x])

    with dt.debug_nans():
        f(dnp.ones(3))
    refused(f, dnp.array([3.0, -9.0]), op="sqrt", marker="of any size")
    refused(f, dnp.array([3.0, -9.0, 4.0, 5.0]), op="sqrt", marker="of any size")


def test_a_conversion_passes_on_its_argument() -> None:
    with dt.enable_x64(True), dt.debug_infs():
        assert float(dnp.max(dnp.ones(2), initial=-np.inf)) == 1
        with pytest.raises(FloatingPointError, match="convert: results must have no infinity"):
            dnp.float64(1e300).astype("float32")


def test_values_that_eager_functions_choose_from_constants() -> None:
    """A value that no op produced is only rejected if no argument had it."""
    outside = dnp.array([0.5, 1.0])
    with dt.debug_infs():
        for _ in range(3):
            with pytest.raises(
                FloatingPointError, match=r"in ndtri: .*which come from its constants"
            ):
                special.ndtri(outside)
        assert np.isinf(dnp.where(outside > 0.7, np.inf, outside)[1])
        assert np.isinf(dnp.flip(dnp.array([1.0, np.inf]))[0])
    with (
        dt.debug_nans(),
        pytest.raises(FloatingPointError, match=r"\(nan\) encountered in ndtri"),
    ):
        special.ndtri(outside + 1.0)
    assert np.isinf(special.ndtri(outside)[1])


def test_warnings_name_the_users_line_once_values_are_looked_at() -> None:
    with dt.debug_nans(), pytest.warns(UserWarning, match="truncated to dtype float32") as caught:
        dnp.ones(3).astype("float64")
    assert caught[0].filename == __file__


def test_branches_are_called_by_their_function() -> None:
    value = dnp.array(1)
    with dt.debug_nans(), pytest.raises(FloatingPointError, match="in `cond`: results must have"):
        lax.cond(value == 1, lambda: dnp.nan, lambda: 2.0)

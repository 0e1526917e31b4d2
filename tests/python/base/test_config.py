"""Settings: how they are set, and that each has its effect, eagerly and in compiled programs."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, errors, lax

BOOLEANS = [
    option.name
    for option in vars(config).values()
    if getattr(option, "value", 0) is False and True in option.choices
]


def line_of(marker: str) -> str:
    """The place in this file marked by a comment, in the form of messages."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith(f"# {marker}")]
    return f"{__file__}:{number}"


def test_names() -> None:
    assert config.values["enable_x64"] is False
    assert config.jax_enable_x64 is False
    assert config.read("jax_debug_nans") is False
    assert dt.enable_x64 is config.enable_x64
    with pytest.raises(AttributeError, match="no setting is named 'jax_enable_x65'"):
        _ = config.jax_enable_x65
    with pytest.raises(AttributeError, match=r"call dovetail.config.update\('enable_x64', True\)"):
        config.jax_enable_x64 = True  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match=r"read enable_x64\.value"):
        bool(config.enable_x64)


@pytest.mark.parametrize("name", BOOLEANS)
def test_overrides(name: str) -> None:
    option = getattr(config, name)
    with option():
        assert option.value is True
        with option(False):
            assert option.value is False
        seen = []
        thread = threading.Thread(target=lambda: seen.append(option.value))
        thread.start()
        thread.join()
        assert seen == [False]
        assert option.value is True
    assert option.value is False

    @option(True)
    def decorated(depth: int) -> list[bool]:
        return [option.value, *(decorated(depth - 1) if depth else [])]

    assert decorated(1) == [True, True]
    assert option.value is False
    with pytest.raises(ValueError, match=f"{name} must be one of True, False, got: 2"):
        option(2)
    config.update(name, True)
    assert option.value is True


def test_choices() -> None:
    with pytest.raises(
        TypeError, match="numpy_rank_promotion needs a value, one of 'allow', 'warn'"
    ):
        dt.numpy_rank_promotion()
    with pytest.raises(ValueError, match="must be one of 'allow', 'warn', 'raise', got: 'forbid'"):
        dt.numpy_rank_promotion("forbid")
    with dt.default_matmul_precision("float32"):
        assert config.default_matmul_precision.value == "float32"
    with pytest.raises(ValueError, match="default_matmul_precision must be one of None, 'default'"):
        dt.default_matmul_precision("float31")


@pytest.mark.parametrize(
    ("variable", "text", "code", "answer"),
    [
        ("ENABLE_X64", "yes", "dnp.zeros(1).dtype.name", "float64"),
        ("NUMPY_RANK_PROMOTION", "raise", "dt.config.numpy_rank_promotion.value", "raise"),
        ("DISABLE_JIT", "1", "dt.jit(lambda x: type(x).__name__)(1)", "int"),
        ("DEBUG_NANS", "true", "dt.config.debug_nans.value", "True"),
        ("DEFAULT_MATMUL_PRECISION", "high", "dt.config.default_matmul_precision.value", "high"),
    ],
)
def test_environment_variables(variable: str, text: str, code: str, answer: str) -> None:
    program = f"import dovetail as dt, dovetail.numpy as dnp; print({code})"
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {f"DOVETAIL_{variable}": text},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.strip() == answer


def test_wrong_environment_variable() -> None:
    result = subprocess.run(
        [sys.executable, "-c", "import dovetail.config"],
        env=os.environ | {"DOVETAIL_DEBUG_NANS": "maybe"},
        capture_output=True,
        text=True,
    )
    assert "DOVETAIL_DEBUG_NANS must be 0 or 1, got: 'maybe'" in result.stderr


# NaN and infinity -----------------------------------------------------------------------------


def root(x: Any) -> Any:
    y = x + 1
    z = dnp.sqrt(y)  # the root
    return z * 2


@pytest.mark.parametrize(
    "call",
    [
        root,
        dt.jit(root),
        dt.vmap(root),
        dt.grad(lambda x: root(x).sum()),
        dt.jit(dt.grad(lambda x: root(x).sum())),
        dt.jit(lambda x: dt.jit(root)(x)),
    ],
    ids=["eager", "jit", "vmap", "grad", "jit-grad", "jit-jit"],
)
def test_nan_is_traced_to_its_op(call: Any) -> None:
    good, bad = dnp.array([3.0, 0.0]), dnp.array([3.0, -2.0])
    with dt.debug_nans():
        for _ in range(3):
            # Identical calls may be cached.
            assert not np.isnan(np.asarray(call(good))).any()
            with pytest.raises(FloatingPointError) as caught:
                call(bad)
            message = str(caught.value)
            assert message.startswith(
                "invalid value (nan) encountered in sqrt: results must have no NaN while "
            )
            assert "1 among " in message
            assert line_of("the root") in message
    assert np.isnan(np.asarray(call(bad))).any()


def test_infinity_is_traced_to_its_op() -> None:
    @dt.jit
    def f(x: Any) -> Any:
        return dnp.where(x > 0, 1 / x, 0) + 1 / (x - 1)  # the division

    with dt.debug_infs():
        assert float(f(2.0)) == 1.5
        with pytest.raises(
            FloatingPointError, match="div: results must have no infinity"
        ) as caught:
            f(1.0)
        assert line_of("the division") in str(caught.value)
        with pytest.raises(FloatingPointError, match="debug_infs"):
            dnp.exp(1000.0)
    assert np.isinf(float(f(1.0)))


def test_unwanted_results_in_a_loop_name_the_op() -> None:
    def loop(x: Any) -> Any:
        return dt.lax.fori_loop(0, 3, lambda i, c: dnp.log(c - 1), x)

    for function in (loop, dt.jit(loop), dt.grad(loop)):
        with dt.debug_nans(), pytest.raises(FloatingPointError, match="log: results must have no"):
            function(1.5)


def test_unwanted_arguments() -> None:
    identity = dt.jit(lambda x: x)
    with (
        dt.debug_nans(),
        pytest.raises(FloatingPointError, match="`<lambda>`: results must have no"),
    ):
        identity(dnp.nan)


def test_no_false_alarms() -> None:
    x = dnp.array([[1.0, 2.0, -3.0], [0.0, 5.0, 6.0]])
    with dt.debug_nans(), dt.debug_infs():
        for f in (
            *(dnp.var, dnp.std, dnp.mean, dnp.median, dnp.max, dnp.nanmax, dnp.nanmean, dnp.sort),
            *(dnp.cumsum, dnp.diff, dnp.sinc, dnp.sign, dnp.isinf, dnp.isnan, dnp.nan_to_num),
            *(dnp.argmax, dnp.round, dnp.ptp, dnp.unique, dnp.cov, dnp.isfinite, dnp.nansum),
        ):
            f(x)
        for g in (dnp.hypot, dnp.logaddexp, dnp.arctan2, dnp.maximum, dnp.isclose, dnp.copysign):
            g(x, x[::-1])
        dnp.isnan(dnp.array([dnp.nan, 1.0]))
        dnp.where(dnp.isinf(dnp.array([dnp.inf, 1.0])), 0.0, dnp.array([dnp.inf, 1.0]))
        dnp.linspace(0, 1, 5)
        dnp.interp(0.5, dnp.arange(3.0), dnp.arange(3.0))


# Tracing and compiling ------------------------------------------------------------------------


def test_disable_jit() -> None:
    @dt.jit
    def f(x: Any) -> Any:
        return x if x > 0 else -x

    with pytest.raises(errors.TracerBoolConversionError):
        f(-1.0)
    with dt.disable_jit():
        assert float(f(-1.0)) == 1.0
        assert float(dt.grad(f)(-2.0)) == -1.0


def test_rank_promotion() -> None:
    def add(x: Any, y: Any) -> Any:
        return dnp.add(x, y)

    x, y = dnp.ones((2, 3)), dnp.ones(3)
    for f in (add, dt.jit(add)):
        f(x, y)
        for _ in range(3):
            with (
                dt.numpy_rank_promotion("raise"),
                pytest.raises(
                    ValueError, match=r"on shapes \(2, 3\) \(3,\), since .*; add the missing"
                ),
            ):
                f(x, y)
        with dt.numpy_rank_promotion("raise"):
            f(x, 1.0)
            f(x, dnp.ones((1, 3)))
    for _ in range(3):
        with (
            dt.numpy_rank_promotion("warn"),
            pytest.warns(UserWarning, match="automatic rank promotion for add on shapes"),
        ):
            add(x, y)


def test_strict_promotion() -> None:
    x, i = dnp.ones(2), dnp.arange(2)
    with dt.numpy_dtype_promotion("strict"):
        assert (x + 1).dtype == np.float32
        assert (i + 1).dtype == np.int32
        for f in (lambda: x + i, lambda: i + 1.5, lambda: dt.jit(dnp.add)(x, i)):
            for _ in range(3):
                with pytest.raises(ValueError, match="when numpy_dtype_promotion=strict"):
                    f()
    assert (x + i).dtype == np.float32


def test_64_bits() -> None:
    double = dt.jit(lambda x: x * 2)
    with dt.enable_x64(True):
        assert double(1.0).dtype == np.float64
        assert dnp.arange(3).dtype == np.int64
        with dt.enable_x64(False):
            assert double(1.0).dtype == np.float32
    assert double(1.0).dtype == np.float32
    with pytest.warns(UserWarning, match="will be truncated to dtype float32"):
        dnp.zeros(1, "float64")


def test_64_bits_on_request() -> None:
    with dt.config.explicit_x64_dtypes("error"):
        with pytest.raises(ValueError, match="dtype float64 requested in ones is not available"):
            dnp.ones(2, "float64")
        assert dnp.ones(2, float).dtype == dnp.asarray(np.ones(2)).dtype == np.float32
    with dt.config.explicit_x64_dtypes("allow"):
        x = dnp.ones(2, "float64")
        assert dnp.asarray(np.ones(2)).dtype == np.float32
    # An array keeps its type; a new one is truncated.
    for y in (x + 1, x + x, dnp.sin(x), x.mean(), dnp.zeros_like(x), x * dnp.ones(2)):
        assert y.dtype == np.float64
    assert dt.jit(lambda x: x * 2)(x).dtype == dt.grad(lambda x: x @ x)(x).dtype == np.float64
    assert (dnp.uint32(1) + dnp.int32(1)).dtype == np.int32


def test_no_tracing() -> None:
    f = dt.jit(lambda x: x + 1)
    f(1.0)
    with dt.no_tracing():
        assert float(f(2.0)) == 3.0
        with pytest.raises(RuntimeError, match="no function may be traced while no_tracing is on"):
            f(dnp.ones(2))


def test_contexts_of_users() -> None:
    context = dt.make_user_context(2)
    traced: list[Any] = []

    @dt.jit
    def f(x: Any) -> Any:
        traced.append(context.value)
        return x * context.value

    for _ in range(2):
        assert float(f(1.0)) == 2.0
        with context(3):
            assert float(f(1.0)) == 3.0
            with context(2):
                assert float(f(1.0)) == 2.0
    assert traced == [2, 3]
    context.set_global(5)
    assert context.get_global() == 5
    assert float(f(1.0)) == 5.0
    with pytest.raises(TypeError, match="unhashable"):
        context([])


def test_logs(caplog: pytest.LogCaptureFixture) -> None:
    def scaled(x: Any, factor: Any = 2) -> Any:
        return x * factor

    f = dt.jit(scaled)
    with caplog.at_level(logging.WARNING, "dovetail"):
        f(1.0)
        assert not caplog.records
        with dt.log_compiles():
            f(dnp.ones(3))
            f(dnp.ones(3))
        text = caplog.text
        assert text.count("compiling `scaled` for (float32[3])") == 1
        assert text.count("tracing `scaled` took") == 1
        caplog.clear()
        with dt.explain_cache_misses():
            f(dnp.ones(4))
            f(dnp.ones(4), 3)
        told = [record.getMessage() for record in caplog.records]
        first, second = (message for message in told if "is traced" in message)
        assert "different input types: at x, now f32[4] and before f32[3]" in first
        assert "different input pytree" in second
        assert __file__ in first


def test_no_execution() -> None:
    program = dt.jit(lambda x: x + 1)
    for _ in range(3):
        assert program(1) == 2
        with (
            dt.no_execution(),
            pytest.raises(RuntimeError, match=r"no_execution is on, got: a call of `<lambda>` at "),
        ):
            program(1)
    with dt.no_execution():
        # Nothing runs for these.
        assert dt.eval_shape(program, 1).shape == ()
        assert "add" in dt.jit(lambda x: program(x) + 1).lower(1).as_text()


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_allow_f16_reductions(dtype: str) -> None:
    x = dnp.ones((1, 3), dtype)

    def add(axes: tuple[int, ...]) -> Any:
        return dt.lax.reduce_sum(x, axes)

    for function in (add, dt.jit(add, static_argnums=0)):
        for _ in range(3):
            assert function((1,)).sum() == 3
        with dt.allow_f16_reductions(False):
            with pytest.raises(ValueError, match=f"reduce_sum of {dtype} is not allowed while"):
                function((1,))
            assert function((0,)).shape == (3,)
            assert dnp.sum(x) == 3


def test_tracer_leaks() -> None:
    kept: list[Any] = []

    def leaky(x: Any) -> Any:
        y = x * 2  # the leak
        kept.append(y)
        return y

    def tight(x: Any) -> Any:
        return dt.jit(lambda v: v + x)(x * 2)

    dt.jit(leaky)(1.0)
    kept.clear()
    with dt.checking_leaks():
        dt.jit(tight)(1.0)
        dt.grad(tight)(1.0)
        dt.vmap(tight)(dnp.ones(2))
        for transform in (dt.jit, dt.grad):
            with pytest.raises(errors.LeakedTracerError, match="`leaky`") as caught:
                transform(leaky)(1.0)
            assert line_of("the leak") in str(caught.value)
            assert "by a list" in str(caught.value)
            kept.clear()


def test_cache_directory(tmp_path: Path) -> None:
    with config.compilation_cache_dir(tmp_path / "programs"):
        dt.jit(lambda x: lax.sin(x) * 3.25)(1.0)
    assert len(list((tmp_path / "programs").glob("*.vmfb"))) == 1
    with config.compilation_cache_dir(tmp_path / "none"), config.enable_compilation_cache(False):
        dt.jit(lambda x: lax.sin(x) * 3.25)(1.0)
    assert not (tmp_path / "none").exists()


def test_clear_caches() -> None:
    traced = []

    @dt.jit
    def f(x: Any) -> Any:
        traced.append(x)
        return x

    f(1.0)
    f(1.0)
    dt.clear_caches()
    f(1.0)
    assert len(traced) == 2


def test_clear_caches_of_functions_without_their_jit() -> None:
    traced = []

    def f(x: Any) -> Any:
        traced.append(x)
        return x

    for expected in (1, 1):
        dt.jit(f)(1.0)
        assert len(traced) == expected
    dt.clear_caches()
    dt.jit(f)(1.0)
    assert len(traced) == 2


def test_settings_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with dt.debug_nans(), dt.disable_jit(), dt.log_compiles():
            dnp.sqrt(2.0)


def test_keywords_of_overrides() -> None:
    with dt.disable_jit(disable=True):
        assert config.disable_jit.value
        with dt.disable_jit(disable=False):
            assert not config.disable_jit.value
    with dt.debug_nans(new_val=True):
        assert config.debug_nans.value

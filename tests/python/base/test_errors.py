"""Bad input of every kind: errors with the line, what was expected, the actual value, and a
remedy.
"""

from __future__ import annotations

import inspect
import random
import re
import subprocess
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import errors, lax, runtime
from support import ir_mutations

# For calls that a type checker rejects.
bad_grad: Any = dt.grad
bad_jit: Any = dt.jit
bad_jvp: Any = dt.jvp


def message(kind: type[Exception], action: Callable[[], Any], names_line: bool = True) -> str:
    """The error's message; its traceback leads to this file, and the message itself names it."""
    with pytest.raises(kind) as caught:
        action()
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert sum(frame.filename == __file__ for frame in frames) >= 2
    text = str(caught.value)
    if names_line:
        assert re.search(re.escape(__file__) + r":\d+", text), text
    return text


def line_of(function: Callable[..., Any], offset: int) -> str:
    return f"{__file__}:{function.__code__.co_firstlineno + offset}"


@pytest.mark.parametrize("transform", [lambda f: f, dt.jit, dt.grad, dt.vmap])
@pytest.mark.parametrize(
    ("action", "expected", "got"),
    [
        (lambda x: dnp.sum(x + dnp.ones(4)), "broadcast", r"\(3,\).*\(4,\)"),
        (lambda x: dnp.sum(x @ dnp.ones(4)), "", r"3.*4"),
        (lambda x: dnp.sum(x, axis=2), "axis|dimension", "2"),
        (lambda x: dnp.sum(x.reshape(2, 2)), "reshape|elements", "3"),
        (lambda x: dnp.sum(dnp.concatenate([x, dnp.ones((2, 2))])), "rank|dimension", "2"),
    ],
)
def test_wrong_shapes_and_axes(transform: Any, action: Any, expected: str, got: str) -> None:
    x = dnp.ones((2, 3)) if transform is dt.vmap else dnp.ones(3)
    text = message((TypeError, ValueError), lambda: transform(action)(x), names_line=False)  # type: ignore[arg-type]
    assert re.search(expected, text), text
    assert re.search(got, text), text


def test_wrong_dtypes() -> None:
    text = message(
        TypeError, lambda: dt.jit(lambda x: lax.add(x, dnp.int32(1)))(1.5), names_line=False
    )
    assert "float32" in text
    assert "int32" in text
    text = message(TypeError, lambda: dnp.zeros(3, "no such type"), names_line=False)
    assert "no such type" in text
    compiled = dt.jit(lambda x: x + 1).lower(dnp.ones(2)).compile()
    text = message(TypeError, lambda: compiled(dnp.ones(2, dnp.int32)))
    assert "Argument 'x' compiled with float32[2] and called with" in text
    assert "called with int32[2]" in text
    assert "lower and compile again" in text
    text = message(TypeError, lambda: compiled(dnp.ones(3)))
    assert "called with float32[3]" in text
    text = message(TypeError, lambda: compiled(dnp.ones(2), dnp.ones(2)))
    assert "input pytree" in text


def test_loss_that_is_not_a_scalar() -> None:
    def loss(x: Any) -> Any:
        return x * 2

    text = message(TypeError, lambda: dt.grad(loss)(dnp.ones(3)))
    assert "Output had shape: (3,), as float32[3] from `loss`" in text
    assert line_of(loss, 1) in text
    assert "sum or mean" in text
    text = message(TypeError, lambda: dt.grad(lambda x: (x, x))(1.0))
    assert "Output was 2 arrays" in text
    assert "has_aux=True" in text
    text = message(TypeError, lambda: dt.grad(lambda x: x > 0)(1.0))
    assert "real-valued outputs" in text
    text = message(TypeError, lambda: dt.grad(lambda x: x * 1j)(1.0))
    assert "but got complex64" in text
    assert "holomorphic=True" in text
    text = message(TypeError, lambda: dt.grad(lambda x: x, has_aux=True)(1.0))
    assert "two-element tuple" in text
    text = message(TypeError, lambda: dt.grad(lambda x: "text")(1.0))
    assert "returned a value of type <class 'str'>" in text
    assert "which is not a valid JAX type, got: 'text'" in text


def test_integer_arguments_under_grad() -> None:
    def loss(params: Any, n: Any) -> Any:
        return params["w"] * n

    text = message(TypeError, lambda: dt.grad(loss)({"w": 3}, 1.0))
    assert "but got int32 for `params['w']` of `loss`" in text
    assert "astype(float)" in text
    text = message(TypeError, lambda: dt.grad(loss, argnums=1)({"w": 3.0}, 2))
    assert "`n` of `loss`" in text
    text = message(TypeError, lambda: dt.grad(loss, holomorphic=True)({"w": 3.0}, 2))
    assert "complex" in text


def test_arguments_that_do_not_exist() -> None:
    text = message(ValueError, lambda: dt.grad(lambda x: x, argnums=1)(1.0))
    assert "argnums=1 requires at least 2 positional arguments" in text
    assert "got only 1" in text
    for kind, action, got in (
        (TypeError, lambda: bad_grad(abs, "x"), "got: 'x'"),
        (ValueError, lambda: dt.jit(lambda x: x, static_argnums=2), "got: 2"),
        (ValueError, lambda: dt.jit(lambda x: x, static_argnames="y"), "got: 'y'"),
        (TypeError, lambda: bad_jit(3), "a callable value, got: 3"),
    ):
        assert got in message(kind, action, names_line=False)


def branch(x: Any, y: Any) -> Any:
    total = x + dnp.sin(y)
    if total > 0:
        return x
    return y


@pytest.mark.parametrize(
    ("action", "kind", "line"),
    [
        (lambda: dt.jit(branch)(1.0, 2.0), errors.TracerBoolConversionError, line_of(branch, 2)),
        (
            lambda: dt.vmap(branch, (None, 0))(1.0, dnp.ones(2)),
            errors.TracerBoolConversionError,
            line_of(branch, 2),
        ),
        (
            lambda: dt.grad(dt.jit(branch))(1.0, 2.0),
            errors.TracerBoolConversionError,
            line_of(branch, 2),
        ),
        (
            lambda: dt.jit(dt.grad(branch))(1.0, 2.0),
            errors.TracerBoolConversionError,
            line_of(branch, 2),
        ),
        (lambda: dt.jit(lambda y: range(y))(3), errors.TracerIntegerConversionError, ""),
        (lambda: dt.jit(lambda y: [1, 2][y])(1), errors.TracerIntegerConversionError, ""),
        (lambda: dt.jit(lambda y: float(y))(3.0), errors.ConcretizationTypeError, ""),
        (lambda: dt.jit(lambda y: y.item())(3.0), errors.ConcretizationTypeError, ""),
        (lambda: dt.jit(lambda y: y.tolist())(dnp.ones(2)), errors.ConcretizationTypeError, ""),
        (lambda: dt.jit(lambda y: f"{y:.2f}")(3.0), errors.ConcretizationTypeError, ""),
        (lambda: dt.jit(lambda y: np.sin(y))(3.0), errors.TracerArrayConversionError, ""),
        (lambda: dt.grad(lambda y: np.sin(y))(3.0), errors.TracerArrayConversionError, ""),
        (lambda: dt.jit(lambda y: 1.0 if y else 2.0)(3.0), errors.TracerBoolConversionError, ""),
        (
            lambda: dt.jit(lambda y: y and y)(dnp.ones(())),
            errors.TracerBoolConversionError,
            "",
        ),
    ],
)
def test_python_control_flow_on_tracers(
    action: Callable[[], Any], kind: type[Exception], line: str
) -> None:
    text = message(kind, action)
    assert "`y`" in text or "`x`" in text
    assert line in text
    assert "dovetail.numpy" in text


def test_leaked_tracers() -> None:
    kept: list[Any] = []

    @dt.jit
    def step(x: Any) -> Any:
        kept.append(x + 1)
        return x

    step(1.0)
    text = message(errors.LeakedTracerError, lambda: kept[0] * 2)
    assert "`step`" in text
    assert "float32[]" in text
    assert re.search(re.escape(__file__) + r":\d+ \(step\)", text)
    assert "return values from the function" in text
    # Its value is gone, too.
    for use in (bool, float, np.asarray):
        with pytest.raises(errors.TracerError):
            use(kept[0])


def test_mutation_of_arrays() -> None:
    def mutate(x: Any) -> Any:
        x[0] = 1.0
        return x

    for action in (lambda: mutate(dnp.zeros(3)), lambda: dt.jit(mutate)(dnp.zeros(3))):
        text = message(TypeError, action, names_line=False)
        assert "immutable" in text
        assert "x.at[index].set(y)" in text
    view = np.asarray(dnp.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    result = np.asarray(dt.jit(lambda x: x + 1)(dnp.zeros(3)))
    with pytest.raises(ValueError, match="read-only"):
        result[0] = 1


def test_static_arguments_that_cannot_be_hashed() -> None:
    f = dt.jit(lambda x, n: x, static_argnums=1)
    text = message(ValueError, lambda: f(1.0, [1, 2]))
    assert "are not supported, got: [1, 2] of type list" in text
    assert "tuple" in text
    text = message(ValueError, lambda: f(1.0, n=dnp.ones(2)))
    assert "'n' of `<lambda>`" in text


def test_arguments_that_are_not_arrays() -> None:
    for value, shown in (("text", "'text'"), (object, "type"), ({1, 2}, "{1, 2}")):
        text = message(TypeError, lambda value=value: dt.jit(lambda x: x)({"k": value}))
        assert "argument to `<lambda>`" in text
        assert "at path x['k']" in text
        assert "is not a valid JAX type" in text
        assert shown in text
        assert "static" in text
    text = message(TypeError, lambda: dt.jit(lambda: "text")())
    assert "returned a value of type" in text
    objects = np.array([object()])
    text = message(TypeError, lambda: dt.grad(lambda x: x)(objects), names_line=False)
    assert "object" in text
    text = message(OverflowError, lambda: dt.jit(lambda x: x)(1 << 40), names_line=False)
    assert str(1 << 40) in text


def test_tangents_and_cotangents() -> None:
    text = message(TypeError, lambda: dt.jvp(dnp.sin, (1.0,), (dnp.ones(2),)))
    assert "must be float32[], got: float32[2]" in text
    text = message(TypeError, lambda: dt.jvp(dnp.sin, (1.0,), (1.0, 2.0)))
    assert "structure" in text
    text = message(TypeError, lambda: dt.jvp(lambda n: n, (1,), (1,)))
    assert "float0" in text
    text = message(TypeError, lambda: bad_jvp(dnp.sin, 1.0, 1.0), names_line=False)
    assert "must be tuples or lists; found float and float" in text
    _, pull = dt.vjp(lambda x: {"y": x}, dnp.ones(2))
    text = message(TypeError, lambda: pull(dnp.ones(2)))
    assert "structure" in text
    text = message(TypeError, lambda: pull({"y": dnp.ones(2, dnp.int32)}))
    assert "must be float32[2], got: int32[2]" in text
    _, push = dt.linearize(dnp.sin, dnp.ones(2))
    text = message(TypeError, lambda: push(dnp.ones(3)))
    assert "must be float32[2], got: float32[3]" in text


def test_batches() -> None:
    x, y = dnp.ones((2, 3)), dnp.ones((4, 3))
    cases = [
        (lambda: dt.vmap(lambda a, b: a)(x, y), ValueError, "size 2: axis 0 of argument a of"),
        (lambda: dt.vmap(lambda a: a, in_axes=2)(x), ValueError, "along axis 2"),
        (lambda: dt.vmap(lambda a: a)(1.0), ValueError, "but is only 0 (its shape is ())"),
        (lambda: dt.vmap(lambda a: a, in_axes=None)(x), ValueError, "axis_size"),
        (lambda: dt.vmap(lambda a: a, axis_size=5)(x), ValueError, "`axis_size` argument was 5"),
        (
            lambda: dt.vmap(lambda a: a, in_axes=(0, 0))(x),
            ValueError,
            "len(args)=1",
        ),
        (lambda: dt.vmap(lambda a: a, out_axes=None)(x), ValueError, "axis spec None"),
        (
            lambda: dt.vmap(lambda a: a, out_axes=2)(x),
            ValueError,
            "axis 2 is out of bounds",
        ),
    ]
    for action, kind, expected in cases:
        assert expected in message(kind, action)
    text = message(ValueError, lambda: dt.vmap(lambda a: a, in_axes=({"k": 0},))(x), False)
    assert "prefix" in text
    with pytest.raises(TypeError, match="but got 'rows'"):
        dt.vmap(lambda a: a, in_axes="rows")


def test_phases_are_named() -> None:
    with pytest.raises(ValueError, match=f"{PHASES}, got: 'optimize'"):
        dt.jit(lambda x: x).lower(1.0).as_text("optimize")


def test_files_that_are_not_modules(tmp_path: Path) -> None:
    good = tmp_path / "good.vmfb"
    dt.jit(lambda x: x + 1).lower(1.0).compile().save(good)
    content = good.read_bytes()
    rng = random.Random(0)
    damaged = bytearray(content)
    for _ in range(50):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    files = {
        "empty": b"",
        "text": b"not a module\n" * 100,
        "zip": b"PK\x03\x04" + bytes(200),
        "cut": content[: len(content) // 2],
        "damaged": bytes(damaged),
    }
    for name, data in files.items():
        path = tmp_path / f"{name}.vmfb"
        path.write_bytes(data)
        with pytest.raises((ValueError, RuntimeError), match=f"{name}.vmfb") as caught:
            runtime.load(path)
        assert "0x" not in str(caught.value)
    with pytest.raises(FileNotFoundError):
        runtime.load(tmp_path / "absent.vmfb")


PHASES = "trace, expand, simplify, shard, check, decompose, lower, merge, carry"
OPT = Path(__file__).parents[3] / "build/cmake/tools/dovetail-opt/dovetail-opt"

RECURSIVE = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = dovetail.call @main(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""

MALFORMED = {
    "module {": "error:",
    "func.func @f() { return %0 : f32 }": "undeclared SSA value",
    "func.func @f() { dovetail.nothing }": "error:",
    "func.func @f(%x: tensor<3xf32>, %y: tensor<4xf32>) { %0 = dovetail.add %x, %y : tensor<3xf32> "
    "return }": "error:",
    "func.func @f(%x: tensor<3xf32>) { %0 = dovetail.transpose %x dims [1] : (tensor<3xf32>) -> "
    "tensor<3xf32> return }": "error:",
    "func.func @f(%x: tensor<f32>) -> tensor<f32> { %0 = dovetail.call @g(%x) : (tensor<f32>) -> "
    "tensor<f32> return %0 : tensor<f32> }": "@g",
    "\0\1\2": "error:",
}


def opt(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([OPT, "-", *flags], input=text, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    assert "Stack dump" not in done.stderr
    return done


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_ir(text: str) -> None:
    done = opt(text, "--dovetail-pipeline=to=lower")
    assert done.returncode == 1
    assert re.search(r"<stdin>:\d+:\d+: error:", done.stderr), done.stderr
    assert MALFORMED[text] in done.stderr


PASSES = [
    ["--dovetail-pipeline=to=lower"],
    ["--dovetail-jvp=function=main wrt=0"],
    ["--dovetail-split=function=main unknown=0"],
    ["--dovetail-transpose=function=main linear=0"],
    ["--dovetail-batch=function=main dims=0 size=4"],
]


@pytest.mark.parametrize("flags", PASSES)
def test_functions_that_call_themselves(flags: list[str]) -> None:
    done = opt(RECURSIVE, *flags)
    assert done.returncode == 1
    assert "call itself" in done.stderr


@pytest.mark.parametrize("flags", PASSES)
def test_damaged_ir_never_crashes(flags: list[str]) -> None:
    rng = random.Random(len(flags[0]))
    seeds = ir_mutations.seeds()
    cases = [ir_mutations.mutate(rng.choice(seeds), rng) for _ in range(300)]
    done = opt("\n// -----\n".join(cases), "--split-input-file", *flags)
    assert done.stderr.count("error:") > 100


@pytest.mark.parametrize(
    "flags",
    [
        ["--dovetail-pipeline=to=lower"],
        ["--dovetail-propagate-shardings", "--dovetail-partition"],
        ["--dovetail-partition"],
        ["--dovetail-localize"],
        ["--dovetail-unshard"],
    ],
)
def test_damaged_sharded_ir_never_crashes(flags: list[str]) -> None:
    assert opt(ir_mutations.SHARDED, *flags[:-1], "--dovetail-partition").returncode == 0
    rng = random.Random(len(flags[0]))
    cases = [ir_mutations.mutate(ir_mutations.SHARDED, rng) for _ in range(300)]
    done = opt("\n// -----\n".join(cases), "--split-input-file", *flags)
    assert done.stderr.count("error:") > 100


@pytest.mark.parametrize("flags", ["to=nothing", "from=lower to=trace", "to="])
def test_phases_of_the_tool(flags: str) -> None:
    done = subprocess.run(
        [OPT, "-", f"--dovetail-pipeline={flags}"], input="", capture_output=True, text=True
    )
    assert done.returncode == 1
    assert PHASES in done.stderr
    assert "got: " in done.stderr
    assert "Stack dump" not in done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x @ x,
        lambda x: dnp.sum(x, axis=5),
        lambda x: dnp.reshape(x, (7,)),
        lambda x: x + dnp.ones(7),
        lambda x: lax.cumsum(x, axis=9),
        lambda x: lax.add(x, dnp.ones((2, 3), dnp.int32)),
        lambda x: x[0, 0, 0],
        lambda x: x.at[0].set(dnp.ones(7)),
    ],
)
def test_errors_of_arguments_name_the_line(wrong: Any) -> None:
    place = f"{__file__}:{wrong.__code__.co_firstlineno} "
    for run in (wrong, dt.jit(wrong), dt.grad(lambda x: dnp.sum(wrong(x)))):
        with pytest.raises((TypeError, ValueError, IndexError)) as caught:
            run(dnp.ones((2, 3)))
        assert place in str(caught.value), caught.value


@pytest.mark.parametrize(
    ("dtype", "functions"),
    [
        (bool, (dnp.subtract, dnp.negative, dnp.ptp)),
        (np.float32, (dnp.left_shift, dnp.right_shift)),
        (np.complex64, (dnp.floor_divide, dnp.remainder, dnp.fmod, dnp.divmod, dnp.trunc)),
        (np.complex64, (dnp.isposinf, dnp.isneginf, dnp.nanargmax, dnp.nanargmin)),
    ],
)
def test_messages_name_the_function_called(dtype: Any, functions: tuple[Any, ...]) -> None:
    """And none of those that it calls."""
    for function in functions:
        operands = [dnp.ones(2, dtype)] * len(required(function))
        for run in (function, dt.jit(function)):
            with pytest.raises(TypeError) as caught:
                run(*operands)
            expected = f"{function.__name__} does not accept dtype "
            assert str(caught.value).startswith(expected), caught.value


def test_no_function_writes_into_an_array() -> None:
    x = dnp.ones((2, 2))
    checked = set()
    functions = [f for f in vars(dnp).values() if callable(f) and not inspect.isclass(f)]
    for function in functions:
        if "out" in inspect.signature(function).parameters:
            checked.add(function.__name__)
            with pytest.raises(NotImplementedError, match=rf"^{function.__name__}: .* use the res"):
                function(*[x] * len(required(function)), out=x)
    assert {"isposinf", "nanmax", "nanstd", "ptp", "stack", "std", "sum"} <= checked


def required(function: Callable[..., Any]) -> list[str]:
    """The parameters without which it cannot be called."""
    parameters = inspect.signature(function).parameters
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [n for n, p in parameters.items() if p.kind in kinds and p.default is p.empty]

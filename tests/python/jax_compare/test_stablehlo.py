"""Functions that JAX exports are the same here, and JAX's compiler runs programs from here."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax", minversion="0.10")

import jax.numpy as jnp  # noqa: E402  # pyright: ignore[reportMissingImports]
from jax import export  # noqa: E402  # pyright: ignore[reportMissingImports]

import dovetail as dt  # noqa: E402
import dovetail.numpy as dnp  # noqa: E402
from dovetail import lax as dlax  # noqa: E402
from support.jax_table import LAX, NUMPY, Call  # noqa: E402
from support.stablehlo_programs import (  # noqa: E402
    compiled_by_jax,
    exported,
    function_of,
    leaves,
    weighted,
)
from support.table_arguments import arguments  # noqa: E402

# JAX has an approximate method for these.
APPROXIMATE = {"approx_max_k", "approx_min_k"}


def first_calls(table: dict[str, list[Call]], start: int) -> list[Call]:
    """One call of each function, those of every eighth."""
    names = sorted(name for name, calls in table.items() if calls)
    return [table[name][0] for name in names[start::8]]


def check(ours: list[Any], theirs: list[Any], what: str, rtol: float = 2e-5) -> None:
    assert len(ours) == len(theirs), what
    for a, b in zip(map(np.asarray, ours), map(np.asarray, theirs), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), what
        if a.dtype.kind in "fc":
            np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol / 10, err_msg=what)
        else:
            np.testing.assert_array_equal(a, b, err_msg=what)


@pytest.mark.slow
@pytest.mark.parametrize("start", range(8))
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_loaded(start: int, dtype: str) -> None:
    compared = 0
    for call in first_calls(NUMPY, start) + first_calls(LAX, start):
        program = exported(call, dtype)
        if program is None or call.name in APPROXIMATE:
            continue
        args = [np.asarray(arg) for arg in program.args]
        loaded = dt.stablehlo.load(program.text)
        # One half of them is compiled: of those the constants are the compiler's.
        with dt.config.compile("now" if len(call.text) % 2 else "never"):
            ours = loaded(*[args[i] for i in program.kept])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = jax.jit(program.function)(*program.args)
        check(dt.tree_util.tree_leaves(ours), leaves(theirs), call.text)
        compared += 1
    # More than 320 functions in all.
    assert compared > 40


@pytest.mark.slow
@pytest.mark.parametrize("start", range(8))
def test_ours_compiled_by_jax(start: int) -> None:
    compared = 0
    for library, table in ((dnp, NUMPY), (dlax, LAX)):
        for call in first_calls(table, start):
            function, names = function_of(call, "float32", library, dnp)
            args = [np.asarray(arguments("float32", dnp)[name]) for name in names]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    lowered = dt.jit(function).lower(*args)
                except Exception:
                    continue  # it cannot be traced
                ours = dt.jit(function)(*args)
            theirs = compiled_by_jax(lowered.as_text("stablehlo"), args)
            check(dt.tree_util.tree_leaves(ours), theirs, call.text)
            compared += 1
    assert compared > 40


@pytest.mark.parametrize("element", ["float16", "bfloat16", "float32", "float64"])
def test_exponents_of_ours_compiled_by_jax(element: str) -> None:
    is_wide = element == "float64"
    with dt.config.enable_x64(is_wide), jax.enable_x64(is_wide):
        dtype = np.dtype(dt.dtypes.canonicalize_dtype(getattr(dnp, element)))
        x = np.array([0, -0.0, 1, -1.5, 3.9, 3e4, -6e-4, np.inf, -np.inf, np.nan, 0.75]).astype(
            dtype
        )
        k = np.arange(-20, 24, 4, dtype=np.int32) * (2 if element == "float16" else 40)
        for function, args in ((dnp.frexp, (x,)), (dnp.ldexp, (x, k)), (dnp.spacing, (x,))):
            text = dt.jit(function).lower(*args).as_text("stablehlo")
            ours = dt.tree_util.tree_leaves(function(*args))
            least = dnp.finfo(dtype).smallest_normal
            for a, b in zip(compiled_by_jax(text, list(args)), ours, strict=True):
                a, b = np.asarray(a), np.asarray(b)
                assert a.dtype == b.dtype
                # XLA writes subnormal numbers as zeros.
                a, b = a.astype(np.float64), b.astype(np.float64)
                shown = np.isnan(b) | (np.abs(b) >= float(least)) | (b == 0)
                np.testing.assert_array_equal(a[shown], b[shown], err_msg=text)


# Functions with rules of JAX's own, which its programs lack: there they are moves of bits, series,
# or branches of which those that are not taken are not finite.
OWN_RULES = {"erf_inv", "frexp", "igamma", "igammac", "ldexp", "stop_gradient"}


@pytest.mark.slow
@pytest.mark.parametrize("start", range(8))
def test_gradients_of_the_table(start: int) -> None:
    compared = 0
    for call in first_calls(NUMPY, start) + first_calls(LAX, start):
        program = exported(call, "float32")
        if program is None or call.name in APPROXIMATE | OWN_RULES:
            continue
        # What JAX left out of the program has no influence.
        numbers = [i for i in program.kept if program.args[i].dtype.kind == "f"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = jax.grad(weighted(jnp, program.function), numbers)(*program.args)
            except Exception:
                continue  # JAX has no derivative of it
        loaded = dt.stablehlo.load(program.text)
        places = [program.kept.index(i) for i in numbers]
        args = [np.asarray(program.args[i]) for i in program.kept]
        with dt.config.compile("never"):
            ours = dt.grad(weighted(dnp, loaded), places)(*args) if places else ()
        check(list(ours), leaves(theirs), call.text, rtol=2e-4)
        compared += bool(places)
    assert compared > 30


# Functions of complex numbers that only programs of others have.
COMPLEX = ("lax.clamp(z, w, v)", "lax.atan2(z, w)", "lax.max(z, w)", "lax.min(w, z)")


@pytest.mark.parametrize("text", COMPLEX)
def test_complex_numbers(text: str) -> None:
    rng = np.random.default_rng(0)
    names = {
        name: (rng.normal(size=8) + 1j * rng.normal(size=8)).astype(np.complex64) for name in "vwz"
    }

    def function(*arrays: Any) -> Any:
        return eval(text, {"lax": jax.lax, **dict(zip("vwz", arrays, strict=True))})

    args = [names[name] for name in "vwz"]
    made = export.export(jax.jit(function))(*args)
    loaded = dt.stablehlo.load(made.mlir_module())
    ours = loaded(*[args[i] for i in made.module_kept_var_idx])
    check([ours], leaves(jax.jit(function)(*args)), text)


GRADIENTS = """
tanh(x) | sort(v) | x @ x.T | cumsum(x) | maximum(x, y) | linalg.inv(q) | x[i] | t.prod(1)
linalg.eigh(q + q.T)[0] | linalg.slogdet(q)[1] | where(b, x, y) | convolve(v, w) | interp(v, f, w)
linalg.svd(x, full_matrices=False)[1] | logaddexp(x, y) | x ** 3 | arctan2(x, y) | clip(x, -1, 1)
median(x)
"""


@pytest.mark.parametrize(
    "text", [t.strip() for t in GRADIENTS.replace("\n", "|").split("|") if t.strip()]
)
def test_gradients(text: str) -> None:
    names = [name for name in "bfiqtvwxy" if name in text.replace("linalg", "")]
    values = arguments("float32", jnp)
    code = compile(text if text[0] in "xt" and text[1] in " [.*" else f"xp.{text}", text, "eval")
    names = [name for name in names if name in code.co_names]

    def function(*arrays: Any) -> Any:
        return eval(code, {"xp": jnp, **dict(zip(names, arrays, strict=True))})

    args = [values[name] for name in names]
    program = export.export(jax.jit(function))(*args)
    loaded = dt.stablehlo.load(program.mlir_module())
    numbers = [i for i, arg in enumerate(args) if arg.dtype.kind == "f"]
    theirs = jax.grad(weighted(jnp, function), numbers)(*args)
    ours = dt.grad(weighted(dnp, loaded), numbers)(*map(np.asarray, args))
    check(list(ours), leaves(theirs), text, rtol=2e-4)


@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (3, 5), (2, 4, 3)])
def test_gradients_of_qr(mode: str, shape: tuple[int, ...]) -> None:
    """JAX calls two functions of LAPACK. It has no derivative of all of q of tall matrices."""
    a = np.random.default_rng(0).normal(size=shape).astype(np.float32)

    def decomposition(xp: Any, x: Any) -> tuple[Any, ...]:
        return (xp.linalg.qr(x, mode),) if mode == "r" else tuple(xp.linalg.qr(x, mode))

    program = export.export(jax.jit(lambda x: decomposition(jnp, x)))(a)
    loaded = dt.stablehlo.load(program.mlir_module())
    found = dt.grad(weighted(dnp, loaded), (0,))(a)
    if mode == "complete" and shape[-2] > shape[-1]:
        wanted = dt.grad(weighted(dnp, lambda x: decomposition(dnp, x)), (0,))(a)
    else:
        wanted = jax.grad(weighted(jnp, lambda x: decomposition(jnp, x)), (0,))(a)
    check(list(found), leaves(wanted), mode, rtol=1e-3)


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 4)])
@pytest.mark.parametrize("element", ["uint32", "uint64"])
def test_random_bits(shape: tuple[int, ...], element: str) -> None:
    state = np.array([2**40 + 7, 2**63 + 11], np.uint64)
    with dt.config.enable_x64(True), jax.enable_x64(True):
        threefry = jax.lax.RandomAlgorithm.RNG_THREE_FRY

        def function(state: Any) -> Any:
            return jax.lax.rng_bit_generator(state, shape, element, algorithm=threefry)

        loaded = dt.stablehlo.load(export.export(jax.jit(function))(state).mlir_module())
        check(list(loaded(state)), leaves(jax.jit(function)(state)), "bits")


def attention(xp: Any, softmax: Any, params: Any, x: Any) -> Any:
    """A transformer block of one head."""
    normal = (x - x.mean(-1, keepdims=True)) / xp.sqrt(x.var(-1, keepdims=True) + 1e-5)
    q, k, v = normal @ params["q"], normal @ params["k"], normal @ params["v"]
    mask = xp.tril(xp.ones((x.shape[0], x.shape[0]), bool))
    scores = xp.where(mask, q @ k.T / 4.0, -xp.inf)
    x = x + softmax(scores) @ v @ params["o"]
    return x + xp.tanh(x @ params["in"]) @ params["out"]


def block_arguments() -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = dict.fromkeys("qkvo", (16, 16)) | {"in": (16, 32), "out": (32, 16)}
    params = {n: rng.normal(0, 0.2, s).astype(np.float32) for n, s in shapes.items()}
    return params, rng.normal(0, 1, (8, 16)).astype(np.float32)


def test_transformer_block_both_ways() -> None:
    params, x = block_arguments()

    def theirs(params: Any, x: Any) -> Any:
        return (attention(jnp, jax.nn.softmax, params, x) ** 2).mean()

    def ours(params: Any, x: Any) -> Any:
        return (attention(dnp, dt.nn.softmax, params, x) ** 2).mean()

    flat = [params[name] for name in sorted(params)]
    step = jax.value_and_grad(theirs)
    loaded = dt.stablehlo.load(export.export(jax.jit(step))(params, x).mlir_module())
    wanted = leaves(jax.jit(step)(params, x))
    check(list(loaded(*flat, x)), wanted, "JAX's gradient, here", rtol=1e-3)
    forward = dt.stablehlo.load(export.export(jax.jit(theirs))(params, x).mlir_module())
    value, gradients = dt.jit(dt.value_and_grad(forward, tuple(range(6))))(*flat, x)
    check([value, *gradients], wanted, "the gradient of JAX's program", rtol=1e-3)
    text = dt.jit(dt.value_and_grad(ours)).lower(params, x).as_text("stablehlo")
    check(compiled_by_jax(text, [*flat, x]), wanted, "our gradient, there", rtol=1e-3)


def test_digits_training_step_both_ways() -> None:
    rng = np.random.default_rng(0)
    sizes = (64, 32, 10)
    params = [rng.normal(0, 0.1, (a, b)).astype(np.float32) for a, b in itertools.pairwise(sizes)]
    images = rng.uniform(0, 1, (20, 64)).astype(np.float32)
    labels = rng.integers(0, 10, 20).astype(np.int32)

    def step_of(xp: Any, value_and_grad: Any, log_softmax: Any) -> Any:
        def loss(params: Any, images: Any, labels: Any) -> Any:
            scores = xp.maximum(images @ params[0], 0) @ params[1]
            return -xp.mean(xp.take_along_axis(log_softmax(scores), labels[:, None], 1))

        def step(params: Any, images: Any, labels: Any) -> Any:
            value, gradients = value_and_grad(loss)(params, images, labels)
            return value, [p - 0.1 * g for p, g in zip(params, gradients, strict=True)]

        return step

    theirs = step_of(jnp, jax.value_and_grad, jax.nn.log_softmax)
    ours = step_of(dnp, dt.value_and_grad, dt.nn.log_softmax)
    args = [*params, images, labels]
    wanted = leaves(jax.jit(theirs)(params, images, labels))
    text = export.export(jax.jit(theirs))(params, images, labels).mlir_module()
    check(list(dt.jit(dt.stablehlo.load(text))(*args)), wanted, "JAX's step, here", rtol=1e-4)
    text = dt.jit(ours).lower(params, images, labels).as_text("stablehlo")
    check(compiled_by_jax(text, args), wanted, "our step, there", rtol=1e-4)


@pytest.mark.parametrize("element", ["float16", "float32", "float64"])
def test_functions_without_an_op_compiled_by_jax(element: str) -> None:
    is_wide = element == "float64"
    with dt.config.enable_x64(is_wide), jax.enable_x64(is_wide):
        special = [0, 0.5, 1, 200, 1e4, np.inf, np.nan, -1, 3, 1e-3]
        others = [1, 0, np.inf, 210, 1.01e4, 2, 1, 1, np.nan, 1e-2]
        rng = np.random.default_rng(0)
        a = np.concatenate([rng.gamma(2, 3, 40), special]).astype(element)
        x = np.concatenate([rng.gamma(2, 3, 40), others]).astype(element)
        u = np.linspace(-0.1, 1.1, a.size, dtype=element)
        rtol = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-12}[element]
        for function, args in (
            (dlax.bessel_i0e, (a - 5,)),
            (dlax.betainc, (a, x, u)),
            (dlax.igamma, (a, x)),
            (dlax.igamma, (a[1], x[0])),
            (dlax.igammac, (a.reshape(2, 25), x.reshape(2, 25))),
            (dlax.random_gamma_grad, (a, x)),
        ):
            text = dt.jit(function).lower(*args).as_text("stablehlo")
            (theirs,) = compiled_by_jax(text, list(args))
            assert theirs.dtype == a.dtype
            np.testing.assert_allclose(theirs, function(*args), rtol=rtol, atol=1e-6 * rtol)

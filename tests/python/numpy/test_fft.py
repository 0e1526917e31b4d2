"""Fourier and cosine transforms, eager and compiled, against NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pytest
import scipy.fft
from hypothesis import given
from hypothesis import strategies as st

import dovetail
import dovetail.numpy as dnp
from dovetail import config, dtypes, lax
from dovetail.scipy import fft as cosine
from dovetail.test_util import check_grads
from support.breadth import IS_NIGHTLY, one_of, some

Array = np.ndarray[Any, Any]
PRECISE = {np.float32: np.complex64, np.float64: np.complex128}


def random(shape: Any, dtype: Any = np.complex64, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def error(actual: Any, expected: Any) -> float:
    """The distance from the exact result, over its norm, in units of the machine epsilon."""
    a = np.asarray(actual)
    assert a.shape == expected.shape
    scale = np.linalg.norm(expected) * np.finfo(a.dtype).eps
    return float(np.linalg.norm(a - expected) / scale) if scale else float(np.abs(a).max(initial=0))


def compiled(function: Callable[..., Any], *args: Any) -> Any:
    return dovetail.jit(function).lower(*args).compile()(*args)


# Lengths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("lengths", some([range(1, 22), range(22, 43), range(43, 65)], 2), ids=str)
def test_every_short_length(lengths: range) -> None:
    """In one program: complex ones, and the other kinds in turn."""
    signals = [random((3, n), seed=n) for n in lengths]

    def transforms(fft: Any, x: Any) -> list[Any]:
        n = x.shape[1]
        kinds = (
            lambda: fft.ifft(x),
            lambda: fft.rfft(x.real),
            lambda: fft.irfft(x[:, : n // 2 + 1], n),
        )
        return [fft.fft(x), *(kind() for kind in (kinds if IS_NIGHTLY else [kinds[n % 3]]))]

    actual = compiled(lambda signals: [transforms(dnp.fft, x) for x in signals], signals)
    for x, results in zip(signals, actual, strict=True):
        expected = transforms(np.fft, x.astype(np.complex128))
        for result, exact in zip(results, expected, strict=True):
            assert error(result, exact) < 3, x.shape


# Powers of two, products of small primes, primes, and products of two large ones.
LENGTHS = (128, 512, 1 << 12, 1 << 18, 105, 1155, 30030, 3**8, 7**5, 997, 1009, 37 * 41, 10007)


@pytest.mark.parametrize(
    ("n", "precision"), [(n, t) for n in LENGTHS for t in one_of(tuple(PRECISE), str(n))]
)
def test_accuracy(n: int, precision: Any) -> None:
    """Errors grow with the logarithm of the length, and are NumPy's up to a small factor."""
    wide = PRECISE[precision]
    x, exact = random(n, wide), random(n, wide).astype(np.clongdouble)
    bound = 1.0 + 0.25 * np.log2(n)
    with config.enable_x64(True):
        results = compiled(lambda x: (dnp.fft.fft(x), dnp.fft.rfft(x.real)), x)
    assert [np.asarray(r).dtype for r in results] == [wide, wide]
    exact_results = scipy.fft.fft(exact), scipy.fft.rfft(exact.real)
    for result, expected in zip(results, exact_results, strict=True):
        assert error(result, expected) < bound


@pytest.mark.parametrize("n", [1 << 12, 3000, 1009, 2 * 509, 4095])
def test_inverses(n: int) -> None:
    x = random(n)

    def both(x: Any) -> Any:
        return dnp.fft.ifft(dnp.fft.fft(x)), dnp.fft.irfft(dnp.fft.rfft(x.real), n)

    back, real = compiled(both, x)
    assert error(back, x) < 5
    assert error(real, x.real) < 5


def test_imaginary_parts_of_ends_have_no_effect() -> None:
    for n in (8, 9, 1024):
        x = random(n // 2 + 1)
        y = x.copy()
        y[0] += 3j
        if n % 2 == 0:
            y[-1] -= 2j
        result = compiled(lambda x, n=n: dnp.fft.irfft(x, n), y)
        assert error(result, np.fft.irfft(x.astype(np.complex128), n)) < 3


# Dimensions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "axis"),
    [
        ((5, 300, 3), 1),
        ((64, 33), 0),
        ((2, 3, 40, 5), 2),
        ((100, 2), 0),
        ((7, 512), 1),
        ((37, 4), 0),
    ],
)
def test_any_dimension(shape: tuple[int, ...], axis: int) -> None:
    x = random(shape)
    wide = x.astype(np.complex128)

    def both(x: Any) -> Any:
        return dnp.fft.fft(x, axis=axis), dnp.fft.rfft(x.real, axis=axis)

    expected = np.fft.fft(wide, axis=axis), np.fft.rfft(wide.real, axis=axis)
    for result, exact in zip(compiled(both, x), expected, strict=True):
        assert error(result, exact) < 3


SEVERAL = [
    ("fftn", (4, 6, 5), None, None),
    ("ifftn", (4, 6, 5), None, (2, 0)),
    ("fftn", (3, 2, 4, 2, 3), None, None),
    ("rfftn", (4, 6, 5), None, None),
    ("rfftn", (4, 6, 5), (8, 3), (0, 1)),
    ("irfftn", (4, 6, 5), None, None),
    ("irfftn", (4, 6, 5), (4, 7), None),
    ("fft2", (3, 16, 12), None, (-2, -1)),
    ("ifft2", (3, 16, 12), (10, 20), (0, 2)),
    ("rfft2", (3, 16, 12), None, (0, 1)),
    ("irfft2", (3, 16, 12), None, (-2, -1)),
]


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(("name", "shape", "s", "axes"), SEVERAL)
def test_several_dimensions(
    name: str, shape: tuple[int, ...], s: Any, axes: Any, norm: str | None
) -> None:
    x = random(shape, np.float32 if name.startswith("r") else np.complex64)
    wide = x.astype(np.promote_types(x.dtype, np.float64))
    given = s
    if s is not None and axes is None:
        axes = tuple(range(-len(s), 0))
    expected = getattr(np.fft, name)(wide, s, axes, norm)
    result = getattr(dnp.fft, name)(x, given, axes, norm)
    assert error(result, expected) < 4


def test_compiled_several_dimensions() -> None:
    x = random((2, 48, 64))

    def transforms(x: Any) -> Any:
        return dnp.fft.fft2(x), dnp.fft.rfftn(x.real), dnp.fft.irfftn(x)

    wide = x.astype(np.complex128)
    expected = np.fft.fft2(wide), np.fft.rfftn(wide.real), np.fft.irfftn(wide)
    for result, exact in zip(compiled(transforms, x), expected, strict=True):
        assert error(result, exact) < 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [300, 3000, 5000, 8192, 16384])
def test_rows_on_the_stack_and_longer_ones(n: int, dtype: str) -> None:
    """All steps of a short row are one kernel, in place for a second dimension."""
    rng = np.random.default_rng(n)
    x = rng.normal(size=(3, n)).astype(dtype)

    @dovetail.jit
    def program(x: Any) -> Any:
        half = dnp.fft.rfft(x)
        return half, dnp.fft.irfft(half, n), dnp.fft.fft(dnp.fft.fft(x + 1j, axis=0), axis=1)

    with config.enable_x64():
        half, back, whole = (np.asarray(a) for a in program(x))
    tolerance = 1e-5 if dtype == "float32" else 1e-13
    wide = x.astype(np.float64)
    for got, expected in ((half, np.fft.rfft(wide)), (back, wide), (whole, np.fft.fft2(wide + 1j))):
        assert np.max(np.abs(got - expected)) <= tolerance * np.max(np.abs(expected))


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", [None, 3, 8])
def test_lengths_and_norms(name: str, n: int | None, norm: str | None) -> None:
    x = random((4, 5), np.float32 if name in ("rfft", "ihfft") else np.complex64)
    wide = x.astype(np.promote_types(x.dtype, np.float64))
    for axis in (-1, 0):
        expected = getattr(np.fft, name)(wide, n, axis, norm)
        assert error(getattr(dnp.fft, name)(x, n, axis, norm), expected) < 4


@given(
    shape=st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple),
    name=st.sampled_from(["fftn", "ifftn", "rfftn", "irfftn"]),
    data=st.data(),
)
def test_random_calls(shape: tuple[int, ...], name: str, data: st.DataObject) -> None:
    axes = data.draw(st.permutations(range(len(shape))).map(tuple))
    axes = axes[: data.draw(st.integers(1, len(axes)))]
    s = data.draw(st.none() | st.tuples(*[st.integers(2, 9)] * len(axes)))
    if name == "irfftn" and s is None and shape[axes[-1]] == 1:
        return
    x = random(shape, np.float32 if name == "rfftn" else np.complex64)
    wide = x.astype(np.promote_types(x.dtype, np.float64))
    expected = getattr(np.fft, name)(wide, s, axes)
    actual = np.asarray(getattr(dnp.fft, name)(x, s, axes))
    np.testing.assert_allclose(actual, expected, atol=1e-5 * max(1, np.abs(expected).max()))


# Types and errors -----------------------------------------------------------------------------


def test_element_types() -> None:
    assert dnp.fft.fft(np.ones(4, bool)).dtype == dtypes.complex64
    assert dnp.fft.fft(np.ones(4, np.float16)).dtype == dtypes.complex64
    assert dnp.fft.rfft(np.ones(4, np.int32)).dtype == dtypes.complex64
    assert dnp.fft.irfft(np.ones(4, np.float32)).dtype == dtypes.float32
    with config.enable_x64(True):
        assert dnp.fft.fft(np.ones(4, np.float32)).dtype == dtypes.complex64
        assert dnp.fft.ifft(np.ones(4, np.float64)).dtype == dtypes.complex128
        assert dnp.fft.irfft(np.ones(4, np.complex128)).dtype == dtypes.float64


def test_nothing() -> None:
    assert dnp.fft.fft(np.zeros((3, 0), np.float32)).shape == (3, 0)
    assert dnp.fft.rfft(np.zeros((0, 4), np.float32)).shape == (0, 3)
    assert dnp.fft.irfft(np.zeros((3, 1), np.complex64)).shape == (3, 0)
    assert compiled(dnp.fft.fft, np.zeros((0, 4), np.complex64)).shape == (0, 4)
    assert dnp.fft.fftn(np.float32(3)) == 3


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda x: dnp.fft.fft(x, 0), ValueError, "Shape should be positive, got:"),
        (lambda x: dnp.fft.fft(x, norm="half"), ValueError, 'should be "backward", "ortho" or'),
        (lambda x: dnp.fft.fft(x, axis=2), ValueError, "axes: axis 2 is out of bounds"),
        (
            lambda x: dnp.fft.fft(x, axis=cast("int", (0, 1))),
            ValueError,
            "does not support multiple axes. Please use fftn",
        ),
        (lambda x: dnp.fft.fftn(x, axes=(0, 0)), ValueError, "does not support repeated axes"),
        (lambda x: dnp.fft.fftn(x, (2, 2, 2)), ValueError, "at most as many sizes as dimensions"),
        (
            lambda x: dnp.fft.fftn(x, (2,), (0, 1)),
            ValueError,
            "Shape and axes have different lengths",
        ),
        (lambda x: dnp.fft.fft2(x, axes=(0,)), ValueError, "fft2 only supports 2 axes"),
        (lambda x: dnp.fft.rfft(x + 1j), TypeError, "must be float32, float64 or an integer"),
        (lambda x: dnp.fft.rfft(x.astype("float16")), TypeError, "got: float16"),
        (
            lambda x: dnp.fft.fftfreq(cast("int", 2.5)),
            ValueError,
            "n argument of fftfreq only takes an int",
        ),
        (
            lambda x: dnp.fft.rfftfreq(4, x),
            ValueError,
            "d argument of .* only takes a single value",
        ),
        (
            lambda x: lax.fft(x, "dft", (3,)),
            ValueError,
            "Unknown FFT type 'dft'; it must be one of FFT, IFFT",
        ),
        (lambda x: lax.fft(x, cast("str", 1.5), (3,)), TypeError, "fft_type must be an FftType"),
        (
            lambda x: lax.fft(x, "fft", (4,)),
            ValueError,
            r"minor dimensions must be equal to fft_lengths \(4,\)",
        ),
        (
            lambda x: lax.fft(x, "irfft", (3,)),
            ValueError,
            r"all except the last fft_length, got fft_lengths=\(3,\); pad or slice it to \(2,\)",
        ),
        (
            lambda x: lax.fft(x, "fft", (2, 3, 3)),
            ValueError,
            "must have at least as many input dimensions",
        ),
        (lambda x: lax.fft(x + 1j, "RFFT", (3,)), TypeError, "must be float32 or float64"),
        (lambda x: cosine.dct(x, 3), NotImplementedError, "type must be 2, got: 3"),
        (
            lambda x: cosine.idct(x, norm="forward"),
            ValueError,
            'norm must be "backward" or "ortho"',
        ),
        (lambda x: cosine.dctn(x, s=(2, 2, 2)), ValueError, "at most as many sizes as dimensions"),
    ],
)
def test_errors(call: Callable[[Any], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(dnp.ones((2, 3), np.float32))


def test_lax() -> None:
    x = random((2, 3, 4))
    assert error(lax.fft(x, lax.FftType.FFT, (3, 4)), np.fft.fft2(x)) < 3
    assert error(lax.fft(x, "IFFT", (4,)), np.fft.ifft(x)) < 3
    assert error(lax.fft(x.real, "rfft", (2, 3, 4)), np.fft.rfftn(x.real)) < 3
    assert error(lax.fft(x, "irfft", (3, 7)), np.fft.irfft2(x, (3, 7))) < 3
    assert lax.fft(x, "fft", ()).shape == x.shape


# Frequencies ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 130))
def test_frequencies_of_a_period_of_one_are_whole(n: int) -> None:
    # As in NumPy, n * (1 / n) is a number of Python: masks compare frequencies with bounds.
    for function, reference in (
        (dnp.fft.fftfreq, np.fft.fftfreq),
        (dnp.fft.rfftfreq, np.fft.rfftfreq),
    ):
        expected = np.rint(reference(n, 1 / n)).astype(np.float32)
        np.testing.assert_array_equal(function(n, 1 / n), expected)


@pytest.mark.parametrize("n", [0, 1, 2, 7, 8])
def test_frequencies(n: int) -> None:
    if n:
        np.testing.assert_allclose(dnp.fft.fftfreq(n, 0.5), np.fft.fftfreq(n, 0.5), rtol=1e-6)
        np.testing.assert_allclose(dnp.fft.rfftfreq(n, 2), np.fft.rfftfreq(n, 2), rtol=1e-6)
    assert dnp.fft.fftfreq(n, dtype=np.int32).dtype == dtypes.int32
    x = random((n, 3), np.float32)
    for axes in (None, 0, (1,), (-1, 0)):
        np.testing.assert_array_equal(dnp.fft.fftshift(x, axes), np.fft.fftshift(x, axes))
        np.testing.assert_array_equal(dnp.fft.ifftshift(x, axes), np.fft.ifftshift(x, axes))


# Cosine transforms ----------------------------------------------------------------------------


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 15])
def test_cosine_transforms(n: int, norm: str | None) -> None:
    for shape, axis in (((n,), -1), ((3, n, 2), 1)):
        x = random(shape, np.float32)
        wide = x.astype(np.float64)
        for name in ("dct", "idct"):
            expected = getattr(scipy.fft, name)(wide, axis=axis, norm=norm)
            assert error(getattr(cosine, name)(x, axis=axis, norm=norm), expected) < 4


@pytest.mark.parametrize("norm", [None, "ortho"])
@pytest.mark.parametrize(
    ("s", "axes"), [(None, None), ((3, 7), None), ((5,), (1,)), (None, (2, 0))]
)
def test_cosine_transforms_of_several_dimensions(s: Any, axes: Any, norm: str | None) -> None:
    x = random((4, 6, 5), np.float32)
    for name in ("dctn", "idctn"):
        expected = getattr(scipy.fft, name)(x.astype(np.float64), s=s, axes=axes, norm=norm)
        assert error(getattr(cosine, name)(x, s=s, axes=axes, norm=norm), expected) < 5


def test_cosine_transforms_of_other_types() -> None:
    x = random((3, 8))
    real, imaginary = (np.asarray(scipy.fft.dct(part)) for part in (x.real, x.imag))
    assert error(cosine.dct(x), real + 1j * imaginary) < 4
    assert cosine.dct(np.arange(4)).dtype == dtypes.float32
    assert error(cosine.dct(x.real, n=5), scipy.fft.dct(x.real.astype(np.float64), n=5)) < 4
    result = compiled(lambda x: cosine.idct(cosine.dct(x.real)), x)
    assert error(result, x.real) < 4


# Transforms of functions ----------------------------------------------------------------------


@pytest.mark.parametrize("n", [7, 8])
def test_gradients(n: int) -> None:
    with config.enable_x64(True):
        x, z = random((2, n), np.float64), random((2, n), np.complex128)
        check_grads(lambda x: dnp.fft.rfft(x, axis=1), (x,), order=2)
        check_grads(lambda z: dnp.fft.irfft(z, 2 * n, axis=0), (z,), order=2)
        check_grads(lambda z: dnp.fft.ifftn(dnp.sin(dnp.fft.fft2(z))), (z,), order=2)
        check_grads(lambda x: cosine.dctn(x, norm="ortho"), (x,), order=2)


def test_gradient_of_a_power_spectrum() -> None:
    """By Parseval's theorem it is that of the sum of squares."""
    x = random(1000, np.float32)

    def power(x: Any) -> Any:
        return dnp.sum(dnp.abs(dnp.fft.fft(x, norm="ortho")) ** 2)

    gradient = dovetail.jit(dovetail.grad(power)).lower(x).compile()(x)
    assert error(gradient, 2 * x.astype(np.float64)) < 20


@pytest.mark.parametrize("in_axes", [0, 1, 2])
def test_batches(in_axes: int) -> None:
    x = random((4, 6, 5))
    wide = x.astype(np.complex128)
    for name in ("fft", "ifft", "irfft"):
        batched = dovetail.vmap(getattr(dnp.fft, name), in_axes)
        for result in (batched(x), compiled(batched, x)):
            rows = [getattr(np.fft, name)(row) for row in np.moveaxis(wide, in_axes, 0)]
            assert error(result, np.array(rows)) < 4


def test_within_loops() -> None:
    """A loop that would otherwise be one dispatch keeps its kernels separate."""
    x = random((3, 16))

    def smooth(x: Any) -> Any:
        def step(_: int, x: Any) -> Any:
            return dnp.fft.ifft(dnp.fft.fft(x) * 0.5) + x

        return lax.fori_loop(0, 5, step, x)

    expected = x.astype(np.complex128) * 1.5**5
    assert error(compiled(smooth, x), expected) < 20
    chosen = compiled(lambda p, x: lax.cond(p, dnp.fft.fft, lambda x: x, x), np.bool_(True), x)
    assert error(chosen, np.fft.fft(x)) < 4


# Other devices --------------------------------------------------------------------------------


def convolved(x: Any) -> Any:
    """Every kind of kernel: short and long lengths, real ones, and a large prime."""
    signal = dnp.fft.irfft(dnp.fft.rfft(x, 1000) * 2, 1000)[:37]
    return dnp.fft.fft(signal), dnp.fft.fft(x, axis=0), dnp.fft.irfft(dnp.fft.rfft(x, 75), 75)


@pytest.mark.usefixtures("vulkan")
def test_vulkan() -> None:
    from dovetail.compiler.module_files import compile_module
    from dovetail.runtime import Executable

    x = random(1024, np.float32)
    text = _lowered_for("vulkan", x)
    assert "gpu.thread_id" in text
    executable = Executable(compile_module(text, target="vulkan"), "main", "vulkan")
    wide = x.astype(np.float64)
    expected = (
        np.fft.fft(2 * wide[:37]),
        np.fft.fft(wide),
        np.fft.irfft(np.fft.rfft(wide, 75), 75),
    )
    for result, exact in zip(executable([x]), expected, strict=True):
        assert error(np.asarray(result), exact) < 10


@pytest.mark.parametrize("target", ["cpu-generic", "cuda", "rocm", "metal"])
def test_compiles_for_other_targets(target: str) -> None:
    from dovetail.compiler.module_files import compile_module

    assert compile_module(_lowered_for(target, random(1024, np.float32)), target=target)


def _lowered_for(target: str, x: Array) -> str:
    lowered = dovetail.jit(convolved).lower(x)
    module = lowered._program.module.clone()
    module.run("", "lower", target)
    return module.text()

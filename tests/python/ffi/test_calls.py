"""Calls of functions in C: values, loops, transforms, effects and errors."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import ffi, lax
from dovetail.experimental import io_callback

pytestmark = pytest.mark.usefixtures("functions")

MODES = ("eager", "never", "now")


def run(mode: str, function: Any, *args: Any) -> Any:
    """The function's result: eagerly, evaluated or compiled."""
    if mode == "eager":
        return function(*args)
    with dt.config.compile(mode):
        return dt.jit(function)(*args)


def like(x: Any, shape: tuple[int, ...] | None = None) -> dt.ShapeDtypeStruct:
    return dt.ShapeDtypeStruct(x.shape if shape is None else shape, x.dtype)


def scale(x: Any, by: float = 2.0, **options: Any) -> Any:
    return ffi.ffi_call("scale", like(x), **options)(x, by=np.float32(by))


X = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.mark.parametrize("mode", MODES)
def test_a_call(mode: str) -> None:
    np.testing.assert_array_equal(run(mode, scale, X), 2 * X)


@pytest.mark.parametrize("mode", MODES)
def test_several_results_of_other_types(mode: str) -> None:
    types = (dt.ShapeDtypeStruct((4,), np.float64), dt.ShapeDtypeStruct((), np.int32))
    with dt.enable_x64(True):
        x, v = X.astype(np.float64), np.array([1.0, -1.0, 0.5])
        y, count = run(mode, ffi.ffi_call("times_rows", types), x, v)
        np.testing.assert_array_equal(y, x @ v)
        assert int(count) == 4
        assert isinstance(run(mode, ffi.ffi_call("times_rows", list(types)), x, v), list)


@pytest.mark.parametrize("mode", MODES)
def test_attributes(mode: str) -> None:
    text = run(
        mode,
        lambda: ffi.ffi_call("attributes", dt.ShapeDtypeStruct((400,), np.uint8))(
            text="hällo",
            number=5,
            real=np.float32(0.5),
            flag=True,
            array=np.array([[1, -2], [3, 4]]),
            equal=np.full(3, 7.0, np.float32),
            sequence=[1, 2],
            inner={"b": 1, "a": {"deep": "x"}},
            z=1 + 2j,
        ),
    )
    assert bytes(np.asarray(text)).rstrip(b"\0").decode().split() == [
        "array:1:5:4=1=-2=3=4",
        "equal:1:11:3=7=7=7",
        "flag:3:1:1",
        *("inner:2:0:2{a:2:0:1{deep:4:0:1=x", "}", "b:3:5:1=1", "}"),
        "number:3:5:1=5",
        "real:3:11:1=0.5",
        "sequence:1:5:2=1=2",
        "text:4:0:6=hällo",
        "z:3:18:1",
    ]


@pytest.mark.parametrize("mode", MODES)
def test_arrays_are_aligned_wherever_they_begin(mode: str) -> None:
    def f(x: Any) -> Any:
        return ffi.ffi_call("aligned", dt.ShapeDtypeStruct((), np.int32))(x[1:], 2 * x, x[3])

    assert int(run(mode, f, np.ones((8, 5), np.float32))) == 1


@pytest.mark.parametrize("mode", ["never", "now"])
def test_arguments_are_not_copied(mode: str) -> None:
    x = np.zeros(1 << 16, np.float32)
    x = x[-x.ctypes.data % 64 // 4 :][: 1 << 15]  # as IREE shares memory
    call = ffi.ffi_call("places", dt.ShapeDtypeStruct((1,), np.int32))
    [place] = np.asarray(run(mode, lambda x: call(x), x)).view(np.uint32)
    assert place == x.ctypes.data >> 6 & 0xFFFFFFFF


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(0, 3), ()])
def test_empty_arrays_and_scalars(mode: str, shape: tuple[int, ...]) -> None:
    x = np.ones(shape, np.float32)
    np.testing.assert_array_equal(run(mode, scale, x), 2 * x)


@pytest.mark.parametrize("mode", MODES)
def test_layouts_are_orders_in_memory(mode: str) -> None:
    # The function scales memory in its order; the sizes that it is told are the dimensions' own.
    def f(x: Any) -> Any:
        same = scale(x, input_layouts=[(1, 0)], output_layouts=(1, 0))
        mixed = scale(x, input_layouts=[(1, 0)])
        sizes = ffi.ffi_call("shapes", dt.ShapeDtypeStruct((2,), np.int32), input_layouts=[(1, 0)])(
            x
        )
        return same, mixed, sizes

    same, mixed, sizes = run(mode, f, X)
    np.testing.assert_array_equal(same, 2 * X)
    np.testing.assert_array_equal(mixed, 2 * X.T.reshape(X.shape))
    assert sizes.tolist() == [4, 3]


@pytest.mark.parametrize("mode", MODES)
def test_aliases_write_over_a_copy_of_what_is_needed(mode: str) -> None:
    def f(x: Any) -> Any:
        call = ffi.ffi_call("increment", like(x), input_output_aliases={0: 0})
        y = 2 * x
        return call(x), call(call(y)), x, y

    x = np.arange(5, dtype=np.float32)
    results = run(mode, f, x)
    for result, expected in zip(results, (x + 1, 2 * x + 2, x, 2 * x), strict=True):
        np.testing.assert_array_equal(result, expected)


def test_an_argument_that_is_donated_is_written_over() -> None:
    def f(x: Any) -> Any:
        types = like(x), dt.ShapeDtypeStruct((), np.int32)
        return ffi.ffi_call("increment", types, input_output_aliases={0: 0})(x)

    x, places = dnp.zeros(1 << 16, np.float32), []
    donating = dt.jit(f, donate_argnums=0)
    for _ in range(4):
        x, place = donating(x)
        places.append(int(place))
    assert len({*places[1:]}) == 1
    assert float(x[7]) == 4


# Loops, branches and effects ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_loops_and_branches(mode: str) -> None:
    def f(x: Any) -> Any:
        y = lax.fori_loop(0, 5, lambda i, c: scale(c), x)
        z = lax.while_loop(lambda c: c[0, 1] < 100, scale, x)
        return y, z, lax.cond(x[0, 0] > 0, scale, lambda c: scale(c, 3), x)

    y, z, w = run(mode, f, X)
    np.testing.assert_array_equal(y, 32 * X)
    np.testing.assert_array_equal(z, 128 * X)
    np.testing.assert_array_equal(w, 3 * X)


@pytest.mark.parametrize("mode", MODES)
def test_effects_happen_in_order_as_often_as_stated(mode: str, functions: ctypes.CDLL) -> None:
    def f(x: Any) -> Any:
        see = ffi.ffi_call("observe", (), has_side_effect=True)
        see(x)

        def body(c: Any, _: Any) -> Any:
            see(c)
            lax.cond(c > 2, see, lambda c: (), -c)
            return c + 1, None

        return lax.scan(body, x, length=3)[0]

    seen = (ctypes.c_float * 64)()
    functions.observed(seen)
    assert float(run(mode, f, np.float32(1))) == 4
    count = functions.observed(seen)
    assert list(seen[:count]) == [1, 1, 2, 3, -3]


@pytest.mark.parametrize("mode", MODES)
def test_effects_and_callbacks_keep_their_order(mode: str) -> None:
    seen: list[int] = []
    counting = ffi.ffi_call("count", dt.ShapeDtypeStruct((), np.int32), has_side_effect=True)

    def f(x: Any) -> Any:
        def body(i: Any, c: Any) -> Any:
            first = counting(c)
            io_callback(lambda n: seen.append(int(n)), None, first)
            second = counting(c)
            io_callback(lambda n: seen.append(int(n)), None, second)
            return c + 1

        return lax.fori_loop(0, 3, body, x)

    assert float(run(mode, f, np.float32(1))) == 4
    assert seen == list(range(seen[0], seen[0] + 6))


@pytest.mark.parametrize("mode", ["never", "now"])
def test_what_is_not_needed_is_not_called(mode: str, functions: ctypes.CDLL) -> None:
    def f(x: Any) -> Any:
        ffi.ffi_call("count", dt.ShapeDtypeStruct((), np.int32))()
        return x

    before = functions.number_of_calls()
    run(mode, f, X)
    assert functions.number_of_calls() == before


@pytest.mark.parametrize("mode", MODES)
def test_a_call_without_arguments_is_made_in_each_run(mode: str, functions: ctypes.CDLL) -> None:
    counting = ffi.ffi_call("count", dt.ShapeDtypeStruct((), np.int32))
    with dt.config.compile("now" if mode == "eager" else mode):
        call = counting if mode == "eager" else dt.jit(lambda: counting())
        first = int(call())
        assert int(call()) == first + 1


# Transforms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("sequential", [[2, 3, 2, 0]] * 4),
        ("sequential_unrolled", [[2, 3, 2, 0]] * 4),
        ("expand_dims", [4, 2, 3, 1, 2]),
        ("broadcast_all", [4, 2, 3, 4, 2]),
        ("legacy_vectorized", [4, 2, 3, 2, 0]),
    ],
)
def test_vmap_methods(mode: str, method: str, expected: list[Any]) -> None:
    # What the function sees: with the batch in its result, it is called once for all.
    is_loop = isinstance(expected[0], list)
    xs, y = np.zeros((4, 2, 3), np.float32), np.zeros(2, np.float32)

    def f(x: Any, y: Any) -> Any:
        call = ffi.ffi_call("shapes", dt.ShapeDtypeStruct((5,), np.int32), vmap_method=method)
        return call(x, y)

    result = np.asarray(run(mode, dt.vmap(f, in_axes=(0, None)), xs, y))
    seen = result[:, :4].tolist() if is_loop else result.ravel()[:5].tolist()
    for got, wanted in zip(
        seen if is_loop else [seen], expected if is_loop else [expected], strict=True
    ):
        numbers = sum(1 for n in wanted if n)
        assert got[:numbers] == [n for n in wanted if n]


@pytest.mark.parametrize("method", ["sequential", "expand_dims", "broadcast_all"])
def test_vmap_of_layouts_and_aliases(method: str) -> None:
    xs = np.arange(24, dtype=np.float32).reshape(2, 4, 3)

    def f(x: Any) -> Any:
        return scale(x, input_layouts=[(1, 0)], output_layouts=(1, 0), vmap_method=method)

    def g(x: Any) -> Any:
        call = ffi.ffi_call(
            "increment", like(x), input_output_aliases={0: 0}, vmap_method="sequential"
        )
        return call(x)

    np.testing.assert_array_equal(dt.jit(dt.vmap(f, 1, 1))(xs), 2 * xs)
    np.testing.assert_array_equal(dt.jit(dt.vmap(g))(xs[0]), xs[0] + 1)


def test_vmap_needs_a_method() -> None:
    with pytest.raises(NotImplementedError, match=r"FFI call to `scale` with a vmap_method"):
        dt.jit(dt.vmap(scale))(X)


def test_derivatives_need_a_rule() -> None:
    for transform in (dt.grad, lambda f: lambda x: dt.jvp(f, (x,), (x,))):
        with pytest.raises(
            ValueError, match=r"The FFI call to `scale` cannot be differentiated.*custom_jvp"
        ):
            transform(lambda x: scale(x).sum())(X)


@pytest.mark.parametrize("mode", MODES)
def test_custom_rules(mode: str) -> None:
    @functools.partial(dt.custom_vjp)
    def tripled(x: Any) -> Any:
        return scale(x, 3, vmap_method="broadcast_all")

    tripled.defvjp(
        lambda x: (tripled(x), None), lambda _, t: (scale(t, 3, vmap_method="broadcast_all"),)
    )

    @dt.custom_jvp
    def doubled(x: Any) -> Any:
        return scale(x, vmap_method="sequential")

    doubled.defjvp(lambda xs, ts: (doubled(*xs), scale(*ts, vmap_method="sequential")))

    def f(x: Any) -> Any:
        return (tripled(x) ** 2 + x).sum()

    def g(x: Any) -> Any:
        return dt.jvp(doubled, (x,), (x,))[1]

    np.testing.assert_allclose(run(mode, dt.grad(f), X), 18 * X + 1)
    np.testing.assert_allclose(run(mode, dt.vmap(dt.grad(f)), X), 18 * X + 1)
    np.testing.assert_array_equal(run(mode, g, X), 2 * X)


def test_symbolic_sizes() -> None:
    from dovetail import export

    [n] = export.symbolic_shape("n", constraints=["n >= 0"])
    exported = export.export(dt.jit(scale))(dt.ShapeDtypeStruct((n, 3), np.float32))
    for x in (X, X[:0]):
        np.testing.assert_array_equal(exported.call(x), 2 * x)


@pytest.mark.parametrize("mode", ["never", "now"])
def test_dynamic_shapes(mode: str) -> None:
    def f(x: Any) -> Any:
        call = ffi.ffi_call(
            "shapes",
            dt.ShapeDtypeStruct((4,), np.int32),
            input_layouts=[(0, 1), (1, 0)],
        )
        return scale(dnp.sin(x)), call(x, x)

    with dt.config.compile(mode):
        program = dt.jit(f, dynamic_shapes=("n, m",), dynamic_constraints=["n >= 0"])
        for shape in ((2, 3), (5, 1), (0, 2)):
            x = np.ones(shape, np.float32)
            y, sizes = program(x)
            np.testing.assert_allclose(y, 2 * np.sin(x), 1e-6)
            assert sizes.tolist() == [*shape, *shape]


# Functions of Python ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("size", [4, 1 << 20])
def test_a_function_of_ctypes(mode: str, size: int) -> None:
    # Large programs run on IREE's threads, which take Python's lock.
    x = np.arange(size, dtype=np.float32)
    total = ffi.ffi_call("ctypes_sum", dt.ShapeDtypeStruct((), np.float32))
    np.testing.assert_allclose(run(mode, lambda x: total(dnp.sqrt(x)), x), np.sqrt(x).sum(), 1e-3)
    with pytest.raises(RuntimeError, match="`ctypes_sum` failed: too small, called at"):
        run(mode, lambda x: total(x), -x)


@ffi.CFunction
def ctypes_sum(arrays: Any, sizes: Any, call: Any) -> int:
    pointers = [ctypes.cast(arrays[i], ctypes.POINTER(ctypes.c_float)) for i in (0, 1)]
    x = np.ctypeslib.as_array(pointers[0], (sizes[0],))
    if x[-1] < 0:
        return call.contents.fail(call, b"too small")
    pointers[1][0] = float(x.sum())
    return 0


ffi.register_c_function("ctypes_sum", ctypes_sum)


def test_a_function_of_cffi(functions: ctypes.CDLL) -> None:
    cffi = pytest.importorskip("cffi")
    interface = cffi.FFI()
    interface.cdef("int scale(void *arrays, void *sizes, void *call);")
    ffi.register_c_function("cffi_scale", interface.dlopen(functions._name).scale)
    call = ffi.ffi_call("cffi_scale", like(X))
    np.testing.assert_array_equal(dt.jit(lambda x: call(x, by=2.0))(X), 2 * X)


def test_a_function_of_numba() -> None:
    numba = pytest.importorskip("numba")
    types = numba.types

    @numba.cfunc(
        types.int32(types.CPointer(types.voidptr), types.CPointer(types.int64), types.voidptr)
    )
    def cumulative(arrays: Any, sizes: Any, call: Any) -> int:
        x = numba.carray(arrays[0], (sizes[0],), np.float32)
        y = numba.carray(arrays[1], (sizes[0],), np.float32)
        total = np.float32(0)
        for i in range(sizes[0]):
            total += x[i]
            y[i] = total
        return 0

    ffi.register_c_function("numba_cumulative", cumulative)
    call = ffi.ffi_call("numba_cumulative", like(X[0]))
    np.testing.assert_array_equal(dt.jit(lambda x: call(x))(X[1]), np.cumsum(X[1]))


@pytest.mark.parametrize("function", ["scale", 1.5, None, abs])
def test_what_is_no_function(function: Any) -> None:
    with pytest.raises(TypeError, match="must be a function of ctypes, cffi or Numba's cfunc"):
        ffi.register_c_function("none", function)


# Errors -------------------------------------------------------------------------------------------


def failing(x: Any) -> Any:
    return ffi.ffi_call("fails", like(x))(x)


@pytest.mark.parametrize("mode", MODES)
def test_a_failure_has_the_function_s_message_and_the_user_s_line(mode: str) -> None:
    line = failing.__code__.co_firstlineno + 1
    pattern = (
        rf"the target `fails` failed: x must not be negative, called at .*test_calls\.py:{line} "
    )
    with pytest.raises(dt.errors.JaxRuntimeError, match=pattern):
        run(mode, failing, np.float32(-1))
    assert float(run(mode, failing, np.float32(1))) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_failure_on_many_threads(mode: str) -> None:
    # Large programs run on IREE's threads.
    def f(x: Any) -> Any:
        return dnp.sin(x).sum() + failing(x[0] - 1)

    with pytest.raises(RuntimeError, match="x must not be negative"):
        run(mode, f, np.zeros(1 << 20, np.float32))
    run(mode, f, np.ones(1 << 20, np.float32))


@pytest.mark.parametrize("mode", MODES)
def test_a_status_without_message(mode: str) -> None:
    with pytest.raises(RuntimeError, match=r"`returns_seven` failed: it returned 7"):
        run(mode, ffi.ffi_call("returns_seven", like(X)), X)


@pytest.mark.parametrize("mode", MODES)
def test_numbers_and_types_of_arrays(mode: str) -> None:
    pattern = r"`scale` failed: it must get 1 arguments and return 1 results, got: 1 and 2, called"
    with pytest.raises(RuntimeError, match=pattern):
        run(mode, ffi.ffi_call("scale", (like(X), like(X))), X)
    pattern = "`scale` failed: argument 0 must have elements of type 11, got: 4, called"
    with pytest.raises(RuntimeError, match=pattern):
        run(mode, ffi.ffi_call("scale", like(X)), X.astype(np.int32))


@pytest.mark.parametrize("mode", MODES)
def test_a_missing_target(mode: str) -> None:
    with pytest.raises(
        RuntimeError, match=r"the target `missing` failed: no function is registered"
    ):
        run(mode, ffi.ffi_call("missing", like(X)), X)


@pytest.mark.parametrize(
    ("error", "match", "make"),
    [
        (ValueError, "vmap_method must be None or one of", lambda: scale(X, vmap_method="all")),
        (ValueError, "position 1, |at position 1", lambda: ffi.ffi_call("scale", (like(X), None))),
        (ValueError, "legacy_backend_config", lambda: scale(X, legacy_backend_config="1")),
        (ValueError, "must be 4, got: 2", lambda: scale(X, custom_call_api_version=2)),
        (ValueError, "with input index 1", lambda: scale(X, input_output_aliases={1: 0})),
        (ValueError, "with output index 1", lambda: scale(X, input_output_aliases={0: 1})),
        (
            ValueError,
            "referring to an input with abstract value",
            lambda: ffi.ffi_call("scale", like(X, (3, 4)), input_output_aliases={0: 0})(X),
        ),
        (
            ValueError,
            "referring to an input with layout",
            lambda: scale(X, input_output_aliases={0: 0}, input_layouts=[(1, 0)]),
        ),
        (ValueError, "must equal the number of input layouts", lambda: scale(X, input_layouts=[])),
        (ValueError, "a layout must list the 2 dimensions", lambda: scale(X, input_layouts=[(0,)])),
        (
            TypeError,
            "must be known when the call is traced",
            lambda: ffi.ffi_call("scale", like(X))(X, by=object()),
        ),
        (TypeError, "attributes in the call", lambda: ffi.ffi_call("scale", like(X), by=1)),
    ],
)
def test_wrong_arguments(error: type[Exception], match: str, make: Any) -> None:
    with pytest.raises(error, match=match):
        make()


def test_a_program_for_a_gpu_has_no_calls() -> None:
    with pytest.raises(Exception, match=r"FFI call to `scale` must run on a CPU"):
        dt.export(scale, X, path="unused.vmfb", targets="vulkan")

"""grad, value_and_grad and jvp: numbers, arguments, trees, branches on values."""

from __future__ import annotations

import functools
import time
from typing import Any, NamedTuple

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, dtypes


@pytest.fixture
def x64() -> Any:
    with config.enable_x64(True):
        yield


def numeric_gradient(f: Any, x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Central differences, element by element."""
    gradient = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        offset = np.zeros_like(x)
        offset[index] = step
        gradient[index] = (float(f(x + offset)) - float(f(x - offset))) / (2 * step)
    return gradient


FUNCTIONS = {
    "polynomial": lambda x: dnp.sum(x**3 - 2 * x),
    "waves": lambda x: dnp.sum(dnp.sin(x) * dnp.cos(2 * x)),
    "network": lambda x: dnp.sum(dnp.tanh(x @ x.T) @ x),
    "softmax": lambda x: dnp.log(dnp.sum(dnp.exp(x - dnp.max(x)))) + dnp.max(x),
    "selection": lambda x: dnp.sum(dnp.where(x > 0, x * x, dnp.exp(x))),
    "shapes": lambda x: dnp.prod(dnp.concatenate([x[0], x[1:, ::2].reshape(-1)]) + 2),
    "closure": lambda x: dt.grad(lambda y: dnp.sum(y**2 * dnp.sum(x**3)))(1.5),
    "einsum": lambda x: dnp.einsum("ij,kj,ik->", x, x, x @ dnp.ones((4, 3))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient_is_that_of_differences(name: str, x64: Any) -> None:
    f = FUNCTIONS[name]
    x = np.random.default_rng(0).uniform(-1, 1, (3, 4))
    expected = numeric_gradient(f, x)
    np.testing.assert_allclose(dt.grad(f)(x), expected, rtol=1e-6, atol=1e-7)
    direction = np.random.default_rng(1).uniform(-1, 1, x.shape)
    value, tangent = dt.jvp(f, (x,), (direction,))
    np.testing.assert_allclose(value, f(x))
    np.testing.assert_allclose(tangent, np.sum(expected * direction), rtol=1e-6)


def test_third_derivative(x64: Any) -> None:
    third = dt.grad(dt.grad(dt.grad(lambda x: dnp.exp(2 * x) * x)))
    x = 0.7
    # Leibniz: 8 x e^2x + 3 * 4 e^2x.
    np.testing.assert_allclose(third(x), (8 * x + 12) * np.exp(2 * x), rtol=1e-12)


def test_argnums() -> None:
    def f(a: Any, b: Any, c: Any) -> Any:
        return a * b + c * c * b

    assert float(dt.grad(f)(2.0, 3.0, 5.0)) == 3
    assert float(dt.grad(f, argnums=2)(2.0, 3.0, 5.0)) == 30
    assert float(dt.grad(f, argnums=-1)(2.0, 3.0, 5.0)) == 30
    gradients = dt.grad(f, argnums=(0, -2))(2.0, 3.0, 5.0)
    assert isinstance(gradients, tuple)
    assert list(map(float, gradients)) == [3, 27]
    assert isinstance(dt.grad(f, argnums=(1,))(2.0, 3.0, 5.0), tuple)


def test_other_arguments_are_unchanged() -> None:
    def power(x: Any, n: int, *, times: int, mode: str) -> Any:
        assert type(n) is int
        assert mode == "product"
        total = 0.0
        for _ in range(times):
            product = 1.0
            for _ in range(n):
                product = product * x
            total = total + product
        return total

    assert float(dt.grad(power)(2.0, 3, times=2, mode="product")) == 24


def test_value_and_auxiliary_data() -> None:
    def f(x: Any) -> Any:
        return x * x, {"twice": 2 * x, "text": "as it is", "count": 3}

    (value, aux), gradient = dt.value_and_grad(f, has_aux=True)(3.0)
    assert (float(value), float(gradient), float(aux["twice"])) == (9, 6, 6)
    assert aux["text"] == "as it is"
    assert type(aux["count"]) is int
    gradient, aux = dt.grad(f, has_aux=True)(3.0)
    assert (float(gradient), float(aux["twice"])) == (6, 6)


def test_auxiliary_data_of_outer_functions_keep_their_derivatives() -> None:
    def outer(x: Any) -> Any:
        _, aux = dt.grad(lambda y: (y * x, x * x * y), has_aux=True)(2.0)
        return aux

    assert float(dt.grad(outer)(3.0)) == 12


class Pair(NamedTuple):
    first: Any
    second: Any


def test_trees() -> None:
    params = {"w": Pair(dnp.ones(2), [2.0, None]), "b": (3.0,)}
    gradient = dt.grad(lambda p: dnp.sum(p["w"].first) * p["w"].second[0] * p["b"][0])(params)
    assert isinstance(gradient["w"], Pair)
    assert gradient["w"].second[1] is None
    np.testing.assert_array_equal(gradient["w"].first, [6, 6])
    assert float(gradient["b"][0]) == 4


def test_holomorphic() -> None:
    z = 1.0 + 2.0j
    np.testing.assert_allclose(dt.grad(lambda z: z**3, holomorphic=True)(z), 3 * z**2, rtol=1e-6)


def test_complex_arguments_follow_the_convention() -> None:
    # The gradient of |z|^2 is 2 conj(z): the conjugate of the direction of steepest ascent.
    gradient = dt.grad(lambda z: dnp.real(z * dnp.conj(z)))(1.0 + 2.0j)
    np.testing.assert_allclose(gradient, 2 - 4j)


def test_integers_are_allowed_on_request() -> None:
    gradients = dt.grad(lambda n, x: n * x, argnums=(0, 1), allow_int=True)(2, 3.0)
    assert gradients[0].dtype == dtypes.float0
    assert float(gradients[1]) == 2


def test_weak_types_of_gradients() -> None:
    assert dt.grad(lambda x: x * x)(3.0).weak_type
    assert not dt.grad(lambda x: x * x)(dnp.float32(3.0)).weak_type
    assert not dt.grad(lambda x: dnp.sum(x * dnp.ones(2)))(3.0).weak_type


def piecewise(x: Any) -> Any:
    if x > 2:
        return x * x
    if x > 0:
        return 3 * x
    return -x


@pytest.mark.parametrize(("x", "first", "second"), [(3.0, 6, 2), (1.0, 3, 0), (-1.0, -1, 0)])
def test_branches_on_values(x: float, first: float, second: float) -> None:
    assert float(dt.grad(piecewise)(x)) == first
    assert float(dt.grad(dt.grad(piecewise))(x)) == second
    assert float(dt.jvp(piecewise, (x,), (1.0,))[1]) == first
    assert float(dt.vjp(piecewise, x)[1](1.0)[0]) == first
    assert float(dt.linearize(piecewise, x)[1](1.0)) == first


def test_branches_on_derivatives_and_results_of_transforms() -> None:
    jitted = dt.jit(lambda x: x * x)

    def f(x: Any) -> Any:
        slope = dt.grad(lambda y: y * y * x)(x)
        if slope > 1:
            x = x * slope
        if jitted(x) > 1:
            x = 2 * x
        if dt.vmap(lambda y: y * x)(dnp.arange(3.0))[1] > 1:
            x = 3 * x
        return x

    # 6 x * 2 x^2, as slope = 2 x^2.
    np.testing.assert_allclose(dt.grad(f)(2.0), 36 * 2.0**2)


def test_python_conversions_of_known_values() -> None:
    def f(x: Any) -> Any:
        assert float(x) == 2.5
        assert int(x) == 2
        assert f"{x:.1f}" == "2.5"
        assert "2.5" in str(x)
        assert x.item() == 2.5
        return x * [10.0, 20.0, 30.0][int(x)]

    assert float(dt.grad(f)(2.5)) == 30


def test_loops_of_branches_take_linear_time() -> None:
    def collatz(x: Any, steps: int) -> Any:
        for _ in range(steps):
            x = x * 0.5 if x > 1.5 else x * 3.0
        return x

    def seconds(steps: int) -> float:
        start = time.process_time()
        dt.grad(functools.partial(collatz, steps=steps))(1.0)
        return time.process_time() - start

    seconds(100)
    short = min(seconds(200) for _ in range(3))
    assert seconds(1600) < 8 * 3 * short


def test_values_are_computed_once() -> None:
    """A value that several branches depend on is not recomputed for each of them."""
    from dovetail.tracing import bind

    count = 0
    original = bind.FUNCTIONS["sin"]

    def counting(x: np.ndarray) -> np.ndarray:
        nonlocal count
        count += 1
        return original(x)

    def f(x: Any) -> Any:
        y = dnp.sin(x)
        for _ in range(5):
            if y > 0:
                y = y + x
        return y

    bind.FUNCTIONS["sin"] = counting
    try:
        dt.grad(f)(1.0)
    finally:
        bind.FUNCTIONS["sin"] = original
    assert count == 1


def test_methods_and_decorators() -> None:
    class Model:
        scale = 3.0

        def loss(self, x: Any) -> Any:
            return self.scale * x * x

    assert float(dt.grad(Model().loss)(2.0)) == 12

    @dt.grad
    def slope(x: Any) -> Any:
        """A docstring."""
        return x * x

    assert slope.__doc__ == "A docstring."
    assert float(slope(2.0)) == 4
    assert float(dt.grad(functools.partial(lambda a, x: a * x, 5.0))(2.0)) == 5


def test_stop_gradient() -> None:
    assert float(dt.grad(lambda x: x * dt.stop_gradient(x))(3.0)) == 3


def test_jvp_of_integers_and_auxiliary_data() -> None:
    no_direction = np.zeros((), dtypes.float0)
    value, tangent, aux = dt.jvp(
        lambda n, x: ((n * x, n + 1), [x]), (2, 3.0), (no_direction, 1.0), has_aux=True
    )
    assert (float(value[0]), int(value[1]), float(aux[0])) == (6, 3, 3)
    assert float(tangent[0]) == 2
    assert tangent[1].dtype == dtypes.float0


def test_zero_and_constant_gradients() -> None:
    np.testing.assert_array_equal(dt.grad(lambda x: 1.0)(dnp.ones(3)), np.zeros(3))
    np.testing.assert_array_equal(dt.grad(lambda x: dnp.sum(dnp.floor(x)))(dnp.ones(3)), [0, 0, 0])
    assert float(dt.grad(lambda x: x)(2.0)) == 1


def test_jacobians(x64: Any) -> None:
    a = np.random.default_rng(0).normal(size=(3, 2))

    def f(x: Any) -> Any:
        return dnp.tanh(a @ x)

    x = np.array([0.3, -0.2])
    expected = (1 - np.tanh(a @ x) ** 2)[:, None] * a
    np.testing.assert_allclose(dt.jacfwd(f)(x), expected, rtol=1e-12)
    np.testing.assert_allclose(dt.jacrev(f)(x), expected, rtol=1e-12)
    np.testing.assert_allclose(dt.jit(dt.jacfwd(f))(x), expected, rtol=1e-12)
    hessian = dt.hessian(lambda x: dnp.sum(f(x) ** 2))(x)
    other = dt.jacrev(dt.jacfwd(lambda x: dnp.sum(f(x) ** 2)))(x)
    np.testing.assert_allclose(hessian, other, rtol=1e-10)
    np.testing.assert_allclose(hessian, hessian.T, rtol=1e-10)


def test_integers_go_through_transforms_of_derivatives() -> None:
    gradient = dt.grad(lambda n, x: dnp.sum(n * x), argnums=(0, 1), allow_int=True)
    n, x = np.arange(6, dtype=np.int32).reshape(2, 3), np.ones((2, 3), np.float32)
    for function in (dt.jit(gradient), dt.vmap(gradient), dt.jit(dt.vmap(gradient))):
        of_n, of_x = function(n, x)
        assert (of_n.dtype, of_n.shape) == (dtypes.float0, (2, 3))
        np.testing.assert_array_equal(of_x, n)
    of_n, of_x = dt.vmap(gradient, in_axes=1, out_axes=(-1, 0))(n, x)
    assert of_n.shape == (2, 3)
    values, largest = dt.jacfwd(lambda x: (x * 2, dnp.argmax(x)))(x[0])
    np.testing.assert_array_equal(values, 2 * np.eye(3))
    assert (largest.dtype, largest.shape) == (dtypes.float0, (3,))
    of_n, of_x = dt.jacrev(lambda n, x: n * x, argnums=(0, 1), allow_int=True)(n[0], x[0])
    assert (of_n.dtype, of_n.shape) == (dtypes.float0, (3, 3))
    np.testing.assert_array_equal(of_x, np.diag(n[0]))
    directions = np.zeros((4, 3), dtypes.float0), np.ones((4, 3), np.float32)
    _, tangents = dt.vmap(lambda *t: dt.jvp(lambda n, x: n * x, (n[0], x[0]), t))(*directions)
    np.testing.assert_array_equal(tangents, np.tile(n[0], (4, 1)))


@pytest.mark.parametrize("jacobian", [dt.jacfwd, dt.jacrev])
def test_jacobians_of_trees(jacobian: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return {"product": x["a"] * y, "sum": dnp.sum(x["a"])}, y

    x, y = {"a": dnp.array([1.0, 2.0])}, dnp.array(3.0)
    result, aux = jacobian(f, argnums=(0, 1), has_aux=True)(x, y)
    assert float(aux) == 3
    np.testing.assert_array_equal(result["product"][0]["a"], [[3, 0], [0, 3]])
    np.testing.assert_array_equal(result["product"][1], [1, 2])
    np.testing.assert_array_equal(result["sum"][0]["a"], [1, 1])
    np.testing.assert_array_equal(result["sum"][1], 0)


@pytest.mark.parametrize("wrap", [lambda y: (y,), lambda y: [y], lambda y: {"y": y}, lambda y: ()])
def test_a_scalar_in_a_container_has_no_gradient(wrap: Any) -> None:
    with pytest.raises(TypeError, match=r"scalar-output functions\. Output was \d array"):
        dt.grad(lambda x: wrap(x * x))(1.0)


def test_weak_types_of_jacobians() -> None:
    for transform in (dt.grad, dt.jacfwd, dt.jacrev):
        assert transform(lambda x: x * x)(2.0).weak_type
        assert not transform(lambda x: x * x)(np.float32(2)).weak_type


def test_mismatches_are_of_both_classes() -> None:
    # JAX raises a TypeError for some of these and a ValueError for others.
    _, pull = dt.vjp(lambda x: 2 * x, np.ones(2, np.float32))
    _, push = dt.linearize(lambda x: 2 * x, np.ones(2, np.float32))
    reverse_only = dt.custom_vjp(lambda x: x)
    reverse_only.defvjp(lambda x: (x, None), lambda _, ct: (ct,))
    calls = [
        lambda: dt.jvp(reverse_only, (1.0,), (1.0,)),
        lambda: pull(np.ones(3, np.float32)),
        lambda: pull((np.ones(2, np.float32),)),
        lambda: push(np.ones(2, np.float16)),
        lambda: dt.grad(lambda x: x)(),
    ]
    for call in calls:
        for error in (TypeError, ValueError):
            with pytest.raises(error):
                call()
    with pytest.raises(TypeError, match=r"was called with 2 arguments .* takes a single one"):
        pull(1.0, 2.0)


def test_numbers_of_python_as_directions_lose_nothing() -> None:
    pull = dt.vjp(lambda x: 2 * x, 1.0)[1]
    assert float(pull(3)[0]) == 6.0
    for call in (
        lambda: pull(1j),
        lambda: dt.linear_transpose(lambda x: 2 * x, 1.0)(1j),
        lambda: dt.linearize(lambda x: 2 * x, 1.0)[1](1j),
        lambda: dt.jvp(lambda x: 2 * x, (1.0,), (1j,)),
    ):
        with pytest.raises((TypeError, ValueError), match="complex64"):
            call()

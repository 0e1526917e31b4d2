"""`example_libraries`: shapes, layers against formulas, optimizers and networks that learn."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax, random
from dovetail.example_libraries import optimizers, stax

KEY = random.key(0)


def image(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


# Layers -------------------------------------------------------------------------------------------

LAYERS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "dense": (stax.Dense(5), (3, 4)),
    "dense of rank 3": (stax.Dense(5), (3, 2, 4)),
    "conv": (stax.Conv(4, (3, 3)), (2, 8, 7, 3)),
    "conv same": (stax.Conv(4, (3, 2), strides=(2, 1), padding="SAME"), (2, 8, 7, 3)),
    "conv 1d": (stax.GeneralConv(("NHC", "HIO", "NHC"), 4, (3,)), (2, 9, 3)),
    "conv nchw": (stax.GeneralConv(("NCHW", "OIHW", "NHWC"), 4, (3, 3)), (2, 3, 8, 7)),
    "conv transpose": (stax.ConvTranspose(4, (3, 3), (2, 2)), (2, 4, 5, 3)),
    "conv transpose same": (stax.ConvTranspose(4, (3, 3), (2, 1), "SAME"), (2, 4, 5, 3)),
    "conv transpose 1d": (stax.Conv1DTranspose(4, (3,)), (2, 9, 3)),
    "batch norm": (stax.BatchNorm(), (2, 4, 5, 3)),
    "batch norm, no shift": (stax.BatchNorm(axis=0, center=False), (6, 3)),
    "batch norm, nothing": (stax.BatchNorm(axis=(0,), center=False, scale=False), (6, 3)),
    "max pool": (stax.MaxPool((2, 2)), (2, 4, 5, 3)),
    "sum pool": (stax.SumPool((2, 3), (2, 1), "SAME"), (2, 4, 5, 3)),
    "average pool": (stax.AvgPool((3, 3), (2, 2), "SAME"), (2, 4, 5, 3)),
    "average pool nchw": (stax.AvgPool((2, 2), spec="NCHW"), (2, 3, 4, 5)),
    "flatten": (stax.Flatten, (2, 4, 5, 3)),
    "identity": (stax.Identity, (2, 3)),
    **{
        name: (getattr(stax, name), (2, 3))
        for name in ("Elu", "Exp", "Gelu", "LeakyRelu", "LogSoftmax", "Relu", "Selu", "Sigmoid")
    },
    **{name: (getattr(stax, name), (2, 3)) for name in ("Softmax", "Softplus", "Tanh")},
    "dropout": (stax.Dropout(0.5), (4, 5)),
    "fan": (
        stax.serial(
            stax.FanOut(3),
            stax.parallel(stax.Dense(2), stax.Identity, stax.Dropout(0.9)),
            stax.FanInConcat(),
        ),
        (4, 5),
    ),
    "sum": (
        stax.serial(stax.FanOut(2), stax.parallel(stax.Dense(5), stax.Relu), stax.FanInSum),
        (4, 5),
    ),
    "shape dependent": (stax.shape_dependent(lambda shape: stax.Dense(2 * shape[-1])), (4, 5)),
}


@pytest.mark.parametrize("name", LAYERS)
def test_shapes_are_as_announced(name: str) -> None:
    (init, apply), shape = LAYERS[name]
    announced, params = init(KEY, shape)
    result = apply(params, image(*shape), rng=KEY)
    assert result.shape == tuple(announced)
    compiled = dt.jit(lambda p, x: apply(p, x, rng=KEY))(params, image(*shape))
    np.testing.assert_allclose(compiled, result, rtol=2e-5, atol=1e-5)


def test_dense() -> None:
    init, apply = stax.Dense(5, b_init=stax.ones)
    _, (w, b) = init(KEY, (-1, 4))
    x = image(3, 4)
    assert b.tolist() == [1] * 5
    np.testing.assert_allclose(apply((w, b), x), x @ np.asarray(w) + 1, rtol=1e-6)


def test_pooling() -> None:
    x = image(1, 4, 4, 1)
    windows = x[0, :, :, 0].reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(2, 2, 4)
    for layer, reduce in ((stax.MaxPool, np.max), (stax.SumPool, np.sum), (stax.AvgPool, np.mean)):
        result = layer((2, 2), (2, 2))[1]((), x)
        np.testing.assert_allclose(result[0, :, :, 0], reduce(windows, -1), rtol=1e-6)
    # Padding does not count.
    average = stax.AvgPool((3, 3), padding="SAME")[1]((), np.ones((1, 4, 4, 1), np.float32))
    np.testing.assert_allclose(average, 1, rtol=1e-6)


def test_batch_norm() -> None:
    init, apply = stax.BatchNorm()
    _, params = init(KEY, (8, 4, 5, 3))
    result = np.asarray(apply(params, 3 + 2 * image(8, 4, 5, 3)))
    np.testing.assert_allclose(result.mean((0, 1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(result.std((0, 1, 2)), 1, rtol=1e-3)


def test_dropout() -> None:
    apply = stax.Dropout(0.8)[1]
    result = np.asarray(apply((), np.ones(10_000, np.float32), rng=KEY))
    assert set(result.tolist()) == {0.0, 1.25}
    assert abs(result.mean() - 1) < 0.03
    assert stax.Dropout(0.8, mode="test")[1]((), 7.0, rng=KEY) == 7
    with pytest.raises(ValueError, match=r"must be given a random key.*rng=random.key\(0\)"):
        apply((), 1.0)


# Optimizers ---------------------------------------------------------------------------------------

OPTIMIZERS: dict[str, Any] = {
    "sgd": optimizers.sgd(0.1),
    "momentum": optimizers.momentum(0.05, 0.8),
    "nesterov": optimizers.nesterov(optimizers.constant(0.05), 0.8),
    "adagrad": optimizers.adagrad(1.0),
    "rmsprop": optimizers.rmsprop(optimizers.exponential_decay(0.1, 50, 0.5)),
    "rmsprop_momentum": optimizers.rmsprop_momentum(0.01),
    "adam": optimizers.adam(optimizers.polynomial_decay(0.3, 300, 0.001)),
    "adamax": optimizers.adamax(optimizers.inverse_time_decay(0.5, 50, 1.0)),
    "sm3": optimizers.sm3(1.0),
}


def loss(params: Any) -> Any:
    matrix, (vector, scalar) = params
    return dnp.sum((matrix - 1) ** 2) + dnp.sum((vector + 2) ** 2) + 0.5 * (scalar - 3) ** 2


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_descend(name: str) -> None:
    init, update, get_params = OPTIMIZERS[name]
    start = (dnp.zeros((3, 2)), (dnp.ones(2), dnp.array(0.5, np.float32)))

    @dt.jit
    def run(state: Any) -> Any:
        def step(i: Any, state: Any) -> Any:
            return update(i, dt.grad(loss)(get_params(state)), state)

        return lax.fori_loop(0, 300, step, state)

    end = get_params(run(init(start)))
    assert loss(end) < 0.03 * loss(start)
    assert dt.tree.structure(end) == dt.tree.structure(start)
    # Unpacked, and packed again.
    state = update(0, start, init(start))
    again = optimizers.pack_optimizer_state(optimizers.unpack_optimizer_state(state))
    for x, y in zip(dt.tree.leaves(state), dt.tree.leaves(again), strict=True):
        np.testing.assert_array_equal(x, y)
    assert again.tree_def == state.tree_def


def test_adam_is_that_of_optim() -> None:
    init, update, get_params = optimizers.adam(0.1)
    other = dt.optim.adam(0.1)
    x = dnp.array([1.0, -2.0])
    state, theirs, y = init(x), other.init(x), x
    for i in range(5):
        state = update(i, dnp.cos(get_params(state)), state)
        updates, theirs = other.update(dnp.cos(y), theirs)
        y = dt.optim.apply_updates(y, updates)
        np.testing.assert_allclose(get_params(state), y, rtol=1e-4)


def test_schedules() -> None:
    cases: list[tuple[Any, Callable[[int], float]]] = [
        (optimizers.constant(0.3), lambda i: 0.3),
        (optimizers.exponential_decay(2.0, 5, 0.5), lambda i: 2 * 0.5 ** (i / 5)),
        (optimizers.inverse_time_decay(2.0, 5, 3.0), lambda i: 2 / (1 + 3 * i / 5)),
        (optimizers.inverse_time_decay(2.0, 5, 3.0, True), lambda i: 2 / (1 + 3 * (i // 5))),
        (optimizers.polynomial_decay(2.0, 8, 1.0, 2), lambda i: (1 - min(i, 8) / 8) ** 2 + 1),
        (
            optimizers.piecewise_constant([3, 6], [1.0, 0.5, 0.1]),
            lambda i: 1.0 if i <= 3 else 0.5 if i <= 6 else 0.1,
        ),
    ]
    for schedule, formula in cases:
        given = [float(schedule(i)) for i in range(12)]
        np.testing.assert_allclose(given, [formula(i) for i in range(12)], rtol=1e-5)


def test_gradients_are_clipped() -> None:
    gradients = {"a": dnp.array([3.0, 4.0]), "b": dnp.array([12.0])}
    assert optimizers.l2_norm(gradients) == 13
    half = optimizers.clip_grads(gradients, 6.5)
    np.testing.assert_allclose(half["a"], [1.5, 2], rtol=1e-6)
    assert optimizers.clip_grads(gradients, 20.0)["b"] == 12


# A whole program ----------------------------------------------------------------------------------


def test_a_network_learns() -> None:
    """A convolutional network distinguishes horizontal from vertical stripes."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 64)
    stripes = np.sign(np.sin(np.arange(8) * 2.1 + rng.uniform(0, 6, (64, 1))))
    images = np.where(labels[:, None, None] == 1, stripes[:, :, None], stripes[:, None, :])
    x = images[..., None].astype(np.float32) + 0.3 * image(64, 8, 8, 1)
    y = np.eye(2, dtype=np.float32)[labels]

    init_random_params, predict = stax.serial(
        stax.Conv(4, (3, 3), padding="SAME"),
        stax.BatchNorm(),
        stax.Relu,
        stax.MaxPool((2, 2), (2, 2)),
        stax.Flatten,
        stax.Dropout(0.9),
        stax.Dense(2),
        stax.LogSoftmax,
    )
    opt_init, opt_update, get_params = optimizers.momentum(0.05, mass=0.9)

    def loss(params: Any, rng: Any) -> Any:
        return -dnp.mean(dnp.sum(predict(params, x, rng=rng) * y, axis=1))

    @dt.jit
    def update(i: Any, rng: Any, opt_state: Any) -> Any:
        params = get_params(opt_state)
        return opt_update(i, dt.grad(loss)(params, rng), opt_state)

    shape, init_params = init_random_params(KEY, (-1, 8, 8, 1))
    assert shape == (-1, 2)
    opt_state = opt_init(init_params)
    before = loss(init_params, KEY)
    count = itertools.count()
    for _ in range(30):
        i = next(count)
        opt_state = update(i, random.fold_in(KEY, i), opt_state)
    params = get_params(opt_state)
    assert loss(params, KEY) < before / 4
    accuracy = np.mean(np.argmax(predict(params, x, rng=KEY), 1) == labels)
    assert accuracy > 0.95


# Errors -------------------------------------------------------------------------------------------


def test_errors() -> None:
    init, update, _ = optimizers.sgd(0.1)
    with pytest.raises(TypeError, match="sgd: gradients must have the parameters' structure"):
        update(0, (1.0,), init([1.0]))
    grows = optimizers.optimizer(lambda: (lambda x: x, lambda i, g, x: [x, x], lambda x: x))
    with pytest.raises(TypeError, match="a step must keep the state's structure"):
        grows().update_fn(0, 1.0, grows().init_fn(1.0))
    with pytest.raises(TypeError, match="leaves must be JoinPoints, got: float"):
        optimizers.pack_optimizer_state([1.0])
    for wrong in ("fast", np.ones(2)):
        with pytest.raises(TypeError, match="a step size must be a number or a function"):
            optimizers.sgd(wrong)
    with pytest.raises(ValueError, match="one value more than boundaries"):
        optimizers.piecewise_constant([1, 2], [1.0, 2.0])

"""`dovetail.optim`: formulas, PyTorch's optimizers, schedules, parts of parameters, scans."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import config, lax, optim, tree
from dovetail.checkpoint import load, save
from dovetail.test_util import check_grads

STEPS = 12


def problem() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Parameters, and gradients for some steps, in doubles."""
    rng = np.random.default_rng(0)
    shapes = {"w": (3, 2), "b": (4,)}
    draw = lambda: {name: rng.normal(size=shape) for name, shape in shapes.items()}  # noqa: E731
    return draw(), [draw() for _ in range(STEPS)]


def run(transformation: optim.GradientTransformation) -> list[dict[str, np.ndarray]]:
    """The parameters after each step."""
    params, gradients = problem()
    with config.enable_x64(True):
        params = tree.map(dnp.asarray, params)
        state = transformation.init(params)
        history = []
        for gradient in gradients:
            updates, state = transformation.update(gradient, state, params)
            params = optim.apply_updates(params, updates)
            history.append(tree.map(np.asarray, params))
    return history


# Formulas -----------------------------------------------------------------------------------------

Update = Callable[[dict[str, Any], np.ndarray, np.ndarray, int], np.ndarray]


def sgd(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    return -0.1 * g


def momentum(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    s["m"] = 0.9 * s["m"] + g
    return -0.1 * s["m"]


def nesterov(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    s["m"] = 0.9 * s["m"] + g
    return -0.1 * (g + 0.9 * s["m"])


def averages(s: dict[str, Any], g: np.ndarray, b1: float, b2: float) -> None:
    s["m"] = b1 * s["m"] + (1 - b1) * g
    s["v"] = b2 * s["v"] + (1 - b2) * g**2


def adam(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.8, 0.95)
    return -0.1 * s["m"] / (1 - 0.8**t) / (np.sqrt(s["v"] / (1 - 0.95**t) + 1e-4) + 1e-3)


def adamw(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.9, 0.999)
    step = s["m"] / (1 - 0.9**t) / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)
    return -0.1 * (step + 0.2 * p)


def nadam(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.9, 0.999)
    first = 0.9 * s["m"] / (1 - 0.9 ** (t + 1)) + 0.1 * g / (1 - 0.9**t)
    return -0.1 * first / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-8)


def amsgrad(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.9, 0.5)
    s["x"] = np.maximum(s["x"], s["v"] / (1 - 0.5**t))
    return -0.1 * s["m"] / (1 - 0.9**t) / (np.sqrt(s["x"]) + 1e-8)


def lion(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    sign = np.sign(0.9 * s["m"] + 0.1 * g)
    s["m"] = 0.99 * s["m"] + 0.01 * g
    return -0.1 * (sign + 0.3 * p)


def adagrad(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    s["v"] = s["v"] + g**2
    return -0.1 * g / np.sqrt(0.1 + s["v"] + 1e-7)


def rmsprop(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.0, 0.9)
    return -0.1 * g / np.sqrt(s["v"] + 1e-8)


def adadelta(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.0, 0.9)
    step = g * np.sqrt(s["x"] + 1e-6) / np.sqrt(s["v"] + 1e-6)
    s["x"] = 0.9 * s["x"] + 0.1 * step**2
    return -step


def lamb(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    averages(s, g, 0.9, 0.999)
    step = s["m"] / (1 - 0.9**t) / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-6) + 0.1 * p
    return -0.1 * step * np.linalg.norm(p) / np.linalg.norm(step)


def clipped(s: dict[str, Any], p: np.ndarray, g: np.ndarray, t: int) -> np.ndarray:
    return -0.1 * g * min(1, 1.5 / np.linalg.norm(g))


FORMULAS: list[tuple[optim.GradientTransformation, Update]] = [
    (optim.sgd(0.1), sgd),
    (optim.sgd(0.1, momentum=0.9), momentum),
    (optim.sgd(0.1, 0.9, nesterov=True), nesterov),
    (optim.adam(0.1, 0.8, 0.95, 1e-3, 1e-4), adam),
    (optim.adamw(0.1, weight_decay=0.2), adamw),
    (optim.nadam(0.1), nadam),
    (optim.amsgrad(0.1, b2=0.5), amsgrad),
    (optim.lion(0.1, weight_decay=0.3), lion),
    (optim.adagrad(0.1), adagrad),
    (optim.rmsprop(0.1), rmsprop),
    (optim.adadelta(), adadelta),
    (optim.lamb(0.1, weight_decay=0.1), lamb),
    (optim.chain(optim.clip_by_norm(1.5), optim.scale(-0.1)), clipped),
]


@pytest.mark.parametrize(
    ("transformation", "formula"), FORMULAS, ids=[formula.__name__ for _, formula in FORMULAS]
)
def test_formulas(transformation: optim.GradientTransformation, formula: Update) -> None:
    params, gradients = problem()
    states: dict[str, dict[str, Any]] = {name: dict.fromkeys("mvx", 0.0) for name in params}
    for t, (gradient, ours) in enumerate(zip(gradients, run(transformation), strict=True), 1):
        for name in params:
            p, g = params[name], gradient[name]
            params[name] = p + formula(states[name], p, g, t)
            np.testing.assert_allclose(ours[name], params[name], rtol=1e-10, err_msg=f"step {t}")


# Arguments of PyTorch's optimizers, and the equivalents here.
TORCH: list[tuple[str, dict[str, Any], Callable[[], optim.GradientTransformation]]] = [
    ("SGD", {"lr": 0.1}, lambda: optim.sgd(0.1)),
    ("SGD", {"lr": 0.1, "momentum": 0.8}, lambda: optim.sgd(0.1, 0.8)),
    (
        "SGD",
        {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.1},
        lambda: optim.chain(optim.add_decayed_weights(0.1), optim.sgd(0.1, 0.8, True)),
    ),
    ("Adam", {"lr": 0.1}, lambda: optim.adam(0.1)),
    (
        "AdamW",
        {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.2},
        lambda: optim.adamw(0.1, 0.8, 0.9, weight_decay=0.2),
    ),
    ("Adamax", {"lr": 0.1}, lambda: optim.adamax(0.1)),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.8)}, lambda: optim.radam(0.1, b2=0.8)),
    (
        "RMSprop",
        {"lr": 0.1, "alpha": 0.9},
        lambda: optim.rmsprop(0.1, eps_in_sqrt=False),
    ),
    (
        "RMSprop",
        {"lr": 0.1, "alpha": 0.9, "centered": True, "momentum": 0.7},
        lambda: optim.rmsprop(0.1, eps_in_sqrt=False, centered=True, momentum=0.7),
    ),
    ("Adadelta", {"lr": 0.5}, lambda: optim.adadelta(0.5)),
    ("Adagrad", {"lr": 0.1, "eps": 0.0}, lambda: optim.adagrad(0.1, 0.0, 0.0)),
]


@pytest.mark.parametrize(("name", "options", "ours"), TORCH, ids=[f"{n}{o}" for n, o, _ in TORCH])
def test_torch(name: str, options: dict[str, Any], ours: Any) -> None:
    torch = pytest.importorskip("torch")
    params, gradients = problem()
    theirs = {k: torch.nn.Parameter(torch.tensor(v)) for k, v in params.items()}
    optimizer = getattr(torch.optim, name)(theirs.values(), **options)
    for gradient, mine in zip(gradients, run(ours()), strict=True):
        for k, p in theirs.items():
            p.grad = torch.tensor(gradient[k])
        optimizer.step()
        for k, p in theirs.items():
            # In `RAdam` the small number is elsewhere.
            np.testing.assert_allclose(mine[k], p.detach().numpy(), rtol=2e-7, atol=1e-9)


def test_lars() -> None:
    ours = run(optim.lars(0.1, weight_decay=0.2, trust_coefficient=0.5, momentum=0.9))
    params, gradients = problem()
    trace = dict.fromkeys(params, 0.0)
    for gradient, mine in zip(gradients, ours, strict=True):
        for name, p in params.items():
            g = gradient[name] + 0.2 * p
            ratio = 0.5 * np.linalg.norm(p) / np.linalg.norm(g)
            trace[name] = 0.9 * trace[name] - 0.1 * ratio * g
            params[name] = p + trace[name]
            np.testing.assert_allclose(mine[name], params[name], rtol=1e-12)


# Schedules ----------------------------------------------------------------------------------------


def test_schedules() -> None:
    cosine = lambda t: (1 + math.cos(math.pi * t)) / 2  # noqa: E731
    cases: list[tuple[Any, Callable[[int], float]]] = [
        (optim.constant_schedule(0.3), lambda n: 0.3),
        (optim.linear_schedule(1.0, 3.0, 10, 2), lambda n: 1 + min(max(n - 2, 0), 10) / 5),
        (optim.polynomial_schedule(2, 1, 3, 8), lambda n: (1 - min(n, 8) / 8) ** 3 + 1),
        (
            optim.piecewise_constant_schedule(1.0, {4: 0.5, 8: 0.1}),
            lambda n: (0.5 if n >= 4 else 1) * (0.1 if n >= 8 else 1),
        ),
        (optim.exponential_decay(2.0, 4, 0.5), lambda n: 2 * 0.5 ** (n / 4)),
        (optim.exponential_decay(2.0, 4, 0.5, 3, True), lambda n: 2 * 0.5 ** (max(n - 3, 0) // 4)),
        (
            optim.exponential_decay(2.0, 4, 0.5, end_value=0.7),
            lambda n: max(2 * 0.5 ** (n / 4), 0.7),
        ),
        (
            optim.exponential_decay(2.0, 4, 1.5, end_value=3.0),
            lambda n: min(2 * 1.5 ** (n / 4), 3),
        ),
        (
            optim.cosine_decay_schedule(2.0, 10, 0.1, 2.0),
            lambda n: 2 * (0.9 * cosine(min(n, 10) / 10) ** 2 + 0.1),
        ),
        (
            optim.warmup_cosine_decay_schedule(0.1, 1.0, 5, 15, 0.2),
            lambda n: 0.1 + 0.18 * n if n < 5 else 0.2 + 0.8 * cosine(min(n - 5, 10) / 10),
        ),
        (optim.warmup_constant_schedule(0.0, 2.0, 5), lambda n: min(n, 5) * 0.4),
        (
            optim.warmup_exponential_decay_schedule(0.0, 1.0, 5, 4, 0.5),
            lambda n: n / 5 if n < 5 else 0.5 ** ((n - 5) / 4),
        ),
        (
            optim.join_schedules([lambda n: n, lambda n: 10.0 * n, lambda n: -n], [3, 6]),
            lambda n: n if n < 3 else 10 * (n - 3) if n < 6 else 6 - n,
        ),
    ]
    for i, (schedule, formula) in enumerate(cases):
        expected = [formula(n) for n in range(20)]
        given = [float(schedule(n)) for n in range(20)]
        np.testing.assert_allclose(given, expected, rtol=1e-5, atol=1e-7, err_msg=str(i))
        compiled = dt.vmap(lambda n, s=schedule: dnp.asarray(s(n), float))(dnp.arange(20))
        np.testing.assert_allclose(compiled, expected, rtol=1e-5, atol=1e-7, err_msg=str(i))


def test_schedules_count_steps_from_0() -> None:
    rates = [0.1 / (n + 1) for n in range(STEPS)]
    params, gradients = problem()
    ours = run(optim.sgd(lambda n: 0.1 / (n + 1)))
    for rate, gradient, mine in zip(rates, gradients, ours, strict=True):
        params = {name: params[name] - rate * gradient[name] for name in params}
        np.testing.assert_allclose(mine["w"], params["w"], rtol=1e-6)


# Steps, trees, types ------------------------------------------------------------------------------

OPTIMIZERS = {
    "sgd": optim.sgd(0.1, 0.9),
    "adam": optim.adam(optim.cosine_decay_schedule(0.1, 50)),
    "adamw": optim.adamw(0.1, mask={"w": True, "b": False}),
    "amsgrad": optim.amsgrad(0.1),
    "adamax": optim.adamax(0.1),
    "radam": optim.radam(0.1),
    "adagrad": optim.adagrad(0.5),
    "adadelta": optim.adadelta(10.0),
    "rmsprop": optim.rmsprop(0.03, centered=True, momentum=0.5),
    "lion": optim.lion(optim.linear_schedule(0.1, 0.001, 100)),
    "lamb": optim.chain(
        optim.clip_by_global_norm(1.0), optim.lamb(optim.linear_schedule(0.1, 0.0, 150))
    ),
    "lars": optim.lars(0.1, trust_coefficient=0.1),
    "parts": optim.multi_transform(
        {"a": optim.adam(0.1), "s": optim.sgd(0.1)}, {"w": "a", "b": "s"}
    ),
    "injected": optim.inject_hyperparams(optim.adam)(optim.linear_schedule(0.1, 0.01, 50), b1=0.8),
    "averaged": optim.chain(optim.ema(0.5), optim.scale(-0.1)),
}


def loss(params: Any) -> Any:
    return dnp.sum((params["w"] - 1) ** 2) + dnp.sum((params["b"] - 2) ** 2)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_scan_of_steps_descends(name: str) -> None:
    optimizer = OPTIMIZERS[name]
    params = {"w": dnp.zeros((3, 2)) + 0.1, "b": dnp.ones(2)}

    def step(carry: Any, _: Any) -> Any:
        params, state = carry
        value, gradient = dt.value_and_grad(loss)(params)
        updates, state = optimizer.update(gradient, state, params)
        return (optim.apply_updates(params, updates), state), value

    start = (params, optimizer.init(params))
    (_, state), losses = dt.jit(lambda start: lax.scan(step, start, length=150))(start)
    assert losses[-1] < 0.05 * losses[0]
    assert tree.structure(state) == tree.structure(start[1])
    # The same steps one by one.
    carry = start
    for n in range(3):
        carry, value = step(carry, None)
        np.testing.assert_allclose(value, losses[n], rtol=1e-5)
    again = dt.jit(lambda start: lax.scan(step, start, length=3))(start)[0]
    for x, y in zip(tree.leaves(carry), tree.leaves(again), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=1e-6)
        assert x.dtype == y.dtype


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_types_are_kept(name: str) -> None:
    optimizer = OPTIMIZERS[name]
    params = {"w": dnp.ones((3, 2), dnp.bfloat16), "b": dnp.ones(2, np.float16)}
    state = optimizer.init(params)
    updates, following = optimizer.update(params, state, params)
    after = optim.apply_updates(params, updates)
    for before, now in ((params, after), (state, following)):
        types = [[x.dtype for x in tree.leaves(t)] for t in (before, now)]
        assert types[0] == types[1]


def test_complex_parameters() -> None:
    # As in PyTorch: the second moment is that of magnitudes.
    z = {"z": dnp.array([1 + 2j, -3j])}
    for name in ("sgd", "adam", "adagrad", "rmsprop", "amsgrad", "adamax", "lamb"):
        optimizer = getattr(optim, name)(0.1)
        state = optimizer.init(z)
        updates, state = optimizer.update(z, state, z)
        ratio: Any = np.asarray(updates["z"] / z["z"])
        np.testing.assert_allclose(ratio.imag, 0, atol=1e-6)
        assert (ratio.real < 0).all(), name


def test_accumulator_types() -> None:
    params = dnp.ones(2, dnp.bfloat16)
    state = optim.adam(0.1, mu_dtype=np.float32).init(params)
    assert state[0].mu.dtype == np.float32
    assert state[0].nu.dtype == dnp.bfloat16
    state = optim.sgd(0.1, 0.9, accumulator_dtype=np.float32).init(params)
    assert optim.sgd(0.1, 0.9).update(params, state)[1][0].trace.dtype == np.float32


def test_derivatives_with_respect_to_settings() -> None:
    def after(rate: Any) -> Any:
        optimizer = optim.adam(rate, eps_root=1e-8)
        params = dnp.array([1.0, -2.0])
        state = optimizer.init(params)
        for _ in range(3):
            updates, state = optimizer.update(dnp.cos(params), state, params)
            params = optim.apply_updates(params, updates)
        return dnp.sum(params**2)

    with config.enable_x64(True):
        check_grads(after, (0.1,), order=1)


def test_clipping() -> None:
    updates = {"a": np.array([3.0, 4.0], np.float32), "b": np.array([[12.0]], np.float32)}
    state = optim.EmptyState()
    assert optim.global_norm(updates) == 13
    np.testing.assert_allclose(
        optim.clip_by_global_norm(6.5).update(updates, state)[0]["b"], [[6.0]], rtol=1e-6
    )
    same = optim.clip_by_global_norm(14.0).update(updates, state)[0]
    np.testing.assert_array_equal(same["a"], updates["a"])
    each = optim.clip_by_norm(6.0).update(updates, state)[0]
    np.testing.assert_allclose(each["a"], [3, 4])
    np.testing.assert_allclose(each["b"], [[6]])
    elements = optim.clip(3.5).update(updates, state)[0]
    np.testing.assert_allclose(elements["a"], [3, 3.5])
    rms = optim.clip_by_block_rms(1.0).update(updates, state)[0]
    np.testing.assert_allclose(np.mean(np.asarray(rms["a"]) ** 2), 1, rtol=1e-6)
    # Without a gradient there is no direction.
    zero = {"a": np.zeros(2, np.float32)}
    for clipping in (optim.clip_by_global_norm(1.0), optim.clip_by_norm(1.0)):
        np.testing.assert_array_equal(clipping.update(zero, state)[0]["a"], [0, 0])


def test_parts() -> None:
    params = {"layers": [{"w": dnp.ones(2), "b": dnp.ones(1)}] * 2, "head": dnp.ones(3)}
    parts: Any = {"train": optim.adam(0.5), "freeze": optim.set_to_zero()}
    labels = {"layers": "freeze", "head": "train"}
    optimizer = optim.multi_transform(parts, labels)
    state = optimizer.init(params)
    # Nothing is kept for frozen parameters: only a counter and two arrays.
    assert len(tree.leaves(state)) == 3
    updates, _ = optimizer.update(params, state, params)
    assert (updates["head"] < -0.4).all()
    assert updates["layers"][1]["w"].tolist() == [0, 0]
    by_rank = optim.masked(optim.scale(3.0), lambda p: tree.map(lambda x: x.size > 1, p))
    updates, _ = by_rank.update(params, by_rank.init(params))
    assert updates["layers"][0]["w"].tolist() == [3, 3]
    assert updates["layers"][0]["b"].tolist() == [1]


def test_settings_in_the_state() -> None:
    optimizer = optim.inject_hyperparams(optim.sgd)(learning_rate=0.5, momentum=0.9)
    step = dt.jit(optimizer.update)
    params = dnp.ones(2)
    state = optimizer.init(params)
    updates, state = step(params, state)
    np.testing.assert_allclose(updates, [-0.5, -0.5])
    state.hyperparams["learning_rate"] = dnp.array(0.1)
    updates, state = step(params, state)
    np.testing.assert_allclose(updates, [-0.19, -0.19], rtol=1e-6)
    assert int(state.count) == 2


def test_ema_and_moving_parameters() -> None:
    average = optim.ema(0.9)
    state = average.init(dnp.zeros(1))
    for _ in range(5):
        value, state = average.update(dnp.ones(1), state)
        np.testing.assert_allclose(value, [1], rtol=1e-6)
    np.testing.assert_allclose(state.ema, [1 - 0.9**5], rtol=1e-6)
    assert optim.incremental_update({"a": 4.0}, {"a": 0.0}, 0.25) == {"a": 1.0}


def test_updates_that_are_none() -> None:
    params = {"a": dnp.ones(1), "b": dnp.ones(1)}
    assert optim.apply_updates(params, {"a": None, "b": dnp.ones(1)})["b"].tolist() == [2]


def test_states_are_saved_and_loaded(tmp_path: Path) -> None:
    params = {"w": dnp.ones((3, 2)), "b": dnp.ones(2)}
    for name, optimizer in OPTIMIZERS.items():
        _, state = optimizer.update(params, optimizer.init(params), params)
        save(tmp_path / name, state)
        back = load(tmp_path / name, optimizer.init(params))
        assert tree.structure(back) == tree.structure(state)
        for x, y in zip(tree.leaves(back), tree.leaves(state), strict=True):
            np.testing.assert_array_equal(x, y)


WRONG: Any = "fast"
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: optim.sgd(WRONG), TypeError, "learning_rate must be a number or a function"),
    (lambda: optim.chain(WRONG), TypeError, "chain: argument 0 must be a GradientTransformation"),
    (lambda: optim.masked(WRONG, True), TypeError, "masked: inner must be a GradientTransf"),
    (
        lambda: optim.linear_schedule(0, 1, 0),
        ValueError,
        "transition_steps must be positive, got: 0",
    ),
    (lambda: optim.linear_schedule(0, 1, 1, -1), ValueError, "transition_begin must not be negat"),
    (lambda: optim.exponential_decay(1, 1, 0), ValueError, "decay_rate must not be 0"),
    (lambda: optim.join_schedules([], [1]), ValueError, "1 boundaries for 0 schedules"),
    (
        lambda: optim.warmup_cosine_decay_schedule(0, 1, 5, 5),
        ValueError,
        "decay_steps - warmup_steps must be positive, got: 0",
    ),
    (
        lambda: optim.piecewise_constant_schedule(1, {3: -1}),
        ValueError,
        "factors must not be negative, got: -1 from step 3 on",
    ),
    (
        lambda: optim.adamw(0.1).update(dnp.ones(1), optim.adamw(0.1).init(dnp.ones(1))),
        ValueError,
        "add_decayed_weights: update needs the parameters",
    ),
    (
        lambda: optim.adam(0.1).update(dnp.ones(1), ()),
        ValueError,
        "the state must be of 2 transformations, got: 0",
    ),
    (
        lambda: optim.multi_transform({"a": optim.sgd(0.1)}, {"w": "b"}).init({"w": 1.0}),
        ValueError,
        "labels must be of a, got: b",
    ),
    (
        lambda: optim.inject_hyperparams(optim.sgd, ("rate",)),
        TypeError,
        "static_args must be of learning_rate, momentum",
    ),
]


@pytest.mark.parametrize(("call", "kind", "text"), ERRORS, ids=[text for *_, text in ERRORS])
def test_errors(call: Callable[[], Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind, match=text):
        call()

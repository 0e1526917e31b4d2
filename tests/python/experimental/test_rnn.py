"""dovetail.experimental.rnn against a loop over times in NumPy."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail.experimental import rnn

BATCH, LONGEST, IN, HIDDEN = 3, 6, 2, 4
ENDS = np.array([6, 2, 4], np.int32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def reference(x, h_0, c_0, weights, layers, both):
    """The outputs and the last states, one sequence, time and direction after another."""
    parts = [
        {i: np.asarray(part, np.float64) for i, part in parts.items()}
        for parts in rnn.unpack_lstm_weights(weights, IN, HIDDEN, layers, both)
    ]
    directions = 2 if both else 1
    h_n, c_n = np.zeros_like(h_0), np.zeros_like(c_0)
    ys = np.zeros((BATCH, LONGEST, directions * HIDDEN))
    for b in range(BATCH):
        row = x[b, : ENDS[b]].astype(np.float64)
        for layer in range(layers):
            outs = []
            for direction in range(directions):
                i = layer * directions + direction
                W, U, p, q = (part[i] for part in parts)
                h, c, made = h_0[i, b], c_0[i, b], []
                for t in row[::-1] if direction else row:
                    gates = W @ t + p + U @ h + q
                    enter, keep, new, leave = np.split(gates, 4)
                    c = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
                    h = sigmoid(leave) * np.tanh(c)
                    made.append(h)
                h_n[i, b], c_n[i, b] = h, c
                outs.append(np.array(made[::-1] if direction else made))
            row = np.concatenate(outs, axis=-1)
        ys[b, : ENDS[b]] = row
    return ys, h_n, c_n


@pytest.fixture
def case():
    random = np.random.default_rng(0)

    def make(layers, both):
        count = layers * (2 if both else 1)
        x = random.normal(size=(BATCH, LONGEST, IN)).astype(np.float32)
        h, c = random.normal(size=(2, count, BATCH, HIDDEN)).astype(np.float32)
        weights = rnn.init_lstm_weight(dt.random.key(1), IN, HIDDEN, layers, both)
        return x, h, c, weights

    return make


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("both", [False, True])
def test_against_a_loop(case, layers, both):
    x, h, c, weights = case(layers, both)
    expected = reference(x, h, c, weights, layers, both)
    run = lambda x, h, c, w: rnn.lstm(x, h, c, w, ENDS, IN, HIDDEN, layers, 0.0, both)  # noqa: E731
    for apply in (run, dt.jit(run)):
        for made, wanted in zip(apply(x, h, c, weights), expected, strict=True):
            np.testing.assert_allclose(made, wanted, rtol=1e-4, atol=1e-5)
    parts = rnn.unpack_lstm_weights(weights, IN, HIDDEN, layers, both)
    made = rnn.lstm_ref(x, h, c, *parts, ENDS, IN, HIDDEN, layers, 0.0, both)
    np.testing.assert_allclose(made[0], expected[0], rtol=1e-4, atol=1e-5)


def test_derivatives(case):
    x, h, c, weights = case(1, True)

    def total(x, weights):
        y, h_n, c_n = rnn.lstm(x, h, c, weights, ENDS, IN, HIDDEN, 1, 0.0, True)
        return (y**2).sum() + h_n.sum() + (c_n**3).sum()

    of_x, of_weights = dt.jit(dt.grad(total, (0, 1)))(x, weights)
    assert not np.any(np.asarray(of_x)[1, 2:])
    direction = np.random.default_rng(3).normal(size=weights.shape).astype(np.float32)
    step = 1e-2
    slope = (total(x, weights + step * direction) - total(x, weights - step * direction)) / 2 / step
    np.testing.assert_allclose(of_weights @ direction, slope, rtol=2e-2)


def test_weights():
    weights = dnp.arange(float(rnn.get_num_params_in_lstm(IN, HIDDEN, 2, True)))
    twice = weights
    for _ in range(2):
        twice = rnn.swap_lstm_gates(twice, IN, HIDDEN, 2, True)
    np.testing.assert_array_equal(twice, weights)
    swapped = rnn.unpack_lstm_weights(
        rnn.swap_lstm_gates(weights, IN, HIDDEN, 2, True), IN, HIDDEN, 2, True
    )
    plain = rnn.unpack_lstm_weights(weights, IN, HIDDEN, 2, True)
    for a, b in zip(swapped, plain, strict=True):
        np.testing.assert_array_equal(a[3][2 * HIDDEN : 3 * HIDDEN], b[3][3 * HIDDEN :])


def test_errors(case):
    x, h, c, weights = case(1, False)
    with pytest.raises(NotImplementedError, match="dropout must be 0"):
        rnn.lstm(x, h, c, weights, ENDS, IN, HIDDEN, 1, 0.5, False)
    with pytest.raises(NotImplementedError, match="int32"):
        rnn.lstm(x, h, c, weights, ENDS * 1.0, IN, HIDDEN, 1, 0.0, False)
    with pytest.raises(ValueError, match="h_0 must have shape"):
        rnn.lstm(x, h[:, :2], c, weights, ENDS, IN, HIDDEN, 1, 0.0, False)
    with pytest.raises(ValueError, match="weights must have shape"):
        rnn.lstm(x, h, c, weights[1:], ENDS, IN, HIDDEN, 1, 0.0, False)

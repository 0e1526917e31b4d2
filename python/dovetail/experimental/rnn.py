"""Long short-term memory: recurrent networks of several layers, in one or both directions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dovetail import lax, nn, random
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base.errors import value_error

__all__ = [
    "get_num_params_in_lstm",
    "init_lstm_weight",
    "lstm",
    "lstm_ref",
    "swap_lstm_gates",
    "unpack_lstm_weights",
]

# The parts of a layer in one direction, by its number.
Parts = dict[int, Array]


def _shapes(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The shapes of both matrices of each layer and direction; biases have their first size."""
    directions, wide = 2 if bidirectional else 1, 4 * hidden_size
    return [
        ((wide, input_size if i < directions else directions * hidden_size), (wide, hidden_size))
        for i in range(num_layers * directions)
    ]


def get_num_params_in_lstm(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> int:
    """The number of parameters of a network.

    Args:
      input_size: the number of features of an input.
      hidden_size: the number of features of the state.
      num_layers: the number of layers.
      bidirectional: whether sequences are read in both directions.

    Example:
      >>> from dovetail.experimental import rnn
      >>> rnn.get_num_params_in_lstm(3, 4, 1, False)  # 16 x 3, 16 x 4, and two of 16
      144
    """
    shapes = _shapes(input_size, hidden_size, num_layers, bidirectional)
    return sum(math.prod(first) + math.prod(second) + 2 * first[0] for first, second in shapes)


def init_lstm_weight(
    rng: Any, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Array:
    """Random parameters, uniform between -k and k, where k is 1 / sqrt(hidden_size).

    Args:
      rng: a random key.
      input_size, hidden_size, num_layers, bidirectional: as for `lstm`.

    Returns:
      A vector of float32.

    Example:
      >>> from dovetail.experimental import rnn
      >>> rnn.init_lstm_weight(dt.random.key(0), 3, 4, 1, False).shape
      (144,)
    """
    number = get_num_params_in_lstm(input_size, hidden_size, num_layers, bidirectional)
    k = math.sqrt(1 / hidden_size)
    return random.uniform(rng, (number,), np.float32, -k, k)


def unpack_lstm_weights(
    weights: Any, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> tuple[Parts, Parts, Parts, Parts]:
    """The parts of a network's parameters.

    The vector has both matrices of each layer and direction, then both biases of each. Each of
    these has the rows of four gates: input, forget, cell, output, as in PyTorch.

    Args:
      weights: a vector of `get_num_params_in_lstm(...)` elements.
      input_size, hidden_size, num_layers, bidirectional: as for `lstm`.

    Returns:
      (W_ih, W_hh, b_ih, b_hh): by the number of layer and direction, the matrices for the input
      and for the state, and their biases.

    Raises:
      ValueError: the vector has another size.

    Example:
      >>> from dovetail.experimental import rnn
      >>> W_ih, W_hh, b_ih, b_hh = rnn.unpack_lstm_weights(dnp.zeros(144), 3, 4, 1, False)
      >>> W_ih[0].shape, W_hh[0].shape, b_ih[0].shape
      ((16, 3), (16, 4), (16,))
    """
    weights = dnp.asarray(weights)
    number = get_num_params_in_lstm(input_size, hidden_size, num_layers, bidirectional)
    if weights.shape != (number,):
        raise value_error(
            f"unpack_lstm_weights: weights must have shape ({number},), got: {weights.shape}"
        )
    shapes = _shapes(input_size, hidden_size, num_layers, bidirectional)
    place, found = 0, []
    for pair in (shapes, [((first[0],), (first[0],)) for first, _ in shapes]):
        parts: tuple[Parts, Parts] = {}, {}
        for i, of in enumerate(pair):
            for part, shape in zip(parts, of, strict=True):
                size = math.prod(shape)
                part[i] = weights[place : place + size].reshape(shape)
                place += size
        found += parts
    W_ih, W_hh, b_ih, b_hh = found
    return W_ih, W_hh, b_ih, b_hh


def swap_lstm_gates(
    weights: Any, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Array:
    """Parameters with the third and the fourth gate exchanged, as some other libraries have them.

    Args:
      weights: a vector of parameters.
      input_size, hidden_size, num_layers, bidirectional: as for `lstm`.

    Returns:
      A vector like it.

    Example:
      >>> from dovetail.experimental import rnn
      >>> weights = dnp.arange(16.0)  # one feature everywhere
      >>> rnn.swap_lstm_gates(weights, 1, 1, 1, False)[:8]
      Array([0., 1., 3., 2., 4., 5., 7., 6.], dtype=float32)
    """
    of = input_size, hidden_size, num_layers, bidirectional
    W_ih, W_hh, b_ih, b_hh = unpack_lstm_weights(weights, *of)
    made = []
    for pair in ((W_ih, W_hh), (b_ih, b_hh)):
        for i in range(len(W_ih)):
            for part in pair:
                first, second, third, fourth = dnp.split(part[i], 4)
                made.append(dnp.concatenate([first, second, fourth, third]).reshape(-1))
    return dnp.concatenate(made)


def lstm(
    x: Any,
    h_0: Any,
    c_0: Any,
    weights: Any,
    seq_lengths: Any,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
    precision: Any = None,
) -> tuple[Array, Array, Array]:
    """Long short-term memory, applied to sequences of different lengths.

    S. Hochreiter and J. Schmidhuber, Long short-term memory, Neural Computation 9(8), 1997, with
    forget gates and two biases, as in PyTorch.

    Args:
      x: the sequences, of shape (batch, longest, input_size).
      h_0: the first outputs, of shape (layers * directions, batch, hidden_size).
      c_0: the first cells, of the same shape.
      weights: a vector of parameters, as `unpack_lstm_weights` reads it.
      seq_lengths: the length of each sequence, int32 of shape (batch,).
      input_size: the number of features of an input.
      hidden_size: the number of features of the state.
      num_layers: the number of layers.
      dropout: must be 0.
      bidirectional: whether each layer reads sequences in both directions.
      precision: of the products.

    Returns:
      (y, h_n, c_n): the outputs of the last layer, of shape (batch, longest, directions *
      hidden_size), 0 after the end of a sequence, and the outputs and cells of all layers at its
      end, of the shape of `h_0`.

    Raises:
      ValueError: shapes do not fit each other.
      NotImplementedError: `dropout` is not 0, or `seq_lengths` are not int32.

    Example:
      >>> from dovetail.experimental import rnn
      >>> weights = rnn.init_lstm_weight(dt.random.key(0), 3, 4, 2, True)
      >>> x, state, ends = dnp.ones((1, 5, 3)), dnp.zeros((4, 1, 4)), dnp.array([2], "int32")
      >>> y, h_n, c_n = rnn.lstm(x, state, state, weights, ends, 3, 4, 2, 0.0, True)
      >>> y.shape, h_n.shape, float(abs(y[:, 2:]).max())
      ((1, 5, 8), (4, 1, 4), 0.0)
    """
    of = input_size, hidden_size, num_layers, bidirectional
    parts = unpack_lstm_weights(weights, *of)
    return _run(x, h_0, c_0, parts, seq_lengths, of, dropout, precision)


def lstm_ref(
    x: Any,
    h_0: Any,
    c_0: Any,
    W_ih: Parts,
    W_hh: Parts,
    b_ih: Parts,
    b_hh: Parts,
    seq_lengths: Any,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
) -> tuple[Array, Array, Array]:
    """`lstm`, with its parameters in parts.

    Args:
      x, h_0, c_0, seq_lengths: as for `lstm`.
      W_ih, W_hh, b_ih, b_hh: the parts, as `unpack_lstm_weights` returns them.
      input_size, hidden_size, num_layers, dropout, bidirectional: as for `lstm`.

    Example:
      >>> from dovetail.experimental import rnn
      >>> parts = rnn.unpack_lstm_weights(dnp.zeros(144), 3, 4, 1, False)
      >>> state, ends = dnp.zeros((1, 2, 4)), dnp.array([5, 5], "int32")
      >>> y, *_ = rnn.lstm_ref(dnp.ones((2, 5, 3)), state, state, *parts, ends, 3, 4, 1, 0.0, False)
      >>> y.shape
      (2, 5, 4)
    """
    of = input_size, hidden_size, num_layers, bidirectional
    return _run(x, h_0, c_0, (W_ih, W_hh, b_ih, b_hh), seq_lengths, of, dropout, None)


def _run(
    x: Any,
    h_0: Any,
    c_0: Any,
    parts: tuple[Parts, Parts, Parts, Parts],
    seq_lengths: Any,
    of: tuple[int, int, int, bool],
    dropout: float,
    precision: Any,
) -> tuple[Array, Array, Array]:
    x, h_0, c_0, ends = map(dnp.asarray, (x, h_0, c_0, seq_lengths))
    input_size, hidden_size, num_layers, bidirectional = of
    directions = 2 if bidirectional else 1
    if dropout != 0:
        raise NotImplementedError(f"lstm: dropout must be 0, got: {dropout}")
    if ends.dtype != np.int32:
        raise NotImplementedError(f"lstm: seq_lengths can only be int32, got: {ends.dtype}")
    state = (num_layers * directions, x.shape[0], hidden_size)
    for name, given, wanted in (
        ("x", x.shape, (*x.shape[:2], input_size)),
        ("h_0", h_0.shape, state),
        ("c_0", c_0.shape, state),
        ("seq_lengths", ends.shape, x.shape[:1]),
    ):
        if given != wanted:
            raise value_error(f"lstm: {name} must have shape {wanted}, got: {given}")
    rows, h_n, c_n = dnp.moveaxis(x, 1, 0), [], []
    for layer in range(num_layers):
        outs = []
        for direction in range(directions):
            i = layer * directions + direction
            weights = [part[i] for part in parts]
            y, h, c = _layer(rows, h_0[i], c_0[i], weights, ends, direction == 1, precision)
            outs.append(y)
            h_n.append(h)
            c_n.append(c)
        rows = dnp.concatenate(outs, axis=-1)
    return dnp.moveaxis(rows, 0, 1), dnp.stack(h_n), dnp.stack(c_n)


def _layer(
    rows: Array,
    h_0: Array,
    c_0: Array,
    weights: list[Array],
    ends: Array,
    is_reversed: bool,
    precision: Any,
) -> tuple[Array, Array, Array]:
    """One layer in one direction; the sequence is the first dimension of `rows`."""
    W_ih, W_hh, b_ih, b_hh = weights
    # What depends on the inputs is one product for all times.
    driven = dnp.matmul(rows, W_ih.T, precision=precision) + (b_ih + b_hh)
    is_running = dnp.arange(rows.shape[0])[:, None] < ends

    def step(state: tuple[Array, Array], at: tuple[Array, Array]) -> Any:
        (h, c), (gates, is_on) = state, at
        gates = gates + dnp.matmul(h, W_hh.T, precision=precision)
        enter, keep, new, leave = dnp.split(gates, 4, axis=-1)
        next_c = nn.sigmoid(keep) * c + nn.sigmoid(enter) * dnp.tanh(new)
        next_h = nn.sigmoid(leave) * dnp.tanh(next_c)
        # A sequence that has ended, or not begun in reverse, keeps its state.
        is_on = is_on[:, None]
        h, c = dnp.where(is_on, next_h, h), dnp.where(is_on, next_c, c)
        return (h, c), dnp.where(is_on, h, dnp.zeros_like(h))

    (h, c), y = lax.scan(step, (h_0, c_0), (driven, is_running), reverse=is_reversed)
    return y, h, c

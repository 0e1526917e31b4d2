"""Activation functions as formulas on NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.special

expit = scipy.special.expit

FORMULAS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "celu": lambda x: np.maximum(x, 0) + np.expm1(np.minimum(x, 0)),
    "elu": lambda x: np.where(x > 0, x, np.expm1(x)),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_silu": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "identity": lambda x: x,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "log_sigmoid": scipy.special.log_expit,
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "sigmoid": expit,
    "silu": lambda x: x * expit(x),
    "soft_sign": lambda x: x / (1 + abs(x)),
    "softplus": lambda x: np.logaddexp(x, 0),
    "sparse_plus": lambda x: np.where(abs(x) < 1, (x + 1) ** 2 / 4, np.maximum(x, 0)),
    "sparse_sigmoid": lambda x: np.clip((x + 1) / 2, 0, 1),
    "squareplus": lambda x: (x + np.sqrt(x * x + 4)) / 2,
    "tanh": np.tanh,
}

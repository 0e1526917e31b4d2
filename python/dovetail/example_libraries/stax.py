"""Neural networks from functions: a layer is a pair of functions, `init` and `apply`.

`init(key, shape of the input)` returns the shape of the output and the parameters; `apply(params,
inputs, rng=...)` returns the output. The names are JAX's.

Example:
  >>> from dovetail import random
  >>> from dovetail.example_libraries import stax
  >>> init, apply = stax.serial(stax.Dense(16), stax.Tanh, stax.Dense(1))
  >>> _, params = init(random.key(0), (-1, 2))
  >>> apply(params, dnp.ones((3, 2))).shape
  (3, 1)
"""

# ruff: noqa: F401 - the names are the module's interface.

from dovetail.example_libraries.combinators import (
    FanInConcat,
    FanInSum,
    FanOut,
    parallel,
    serial,
    shape_dependent,
)
from dovetail.example_libraries.layers import (
    AvgPool,
    BatchNorm,
    Conv,
    Conv1DTranspose,
    ConvTranspose,
    Dense,
    Dropout,
    Elu,
    Exp,
    Flatten,
    Gelu,
    GeneralConv,
    GeneralConvTranspose,
    Identity,
    LeakyRelu,
    LogSoftmax,
    MaxPool,
    Relu,
    Selu,
    Sigmoid,
    Softmax,
    Softplus,
    SumPool,
    Tanh,
    elementwise,
)
from dovetail.nn import (
    elu,
    gelu,
    leaky_relu,
    log_softmax,
    relu,
    selu,
    sigmoid,
    softmax,
    softplus,
    standardize,
)
from dovetail.nn.initializers import glorot_normal, normal, ones, zeros

# Older names.
logsoftmax = log_softmax
glorot = glorot_normal
randn = normal

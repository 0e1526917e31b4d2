"""Building blocks of neural networks: activations, normalizations, attention, `initializers`."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.eager import cache as _eager
from dovetail.nn import initializers
from dovetail.nn.activations import (
    gelu,
    glu,
    identity,
    log1mexp,
    log_sigmoid,
    mish,
    sigmoid,
    silu,
    soft_sign,
    softplus,
    squareplus,
    swish,
)
from dovetail.nn.attention import dot_product_attention
from dovetail.nn.normalization import (
    log_softmax,
    logmeanexp,
    logsumexp,
    one_hot,
    softmax,
    standardize,
)
from dovetail.nn.rectifiers import (
    celu,
    elu,
    hard_sigmoid,
    hard_silu,
    hard_swish,
    hard_tanh,
    leaky_relu,
    relu,
    relu6,
    selu,
    sparse_plus,
    sparse_sigmoid,
)
from dovetail.nn.scaled import (
    get_scaled_dot_general_config,
    scaled_dot_general,
    scaled_matmul,
)
from dovetail.numpy import tanh

_eager.remember(globals(), impure=("get_scaled_dot_general_config", "scaled_dot_general"))

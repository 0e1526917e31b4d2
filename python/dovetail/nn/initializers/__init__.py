"""Initial values of weights, as JAX has them: the same numbers for the same keys."""

# ruff: noqa: F401 - the names are the package's interface.

from dovetail.nn.initializers.protocol import Initializer
from dovetail.nn.initializers.samples import (
    constant,
    delta_orthogonal,
    normal,
    ones,
    orthogonal,
    truncated_normal,
    uniform,
    zeros,
)
from dovetail.nn.initializers.scaling import (
    glorot_normal,
    glorot_uniform,
    he_normal,
    he_uniform,
    kaiming_normal,
    kaiming_uniform,
    lecun_normal,
    lecun_uniform,
    variance_scaling,
    xavier_normal,
    xavier_uniform,
)

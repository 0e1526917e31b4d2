"""Initial values of weights, as JAX has them: the same numbers for the same keys."""

from dovetail.nn.initializers.protocol import Initializer as Initializer
from dovetail.nn.initializers.samples import constant as constant
from dovetail.nn.initializers.samples import delta_orthogonal as delta_orthogonal
from dovetail.nn.initializers.samples import normal as normal
from dovetail.nn.initializers.samples import ones as ones
from dovetail.nn.initializers.samples import orthogonal as orthogonal
from dovetail.nn.initializers.samples import truncated_normal as truncated_normal
from dovetail.nn.initializers.samples import uniform as uniform
from dovetail.nn.initializers.samples import zeros as zeros
from dovetail.nn.initializers.scaling import glorot_normal as glorot_normal
from dovetail.nn.initializers.scaling import glorot_uniform as glorot_uniform
from dovetail.nn.initializers.scaling import he_normal as he_normal
from dovetail.nn.initializers.scaling import he_uniform as he_uniform
from dovetail.nn.initializers.scaling import kaiming_normal as kaiming_normal
from dovetail.nn.initializers.scaling import kaiming_uniform as kaiming_uniform
from dovetail.nn.initializers.scaling import lecun_normal as lecun_normal
from dovetail.nn.initializers.scaling import lecun_uniform as lecun_uniform
from dovetail.nn.initializers.scaling import variance_scaling as variance_scaling
from dovetail.nn.initializers.scaling import xavier_normal as xavier_normal
from dovetail.nn.initializers.scaling import xavier_uniform as xavier_uniform

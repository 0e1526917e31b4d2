"""Building blocks of neural networks: activations, normalizations, attention, `initializers`."""

from dovetail.eager import cache as _eager
from dovetail.nn import initializers as initializers
from dovetail.nn.activations import gelu as gelu
from dovetail.nn.activations import glu as glu
from dovetail.nn.activations import identity as identity
from dovetail.nn.activations import log1mexp as log1mexp
from dovetail.nn.activations import log_sigmoid as log_sigmoid
from dovetail.nn.activations import mish as mish
from dovetail.nn.activations import sigmoid as sigmoid
from dovetail.nn.activations import silu as silu
from dovetail.nn.activations import soft_sign as soft_sign
from dovetail.nn.activations import softplus as softplus
from dovetail.nn.activations import squareplus as squareplus
from dovetail.nn.activations import swish as swish
from dovetail.nn.attention import dot_product_attention as dot_product_attention
from dovetail.nn.normalization import log_softmax as log_softmax
from dovetail.nn.normalization import logmeanexp as logmeanexp
from dovetail.nn.normalization import logsumexp as logsumexp
from dovetail.nn.normalization import one_hot as one_hot
from dovetail.nn.normalization import softmax as softmax
from dovetail.nn.normalization import standardize as standardize
from dovetail.nn.rectifiers import celu as celu
from dovetail.nn.rectifiers import elu as elu
from dovetail.nn.rectifiers import hard_sigmoid as hard_sigmoid
from dovetail.nn.rectifiers import hard_silu as hard_silu
from dovetail.nn.rectifiers import hard_swish as hard_swish
from dovetail.nn.rectifiers import hard_tanh as hard_tanh
from dovetail.nn.rectifiers import leaky_relu as leaky_relu
from dovetail.nn.rectifiers import relu as relu
from dovetail.nn.rectifiers import relu6 as relu6
from dovetail.nn.rectifiers import selu as selu
from dovetail.nn.rectifiers import sparse_plus as sparse_plus
from dovetail.nn.rectifiers import sparse_sigmoid as sparse_sigmoid
from dovetail.nn.scaled import get_scaled_dot_general_config as get_scaled_dot_general_config
from dovetail.nn.scaled import scaled_dot_general as scaled_dot_general
from dovetail.nn.scaled import scaled_matmul as scaled_matmul
from dovetail.numpy import tanh as tanh

_eager.remember(globals(), impure=("get_scaled_dot_general_config", "scaled_dot_general"))

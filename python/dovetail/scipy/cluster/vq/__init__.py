"""Vector quantization."""

from dovetail import eager as _eager
from dovetail.scipy.cluster.vq.codes import vq as vq

_eager.remember(globals())

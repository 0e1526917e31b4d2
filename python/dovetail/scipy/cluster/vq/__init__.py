"""Vector quantization."""

from dovetail.eager import cache as _eager
from dovetail.scipy.cluster.vq.codes import vq as vq

_eager.remember(globals())

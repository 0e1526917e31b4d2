"""Clusters: `vq`."""

from dovetail.scipy.cluster import vq as vq

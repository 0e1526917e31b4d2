"""Interpolation of images."""

from dovetail.eager import cache as _eager
from dovetail.scipy.ndimage.coordinates import map_coordinates as map_coordinates

_eager.remember(globals())

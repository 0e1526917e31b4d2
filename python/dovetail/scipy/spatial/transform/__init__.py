"""Rotations of space, and interpolation between them."""

from dovetail.scipy.spatial.transform.rotations import Rotation as Rotation
from dovetail.scipy.spatial.transform.rotations import Slerp as Slerp

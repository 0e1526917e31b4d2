"""Geometry in space: `transform`."""

from dovetail.scipy.spatial import transform as transform

"""Interpolation on grids."""

from dovetail.scipy.interpolate.grids import RegularGridInterpolator as RegularGridInterpolator

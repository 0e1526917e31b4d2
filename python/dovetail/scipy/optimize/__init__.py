"""Minimization of functions."""

from dovetail.scipy.optimize.minimization import OptimizeResults as OptimizeResults
from dovetail.scipy.optimize.minimization import minimize as minimize

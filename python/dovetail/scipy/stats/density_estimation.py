"""Estimation of densities from samples with normal kernels."""

from __future__ import annotations

import math
from typing import Any

from dovetail import lax, ops, random
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import (
    atleast_1d,
    atleast_2d,
    cov,
    diagonal,
    full,
    moveaxis,
    ndim,
    sqrt,
    square,
    sum,
)
from dovetail.numpy import linalg as matrices
from dovetail.numpy.promotion import inexact, promote
from dovetail.ops.operands import ArrayLike
from dovetail.scipy.special import logsumexp, ndtr
from dovetail.tracing.whole import whole
from dovetail.trees.util import register_pytree_node_class


@register_pytree_node_class
class gaussian_kde:
    """An estimate of a density: the mean of normal densities around the points of a sample.

    Args:
      dataset: an array of shape (n,), or (d, n) for n points with d coordinates.
      bw_method: the width of the kernels in units of the sample's: `scott` (the default) or
        `silverman`, a number, or a function of the estimate that returns one.
      weights: a vector of n weights; equal by default.

    Raises:
      TypeError: the points are complex.
      ValueError: there are fewer than two numbers, weights have another shape, or there is no such
        method.

    Example:
      >>> estimate = gaussian_kde(dnp.array([0.0, 1.0, 1.5]))
      >>> estimate(dnp.array([0.0, 1.0]))
      Array([0.2851295 , 0.42979074], dtype=float32)
    """

    neff: Array
    dataset: Array
    weights: Array
    covariance: Array
    inv_cov: Array

    def __init__(self, dataset: ArrayLike, bw_method: Any = None, weights: Any = None) -> None:
        points = atleast_2d(_real("gaussian_kde", dataset))
        if points.size < 2:
            raise value_error(
                f"gaussian_kde: dataset must have two numbers at least, got: shape {points.shape}"
            )
        n = points.shape[1]
        if weights is None:
            masses = full(n, 1 / n, points.dtype)
        else:
            points, masses = promote("gaussian_kde", points, weights, to=dtypes.to_inexact_dtype)
            masses = atleast_1d(masses)
            if masses.shape != (n,):
                raise value_error(
                    f"gaussian_kde: weights must be a vector of size {n}, one for each point, got: "
                    f"shape {masses.shape}"
                )
            masses = masses / sum(masses)
        self.dataset, self.weights = points, masses
        self.neff = 1 / sum(square(masses))
        factor = self._factor(bw_method)
        of_sample = atleast_2d(cov(points, rowvar=True, bias=False, aweights=masses))
        self.covariance = of_sample * factor**2
        self.inv_cov = matrices.inv(of_sample) / factor**2

    def _factor(self, method: Any) -> Any:
        if method is None or (isinstance(method, str) and method == "scott"):
            return self.neff ** (-1 / (self.d + 4))
        if isinstance(method, str) and method == "silverman":
            return (self.neff * (self.d + 2) / 4) ** (-1 / (self.d + 4))
        if callable(method):
            return method(self)
        if not isinstance(method, str) and not ndim(method):
            return method
        raise value_error(
            "gaussian_kde: bw_method must be 'scott', 'silverman', a scalar or a function, got: "
            f"{method!r}"
        )

    def tree_flatten(self) -> tuple[tuple[Array, ...], None]:
        """The arrays, for pytrees."""
        return (self.neff, self.dataset, self.weights, self.covariance, self.inv_cov), None

    @classmethod
    def tree_unflatten(cls, aux_data: None, children: Any) -> gaussian_kde:
        """An estimate from those arrays."""
        estimate = cls.__new__(cls)
        estimate.neff, estimate.dataset, estimate.weights, *rest = children
        estimate.covariance, estimate.inv_cov = rest
        return estimate

    @property
    def d(self) -> int:
        """The number of coordinates."""
        return self.dataset.shape[0]

    @property
    def n(self) -> int:
        """The number of points."""
        return self.dataset.shape[1]

    def evaluate(self, points: ArrayLike) -> Array:
        """The density at points, an array of shape (d, m) or, for d = 1, (m,)."""
        at = self._points("evaluate", points)
        return _density(self.dataset, self.weights, self.inv_cov, at)

    def __call__(self, points: ArrayLike) -> Array:
        """The density at points, an array of shape (d, m) or, for d = 1, (m,)."""
        return self.evaluate(points)

    def pdf(self, x: ArrayLike) -> Array:
        """The density at points, an array of shape (d, m) or, for d = 1, (m,)."""
        return self.evaluate(x)

    def logpdf(self, x: ArrayLike) -> Array:
        """The logarithm of the density at points, as for `evaluate`."""
        at = self._points("logpdf", x)
        return _log_density(self.dataset, self.weights, self.inv_cov, at)

    def _points(self, name: str, points: ArrayLike) -> Array:
        at = atleast_2d(_real(f"gaussian_kde.{name}", points))
        if at.shape[0] == self.d:
            return at
        if at.shape == (1, self.d):
            return at.reshape((self.d, 1))
        raise value_error(
            f"gaussian_kde.{name}: points must have {self.d} coordinates in the first dimension, "
            f"as the sample has, got: shape {at.shape}"
        )

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> Array:
        """The integral of the density times a normal density with mean (d,) and covariance (d,
        d).
        """
        center, spread = atleast_1d(inexact("mean", mean)), atleast_2d(inexact("cov", cov))
        if center.shape != (self.d,) or spread.shape != (self.d, self.d):
            raise value_error(
                f"gaussian_kde.integrate_gaussian: mean and cov must be of shapes {(self.d,)} and "
                f"{(self.d, self.d)}, got: {center.shape} and {spread.shape}"
            )
        return _overlap(self, center[:, None], self.covariance + spread)[0]

    def integrate_box_1d(self, low: ArrayLike, high: ArrayLike) -> Array:
        """The probability of values between two numbers, for d = 1."""
        if self.d != 1 or ndim(low) or ndim(high):
            raise value_error(
                "gaussian_kde.integrate_box_1d: there must be one coordinate and scalar limits, "
                f"got: {self.d} and shapes {getattr(low, 'shape', ())}, "
                f"{getattr(high, 'shape', ())}"
            )
        width = sqrt(self.covariance[0, 0])
        shares = [ndtr((limit - self.dataset[0]) / width) for limit in (low, high)]
        return sum(self.weights * (shares[1] - shares[0]))

    def integrate_kde(self, other: gaussian_kde) -> Array:
        """The integral of the product of two estimates."""
        if other.d != self.d:
            raise value_error(
                "gaussian_kde.integrate_kde: the numbers of coordinates must be equal, got: "
                f"{self.d} and {other.d}"
            )
        overlaps = _overlap(self, other.dataset, self.covariance + other.covariance)
        return sum(overlaps * other.weights)

    def resample(self, key: Any, shape: Any = ()) -> Array:
        """Random points of the estimated density, of shape (d, *shape)."""
        of_index, of_noise = random.split(key)
        index = random.choice(of_index, self.n, shape=shape, p=self.weights)
        count = (shape,) if isinstance(shape, int) else tuple(shape)
        noise = random.normal(of_noise, (*count, self.d), self.dataset.dtype)
        noise = noise @ lax.linalg.cholesky(self.covariance).T
        return self.dataset[:, index] + moveaxis(noise, -1, 0)

    def integrate_box(self, low_bounds: Any, high_bounds: Any, maxpts: Any = None) -> Array:
        """Not supported for more than one coordinate; see `integrate_box_1d`."""
        raise NotImplementedError(
            "gaussian_kde.integrate_box: the box must be an interval; use integrate_box_1d"
        )

    def set_bandwidth(self, bw_method: Any = None) -> None:
        """Not supported: an estimate does not change; make another one."""
        raise NotImplementedError(
            "gaussian_kde.set_bandwidth: an estimate does not change; make another one with "
            "bw_method"
        )


def _real(name: str, x: ArrayLike) -> Array:
    array = inexact(name, x)
    if dtypes.KINDS[array.dtype] == "c":
        raise type_error(
            f"{name}: the element type must be real, got: {array.dtype.name}; take x.real first"
        )
    return array


@whole
def _density(sample: Array, weights: Array, inverse: Array, points: Array) -> Array:
    return sum(weights * ops.exp(_log_kernels(sample, inverse, points)), -1)


@whole
def _log_density(sample: Array, weights: Array, inverse: Array, points: Array) -> Array:
    return logsumexp(ops.log(weights) + _log_kernels(sample, inverse, points), -1)


def _log_kernels(sample: Array, inverse: Array, points: Array) -> Array:
    """The logarithms of the kernels around points (d, n) at others (d, m), of shape (m, n), for
    the inverse of their covariance.
    """
    factor = lax.linalg.cholesky(inverse)
    ours, at = sample.T @ factor, points.T @ factor
    distances = sum(square(ours[None] - at[:, None]), -1)
    d = sample.shape[0]
    scale = sum(ops.log(diagonal(factor))) - d / 2 * math.log(2 * math.pi)
    return scale - 0.5 * distances


def _overlap(estimate: gaussian_kde, centers: Array, covariance: Array) -> Array:
    """The integrals of the estimate times normal densities around `centers`, of shape (d, m); the
    covariances of both add to `covariance`.
    """
    factor = lax.linalg.cholesky(covariance)
    differences = estimate.dataset[:, None, :] - centers[:, :, None]
    flat = differences.reshape((estimate.d, -1))
    z = lax.linalg.triangular_solve(factor, flat, left_side=True, lower=True)
    distances = sum(square(z), 0).reshape(differences.shape[1:])
    scale = sum(ops.log(diagonal(factor))) + estimate.d / 2 * math.log(2 * math.pi)
    return sum(estimate.weights * ops.exp(-0.5 * distances - scale), -1)

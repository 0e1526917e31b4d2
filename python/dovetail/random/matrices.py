"""Samples that require matrix factors: normal vectors with a covariance, orthogonal matrices."""

from __future__ import annotations

import operator
from typing import Any

from dovetail import lax
from dovetail import numpy as dnp
from dovetail.arrays.array import Array
from dovetail.base import dtypes
from dovetail.base.errors import value_error
from dovetail.numpy import linalg
from dovetail.ops.operands import ArrayLike, as_operand
from dovetail.random.normal import normal_of
from dovetail.random.sampler import (
    KeyLike,
    Shape,
    element_type,
    sampler,
    shape_with,
    sizes_of,
)


@sampler
def multivariate_normal(
    key: KeyLike,
    mean: ArrayLike,
    cov: ArrayLike,
    shape: Shape | None = None,
    dtype: Any = None,
    method: str = "cholesky",
    *,
    out_sharding: Any = None,
) -> Array:
    """Vectors of normal numbers with a mean and a covariance.

    Args:
      key: a key.
      mean: f[..., n].
      cov: f[..., n, n], positive definite; positive semidefinite suffices for methods other than
        "cholesky".
      shape: the shape of the result without n, by default the broadcast shape of the leading
        dimensions of both.
      dtype: a float type, by default that of the parameters.
      method: how to factor `cov`: "cholesky", "eigh" or "svd".

    Returns:
      f[*shape, n].

    Raises:
      ValueError: `dtype` is not a float type, there is no such method, or shapes do not match.

    Example:
      >>> from dovetail import random
      >>> random.multivariate_normal(random.key(0), dnp.zeros(2), dnp.eye(2), (3,)).shape
      (3, 2)
    """
    if method not in ("cholesky", "eigh", "svd"):
        raise value_error(
            f"multivariate_normal: method must be 'cholesky', 'eigh' or 'svd', got: {method!r}"
        )
    mean, cov = (as_operand("multivariate_normal", x) for x in (mean, cov))
    common = dtypes.to_inexact_dtype(dtypes.result_type(mean, cov))
    mean, cov = (lax.convert_element_type(x, common) for x in (mean, cov))
    element = element_type("multivariate_normal", common if dtype is None else dtype)
    if mean.ndim < 1 or cov.ndim < 2 or cov.shape[-2:] != (mean.shape[-1],) * 2:
        raise value_error(
            "multivariate_normal: shapes must be (..., n) for mean and (..., n, n) for cov, got: "
            f"{mean.shape} and {cov.shape}"
        )
    sizes = shape_with("multivariate_normal", shape, mean.shape[:-1], cov.shape[:-2])
    if method == "cholesky":
        factor = linalg.cholesky(cov)
    elif method == "eigh":
        values, vectors = linalg.eigh(cov)
        factor = vectors * dnp.sqrt(values[..., None, :])
    else:
        vectors, values, _ = linalg.svd(cov)
        factor = vectors * dnp.sqrt(values[..., None, :])
    x = normal_of(key, (*sizes, mean.shape[-1]), element)
    return mean + dnp.einsum("...ij,...j->...i", factor, x)


@sampler
def orthogonal(
    key: KeyLike,
    n: int,
    shape: Shape = (),
    dtype: Any = None,
    m: int | None = None,
    *,
    out_sharding: Any = None,
) -> Array:
    """Orthogonal (or unitary) matrices, uniform with respect to the Haar measure.

    Uses QR factors of normal matrices (Mezzadri, 2007).

    Args:
      key: a key.
      n: the number of rows.
      shape: the shape of the array of matrices.
      dtype: a float or complex type.
      m: the number of columns, by default n; the shorter of rows and columns are orthonormal.

    Returns:
      An array of `dtype`, [*shape, n, m].

    Raises:
      ValueError: `dtype` is neither.

    Example:
      >>> from dovetail import random
      >>> q = random.orthogonal(random.key(0), 3)
      >>> dnp.allclose(q @ q.T, dnp.eye(3), atol=1e-6)
      Array(True, dtype=bool)
    """
    element = element_type("orthogonal", dtype, "fc")
    sizes = sizes_of("orthogonal", shape)
    rows = operator.index(n)
    columns = rows if m is None else operator.index(m)
    z = normal_of(key, (*sizes, max(rows, columns), min(rows, columns)), element)
    q, r = linalg.qr(z)
    x = q * dnp.expand_dims(dnp.sign(dnp.diagonal(r, axis1=-2, axis2=-1)), -2)
    return x.mT if rows < columns else x

"""Special functions, of float operands of one type."""

from __future__ import annotations

from dovetail import ops
from dovetail.arrays.array import Array
from dovetail.base.documentation import documented
from dovetail.lax.docstrings import BINARY, FLOATS, UNARY
from dovetail.ops.operands import ArrayLike, same, unary


@documented(UNARY, FLOATS)
def lgamma(x: ArrayLike) -> Array:
    """The logarithm of the absolute value of the gamma function of a float array.

    It is infinite at the poles 0, -1, -2, ...

    Example:
      >>> lgamma(3.0)
      Array(0.6931472, dtype=float32, weak_type=True)
    """
    return ops.lgamma(unary("lgamma", x, "f"))


@documented(UNARY, FLOATS)
def digamma(x: ArrayLike) -> Array:
    """The derivative of `lgamma` of a float array, NaN at the poles.

    Example:
      >>> digamma(1.0)
      Array(-0.5772157, dtype=float32, weak_type=True)
    """
    return ops.digamma(unary("digamma", x, "f"))


@documented(BINARY)
def polygamma(m: ArrayLike, x: ArrayLike) -> Array:
    """The derivative of `digamma` of order m, 0 or a positive integer, of float arrays.

    It is (-1)^(m+1) m! zeta(m + 1, x), https://dlmf.nist.gov/25.11#E12; NaN for other m. There is
    no derivative with respect to m.

    Args:
      m, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> polygamma(1.0, 1.0)
      Array(1.644934, dtype=float32, weak_type=True)
    """
    return ops.polygamma(*same("polygamma", (m, x), "f"))


@documented(BINARY)
def zeta(x: ArrayLike, q: ArrayLike) -> Array:
    """The Hurwitz zeta function, the sum of (q + k)^-x over k = 0, 1, ..., of float arrays.

    It is infinite where x is 1 or q is 0 or a negative integer, and NaN where x < 1, where q < 0
    and x is not an integer, and where q < -4096. There is no derivative with respect to x.
    https://dlmf.nist.gov/25.11#E1

    Args:
      x, q: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> zeta(2.0, 1.0)
      Array(1.644934, dtype=float32, weak_type=True)
    """
    return ops.zeta(*same("zeta", (x, q), "f"))


@documented(UNARY, FLOATS)
def erf_inv(x: ArrayLike) -> Array:
    """The inverse of `erf` of a float array, NaN outside of [-1, 1].

    Example:
      >>> erf_inv(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.erf_inv(unary("erf_inv", x, "f"))


@documented(UNARY, FLOATS)
def bessel_i0e(x: ArrayLike) -> Array:
    """exp(-|x|) I0(x), the scaled modified Bessel function of order 0, of a float array.

    Example:
      >>> bessel_i0e(0.0)
      Array(1., dtype=float32, weak_type=True)
    """
    return ops.bessel_i0e(unary("bessel_i0e", x, "f"))


@documented(UNARY, FLOATS)
def bessel_i1e(x: ArrayLike) -> Array:
    """exp(-|x|) I1(x), the scaled modified Bessel function of order 1, of a float array.

    Example:
      >>> bessel_i1e(0.0)
      Array(0., dtype=float32, weak_type=True)
    """
    return ops.bessel_i1e(unary("bessel_i1e", x, "f"))


@documented(BINARY)
def igamma(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularized lower incomplete gamma function of float arrays.

    It is the probability of values below x in the gamma distribution of parameter a,
    https://dlmf.nist.gov/8.2#E4; NaN for a <= 0, infinite a, and x < 0.

    Args:
      a, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> igamma(1.0, 0.5)
      Array(0.39346933, dtype=float32, weak_type=True)
    """
    return ops.igamma(*same("igamma", (a, x), "f"))


@documented(BINARY)
def igammac(a: ArrayLike, x: ArrayLike) -> Array:
    """The regularized upper incomplete gamma function, 1 - igamma(a, x), of float arrays.

    Args:
      a, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> igammac(1.0, 0.5)
      Array(0.60653067, dtype=float32, weak_type=True)
    """
    return ops.igammac(*same("igammac", (a, x), "f"))


@documented(BINARY)
def igamma_grad_a(a: ArrayLike, x: ArrayLike) -> Array:
    """The derivative of igamma(a, x) with respect to a, of float arrays.

    It has no derivative itself.

    Args:
      a, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> igamma_grad_a(1.0, 1.0)
      Array(-0.4317297, dtype=float32, weak_type=True)
    """
    a, x = same("igamma_grad_a", (a, x), "f")
    log_density = ops.sub(ops.sub(ops.mul(a, ops.log(x)), x), ops.lgamma(a))
    return ops.neg(ops.mul(ops.exp(log_density), ops.div(ops.random_gamma_grad(a, x), x)))


@documented(BINARY)
def random_gamma_grad(a: ArrayLike, x: ArrayLike) -> Array:
    """The derivative with respect to a of samples x of the gamma distribution of parameter a.

    It is that of the x at which igamma(a, x) has a fixed value: M. Figurnov, S. Mohamed and A.
    Mnih, Implicit Reparameterization Gradients, 2018. It has no derivative itself.

    Args:
      a, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> random_gamma_grad(1.0, 1.0)
      Array(1.173563, dtype=float32, weak_type=True)
    """
    return ops.random_gamma_grad(*same("random_gamma_grad", (a, x), "f"))


@documented(BINARY)
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Array:
    """The regularized incomplete beta function of float arrays.

    It is the probability of values below x in the beta distribution of parameters a and b,
    https://dlmf.nist.gov/8.17#E2; NaN for a or b that are not positive and finite, and for x
    outside of [0, 1]. There is no derivative with respect to a and b.

    Args:
      a, b, x: arrays of floats, of one type and shape; scalars fit any.

    Example:
      >>> betainc(1.0, 2.0, 0.5)
      Array(0.75, dtype=float32, weak_type=True)
    """
    return ops.betainc(*same("betainc", (a, b, x), "f"))

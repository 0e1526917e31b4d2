"""Rotations of space, as unit quaternions (x, y, z, w), and interpolation between them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from dovetail import ops, random
from dovetail.arrays.array import Array
from dovetail.base.errors import type_error, value_error
from dovetail.numpy import (
    abs,
    arctan2,
    argmax,
    asarray,
    atleast_1d,
    atleast_2d,
    broadcast_arrays,
    clip,
    concatenate,
    cos,
    cross,
    deg2rad,
    diff,
    hypot,
    matvec,
    ones,
    rad2deg,
    roll,
    searchsorted,
    sin,
    sqrt,
    stack,
    sum,
    swapaxes,
    take_along_axis,
    where,
)
from dovetail.numpy import linalg as matrices
from dovetail.numpy.promotion import inexact
from dovetail.ops.operands import ArrayLike

# Below this angle, sines are computed as series.
_SMALL = 1e-3


class Rotation(NamedTuple):
    """A rotation, or a vector of rotations; see SciPy's `Rotation`.

    Attributes:
      quat: unit quaternions (x, y, z, w), an array of shape (4,) or (n, 4).

    Example:
      >>> turn = Rotation.from_euler("z", 90.0, degrees=True)
      >>> turn.apply(dnp.array([1.0, 0.0, 0.0])).round(3)
      Array([0., 1., 0.], dtype=float32)
    """

    quat: Array

    @classmethod
    def concatenate(cls, rotations: Sequence[Rotation]) -> Rotation:
        """The vector of the rotations of several vectors."""
        return cls(concatenate([atleast_2d(rotation.quat) for rotation in rotations]))

    @classmethod
    def from_euler(cls, seq: str, angles: ArrayLike, degrees: bool = False) -> Rotation:
        """Rotations by angles, an array of shape (n, k) or (k,), about k of the axes `xyz`, one
        after another; with capital letters, about axes that rotate along.
        """
        axes, intrinsic = _axes("from_euler", seq, (1, 2, 3))
        turns = inexact("from_euler", asarray(angles))
        if turns.ndim == 0 or (len(axes) == 1 and turns.ndim == 1 and turns.shape != (1,)):
            turns = turns[..., None]
        if turns.shape[-1] != len(axes):
            raise value_error(
                f"Rotation.from_euler: there must be {len(axes)} angles in the last dimension, as "
                f"{seq!r} says, got: shape {turns.shape}"
            )
        turns = deg2rad(turns) if degrees else turns
        result = _elementary(axes[0], turns[..., 0])
        for i, axis in enumerate(axes[1:], 1):
            following = _elementary(axis, turns[..., i])
            pair = (result, following) if intrinsic else (following, result)
            result = _composed(*pair)
        return cls(result)

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Rotation:
        """Rotations from matrices, an array of shape (..., 3, 3)."""
        return cls(_of_matrix(inexact("from_matrix", asarray(matrix))))

    @classmethod
    def from_mrp(cls, mrp: ArrayLike) -> Rotation:
        """Rotations from modified Rodrigues parameters, an array of shape (..., 3)."""
        p = inexact("from_mrp", asarray(mrp))
        square = sum(p * p, -1, keepdims=True)
        return cls(concatenate([2 * p, 1 - square], -1) / (1 + square))

    @classmethod
    def from_quat(cls, quat: ArrayLike) -> Rotation:
        """Rotations from quaternions of any length but 0, an array of shape (..., 4)."""
        return cls(_normalized(inexact("from_quat", asarray(quat))))

    @classmethod
    def from_rotvec(cls, rotvec: ArrayLike, degrees: bool = False) -> Rotation:
        """Rotations about vectors by angles of their lengths, an array of shape (..., 3)."""
        vector = inexact("from_rotvec", asarray(rotvec))
        vector = deg2rad(vector) if degrees else vector
        square = sum(vector * vector, -1, keepdims=True)
        small = square <= _SMALL**2
        angle = sqrt(where(small, 1, square))
        series = 0.5 - square / 48 + square * square / 3840
        scale = where(small, series, sin(angle / 2) / angle)
        cosine = where(small, 1 - square / 8 + square * square / 384, cos(angle / 2))
        return cls(concatenate([scale * vector, cosine], -1))

    @classmethod
    def identity(cls, num: int | None = None, dtype: Any = float) -> Rotation:
        """The identity rotation, or a vector of `num` of them."""
        quat = asarray([0.0, 0.0, 0.0, 1.0], dtype=dtype)
        return cls(quat if num is None else quat * ones((num, 1), quat.dtype))

    @classmethod
    def random(cls, random_key: Any, num: int | None = None) -> Rotation:
        """Random rotations, uniformly distributed: from normally distributed quaternions.

        K. Shoemake, Uniform Random Rotations, 1992.
        """
        shape = (4,) if num is None else (num, 4)
        return cls.from_quat(random.normal(random_key, shape))

    def __getitem__(self, indexer: Any) -> Rotation:  # type: ignore[override]
        if self.single:
            raise type_error("Rotation: a single rotation has no elements")
        return Rotation(self.quat[indexer])

    def __len__(self) -> int:
        if self.single:
            raise type_error("Rotation: a single rotation has no length")
        return self.quat.shape[0]

    def __mul__(self, other: Rotation) -> Rotation:  # type: ignore[override]
        """The rotation that applies `other` first, then this one."""
        return Rotation(_normalized(_composed(self.quat, other.quat)))

    def apply(self, vectors: ArrayLike, inverse: bool = False) -> Array:
        """The rotated vectors, an array of shape (..., 3), or rotated back."""
        matrix = self.as_matrix()
        return matvec(swapaxes(matrix, -1, -2) if inverse else matrix, vectors)

    def as_euler(self, seq: str, degrees: bool = False) -> Array:
        """Angles about three axes, an array of shape (..., 3); see `from_euler`.

        E. Bernardes and S. Viollet, Quaternion to Euler Angles Conversion, 2022. If two axes
        coincide, the last angle is 0.
        """
        axes, intrinsic = _axes("as_euler", seq, (3,))
        angles = _euler(self.quat, axes, intrinsic)
        return rad2deg(angles) if degrees else angles

    def as_matrix(self) -> Array:
        """The matrices, an array of shape (..., 3, 3)."""
        x, y, z, w = (self.quat[..., i] for i in range(4))
        rows = [
            [x * x - y * y - z * z + w * w, 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), y * y - x * x - z * z + w * w, 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), z * z - x * x - y * y + w * w],
        ]
        return stack([stack(row, -1) for row in rows], -2)

    def as_mrp(self) -> Array:
        """Modified Rodrigues parameters, an array of shape (..., 3)."""
        quat = where(self.quat[..., 3:] < 0, -self.quat, self.quat)
        return quat[..., :3] / (1 + quat[..., 3:])

    def as_rotvec(self, degrees: bool = False) -> Array:
        """The rotation axes with the angles as their lengths, an array of shape (..., 3)."""
        quat = where(self.quat[..., 3:] < 0, -self.quat, self.quat)
        vector = quat[..., :3]
        square = sum(vector * vector, -1, keepdims=True)
        small = square <= (_SMALL / 2) ** 2
        length = sqrt(where(small, 1, square))
        angle = 2 * arctan2(length, quat[..., 3:])
        # 2 asin(s) / s by its series.
        series = 2 + square / 3 + 3 * square * square / 20
        scale = where(small, series, angle / length)
        return scale * (rad2deg(vector) if degrees else vector)

    def as_quat(self, canonical: bool = False, scalar_first: bool = False) -> Array:
        """The quaternions; canonical ones have w >= 0. With `scalar_first`, in the order (w, x,
        y, z).
        """
        quat = self.quat
        if canonical:
            negative = quat[..., 2] < 0
            for i in (1, 0, 3):
                part = quat[..., i]
                negative = (part < 0) | ((part == 0) & negative)
            quat = where(negative[..., None], -quat, quat)
        return roll(quat, 1, -1) if scalar_first else quat

    def inv(self) -> Rotation:
        """The inverse rotations."""
        return Rotation(self.quat * asarray([-1, -1, -1, 1], dtype=self.quat.dtype))

    def magnitude(self) -> Array:
        """The angles, from 0 to pi."""
        return 2 * arctan2(_length(self.quat[..., :3])[..., 0], abs(self.quat[..., 3]))

    def mean(self, weights: ArrayLike | None = None) -> Rotation:
        """The rotation with the smallest weighted sum of squared distances.

        F. L. Markley and others, Averaging Quaternions, 2007.
        """
        count = len(self)
        w = ones(count, self.quat.dtype) if weights is None else inexact("mean", asarray(weights))
        if w.shape != (count,):
            raise value_error(
                f"Rotation.mean: weights must be a vector of size {count}, one for each rotation, "
                f"got: shape {w.shape}"
            )
        _, vectors = matrices.eigh((w * self.quat.T) @ self.quat)
        return Rotation(vectors[:, -1])

    @property
    def single(self) -> bool:
        """True for a single rotation, False for a vector of rotations."""
        return self.quat.ndim == 1


class Slerp(NamedTuple):
    """Interpolation of rotations at a constant speed; make one with `Slerp.init`.

    Attributes:
      times: an increasing vector.
      timedelta: its differences.
      rotations: the rotations at all times but the last.
      rotvecs: the rotations from each to the next.

    Example:
      >>> ends = Rotation.from_euler("z", dnp.array([[0.0], [90.0]]), degrees=True)
      >>> Slerp.init(dnp.array([0.0, 1.0]), ends)(0.5).as_euler("xyz", degrees=True).round(3)
      Array([ 0.,  0., 45.], dtype=float32)
    """

    times: Array
    timedelta: Array
    rotations: Rotation
    rotvecs: Array

    @classmethod
    def init(cls, times: ArrayLike, rotations: Rotation) -> Slerp:
        """The interpolation with the given rotations at the given times."""
        if not isinstance(rotations, Rotation):
            raise type_error(
                f"Slerp: rotations must be a Rotation, got: {type(rotations).__name__}"
            )
        if rotations.single or len(rotations) == 1:
            raise value_error("Slerp: there must be two rotations at least, got: one")
        at = asarray(times, dtype=rotations.quat.dtype)
        if at.shape != (len(rotations),):
            raise value_error(
                f"Slerp: times must be a vector of size {len(rotations)}, one for each rotation, "
                f"got: shape {at.shape}"
            )
        first, last = Rotation(rotations.quat[:-1]), Rotation(rotations.quat[1:])
        return cls(at, diff(at), first, (first.inv() * last).as_rotvec())

    def __call__(self, times: ArrayLike) -> Rotation:
        """The rotations at a time or a vector of times."""
        at = asarray(times, dtype=self.times.dtype)
        if at.ndim > 1:
            raise value_error(f"Slerp: times must be of rank 0 or 1, got: shape {at.shape}")
        flat = atleast_1d(at)
        index = clip(searchsorted(self.times, flat) - 1, 0, self.timedelta.size - 1)
        share = (flat - self.times[index]) / self.timedelta[index]
        turn = Rotation.from_rotvec(self.rotvecs[index] * share[:, None])
        result = self.rotations[index] * turn
        return result if at.ndim else Rotation(result.quat[0])


def _axes(name: str, seq: str, counts: tuple[int, ...]) -> tuple[list[int], bool]:
    """The numbers of axes, and whether they rotate along."""
    if not re.fullmatch("[xyz]+|[XYZ]+", seq) or len(seq) not in counts:
        raise value_error(
            f"Rotation.{name}: the axes must be {' or '.join(map(str, counts))} letters of xyz or "
            f"of XYZ, got: {seq!r}"
        )
    if any(a == b for a, b in itertools.pairwise(seq)):
        raise value_error(f"Rotation.{name}: consecutive axes must be different, got: {seq!r}")
    return ["xyz".index(letter) for letter in seq.lower()], seq.isupper()


def _length(vector: Array) -> Array:
    return sqrt(sum(vector * vector, -1, keepdims=True))


def _normalized(quat: Array) -> Array:
    return quat / _length(quat)


def _composed(p: Array, q: Array) -> Array:
    """The product of quaternions."""
    p, q = broadcast_arrays(p, q)
    u, v, a, b = p[..., :3], q[..., :3], p[..., 3:], q[..., 3:]
    scalar = a * b - sum(u * v, -1, keepdims=True)
    return concatenate([a * v + b * u + cross(u, v), scalar], -1)


def _elementary(axis: int, angle: Array) -> Array:
    """Quaternions of rotations about an axis."""
    zero = angle * 0
    parts = [zero, zero, zero, cos(angle / 2)]
    parts[axis] = sin(angle / 2)
    return stack(parts, -1)


def _of_matrix(matrix: Array) -> Array:
    """Quaternions from matrices, by the largest of the four squares: S. W. Shepperd, 1978."""
    m = [[matrix[..., i, j] for j in range(3)] for i in range(3)]
    trace = m[0][0] + m[1][1] + m[2][2]
    rows = []
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        parts = [trace] * 4
        parts[i] = 1 - trace + 2 * m[i][i]
        parts[j], parts[k] = m[j][i] + m[i][j], m[k][i] + m[i][k]
        parts[3] = m[k][j] - m[j][k]
        rows.append(stack(parts, -1))
    last = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1 + trace]
    rows.append(stack(last, -1))
    choice = argmax(stack([m[0][0], m[1][1], m[2][2], trace], -1), -1)
    table = stack(rows, -2)
    return _normalized(take_along_axis(table, choice[..., None, None], -2)[..., 0, :])


def _euler(quat: Array, axes: list[int], intrinsic: bool) -> Array:
    i, j, k = reversed(axes) if intrinsic else axes
    symmetric = i == k
    k = 3 - i - j if symmetric else k
    sign = (i - j) * (j - k) * (k - i) // 2
    x = [quat[..., n] for n in range(4)]
    a, b, c, d = x[3], x[i], x[j], x[k] * sign
    if not symmetric:
        a, b, c, d = x[3] - x[j], x[i] + x[k] * sign, x[j] + x[3], x[k] * sign - x[i]
    second = 2 * arctan2(hypot(c, d), hypot(a, b))
    half_sum, half_difference = arctan2(b, a), arctan2(d, c)
    at_start, at_end = abs(second) <= 1e-7, abs(second - math.pi) <= 1e-7
    first, third = half_sum - half_difference, half_sum + half_difference
    # About coinciding axes there is only one angle.
    only = where(at_start, 2 * half_sum, 2 * half_difference * (1 if intrinsic else -1))
    degenerate = at_start | at_end
    zero = only * 0
    if intrinsic:
        # The angle of the last axis of the sequence, which is the first here.
        first, third = where(degenerate, zero, first), where(degenerate, only, third)
    else:
        first, third = where(degenerate, only, first), where(degenerate, zero, third)
    if not symmetric:
        third, second = third * sign, second - math.pi / 2
    ordered = (third, second, first) if intrinsic else (first, second, third)
    angles = stack(ordered, -1)
    return angles - 2 * math.pi * ops.round_even(angles / (2 * math.pi))

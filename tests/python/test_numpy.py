"""dovetail.numpy against NumPy, eagerly and traced; derivatives of its composites; its errors; its
examples."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dovetail.numpy as dnp
from dovetail import ShapeDtypeStruct, config, dtypes, grad, make_ir, vmap
from dovetail.array import Array
from dovetail.test_util import check_grads


@pytest.fixture(autouse=True)
def in_64_bits(request: pytest.FixtureRequest) -> Iterator[None]:
    with config.enable_x64("in_32_bits" not in request.fixturenames):
        yield


@pytest.fixture
def in_32_bits() -> None:
    """For tests of what happens without 64-bit types."""


def traced(function: Callable[..., Any], *values: Any) -> list[np.ndarray]:
    """The results of the function traced and batched, evaluated without compiling."""

    def listed(*tracers: Any) -> list[Any]:
        result = function(*tracers[1:])
        return list(result) if isinstance(result, (tuple, list)) else [result]

    # The first argument is for functions that have none.
    batch = vmap(listed)(np.zeros(2), *(np.stack([v, v]) for v in values))
    for result in batch:
        np.testing.assert_array_equal(result[0], result[1])
    return [np.asarray(result[0]) for result in batch]


def assert_same(ours: Any, expected: Any, what: str) -> None:
    if isinstance(expected, (tuple, list)):
        assert len(ours) == len(expected), what
        for mine, other in zip(ours, expected, strict=True):
            assert_same(mine, other, what)
        return
    x, y = np.asarray(ours), np.asarray(expected)
    assert x.shape == y.shape, f"{what}: got shape {x.shape}, NumPy has {y.shape}"
    assert x.dtype == y.dtype, f"{what}: got {x.dtype}, NumPy has {y.dtype}"
    np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13, err_msg=what)


RNG = np.random.default_rng(0)
DATA: dict[str, np.ndarray] = {
    "a": RNG.normal(size=(3, 4)),
    "b": RNG.normal(size=(3, 4)),
    "v": RNG.normal(size=4),
    "s": RNG.normal(size=(3, 3)),
    "t": RNG.normal(size=(2, 3, 4)),
    "z": RNG.normal(size=(3, 4)) + 1j * RNG.normal(size=(3, 4)),
    "i": RNG.integers(-9, 9, (3, 4)),
    "j": RNG.choice([-3, -2, -1, 1, 2, 3], (3, 4)),
    "u": RNG.integers(0, 9, (3, 4)).astype(np.uint64),
    "m": RNG.random((3, 4)) < 0.5,
    "w": RNG.random((3, 4)),
    "n": np.where(RNG.random((3, 4)) < 0.3, np.nan, RNG.normal(size=(3, 4))),
    "bytes": RNG.integers(0, 256, (2, 3)).astype(np.uint8),
    "cube": RNG.normal(size=(2, 3, 3)),
    "special": np.array([0.0, -0.0, 1.0, -1.5, np.inf, -np.inf, np.nan, 5e-324, -1e308]),
}

POINTWISE = """
add(a, b)  add(a, v)  subtract(i, j)  multiply(z, a)  divide(i, j)  floor_divide(i, j)
floor_divide(a, b)  floor_divide(u, 3)  remainder(i, j)  remainder(a, b)  mod(u, 3)  fmod(i, j)
fmod(a, b)  divmod(i, j)  divmod(a, b)  power(w, a)  power(j, 3)  power(j, u)  float_power(w, 2)
square(i)  reciprocal(a)  negative(i)  positive(a)  abs(i)  abs(z)  fabs(a)  sign(i)  sign(a)
sign(z)  sign(u)  maximum(a, b)  minimum(i, j)  fmax(n, a)  fmin(n, a)  maximum(n, a)
clip(a, -0.5, 0.5)  clip(i, None, 3)  floor(a)  ceil(a)  trunc(a)  rint(a)  round(a, 2)  round(i)
round(a, -1)  around(10 * i, -1)  round(z, 1)  floor(special)  ceil(special)  trunc(special)
rint(special)  real(z)  imag(z)  real(a)  imag(a)  conj(z)  conjugate(a)  angle(z)  angle(a)
angle(z, deg=True)  copysign(a, b)  signbit(a)  signbit(special)  signbit(i)  heaviside(a, 0.5)
nextafter(a, b)  spacing(a)  modf(a)  modf(special[:4])  ldexp(a, i)  ldexp(special, 3)  frexp(a)
frexp(special)  nan_to_num(n)  nan_to_num(special)  nan_to_num(n, nan=2.0, posinf=3.0)  exp(a)
exp(z)  exp2(a)  expm1(a)  log(w)  log(z)  log1p(w)  log2(w)  log10(w)  sqrt(w)  sqrt(z)  cbrt(a)
logaddexp(a, b)  logaddexp2(a, b)  logaddexp(special, 1.0)  hypot(a, b)  hypot(special, 1.0)  sin(a)
cos(a)  tan(a)  arcsin(w)  arccos(w)  arctan(a)  arctan2(a, b)  sinh(a)  cosh(a)  tanh(a)
arcsinh(a)  arccosh(1 + w)  arctanh(w)  sin(z)  tanh(z)  arctan(z)  sinc(a)  sinc(0.01 * a)
deg2rad(a)  rad2deg(a)  equal(i, j)  not_equal(i, j)  less(a, b)  less_equal(a, b)  greater(z, a)
greater_equal(z, z)  isclose(a, a + 1e-9)  isclose(special, special)  isclose(n, n, equal_nan=True)
allclose(a, b)  array_equal(a, a)  array_equal(a, v)  array_equal(n, n, equal_nan=True)
array_equiv(v, v + 0 * a)  isfinite(special)  isnan(special)  isinf(special)  isposinf(special)
isneginf(special)  isfinite(i)  isinf(z)  isreal(z)  iscomplex(z)  logical_and(i, m)
logical_or(i, m)  logical_xor(i, m)  logical_not(i)  bitwise_and(i, j)  bitwise_or(i, j)
bitwise_xor(m, m)  invert(i)  invert(m)  left_shift(i, 2)  right_shift(i, 1)  right_shift(u, 1)
bitwise_count(i)  isin(i, j)  isin(i, j, invert=True)  where(m, a, b)  where(i, a, 0.0)
where(m, i, a)  where(a > 0, v, b)  choose(m, [a, b], mode="clip")  choose(i, [i, j], mode="wrap")
select([m, a > 0], [a, b], 5.0)  piecewise(a, [a < 0, a > 1], [lambda x: -x, 2.0, 3.0])  packbits(m)
packbits(m, axis=1)  packbits(m, 0, bitorder="little")  unpackbits(bytes)  unpackbits(bytes, axis=1)
unpackbits(bytes, 0, count=9, bitorder="little")  unpackbits(bytes, count=-3)
"""

REDUCTIONS = """
sum(a)  sum(a, 0)  sum(a, axis=-1, keepdims=True)  sum(t, axis=(0, 2))  sum(m)
sum(i, dtype="int32")  sum(a, ())  sum(a, where=m)  sum(a, axis=1, initial=3.0)  prod(a, 1)
prod(i[:2, :2])  prod(a, where=m)  mean(a)  mean(t, (0, 1), keepdims=True)  mean(i)
mean(a, where=w > 0.2)  mean(a, axis=1, where=w > 0.2, keepdims=True)  var(a)  var(a, 0)
var(a, 1, ddof=1)  var(z)  std(a, axis=1, keepdims=True)  std(i)  var(a, where=w > 0.2)
var(a, correction=1)  max(a)  max(a, 1)  min(i, 0, keepdims=True)  max(a, where=m, initial=-9.0)
max(z)  min(z, 1)  max(n)  max(a[:0], 0, initial=1.0)  ptp(a, 1)  all(i)  any(m, 0)
all(m, axis=1, keepdims=True)  any(m, where=m)  count_nonzero(i, axis=1)  argmax(a)  argmin(a, 1)
argmax(i, axis=0, keepdims=True)  argmax(n)  argmin(m, 0)  nansum(n)  nansum(n, 0)  nanprod(n)
nanmean(n)  nanmean(n, axis=1)  nanvar(n)  nanstd(n, ddof=1)  nanmax(n)  nanmin(n, 0)  nanargmax(n)
nanargmin(n)  nansum(i)  nanmax(i)  average(a)  average(a, 1, weights=v)  average(a, weights=w)
average(a, axis=0, weights=w, keepdims=True)  average(a, 1, weights=v, returned=True)
apply_over_axes(np.sum, t, [0, 2])
"""

SHAPES = """
reshape(a, (4, 3))  reshape(a, (2, -1))  reshape(a, -1, order="F")  reshape(a, (4, 3), order="F")
ravel(t)  ravel(a, "F")  expand_dims(a, 0)  expand_dims(a, (0, -1))  squeeze(a[None, :, None])
squeeze(a[None], 0)  atleast_1d(a[0, 0])  atleast_2d(v)  atleast_3d(a)  atleast_3d(v)
atleast_2d(v, a)  resize(v, (3, 5))  transpose(t)  transpose(t, (1, 2, 0))
permute_dims(t, (1, 2, 0))  matrix_transpose(t)  swapaxes(t, 0, -1)  moveaxis(t, 0, 2)
moveaxis(t, (0, 1), (-1, 0))  rollaxis(t, 2)  rollaxis(t, 0, 3)  broadcast_to(v, (2, 4))
broadcast_to(a[:, :1], (3, 4))  broadcast_arrays(v, a)  flip(a)  flip(t, (0, 2))  fliplr(a)
flipud(a)  rot90(a)  rot90(a, 2)  rot90(a, -1)  rot90(t, 1, (1, 2))  roll(a, 1)  roll(a, -2, 1)
roll(a, (1, 2), (0, 1))  roll(a, 5, axis=0)  roll(a, 2, (0, 1))  tile(v, 3)  tile(a, (2, 1, 2))
tile(a, 2)  repeat(a, 2)  repeat(a, 3, axis=1)  repeat(v, [0, 1, 2, 3])  repeat(a, [1, 0, 2], 0)
concatenate([a, b])  concatenate([a, i], axis=1)  concatenate([a, v], axis=None)  stack([a, b])
stack([a, b], -1)  vstack([v, a])  hstack([a, b])  hstack([v, v])  dstack([a, b])  dstack([v, v])
column_stack([v, v])  column_stack([a, a])  append(a, b)  append(a, b, 1)  block([[a, b], [b, a]])
block([v, v])  unstack(t)  split(a, 2, 1)  split(v, [1, 3])  array_split(v, 3)  hsplit(a, 2)
vsplit(a, 3)  dsplit(t, 2)  split(v, [3, 2, 9])  delete(v, 1)  delete(a, [0, 2], 0)
delete(a, slice(1, 3), 1)  insert(v, 2, 9.0)  insert(a, 1, v, 0)  pad(a, 1)
pad(a, ((1, 2), (0, 3)))  pad(a, (2, 1), constant_values=7.0)  pad(v, 2, constant_values=(1.0, 2.0))
pad(a, 2, mode="edge")  pad(a, 2, mode="reflect")  pad(v, 9, mode="reflect")
pad(a, (1, 5), mode="symmetric")  pad(v, 9, mode="wrap")
pad(v, (3, 2), mode="linear_ramp", end_values=(1.0, 2.0))  pad(a, 1, mode="maximum")
pad(a, 1, mode="mean")  pad(a, 1, mode="minimum", stat_length=2)
pad(v, 5, mode="reflect", reflect_type="odd")  pad(i, 1, mode="mean")
pad(v, 3, mode="symmetric", reflect_type="odd")
pad(v, (9, 11), mode="symmetric", reflect_type="odd")  pad(v[:1], 3, mode="reflect")
pad(v[:2], (7, 6), mode="reflect")  pad(a, (7, 6), mode="symmetric")  pad(v, (11, 13), mode="wrap")
pad(v[:2], (4, 3), mode="reflect", reflect_type="odd")  diagonal(a)  diagonal(a, 1)  diagonal(a, -1)
diagonal(t, 0, 1, 2)  diagonal(t, 9)  diag(v)  diag(v, 2)  diag(v, -1)  diag(a)  diagflat(a)
trace(s)  trace(t, 1, 1, 2)  tril(a)  triu(t, 1)  tril(s, -1)  diff(v)  diff(a, 2)  diff(a, axis=0)
diff(v, prepend=0.0, append=v[:2])  diff(m)  ediff1d(a)  gradient(v)  gradient(a, axis=1)
gradient(v, 2.0)  gradient(v, np.array([0.0, 1.0, 3.0, 4.5]))  gradient(a)[0]  trapezoid(a)
trapezoid(v, dx=0.5)  trapezoid(a, np.array([0.0, 1.0, 3.0, 4.5]))  vander(v)
vander(v, 3, increasing=True)  polyval(v, a)  polyder(v)  polyint(v)  polyadd(v, v[:2])
polysub(v[:2], v)  cov(a)  cov(a, rowvar=False)  cov(a, b)  corrcoef(a)  cov(a, aweights=w[0])
zeros_like(a)  ones_like(i)  full_like(a, 3)  ravel_multi_index((1, 2), (3, 4))
unravel_index(7, (3, 4))
"""

PRODUCTS = """
dot(a, v)  dot(v, v)  dot(a, b.T)  dot(t, b.T)  dot(a, 2.0)  dot(i, i.T)
dot(t, t.transpose(0, 2, 1))  matmul(a, v)  matmul(v, b.T)  matmul(t, t.transpose(0, 2, 1))
matmul(t, v)  matmul(s, t)  matmul(t[:, None], t.transpose(0, 2, 1))
matmul(t[:1], t.transpose(0, 2, 1))  matmul(v, t.transpose(0, 2, 1))  matmul(z, a.T)  matmul(v, v)
inner(a, b)  inner(v, v)  outer(v, v)  outer(a, v)  vdot(z, z)  vdot(a, b)  vecdot(z, z)
vecdot(a, v)  vecdot(t, t, axis=1)  tensordot(t, a, 2)  tensordot(a, b, axes=([0, 1], [0, 1]))
tensordot(t, a, axes=((1, 2), (0, 1)))  tensordot(v, v, 0)  kron(a, s)  kron(v, a)
cross(s, s[::-1])  cross(s[:, :2], s[:, 1:])  matvec(t, v)  vecmat(s[:2], t)
einsum("ij,kj->ik", a, b)  einsum("ij,kj", a, b)  einsum("ii", s)  einsum("ii->i", s)
einsum("ij->ji", a)  einsum("ij->", a)  einsum("ij->j", a)  einsum("...j,j", t, v)
einsum("...ij,...kj->...ik", t, t)  einsum("ij...,jk...->ik...", s, a[:, :3])
einsum("i,j,k->ijk", v, v, v)  einsum("ij,jk,kl->il", s, s, a)  einsum("ij,ij->ij", a, b)
einsum("ij,ij->", a, b)  einsum("iij->j", s[:, None] * s[..., None])  einsum("i...->...", t)
einsum("ij,j->ij", a, v)  einsum("ba", a)  einsum(a, [0, 1], b, [2, 1], [0, 2])
einsum(a, [0, ...], [..., 0])  einsum("ij,kj->ik", a[:, :1], b)  einsum("ij,ji->i", s, s)
einsum("abc,cd,ef,ebd->f", t, a.T[:, :3], s[:2], cube)  einsum("i,i,i->", v, v, v, optimize=False)
"""

INDEXING = """
a[0]  a[-1]  a[1, 2]  a[1:]  a[:, 1]  a[..., 0]  a[None]  a[:, None, 1:3]  a[::-1]  a[::2, ::-2]
a[5:1:-1]  a[-2:]  t[..., None, 1]  t[0, :, 2]  t[()]  a[1:1]  a[:, 3:0:-2]  t[1, ..., ::3]
a[np.int64(1)]  v[-100:100]
"""

METHODS = """
a.T  t.mT  a.sum(0)  a.prod()  a.mean(axis=1)  a.var()  a.std(ddof=1)  a.max()  a.min(1)  a.argmax()
a.argmin(0)  m.all()  m.any(1)  a.reshape(4, 3)  a.reshape((2, -1))  a.ravel()  a.flatten()
t.transpose(1, 0, 2)  t.transpose((1, 0, 2))  t.transpose()  a.swapaxes(0, 1)  a[None].squeeze()
v.repeat(2)  s.diagonal()  s.trace()  a.clip(-1, 1)  a.round(1)  z.conj()  z.real  z.imag  a.dot(v)
a.astype("float32")  a.astype("int64")  i.astype(bool)  a.copy()  a.view("int64")  a + b  1 - a
a * 2  2 / a  i // 2  7 // j  i % 3  7 % j  w**2  2**a  divmod(i, j)  a @ v  v @ b.T  -a  +a  abs(a)
~i  ~m  i & 3  3 | i  i ^ j  i << 1  i >> 1  a < b  a <= 0  a > v  0 >= a  a == b  a != a  m & m
a.size  a.ndim  a.nbytes  len(a)  a.itemsize
"""


def expressions(text: str) -> list[str]:
    """The entries of a table, which two spaces or the end of a line part."""
    return [e.strip() for line in text.strip().splitlines() for e in line.split("  ") if e.strip()]


WITH_PREFIX = [f"xp.{e}" for t in (POINTWISE, REDUCTIONS, SHAPES, PRODUCTS) for e in expressions(t)]
WITHOUT_PREFIX = [e for t in (INDEXING, METHODS) for e in expressions(t)]


@pytest.mark.parametrize("expression", WITH_PREFIX + WITHOUT_PREFIX)
def test_agrees_with_numpy(expression: str) -> None:
    code = compile(expression, expression, "eval")
    names = [n for n in DATA if n in code.co_names]

    def evaluate(xp: Any, **data: Any) -> Any:
        return eval(code, {"xp": xp, "np": np, **data})

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = evaluate(np, **{n: DATA[n] for n in names})
    ours = evaluate(dnp, **{n: dnp.asarray(DATA[n]) for n in names})
    assert_same(ours, expected, expression)
    if isinstance(ours, (Array, tuple, list)):
        results = traced(
            lambda *xs: evaluate(dnp, **dict(zip(names, xs, strict=True))),
            *(DATA[n] for n in names),
        )
        assert_same(results if isinstance(ours, (tuple, list)) else results[0], ours, expression)


CREATION = """
zeros((2, 3))  ones(2, "int8")  full((2,), 3.5)  full((2, 2), np.array([1.0, 2.0]))  empty(0)
eye(3)  eye(2, 3, 1, "int32")  identity(2)  tri(3, 4, -1, dtype=float)  tri(2, dtype=bool)
arange(5)
arange(2, 9, 3)  arange(9, 2, -2)  arange(0.0, 1.0, 0.3)  arange(5, 2)  arange(3, dtype="float32")
arange(2.5)  linspace(0, 1, 5)  linspace(0, 1, 5, endpoint=False)  linspace(1, 2, 1)
linspace(1, 2, 0)  linspace(np.array([0.0, 1.0]), 2, 3)
linspace(np.array([0.0, 1.0]), 2, 3, axis=1)  linspace(0, 10, 4, dtype="int64")
linspace(0, 1, 4, retstep=True)  logspace(0, 2, 4)  logspace(0, 2, 4, base=2.0)
geomspace(1, 1000, 4)  geomspace(2.0, 8.0, 5)  geomspace(-1.0, -8.0, 4)
meshgrid(np.arange(2), np.arange(3))
meshgrid(np.arange(2), np.arange(3), indexing="ij", sparse=True)  array([[1, 2], [3, 4]])
array([1, 2.5])  array([True, False])  array([])  array([1, 2], ndmin=3)  array(3.5)  array([1, 2j])
asarray(range(3))  asarray([np.float32(1), np.float32(2)])  array(((1, 2), (3, 4)), dtype="float32")
frombuffer(b"abcd", "int16")  fromiter(range(3), "int64")  fromfunction(lambda i, j: i - j, (2, 3))
indices((2, 3))  tril_indices(3)  triu_indices(3, 1, 4)  diag_indices(3)
ix_(np.arange(2), np.arange(3))  mgrid[0:2, 0:3]  mgrid[0:1:3j]  r_[1:4, 7]  r_[np.arange(2), 0.5]
c_[np.arange(2), np.arange(2)]  r_["0,2", np.arange(2), np.arange(2)]  bartlett(5)  blackman(5)
hamming(5)  hanning(5)  kaiser(5, 2.0)  fromstring("1 2", sep=" ")
"""


@pytest.mark.parametrize("expression", expressions(CREATION))
def test_creation_agrees_with_numpy(expression: str) -> None:
    expected = eval(f"xp.{expression}", {"xp": np, "np": np})
    assert_same(eval(f"xp.{expression}", {"xp": dnp, "np": np}), expected, expression)
    (result, *_) = traced(lambda: _first(eval(f"xp.{expression}", {"xp": dnp, "np": np})))
    assert_same(
        result, expected[0] if isinstance(expected, (tuple, list)) else expected, expression
    )


def _first(x: Any) -> Any:
    return x[0] if isinstance(x, (tuple, list)) else x


# Derivatives --------------------------------------------------------------------------------------

A, B, V = DATA["a"], DATA["b"], DATA["v"]
COMPOSITES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...]]] = {
    "logaddexp": (dnp.logaddexp, (A, B)),
    "logaddexp2": (dnp.logaddexp2, (A, B)),
    "hypot": (dnp.hypot, (A, B)),
    "sinc": (dnp.sinc, (np.array([0.0, 0.004, 0.3, -1.2]),)),
    "remainder": (dnp.remainder, (A, B)),
    "var": (lambda x: dnp.var(x, 0, ddof=1), (A,)),
    "std": (lambda x: dnp.std(x, 1), (A,)),
    "masked mean": (lambda x: dnp.mean(x, where=DATA["m"]), (A,)),
    "nanmean": (lambda x: dnp.nanmean(dnp.where(DATA["m"], x, math.nan)), (A,)),
    "prod": (lambda x: dnp.prod(x, 1), (A,)),
    "max": (lambda x: dnp.max(x, 1), (A,)),
    "clip": (lambda x: dnp.clip(x, -0.4, 0.4), (A,)),
    "power": (lambda x, y: dnp.power(x, y), (DATA["w"] + 0.5, A)),
    "einsum": (lambda x, y: dnp.einsum("ij,kj,ij->k", x, y, x), (A, B)),
    "trace of einsum": (lambda x: dnp.einsum("ii->i", x[:, :3] @ x[:, :3]), (A,)),
    "broadcast matmul": (lambda x, y: x[None] @ y.T, (A, np.stack([B.T, B.T]).T)),
    "kron": (dnp.kron, (A[:2], V)),
    "diag": (lambda x: dnp.diag(x, 1) + dnp.diag(dnp.diagonal(dnp.outer(x, x)), -1), (V,)),
    "tril": (lambda x: dnp.tril(x) + dnp.triu(x, 1), (A,)),
    "indexing": (lambda x: x[::-1, 1:3] * x[:, ::-2] + x[1, None, 2], (A,)),
    "roll and flip": (lambda x: dnp.roll(x, 3) * dnp.flip(x), (A,)),
    "repeat": (lambda x: dnp.repeat(x, 2, 0) * dnp.tile(x, (2, 1)), (A,)),
    "pad": (lambda x: dnp.pad(x, 2, mode="reflect") ** 2, (A,)),
    "linspace": (lambda x, y: dnp.linspace(x, y, 5), (V, -V)),
    "gradient": (lambda x: dnp.gradient(x, axis=1) ** 2, (A,)),
    "cross": (dnp.cross, (DATA["s"], DATA["s"][::-1])),
    "corrcoef": (dnp.corrcoef, (A,)),
    "round trip": (lambda x: dnp.concatenate(dnp.split(x, 2, 1)[::-1], 1) * x, (A,)),
    "copysign": (lambda x: dnp.copysign(x, B), (A,)),
    "where": (lambda x, y: dnp.where(x > y, x * y, y), (A, B)),
    "frexp": (lambda x: dnp.ldexp(x, 3), (A,)),
}


@pytest.mark.parametrize("name", COMPOSITES)
def test_derivatives(name: str) -> None:
    function, args = COMPOSITES[name]
    check_grads(function, args, order=2)


def test_derivatives_are_finite_where_values_are_not() -> None:
    for function, x in [
        (lambda x: dnp.logaddexp(x, -math.inf), -math.inf),
        (lambda x: dnp.hypot(x, 0.0), 0.0),
        (dnp.sinc, 0.0),
    ]:
        assert np.isfinite(grad(function)(x))


# Without 64 bits ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("in_32_bits")
class TestIn32Bits:
    def test_defaults(self) -> None:
        assert dnp.zeros(2).dtype == np.float32
        assert dnp.arange(2).dtype == np.int32
        assert dnp.asarray(np.ones(2)).dtype == np.float32
        assert dnp.array([1, 2.0]).dtype == np.float32
        assert dnp.asarray(np.arange(2, dtype=np.uint64)).dtype == np.uint32
        assert dnp.sum(np.ones(2, np.int8)).dtype == np.int32
        assert dnp.argmax(np.ones(2)).dtype == np.int32

    @pytest.mark.parametrize(
        ("function", "name"),
        [
            (lambda: dnp.zeros(2, "float64"), "zeros"),
            (lambda: dnp.arange(2, dtype=np.int64), "arange"),
            (lambda: dnp.ones(2).astype(np.float64), "astype"),
            (lambda: dnp.asarray([1], "uint64"), "array"),
            (lambda: dnp.sum(np.ones(2), dtype="float64"), "sum"),
        ],
    )
    def test_truncation_warns(self, function: Callable[[], Any], name: str) -> None:
        with pytest.warns(UserWarning, match=f"requested in {name} is not available"):
            assert function().dtype.itemsize == 4

    def test_python_types_do_not_warn(self) -> None:
        assert dnp.zeros(2, float).dtype == np.float32
        assert dnp.ones(2).astype(int).dtype == np.int32

    def test_ints_must_fit(self) -> None:
        with pytest.raises(OverflowError, match="too large to convert to int32"):
            dnp.asarray(2**40)
        with pytest.raises(OverflowError):
            dnp.asarray([2**40])
        assert int(dnp.uint8(1) + 300) == 45

    def test_weak_types(self) -> None:
        assert dnp.asarray(1.0).weak_type
        assert not dnp.asarray([1.0]).weak_type
        assert (dnp.ones(2, "bfloat16") * 2.5).dtype == dtypes.bfloat16
        assert (dnp.ones(2, "int8") + 1).dtype == np.int8
        result = dnp.arange(2) * 1.5
        assert result.dtype == np.float32
        assert result.weak_type
        assert not dnp.sum(dnp.asarray(1.0)).weak_type


# Errors -------------------------------------------------------------------------------------------

X: Any = dnp.ones((2, 3))
LIST: Any = [1, 2]
ERRORS: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (
        lambda: dnp.add(X, LIST),
        TypeError,
        r"<class 'list'> and was passed to add at position 1",
    ),
    (
        lambda: dnp.add(X, dnp.ones(2)),
        ValueError,
        r"add: Incompatible shapes for broadcasting: shapes=\[\(2, 3\), \(2,\)\]",
    ),
    (
        lambda: dnp.add(dnp.ones(2), dnp.ones(3)),
        TypeError,
        r"add got incompatible shapes for broadcasting",
    ),
    (lambda: dnp.negative(True), TypeError, r"negative does not accept dtype bool"),
    (
        lambda: dnp.reshape(X, (4, -1)),
        TypeError,
        r"number of elements must stay the same, got \(4, -1\)",
    ),
    (lambda: dnp.sum(X, 2), ValueError, r"axis 2 is out of bounds for array of dimension 2"),
    (lambda: dnp.sum(X, (0, 0)), ValueError, r"duplicate value in 'axis': \(0, 0\)"),
    (lambda: dnp.sum(X, out=X), NotImplementedError, r"arrays are immutable, so out must be None"),
    (lambda: dnp.max(dnp.zeros(0)), ValueError, r"an empty array needs initial"),
    (lambda: dnp.max(X, where=X > 0), ValueError, r"initial must be given with where"),
    (lambda: dnp.argmax(dnp.zeros(0)), ValueError, r"attempt to get argmax of an empty sequence"),
    (
        lambda: X @ X,
        TypeError,
        r"dot_general requires contracting dimensions to have the same shape, got \(3,\) and \(2,"
        r"\): dimensions \(1,\) of \(2, 3\) and \(0,\) of \(2, 3\), in matmul",
    ),
    (lambda: X @ 2, ValueError, r"matmul: operands must have 1 dimension or more"),
    (
        lambda: dnp.einsum("ij,jk", X, X),
        ValueError,
        r"sizes of label 'j' must be equal or 1, got 3 and 2",
    ),
    (lambda: dnp.einsum("ijk", X), ValueError, r"'ijk' must have one label for each dimension"),
    (lambda: dnp.einsum("ij->k", X), ValueError, r"labels of the result must occur in a term"),
    (lambda: dnp.concatenate([]), ValueError, r"at least one array is needed"),
    (
        lambda: dnp.concatenate([X, dnp.ones(3)]),
        TypeError,
        r"shapes that differ in dimensions other than the one being concatenated",
    ),
    (lambda: dnp.stack([X, X[0]]), ValueError, r"all arrays must have the same shape"),
    (lambda: dnp.split(X, 2, 1), ValueError, r"sections must be equal, got 2 of size 3"),
    (lambda: dnp.squeeze(X, 0), ValueError, r"cannot select an axis to squeeze out"),
    (lambda: dnp.transpose(X, (0, 0)), ValueError, r"duplicate value in 'axes': \(0, 0\)"),
    (
        lambda: dnp.broadcast_to(X, (3,)),
        ValueError,
        r"broadcast_to: Cannot broadcast to shape with fewer dimensions: \(2, 3\)",
    ),
    (lambda: dnp.zeros((2, -1)), TypeError, r"shape must have no negative size"),
    (
        lambda: dnp.zeros(2.5),
        TypeError,
        r"Shapes must be 1D sequences of concrete values of integer type, got 2.5",
    ),
    (lambda: dnp.array(None), ValueError, r"None is not a valid value for jnp.array"),
    (lambda: dnp.array("a"), TypeError, r"the data must be numbers, got str"),
    (lambda: dnp.array([X, X[0]]), ValueError, r"nested lists must be rectangular"),
    (
        lambda: dnp.zeros(2, "S1"),
        TypeError,
        r"an array's element type must be bool, integer, float or complex",
    ),
    (
        lambda: X[0, 0, 0],
        IndexError,
        r"Too many indices: array is 2-dimensional, but 3 were indexed",
    ),
    (lambda: X[1.0], TypeError, r"got indexer with type float: 1.0"),
    (lambda: X["a"], TypeError, r"got str 'a'"),
    (lambda: X[..., ...], IndexError, r"can contain ... once"),
    (lambda: dnp.where(X, X), ValueError, r"x and y must be given both or not at all"),
    (lambda: dnp.clip(1j, 0, 1), ValueError, r"Complex values have no ordering"),
    (lambda: dnp.power(dnp.arange(3), -1), TypeError, r"an exponent of 0 or more, got -1"),
    (
        lambda: dnp.pad(X, 1, mode="no"),
        NotImplementedError,
        r"Unimplemented padding mode 'no' for np.pad; it must be one of constant",
    ),
    (lambda: dnp.arange(X), TypeError, r"start, stop and step must be scalars"),
    (
        lambda: dnp.promote_types("int4", "int8"),
        dtypes.TypePromotionError,
        r"integers of 2 and 4 bits do not support implicit promotion",
    ),
    (
        lambda: dnp.left_shift(1.0, 2),
        TypeError,
        r"left_shift does not accept dtype float64",
    ),
]


@pytest.mark.parametrize(("function", "kind", "message"), ERRORS)
def test_errors(function: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        function()


def test_rank_promotion_setting() -> None:
    with (
        config.numpy_rank_promotion("raise"),
        pytest.raises(
            ValueError, match="Operands could not be broadcast together for add on shapes"
        ),
    ):
        dnp.add(X, dnp.ones(3))
    with (
        config.numpy_rank_promotion("warn"),
        pytest.warns(UserWarning, match="automatic rank promotion for add on shapes"),
    ):
        dnp.add(X, dnp.ones(3))
    with config.numpy_rank_promotion("raise"):
        dnp.add(X, 1)


def test_strict_dtype_promotion_setting() -> None:
    with config.numpy_dtype_promotion("strict"):
        assert (dnp.ones(2, "float32") + 1).dtype == np.float32
        with pytest.raises(
            dtypes.TypePromotionError, match="no available implicit dtype promotion"
        ):
            dnp.add(dnp.ones(2, "float32"), dnp.ones(2, "int32"))
        with pytest.raises(
            dtypes.TypePromotionError, match="no available implicit dtype promotion"
        ):
            dnp.add(dnp.arange(2), 1.5)


# Facts --------------------------------------------------------------------------------------------


def test_numpy_arrays_are_copied() -> None:
    data = np.zeros(3)
    x, y = dnp.asarray(data), dnp.reshape(data, (3, 1))
    data[0] = 1
    assert x[0] == 0
    assert y[0, 0] == 0


def test_indices_are_clamped() -> None:
    x = dnp.arange(3)
    assert int(x[5]) == 2
    assert int(x[-7]) == 0


def test_broadcasting_takes_no_memory() -> None:
    shape = (1 << 14, 1 << 13)
    for array in (dnp.broadcast_to(1.0, shape), dnp.zeros(shape)):
        assert array.shape == shape
        assert array._value().strides == (0, 0)


def test_einsum_takes_a_good_path() -> None:
    def chain(x: Any, y: Any, z: Any) -> Any:
        return dnp.einsum("ij,jk,k->i", x, y, z)

    shapes = ((8, 100), (100, 200), (200,))
    text = make_ir(chain)(*(ShapeDtypeStruct(s, "float32") for s in shapes))
    dots = [line.rpartition(" : ")[2] for line in str(text).splitlines() if "dot_general" in line]
    assert dots == ["tensor<100x200xf32>, tensor<200xf32>", "tensor<8x100xf32>, tensor<100xf32>"]


def test_scalar_types() -> None:
    assert dnp.float32 == np.float32
    assert dnp.float32 == np.dtype("float32")
    assert dnp.zeros(2, dnp.bfloat16).dtype == dtypes.bfloat16
    assert repr(dnp.int8(3)) == "Array(3, dtype=int8)"
    assert dnp.issubdtype(dnp.bfloat16, dnp.floating)
    assert dnp.finfo(dnp.float16).bits == 16
    assert dnp.iinfo(dnp.uint8).max == 255
    assert len({dnp.float32, np.float32}) == 1
    assert dnp.dtype(dnp.bfloat16) == dtypes.bfloat16

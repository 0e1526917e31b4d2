"""Tables of expressions in NumPy's functions and methods, and the arrays that they name."""

from __future__ import annotations

import numpy as np

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


def expressions(text: str) -> list[str]:
    """The entries of a table, separated by two spaces or line ends."""
    return [e.strip() for line in text.strip().splitlines() for e in line.split("  ") if e.strip()]

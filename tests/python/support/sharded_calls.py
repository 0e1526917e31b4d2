"""Calls of the functions that JAX has too, with arrays that are divided at random over a mesh, and how
the results are divided.
"""

# ruff: noqa: E501 - a line is a row of the table

from __future__ import annotations

import importlib
import warnings
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from support.jax_table import LAX, NUMPY

AXES = {"x": 2, "y": 4}
# The arrays of `jax_table`; spd is positive definite, bat has several such matrices.
SHAPES = {
    "table": {
        "x": (3, 4),
        "y": (3, 4),
        "v": (4,),
        "w": (4,),
        "q": (3, 3),
        "t": (2, 3, 4),
        "i": (3,),
        "j": (4,),
        "b": (3, 4),
        "m": (4,),
        "n": (2, 6),
        "f": (4,),
        "z": (0, 4),
        "s": (),
        "spd": (4, 4),
        "bat": (2, 4, 4),
        "u": (4,),
    },
    # All sizes can be divided.
    "large": {
        "x": (8, 16),
        "y": (8, 16),
        "v": (16,),
        "w": (16,),
        "q": (8, 8),
        "t": (4, 8, 16),
        "i": (8,),
        "j": (16,),
        "b": (8, 16),
        "m": (16,),
        "n": (4, 8),
        "f": (16,),
        "z": (0, 16),
        "s": (),
        "spd": (8, 8),
        "bat": (4, 8, 8),
        "u": (8,),
    },
}


class Case(NamedTuple):
    """A call, and the sizes of its arguments."""

    module: str
    text: str
    sizes: str

    def __str__(self) -> str:
        return f"{self.module}|{self.text}|{self.sizes}"


# A module, and calls of its functions; `.` is the library itself, `-` the arrays' own methods.
_OTHERS = """
nn | celu(x); elu(x); gelu(x); hard_sigmoid(x); hard_silu(x); hard_swish(x); hard_tanh(x); leaky_relu(x)
nn | log_sigmoid(x); mish(x); relu(x); relu6(x); selu(x); sigmoid(x); silu(x); soft_sign(x); softplus(x)
nn | sparse_plus(x); sparse_sigmoid(x); squareplus(x); tanh(x); glu(x); glu(x, axis=0); relu(t)
nn | log_softmax(x); log_softmax(x, 0); log_softmax(x, axis=(0, 1)); log_softmax(x, where=b)
nn | logmeanexp(x); logmeanexp(x, 1); logsumexp(x); logsumexp(x, 1); logsumexp(x, axis=(0, -1), keepdims=True)
nn | logsumexp(x, 0, abs(y)); logsumexp(x, b=y, return_sign=True); logsumexp(x, where=b)
nn | softmax(x); softmax(x, 0); softmax(x, where=b); softmax(x, 0, b); one_hot(i, 8); one_hot(j, 16, axis=0)
nn | one_hot(j, 5); standardize(x); standardize(x, axis=0); standardize(x, axis=0, where=b)
nn | dot_product_attention(t[:, :, None], t[:, :, None], t[:, :, None])
scipy.special | digamma(abs(x)); entr(abs(x)); erf(x); erfc(x); erfinv(x / 8); exp1(abs(x)); expi(abs(x)); expit(x)
scipy.special | factorial(abs(x)); gamma(abs(x)); gammaln(abs(x)); gammasgn(x); i0(x); i0e(x); i1(x); i1e(x)
scipy.special | log_ndtr(x); logit(abs(x) / 8); ndtr(x); ndtri(abs(x) / 8); spence(abs(x)); fresnel(x)
scipy.special | beta(abs(x), abs(y)); beta(abs(x), abs(v)); betaln(abs(x), abs(y)); betaln(abs(x), 2.0)
scipy.special | gammainc(abs(x), abs(y)); gammainc(abs(x), abs(v)); gammaincc(abs(x), abs(y)); gammaincc(abs(x), 2.0)
scipy.special | kl_div(abs(x), abs(v)); kl_div(abs(x), 2.0); rel_entr(abs(x), abs(y)); rel_entr(abs(x), abs(v))
scipy.special | xlogy(x, abs(v)); xlogy(x, 2.0); xlog1py(x, abs(v)); zeta(abs(x) + 1, abs(y)); zeta(abs(x) + 1, abs(v))
scipy.special | logsumexp(x); logsumexp(x, 1); logsumexp(x, b=y); softmax(x, 0); log_softmax(x, 1); polygamma(1, abs(x))
scipy.special | betainc(abs(x), abs(y), abs(x) / 8); multigammaln(abs(x) + 3, 2); expn(2, abs(x)); poch(abs(x), abs(v))
scipy.stats.norm | pdf(x); logpdf(x, loc=v); cdf(x); logcdf(x); sf(x); logsf(x); ppf(abs(x) / 8); isf(abs(x) / 8)
scipy.stats.cauchy | pdf(x); cdf(x); logpdf(x, loc=v); ppf(abs(x) / 8)
scipy.stats.expon | pdf(abs(x)); cdf(abs(x)); logpdf(x, loc=v)
scipy.stats.gamma | pdf(abs(x), 2.5); cdf(abs(x), 2.5); logpdf(x, 2.5, loc=v)
scipy.stats.beta | pdf(abs(x) / 8, 0.7, 2.0); cdf(abs(x) / 8, 0.7, 2.0)
scipy.stats.chi2 | pdf(abs(x), 3.0); cdf(abs(x), 3.0)
scipy.stats.laplace | pdf(x); cdf(x); logpdf(x, loc=v)
scipy.stats.logistic | pdf(x); cdf(x); ppf(abs(x) / 8)
scipy.stats.uniform | pdf(x, -9, 18); cdf(x, -9, 18)
scipy.stats.poisson | pmf(abs(i), 3.0); cdf(abs(i), 3.0); logpmf(abs(j), 3.0)
scipy.stats | mode(x); mode(x, axis=1); rankdata(x); sem(x); sem(x, axis=1); gaussian_kde(v).evaluate(f)
scipy.linalg | cholesky(spd); cho_factor(spd); cho_solve((spd, True), u); det(q); eigh(spd); expm(q / 9); inv(spd); lu(q)
scipy.linalg | lu_factor(q); qr(q); solve(spd, u); solve(spd, q); solve_triangular(spd, u, lower=True); svd(q); svd(x)
scipy.linalg | toeplitz(v); block_diag(x, q); polar(q); schur(q); sqrtm(spd)
numpy.linalg | cholesky(spd); cond(q); det(q); det(bat); diagonal(x); eigh(spd); eigvalsh(spd); inv(spd); inv(bat); lstsq(spd, u)
numpy.linalg | matmul(q, x); matrix_norm(x); matrix_power(q, 3); matrix_rank(x); matrix_transpose(t); multi_dot([q, q, x])
numpy.linalg | norm(x); norm(x, axis=1); norm(x, 1); norm(v, 3); norm(x, 'nuc'); outer(v, w); pinv(x); qr(q); qr(x)
numpy.linalg | slogdet(spd); slogdet(bat); solve(spd, u); solve(spd, q); solve(bat, bat); svd(x); svd(bat); svdvals(x)
numpy.linalg | tensordot(q, x, 1); tensorsolve(spd, u); trace(q); vecdot(x, y); vector_norm(x); vector_norm(x, axis=0)
numpy.fft | fft(x); fft(t); fft(x, axis=0); ifft(x); ifft(x, axis=0); rfft(x); rfft(x, axis=0); irfft(x); hfft(x); ihfft(x)
numpy.fft | fft2(x); ifft2(x); rfft2(x); irfft2(x); fftn(x); fftn(t); ifftn(x); rfftn(t); irfftn(x); fftshift(x); ifftshift(t)
scipy.signal | convolve(x, y); convolve(v, w, mode='same'); convolve2d(x, q); correlate(x, y); correlate2d(x, q, mode='valid')
scipy.signal | fftconvolve(x, y, mode='same'); detrend(x); detrend(x, axis=0); csd(v, w, nperseg=8); stft(v, nperseg=8)
scipy.ndimage | map_coordinates(x, [q, q], 1); map_coordinates(v, [q], 0, mode='wrap')
scipy.integrate | trapezoid(x); trapezoid(x, axis=0)
scipy.fft | dct(x); dct(x, axis=0); idct(x); idctn(x)
scipy.cluster.vq | vq(x, y)
- | x.all(); x.any(0); x.argmax(1); x.argmin(); x.argsort(); x.astype('int32'); x.at[0].set(1.0); x.at[:, 1].add(v[0])
- | x.at[i % 8].set(0.0); x.at[i % 8].get(); x.at[2:4].multiply(2.0); x.at[i % 8].add(y); x.clip(-1, 1); x.conj(); x.copy()
- | x.cumprod(0); x.cumsum(1); x.diagonal(); x.dot(v); x.flatten(); x.imag; x.max(0); x.mean(1); x.min(); x.prod(0); x.ravel()
- | x.repeat(2, 0); x.reshape(-1); x.reshape(16, 8); x.reshape(4, 2, 16); x.round(); x.sort(0)
- | x.squeeze(); x.std(1); x.sum(0); x.swapaxes(0, 1); x.take(i % 8, 0); x.trace(); x.transpose(); x.var(); x.view('int32')
- | x.T; x.mT; x @ v; x + y; x - v; x * 2; 2 / x; x ** 2; x // 2; x % 3; divmod(x, 2); -x; abs(x); x < y; x == v; x[0]; x[:, 1]
- | x[1:5]; x[::2]; x[::-1]; x[i % 8]; x[:, i % 8]; x[i % 8, i % 8]; x[None]; x[..., None]; x[2:4, 3:9]; x[xp.array(2)]; t[0]
- | t[:, i % 8]; t[:, :, i % 8]; t[i % 4]; t.sum((0, 2)); t.reshape(-1, 16); t.reshape(4, -1); t.transpose(1, 0, 2); t.mean(-1)
. | grad(lambda x: (x * y).sum())(x); grad(lambda x: xp.tanh(x @ v).sum())(x); vmap(lambda a: a * 2)(x)
. | vmap(lambda a: a.sum(), 1)(x); vmap(lambda a, c: a @ c)(x, y); vmap(lambda a: a * v)(x); vmap(xp.sort)(x)
. | vmap(lambda a: a, out_axes=1)(x); jvp(xp.sin, (x,), (y,)); vjp(lambda a: a @ v, x)[1](i * 1.0)
. | jacfwd(lambda a: a * 2)(v); jacrev(xp.sin)(v); hessian(lambda a: (a**3).sum())(v); linearize(xp.cos, x)[1](y)
. | lax.scan(lambda c, a: (c + a, c * a), v, x); lax.fori_loop(0, 3, lambda k, a: a * 2, x); lax.cond(True, lambda a: a + 1, lambda a: a - 1, x)
. | lax.while_loop(lambda a: a.sum() < 0, lambda a: a + 1, x); lax.map(lambda a: a * 2, x); lax.map(lambda a: a.sum(), x)
. | lax.associative_scan(xp.add, x); lax.associative_scan(xp.multiply, x, axis=1); lax.reduce(x, 0.0, lax.add, (0,))
. | lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), 'VALID'); lax.reduce_window(x, 0.0, lax.add, (2, 2), (2, 2), 'SAME')
. | lax.conv(t[:, None], t[:1, None, :2, :2], (1, 1), 'SAME'); lax.conv_general_dilated(t[:, None], t[:1, None, :2, :2], (2, 2), 'VALID')
. | lax.switch(1, [lambda a: a, lambda a: a * 2], x); lax.reduce_precision(x, 5, 10); lax.optimization_barrier(x)
. | lax.gather(x, i[:, None] % 8, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, 16))
. | lax.scatter_add(x, i[:, None] % 8, y, lax.ScatterDimensionNumbers((1,), (0,), (0,)))
. | lax.fft(x.astype('complex64'), 'FFT', (16,)); checkpoint(lambda a: xp.sin(a) * v)(x); tree.map(xp.add, x, y)
. | grad(checkpoint(lambda a: (xp.sin(a) * v).sum()))(x); value_and_grad(lambda a: (a @ v).sum())(x)
. | random.normal(random.key(0), (8, 16)) * x; random.permutation(random.key(0), x); random.permutation(random.key(0), x, 1)
. | random.choice(random.key(0), v, (8,)); random.categorical(random.key(0), x); random.bernoulli(random.key(0), xp.abs(x) / 8)
. | random.uniform(random.key(0), (8, 16), minval=x); image.resize(x, (16, 16), 'linear'); image.resize(x, (4, 8), 'nearest')
. | ops.segment_sum(x, i % 4, 4); ops.segment_max(x, i % 4, 4)
"""


def cases() -> list[Case]:
    """All calls."""
    tables = {"numpy": NUMPY, "lax": LAX}
    calls = [
        (module, call.text)
        for module, table in tables.items()
        for of_name in table.values()
        for call in of_name
    ]
    for line in filter(None, _OTHERS.splitlines()):
        module, _, texts = line.partition(" | ")
        calls += [(module, text.strip()) for text in texts.split(";")]
    return [Case(*call, sizes) for call in calls for sizes in SHAPES]


def _random_spec(library: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
    dims: list[tuple[str, ...]] = [()] * len(shape)
    for axis in map(str, rng.permutation(list(AXES))):
        d = int(rng.integers(-1, len(shape)))
        count = np.prod([AXES[each] for each in (*dims[d], axis)]) if d >= 0 else 0
        if d >= 0 and shape[d] and shape[d] % count == 0:
            dims[d] += (axis,)
    return library.P(*(each or None for each in dims))


def _values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if name in "ij":
        return rng.permutation(int(np.prod(shape))).astype(np.int32)
    if name in "bm":
        return rng.random(shape) < 0.5
    signs = np.where(rng.random(shape) < 0.3, -1, 1)
    values = (rng.integers(1, 6, shape) * signs - 0.25).astype(np.float32)
    if name == "f":
        return np.sort(values)
    if name in ("spd", "bat"):
        return values @ values.swapaxes(-1, -2) + 8 * np.eye(shape[-1], dtype=np.float32)
    return values


def _arguments(library: Any, mesh: Any, case: Case, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(crc32(f"{case} {seed}".encode()))
    arrays = {}
    for number, (name, shape) in enumerate(SHAPES[case.sizes].items()):
        sharding = library.NamedSharding(mesh, _random_spec(library, rng, shape))
        arrays[name] = library.device_put(_values(name, shape, number), sharding)
    return arrays


class Placed(NamedTuple):
    """How an array is divided: its spec, and the part that each device has."""

    spec: str
    parts: str


def _placed(x: Any) -> Placed | None:
    """None if it is no array on devices."""
    if isinstance(x, np.ndarray) or not hasattr(x, "sharding"):
        return None
    parts = {
        device.id: [part.indices(size)[:2] for part, size in zip(index, x.shape, strict=True)]
        for device, index in x.sharding.devices_indices_map(x.shape).items()
    }
    # Without elements, there is nothing to divide: only the devices matter.
    held = sorted(parts.items() if x.size else parts)
    return Placed(str(getattr(x.sharding, "spec", "one device")), f"{x.shape} {held}")


def outcome(library: Any, case: Case, seed: int) -> list[Placed | None] | None:
    """How each result of a call is divided; None if the call fails.

    Args:
      library: Dovetail or JAX.
      seed: a number that decides with the call how arguments are divided.
    """
    types = (library.sharding.AxisType.Auto,) * len(AXES)
    mesh = library.make_mesh(tuple(AXES.values()), tuple(AXES), axis_types=types)
    arguments = _arguments(library, mesh, case, seed)
    name = library.__name__
    module = {"-": "numpy", ".": ""}.get(case.module, case.module)
    parts = importlib.import_module(f"{name}.{module}".rstrip("."))
    names = {"np": np, "xp": importlib.import_module(f"{name}.numpy"), "lib": parts, **arguments}
    for each in ("lax", "random", "checkpoint"):
        names[each] = getattr(library, each)
    text = case.text if case.module == "-" else f"lib.{case.text}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return [_placed(x) for x in library.tree.leaves(eval(text, names))]
        except Exception:
            return None


def are_same(ours: list[Placed | None] | None, theirs: list[Placed | None] | None) -> bool:
    """Whether results are divided alike, where both libraries have some on devices."""
    if ours is None or theirs is None:
        return True
    return len(ours) == len(theirs) and all(
        a is None or b is None or a.parts == b.parts for a, b in zip(ours, theirs, strict=True)
    )

"""`sparsify`: operations, control flow and nested functions on sparse arrays."""

import numpy as np
import pytest

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import sparse

DENSE = np.asarray([[0, 2, 0, 1], [3, 0, 0, 0], [0, 0, 0, 4]], np.float32)


def check(f, *args, formats=("BCOO",)):
    """A function gives for sparse arguments what it does for dense ones, compiled as well."""
    expected = f(DENSE, *args)
    for name in formats:
        mat = getattr(sparse, name).fromdense(DENSE)
        for apply in (sparse.sparsify(f), dt.jit(sparse.sparsify(f))):
            made = dt.tree.map(
                sparse.todense,
                apply(mat, *args),
                is_leaf=lambda x: isinstance(x, sparse.JAXSparse),
            )
            dt.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5), made, expected)


def test_operations():
    v = np.arange(3.0, dtype=np.float32)
    check(lambda m, v: -dnp.sin(2 * m).T @ (v + 1), v)
    check(lambda m: (dnp.sqrt(abs(m)), dnp.tanh(m), m.sum(0), m.sum()))
    check(lambda m: dnp.concatenate([m, m[:1]], axis=0))
    check(lambda m: dnp.stack([m, 2 * m]))
    check(lambda m: (dnp.squeeze(m[:1], 0), *lax.split(m, (1, m.shape[0] - 1), 0)))
    check(lambda m: (dnp.square(m), lax.dynamic_slice(m, (1, 1), (2, 2))))
    check(lambda m: (m.reshape(12)[3:], m.reshape(2, 6), m[1], m[:, 2]))
    check(lambda m: dnp.convolve(m[0], dnp.array([1.0, 2.0])))
    check(lambda m: dnp.pad(m, ((1, 0), (2, 1))))
    check(lambda m: m * dnp.arange(4.0) * 2 / dnp.float32(3))
    check(lambda m: sparse.todense(m) + 1, formats=("BCOO", "BCSR"))
    check(lambda m: (dnp.expm1(m), m @ dnp.ones(4), m[None]), formats=("BCOO", "BCSR"))


def test_control_flow():
    x = np.ones(3, np.float32)
    check(lambda m, x: lax.fori_loop(0, 3, lambda i, y: (m @ m.T) @ y / 5, x), x)
    check(lambda m: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, 2 * s[1]), (0, m))[1])
    check(lambda m, c: lax.cond(c, lambda m: m, lambda m: 2 * m, m), True)
    check(lambda m, xs: lax.scan(lambda c, x: (c * x, c.sum()), m, xs), np.arange(1, 4.0))
    check(lambda m: dt.jit(lambda m: dt.jit(dnp.abs)(m) * 2)(m))
    with pytest.raises(TypeError, match="must have same type structure"):
        sparse.sparsify(lambda m, d: lax.cond(True, lambda m, d: m, lambda m, d: d, m, d))(
            sparse.BCOO.fromdense(DENSE), dnp.asarray(DENSE)
        )


def test_shared_indices_are_kept():
    mat = sparse.BCOO.fromdense(DENSE)
    made = sparse.sparsify(lambda m: m + 2 * m - dnp.sin(m) * m)(mat)
    assert made.nse == mat.nse
    np.testing.assert_allclose(made.todense(), 3 * DENSE - np.sin(DENSE) * DENSE, rtol=1e-5)


def test_derivatives():
    mat = sparse.BCOO.fromdense(DENSE)
    x = np.arange(4.0, dtype=np.float32)
    f = sparse.sparsify(lambda m, x: (dnp.tanh(m) @ x).sum())
    made = sparse.grad(f)(mat, x)
    full = dt.grad(lambda m, x: (dnp.tanh(m) @ x).sum())(DENSE, x)
    np.testing.assert_allclose(made.data, sparse.bcoo_extract(mat, full).data, rtol=1e-5)
    np.testing.assert_allclose(dt.grad(f, 1)(mat, x), np.tanh(DENSE).sum(0), rtol=1e-5)
    inner = sparse.sparsify(dt.grad(lambda x, m: (m @ x).sum()))(x, mat)
    np.testing.assert_allclose(inner, DENSE.sum(0), rtol=1e-6)


def test_errors():
    mat = sparse.BCOO.fromdense(DENSE)
    with pytest.raises(
        NotImplementedError, match=r"^sparse rule for cos is not implemented because"
    ):
        sparse.sparsify(dnp.cos)(mat)
    with pytest.raises(NotImplementedError, match=r"^sparse rule for sort is not implemented\.$"):
        sparse.sparsify(dnp.sort)(mat)
    with pytest.raises(NotImplementedError, match="non-positive exponent"):
        mat ** (-1)
    with pytest.raises(NotImplementedError, match="rules for CSR"):
        sparse.sparsify(dnp.abs)(sparse.CSR.fromdense(DENSE))


@pytest.mark.parametrize("layout", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize(
    "reps", [(2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 3, 2), 2, (2, 1, 1, 2), (1, 0, 1)]
)
def test_tile(layout: tuple[int, int], reps: int | tuple[int, ...]) -> None:
    n_batch, n_dense = layout
    x = np.random.default_rng(0).integers(0, 3, (2, 3, 4)).astype(np.float32)
    mat = sparse.BCOO.fromdense(x, n_batch=n_batch, n_dense=n_dense)
    tiled = sparse.sparsify(lambda x: dnp.tile(x, reps))
    for made in (tiled(mat), dt.jit(tiled)(mat)):
        assert isinstance(made, sparse.BCOO)
        np.testing.assert_array_equal(made.todense(), np.tile(x, reps))

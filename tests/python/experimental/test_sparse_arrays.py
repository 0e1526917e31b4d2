"""Sparse arrays against dense ones and SciPy: formats, layouts, operations, transforms."""

import itertools

import numpy as np
import pytest
import scipy.sparse

import dovetail as dt
import dovetail.numpy as dnp
from dovetail import lax
from dovetail.experimental import sparse

SHAPE = (3, 4, 5)
LAYOUTS = [(b, d) for b in range(4) for d in range(4 - b)]


def some(shape, seed=0, dtype=np.float32):
    """An array of which two fifths are not 0."""
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) * (random.random(shape) < 0.4)).astype(dtype)


def layouts(shape=SHAPE, seed=0):
    """The array in all layouts, with duplicates, and elements that are outside."""
    dense = some(shape, seed)
    for n_batch, n_dense in LAYOUTS:
        mat = sparse.BCOO.fromdense(dense / 2, n_batch=n_batch, n_dense=n_dense)
        mat = sparse.BCOO(
            [
                dnp.concatenate([buffer] * 2 + [more], axis=n_batch)
                for buffer, more in zip(mat._bufs, _outside(mat), strict=True)
            ],
            shape=mat.shape,
        )
        yield dense, mat


def _outside(mat):
    batch, dense = mat.shape[: mat.n_batch], mat.shape[mat.ndim - mat.n_dense :]
    sizes = np.asarray(mat.shape[mat.n_batch : mat.n_batch + mat.n_sparse], np.int32)
    value = 7 if mat.n_sparse else 0
    data = dnp.full((*batch, 1, *dense), value, mat.dtype)
    return data, dnp.broadcast_to(dnp.asarray(sizes), (*batch, 1, mat.n_sparse))


def check(made, expected, rtol=1e-5):
    """A dense or sparse result is as expected."""
    np.testing.assert_allclose(sparse.todense(made), expected, rtol=rtol, atol=1e-5)
    assert made.shape == np.shape(expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint32", "float16", "bfloat16", "complex64"])
def test_round_trips(dtype):
    for n_batch, n_dense in LAYOUTS:
        dense = dnp.asarray(10 * some(SHAPE)).astype(dtype)
        mat = sparse.BCOO.fromdense(dense, n_batch=n_batch, n_dense=n_dense)
        assert (mat.n_batch, mat.n_dense, mat.dtype) == (n_batch, n_dense, dense.dtype)
        assert (mat.todense() == dense).all()
        assert mat._info[1:] == (True, True)


def test_formats_are_those_of_scipy():
    dense = some((4, 6))
    csr, coo = scipy.sparse.csr_matrix(dense), scipy.sparse.coo_matrix(dense)
    for made in (sparse.CSR.fromdense(dense), sparse.BCSR.fromdense(dense)):
        for name in ("data", "indices", "indptr"):
            np.testing.assert_array_equal(getattr(made, name), getattr(csr, name))
    csc = sparse.CSC.fromdense(dense)
    np.testing.assert_array_equal(csc.indptr, scipy.sparse.csc_matrix(dense).indptr)
    made = sparse.COO.fromdense(dense)
    np.testing.assert_array_equal(made.row, coo.row)
    for cls in (sparse.BCOO, sparse.BCSR):
        for mat in (csr, coo, scipy.sparse.csc_matrix(dense)):
            check(cls.from_scipy_sparse(mat), dense)
    mat = scipy.sparse.random(20, 30, 0.2, rng=0, format="csr", dtype=np.float32)
    ours = sparse.BCSR.from_scipy_sparse(mat)
    x = np.random.default_rng(0).normal(size=30).astype(np.float32)
    check(ours @ dnp.asarray(x), mat @ x)
    check(ours.to_bcoo() @ ours.to_bcoo().T, (mat @ mat.T).toarray(), 1e-4)


@pytest.mark.parametrize("cls", ["COO", "CSR", "CSC"])
def test_products_of_matrices(cls):
    dense, cls = some((4, 6)), getattr(sparse, cls)
    mat = cls.fromdense(dense)
    for x in (np.arange(6.0, dtype=np.float32), np.ones((6, 2), np.float32)):
        check(mat @ x, dense @ x)
        check(dt.jit(lambda m, x: m @ x)(mat, x), dense @ x)
    check(mat.T, dense.T)
    check(mat.T @ np.ones(4, np.float32), dense.T @ np.ones(4))
    with pytest.raises(NotImplementedError, match="two sparse objects"):
        mat @ mat


def test_order_and_duplicates():
    for dense, mat in layouts():
        made = mat.sort_indices()
        check(made, dense)
        assert (made.indices_sorted, made.nse) == (True, mat.nse)
        keys = np.asarray(made.indices).reshape(*mat.indices.shape[:-2], made.nse, -1)
        for each in keys.reshape(-1, *keys.shape[-2:]) if made.n_sparse else ():
            assert sorted(map(tuple, each.tolist())) == list(map(tuple, each.tolist()))
        check(mat.sum_duplicates(), dense)
        summed = sparse.bcoo_sum_duplicates(mat, nse=70)
        assert (summed.nse, summed.unique_indices) == (70, True)
        check(summed, dense)
        check(dt.jit(lambda m: m.sum_duplicates(nse=61))(mat), dense)
    zeros = sparse.BCOO((dnp.array([0, 1, 0]), dnp.array([[0], [1], [2]])), shape=(4,))
    assert zeros.sum_duplicates().nse == 1
    assert zeros.sum_duplicates(remove_zeros=False).nse == 3


def test_layouts():
    for (dense, mat), (n_batch, n_dense) in itertools.product(layouts(), LAYOUTS):
        made = mat.update_layout(n_batch=n_batch, n_dense=n_dense, on_inefficient=None)
        assert (made.n_batch, made.n_dense) == (n_batch, n_dense)
        check(made, dense)
    mat = sparse.BCOO.fromdense(some((3, 4)))
    with pytest.raises(sparse.SparseEfficiencyError, match="increasing n_batch from 0 to 1"):
        mat.update_layout(n_batch=1)
    with pytest.warns(sparse.SparseEfficiencyWarning, match="increasing n_dense"):
        mat.update_layout(n_dense=1, on_inefficient="warn")


def within(permutation, mat):
    """Whether a permutation keeps batch, sparse and dense dimensions apart."""
    kinds = ["b"] * mat.n_batch + ["s"] * mat.n_sparse + ["d"] * mat.n_dense
    return [kinds[p] for p in permutation] == kinds


def test_shapes():
    for dense, mat in layouts():
        for permutation in filter(lambda p: within(p, mat), itertools.permutations(range(3))):
            check(sparse.bcoo_transpose(mat, permutation=permutation), dense.transpose(permutation))
        for axes in ((), (0,), (1, 2), (0, 1, 2)):
            check(sparse.bcoo_rev(mat, axes), np.flip(dense, axes))
        for axis in range(3 - mat.n_dense):
            joined = sparse.bcoo_concatenate([mat, mat], dimension=axis)
            check(joined, np.concatenate([dense, dense], axis))
        check(mat[None], dense[None])
        wide = sparse.bcoo_broadcast_in_dim(mat, shape=(2, *SHAPE), broadcast_dimensions=(1, 2, 3))
        check(wide, np.broadcast_to(dense, (2, *SHAPE)))
        check(sparse.bcoo_squeeze(mat[None], dimensions=(0,)), dense)
    mat = sparse.BCOO.fromdense(some(SHAPE), n_batch=1)
    check(mat.reshape(3, 2, 10), some(SHAPE).reshape(3, 2, 10))
    with pytest.raises(ValueError, match="cannot mix batch and sparse dimensions"):
        mat.reshape(4, 15)
    with pytest.raises(NotImplementedError, match="batch axes with non-batch axes"):
        sparse.bcoo_transpose(mat, permutation=(1, 0, 2))


def test_sums_and_slices():
    for dense, mat in layouts():
        for count in range(1, 4):
            for axes in itertools.combinations(range(3), count):
                check(mat.sum(axes), dense.sum(axes))
        check(mat[1:, ::2, 1:4:2], dense[1:, ::2, 1:4:2])
        check(mat[1], dense[1])
        part = sparse.bcoo_dynamic_slice(mat, (-1, 2, 9), (2, 2, 3))
        check(part, dense[1:3, 2:4, 2:5])
        if mat.n_sparse:
            assert part.nse <= np.prod((2, 2, 3)[mat.n_batch : 3 - mat.n_dense])
    mat, dense = sparse.BCOO.fromdense(some(SHAPE)), some(SHAPE)
    check(mat[np.array([[1], [2]]), 1:], dense[np.array([[1], [2]]), 1:])
    assert len(list(mat)) == 3


@pytest.mark.parametrize(
    "numbers",
    [
        (((2,), (1,)), ((), ())),
        (((1, 2), (0, 1)), ((), ())),
        (((2,), (1,)), ((0,), (2,))),
        (((0, 1, 2), (2, 0, 1)), ((), ())),
        (((), ()), ((0,), (2,))),
        (((), ()), ((), ())),
    ],
)
def test_contractions(numbers):
    rhs = np.random.default_rng(1).normal(size=(4, 5, 3)).astype(np.float32)
    (contract, rhs_contract), (batch, rhs_batch) = numbers
    for dense, mat in layouts():
        if any(d >= mat.n_batch for d in batch) or any(d >= 3 - mat.n_dense for d in contract):
            with pytest.raises(NotImplementedError):
                sparse.bcoo_dot_general(mat, rhs, dimension_numbers=numbers)
            continue
        expected = lax.dot_general(dense, rhs, numbers)
        product = lambda m, x: sparse.bcoo_dot_general(m, x, dimension_numbers=numbers)  # noqa: E731
        check(product(mat, rhs), expected)
        check(dt.jit(product)(mat, rhs), expected)
        swapped = (rhs_contract, contract), (rhs_batch, batch)
        made = sparse.bcoo_dot_general(rhs, mat, dimension_numbers=swapped)
        check(made, lax.dot_general(rhs, dense, swapped))
        check_gradient(mat, rhs, numbers, expected.shape)


def check_gradient(mat, rhs, numbers, shape):
    """The gradient with respect to the data is that of the contraction of dense arrays."""
    weights = np.random.default_rng(2).normal(size=shape).astype(np.float32)

    def of_sparse(data):
        made = sparse.BCOO((data, mat.indices), shape=SHAPE)
        return (sparse.bcoo_dot_general(made, rhs, dimension_numbers=numbers) * weights).sum()

    def of_dense(data):
        made = sparse.BCOO((data, mat.indices), shape=SHAPE).todense()
        return (lax.dot_general(made, rhs, numbers) * weights).sum()

    expected = dt.grad(of_dense)(mat.data)
    np.testing.assert_allclose(dt.grad(of_sparse)(mat.data), expected, rtol=1e-4, atol=1e-4)


def test_sparse_by_sparse():
    x, y = some((3, 4, 5)), some((3, 5, 2), 1)
    for n_batch in (0, 1):
        xs, ys = (sparse.BCOO.fromdense(each, n_batch=n_batch) for each in (x, y))
        numbers = (((2,), (1,)), ((0,), (0,)) if n_batch else ((), ()))
        made = sparse.bcoo_dot_general(xs, ys, dimension_numbers=numbers)
        check(made, lax.dot_general(x, y, numbers))
    made = sparse.bcoo_dot_general(
        sparse.BCOO.fromdense(x, n_batch=1),
        sparse.BCOO.fromdense(y[0]),
        dimension_numbers=(((2,), (0,)), ((), ())),
    )
    check(made, x @ y[0])


def test_sampled_products():
    random = np.random.default_rng(0)
    a, b = (random.normal(size=s).astype(np.float32) for s in ((2, 4, 3), (5, 2, 3)))
    numbers = (((2,), (2,)), ((0,), (1,)))
    expected = lax.dot_general(a, b, numbers)
    for n_batch in range(3):
        places = sparse.BCOO.fromdense(some((2, 4, 5)), n_batch=n_batch).indices
        made = sparse.bcoo_dot_general_sampled(a, b, places, dimension_numbers=numbers)
        where = sparse.BCOO((np.ones(places.shape[:-1], np.float32), places), shape=(2, 4, 5))
        wanted = sparse.bcoo_extract(where, expected).data
        np.testing.assert_allclose(made, wanted, rtol=1e-5)


def test_elementwise():
    for dense, mat in layouts():
        for other in (2.0, some((5,), 3), some((4, 1), 3), some(SHAPE, 3)):
            check(mat * other, dense * other)
            check(other * mat, dense * other)
        check(mat / 3, dense / 3)
        check(mat + mat, 2 * dense)
        check(-mat - mat * 3, -4 * dense)
        check(abs(mat), abs(dense))
        check(mat**2, dense**2)
        check(mat * mat, dense * dense)
        check(mat + dnp.asarray(dense), 2 * dense)
        check(mat.astype(int), dense.astype(int)) if mat.n_sparse == 0 else None
    for other in ((1, 4, 1), (3, 1, 5), (1, 1, 1)):
        y = some(other, 5) + 1
        check(
            sparse.BCOO.fromdense(some(SHAPE)) * sparse.BCOO.fromdense(y, n_batch=1),
            some(SHAPE) * y,
        )
    mat = sparse.BCOO.fromdense(some(SHAPE))
    with pytest.raises(NotImplementedError, match="Addition between a sparse array"):
        mat + 1.0
    with pytest.raises(NotImplementedError, match="dense output"):
        dnp.ones(SHAPE) / mat
    with pytest.raises(NotImplementedError, match="dense output"):
        _ = mat > 0


def test_extract():
    for dense, mat in layouts():
        full = some(SHAPE, 4)
        made = sparse.bcoo_extract(mat, full, assume_unique=False)
        where = sparse.BCOO((dnp.ones_like(mat.data), mat.indices), shape=SHAPE).todense() > 0
        check(made, np.where(where, full, 0))
        assert made.data.shape == mat.data.shape
        assert made.shape == dense.shape


def test_pytrees_and_transforms():
    dense = some((4, 5))
    mat = sparse.BCOO.fromdense(dense)
    leaves, structure = dt.tree.flatten(mat)
    assert len(leaves) == 2
    again = dt.tree.unflatten(structure, leaves)
    assert again._info == mat._info
    x = np.arange(5.0, dtype=np.float32)
    gradient = sparse.grad(lambda m, x: ((m @ x) ** 2).sum())(mat, x)
    full = dt.grad(lambda m, x: ((m @ x) ** 2).sum())(dense, x)
    np.testing.assert_allclose(gradient.data, sparse.bcoo_extract(mat, full).data, rtol=1e-5)
    value, (first, second) = sparse.value_and_grad(lambda m, x: (m @ x).sum(), (0, 1))(mat, x)
    np.testing.assert_allclose(value, (dense @ x).sum(), rtol=1e-5)
    check(second, dense.sum(0))
    assert isinstance(first, sparse.BCOO)
    for jacobian in (sparse.jacfwd, sparse.jacrev):
        check(jacobian(lambda m: m @ x)(mat), dt.jacrev(lambda m: m @ x)(dense) * (dense != 0))
    second = dt.hessian(lambda d: ((sparse.BCOO((d, mat.indices), shape=(4, 5)) @ x) ** 3).sum())
    assert second(mat.data).shape == (mat.nse, mat.nse)
    with pytest.raises(dt.errors.ConcretizationTypeError, match="nse"):
        dt.jit(sparse.BCOO.fromdense)(dense)


@pytest.mark.parametrize("cls", [sparse.BCOO, sparse.BCSR])
def test_vmap(cls):
    dense = some((2, 3, 4))
    mat = cls.fromdense(dense, n_batch=1)
    x = np.arange(4.0, dtype=np.float32)

    def product(m):
        assert (m.shape, m.n_batch) == ((3, 4), 0)
        return m @ x

    check(dt.vmap(product)(mat), dense @ x)
    check(dt.jit(dt.vmap(product))(mat), dense @ x)
    made = dt.vmap(lambda m: cls.fromdense(m, nse=12))(dense)
    assert made.n_batch == 1
    check(made, dense)
    check(dt.vmap(lambda m: m, out_axes=0)(mat), dense)
    with pytest.raises(ValueError, match=r"Cannot map in_axis=1|inconsistent sizes"):
        dt.vmap(lambda m: m.todense(), in_axes=1)(mat)


def test_made_arrays():
    for name in ("bcoo", "bcsr", "coo", "csr", "csc"):
        assert sparse.empty((2, 3), sparse_format=name).nse == 0
    for name, k in itertools.product(("bcoo", "coo", "csr", "csc"), (-4, -1, 0, 2)):
        made = sparse.eye(3, 5, k, sparse_format=name)
        check(made, np.eye(3, 5, k))
        assert made.nse == np.eye(3, 5, k).sum()
    for n_batch, n_dense in LAYOUTS:
        made = sparse.random_bcoo(
            dt.random.key(0), SHAPE, n_batch=n_batch, n_dense=n_dense, sorted_indices=True
        )
        assert (made.n_batch, made.n_dense, made.shape) == (n_batch, n_dense, SHAPE)
        assert made.sum_duplicates(remove_zeros=False).nse == made.nse
    with pytest.raises(ValueError, match="not recognized"):
        sparse.empty((2, 3), sparse_format="dia")


def test_errors_of_shapes():
    data, indices = dnp.ones(3), dnp.zeros((3, 1), int)
    with pytest.raises(ValueError, match=r"Invalid data\.shape=\(3,\)"):
        sparse.BCOO((data, indices[:2]), shape=(4,))
    with pytest.raises(TypeError, match="indices must be integers"):
        sparse.BCOO((data, data), shape=(4,))
    with pytest.raises(ValueError, match="indptr shape must match"):
        sparse.BCSR((data, indices[:, 0], dnp.zeros(2, int)), shape=(4, 4))


def test_convolution():
    x, y = some((1, 1, 9)), some((1, 1, 4), 2)
    for padding in ("SAME", "VALID", [(3, 2)]):
        expected = lax.conv_general_dilated(x, y, (1,), padding)
        for a, b in ((1, 0), (0, 1), (1, 1)):
            made = sparse.bcoo_conv_general_dilated(
                sparse.BCOO.fromdense(x, n_batch=2) if a else x,
                sparse.BCOO.fromdense(y, n_batch=2) if b else y,
                window_strides=(1,),
                padding=padding,
            )
            check(made, expected)

"""Functions of element types, complex numbers, matrices and random numbers, over either library."""

from __future__ import annotations

import numpy as np

from support.exported_functions import add, c64, f32, ints, pos


def odd(nm, f, *a):
    add("type_" + nm, f, *a, grad=False)


for t in (
    "float8_e4m3fn",
    "float8_e5m2",
    "float8_e4m3b11fnuz",
    "float8_e5m2fnuz",
    "float8_e4m3fnuz",
    "int4",
    "uint4",
    "float16",
    "bfloat16",
    "int8",
    "uint16",
    "float8_e3m4",
    "float8_e4m3",
    "float4_e2m1fn",
    "int2",
    "uint2",
    "float8_e8m0fnu",
):
    odd(
        "roundtrip_" + t,
        lambda lib, x, t=t: x.astype(getattr(lib.np, t)).astype(np.float32),
        pos(6) * 3,
    )
    odd(
        "arith_" + t,
        lambda lib, x, t=t: (lambda y: (y + y).astype(np.float32))(x.astype(getattr(lib.np, t))),
        pos(6) * 1.5,
    )
odd(
    "quant_dot",
    lambda lib, x, w: lib.lax.dot_general(
        (x * 20).astype(lib.np.int8),
        (w * 20).astype(lib.np.int8),
        (((1,), (0,)), ((), ())),
        preferred_element_type=np.int32,
    ),
    f32(3, 4),
    f32(4, 2),
)
odd(
    "fp8_dot",
    lambda lib, x, w: lib.lax.dot_general(
        x.astype(lib.np.float8_e4m3fn),
        w.astype(lib.np.float8_e4m3fn),
        (((1,), (0,)), ((), ())),
        preferred_element_type=np.float32,
    ),
    f32(3, 4),
    f32(4, 2),
)
odd(
    "int4_unpack",
    lambda lib, x: lib.lax.bitcast_convert_type(x, lib.np.int4).astype(np.int8),
    ints(0, 255, 4, t=np.uint8),
)
odd(
    "bitcast",
    lambda lib, x: (
        lib.lax.bitcast_convert_type(x, np.uint8),
        lib.lax.bitcast_convert_type(x, np.int32),
    ),
    f32(5),
)
odd("reduce_precision", lambda lib, x: lib.lax.reduce_precision(x, 5, 7), f32(5) * 100)
odd(
    "popcount",
    lambda lib, x: (
        lib.lax.population_count(x),
        lib.lax.clz(x),
        x << 3,
        lib.lax.shift_right_arithmetic(x, 2),
        lib.lax.shift_right_logical(x, 2),
    ),
    ints(-99, 99, 6),
)
odd(
    "int_div",
    lambda lib, x, y: (x // y, x % y, lib.lax.div(x, y), lib.lax.rem(x, y)),
    ints(-99, 99, 6),
    ints(-5, 0, 6),
)
odd(
    "bool_ops",
    lambda lib, x: (
        lib.np.cumsum(x > 0),
        (x > 0).all(),
        lib.np.logical_xor(x > 0, x < 1),
        (x > 0).sum(),
    ),
    f32(6),
)
odd(
    "nextafter",
    lambda lib, x: (
        lib.np.nextafter(x, 1.0),
        lib.np.frexp(x)[1],
        lib.np.signbit(x),
        lib.np.spacing(x),
    ),
    f32(6),
)
odd("u8_wrap", lambda lib, x: (x * 7 + 200, -x, ~x), ints(0, 255, 6, t=np.uint8))


for nm, f in {
    "arith": lambda lib, z: z * z.conj() / (z + 1j),
    "exp": lambda lib, z: lib.np.exp(1j * z) - lib.np.log(z),
    "pow": lambda lib, z: z**2.5,
    "tan": lambda lib, z: lib.np.tanh(z) + lib.np.sqrt(z),
    "acos": lambda lib, z: lib.np.arccos(z) + lib.np.arcsinh(z),
    "polar": lambda lib, z: lib.lax.complex(lib.np.abs(z), lib.np.angle(z)),
    "solve": lambda lib, z: lib.np.linalg.solve(z @ z.conj().T, z),
    "det": lambda lib, z: lib.np.linalg.det(z),
    "prod": lambda lib, z: z.prod(0),
    "cumprod": lambda lib, z: lib.np.cumprod(z, 1),
    "mean": lambda lib, z: z.mean(),
    "eigvals": lambda lib, z: lib.np.sort(lib.np.linalg.eigvals(z)),
    "svd": lambda lib, z: lib.np.linalg.svd(z, compute_uv=False),
    "einsum": lambda lib, z: lib.np.einsum("ij,kj->ik", z, z.conj()),
}.items():
    add("complex_" + nm, f, c64(4, 4))


for nm, f in {
    "cholesky": lambda lib, a: lib.np.linalg.cholesky(a @ a.T + 4 * lib.np.eye(4)),
    "inv": lambda lib, a: lib.np.linalg.inv(a),
    "eigh": lambda lib, a: lib.np.linalg.eigh(a + a.T)[0],
    "qr": lambda lib, a: lib.np.linalg.qr(a[:, :3]),
    "svd": lambda lib, a: lib.np.linalg.svd(a[:3], full_matrices=False)[1],
    "pinv": lambda lib, a: lib.np.linalg.pinv(a),
    "lstsq": lambda lib, a: lib.np.linalg.lstsq(a[:, :2], a[:, 2])[0],
    "expm": lambda lib, a: lib.jax.scipy.linalg.expm(a * 0.3),
    "logdet": lambda lib, a: lib.np.linalg.slogdet(a),
    "lu": lambda lib, a: lib.jax.scipy.linalg.lu(a),
    "lu_solve": lambda lib, a: lib.jax.scipy.linalg.lu_solve(
        lib.jax.scipy.linalg.lu_factor(a), a[0]
    ),
    "cho_solve": lambda lib, a: lib.jax.scipy.linalg.cho_solve(
        lib.jax.scipy.linalg.cho_factor(a @ a.T + 3 * lib.np.eye(4)), a[:, 0]
    ),
    "tri_solve": lambda lib, a: lib.jax.scipy.linalg.solve_triangular(
        a + 3 * lib.np.eye(4), a, trans=1, lower=True
    ),
    "matrix_power": lambda lib, a: lib.np.linalg.matrix_power(a, -2),
    "matrix_rank": lambda lib, a: lib.np.linalg.matrix_rank(a),
    "norm": lambda lib, a: lib.np.linalg.norm(a, 2),
    "cond": lambda lib, a: lib.np.linalg.cond(a),
    "eigh_upper": lambda lib, a: lib.lax.linalg.eigh(a + a.T, lower=False, symmetrize_input=False)[
        1
    ],
    "householder": lambda lib, a: (
        lib.lax.linalg.householder_product(*lib.lax.linalg.geqrf(a))
        if hasattr(lib.lax.linalg, "geqrf")
        else lib.np.linalg.qr(a)[0]
    ),
    "hessenberg": lambda lib, a: lib.lax.linalg.hessenberg(a),
    # Neither the vectors nor the order of the values is unique.
    "schur": lambda lib, a: (lambda t, q: q @ t @ q.T)(*lib.lax.linalg.schur(a)),
    "tridiagonal": lambda lib, a: lib.lax.linalg.tridiagonal(a + a.T),
    "tridiagonal_solve": lambda lib, a: lib.lax.linalg.tridiagonal_solve(
        a[0], a[1] + 3, a[2], a[:, :2]
    ),
    "qr_pivot": lambda lib, a: lib.jax.scipy.linalg.qr(a, pivoting=True),
    "sqrtm": lambda lib, a: lib.jax.scipy.linalg.sqrtm(a @ a.T + lib.np.eye(4)),
    "polar": lambda lib, a: lib.jax.scipy.linalg.polar(a),
    "schur_np": lambda lib, a: (lambda t, q: q @ t @ q.T)(*lib.jax.scipy.linalg.schur(a)),
    "hessen_np": lambda lib, a: lib.jax.scipy.linalg.hessenberg(a, calc_q=True),
    "eig": lambda lib, a: lib.np.linalg.eig(a)[0],
    "eig_vec": lambda lib, a: lib.np.abs(lib.np.linalg.eig(a)[1]),
    "cho_update": lambda lib, a: lib.lax.linalg.cholesky_update(
        lib.np.linalg.cholesky(a @ a.T + 4 * lib.np.eye(4)).T, a[0]
    ),
    "sym_prod": lambda lib, a: lib.lax.linalg.symmetric_product(a, a * 0),
    "svd_full": lambda lib, a: lib.np.linalg.svd(a[:3], full_matrices=True)[1],
    "svd_qr": lambda lib, a: lib.lax.linalg.svd(
        a, algorithm=lib.lax.linalg.SvdAlgorithm.QR, compute_uv=False
    ),
    "eigh_tri": lambda lib, a: lib.jax.scipy.linalg.eigh_tridiagonal(
        a[0], a[1, :3], eigvals_only=True
    ),
    "toeplitz": lambda lib, a: lib.jax.scipy.linalg.toeplitz(a[0], a[1]),
    "block_diag": lambda lib, a: lib.jax.scipy.linalg.block_diag(a, a[:2]),
}.items():
    add("linalg_" + nm, f, f32(4, 4) + 2 * np.eye(4, dtype=np.float32), tol=2e-3)
add("linalg_hessenberg_c", lambda lib, a: lib.lax.linalg.hessenberg(a), c64(2, 4, 4))
add("linalg_schur_c", lambda lib, a: lib.np.abs(lib.lax.linalg.schur(a)[0]), c64(4, 4))
add("linalg_tridiag_c", lambda lib, a: lib.lax.linalg.tridiagonal(a + a.conj().T), c64(4, 4))
add(
    "linalg_tridiagonal_solve_batch",
    lambda lib, a: lib.lax.linalg.tridiagonal_solve(a[:, 0], a[:, 1] + 3, a[:, 2], a[:, :, :2]),
    f32(2, 4, 4),
)


for nm, f in {
    "normal": lambda lib, k: lib.random.normal(lib.random.wrap_key_data(k), (5,)),
    "uniform": lambda lib, k: lib.random.uniform(lib.random.wrap_key_data(k), (3, 4)),
    "split": lambda lib, k: lib.random.key_data(lib.random.split(lib.random.wrap_key_data(k), 3)),
    "fold": lambda lib, k: lib.random.key_data(lib.random.fold_in(lib.random.wrap_key_data(k), 7)),
    "bits": lambda lib, k: lib.random.bits(lib.random.wrap_key_data(k), (9,), np.uint8),
    "randint": lambda lib, k: lib.random.randint(lib.random.wrap_key_data(k), (9,), -5, 17),
    "permutation": lambda lib, k: lib.random.permutation(lib.random.wrap_key_data(k), 9),
    "categorical": lambda lib, k: lib.random.categorical(
        lib.random.wrap_key_data(k), lib.np.arange(4.0), shape=(7,)
    ),
    "bernoulli": lambda lib, k: lib.random.bernoulli(lib.random.wrap_key_data(k), 0.3, (9,)),
    "choice": lambda lib, k: lib.random.choice(lib.random.wrap_key_data(k), 9, (4,), replace=False),
    "gumbel": lambda lib, k: lib.random.gumbel(lib.random.wrap_key_data(k), (4,)),
    "trunc": lambda lib, k: lib.random.truncated_normal(lib.random.wrap_key_data(k), -1, 1, (4,)),
    "gamma": lambda lib, k: lib.random.gamma(lib.random.wrap_key_data(k), 2.0, (4,)),
    "poisson": lambda lib, k: lib.random.poisson(lib.random.wrap_key_data(k), 3.0, (6,)),
    "dirichlet": lambda lib, k: lib.random.dirichlet(lib.random.wrap_key_data(k), lib.np.ones(3)),
    "orthogonal": lambda lib, k: lib.np.abs(lib.random.orthogonal(lib.random.wrap_key_data(k), 3)),
    "vmapped": lambda lib, k: lib.jax.vmap(lambda k: lib.random.normal(k, (3,)))(
        lib.random.split(lib.random.wrap_key_data(k), 4)
    ),
}.items():
    add("random_" + nm, f, np.array([3, 11], np.uint32), grad=False)
# The second state is one whose counter passes its end.
for number, state in enumerate(([1, 2, 3, 4], [5, 6, 2**32 - 2, 2**32 - 1])):
    for algorithm in ("RNG_DEFAULT", "RNG_THREE_FRY", "RNG_PHILOX"):
        for shape, dtype in (((7,), "uint32"), ((5, 7), "uint32"), ((3, 4), "uint8")):
            add(
                f"rng_{algorithm}_{number}_{len(shape)}_{dtype}",
                lambda lib, k, algorithm=algorithm, shape=shape, dtype=dtype: (
                    lib.lax.rng_bit_generator(
                        k, shape, dtype, getattr(lib.lax.RandomAlgorithm, algorithm)
                    )
                ),
                np.array(state, np.uint32),
                grad=False,
            )

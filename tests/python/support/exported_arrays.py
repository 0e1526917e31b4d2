"""Functions that move and combine elements of arrays, over either library."""

from __future__ import annotations

import numpy as np

from support.exported_functions import add, c64, f32, function, ints

for nm, f in {
    "fft": lambda lib, x: lib.np.abs(lib.np.fft.fft(x)),
    "rfft": lambda lib, x: lib.np.real(lib.np.fft.rfft(x, axis=0)),
    "irfft_n": lambda lib, x: lib.np.fft.irfft(lib.np.fft.rfft(x, n=6), n=7),
    "fft2": lambda lib, x: lib.np.imag(lib.np.fft.fft2(x)),
    "rfftn": lambda lib, x: lib.np.real(lib.np.fft.rfftn(x)),
    "irfftn": lambda lib, x: lib.np.fft.irfftn(lib.np.fft.rfftn(x), x.shape),
    "hfft": lambda lib, x: lib.np.fft.hfft(x),
    "fftshift": lambda lib, x: lib.np.fft.fftshift(x) * lib.np.fft.fftfreq(5),
    "fftconv": lambda lib, x: lib.np.fft.irfft(
        lib.np.fft.rfft(x, 16) * lib.np.fft.rfft(x[::-1], 16), 16
    ),
    "laxfft3": lambda lib, x: lib.np.real(
        lib.lax.fft(lib.np.stack([x, x * 2]).astype(np.complex64), "fft", (2, 4, 5))
    ),
}.items():
    add("fft_" + nm, f, f32(4, 5))
add("fft_complex_ifft", lambda lib, x: lib.np.fft.ifftn(x * 2), c64(3, 4))


for nm, f, a in [
    (
        "several",
        lambda lib, k, v, w: lib.lax.sort((k, v, w), num_keys=1),
        (ints(0, 3, 9), f32(9), ints(0, 9, 9)),
    ),
    (
        "two_keys",
        lambda lib, k, v, w: lib.lax.sort((k, v, w), num_keys=2),
        (ints(0, 3, 9), f32(9), f32(9)),
    ),
    (
        "dim0_unstable",
        lambda lib, k, v: lib.lax.sort((k, v), dimension=0, is_stable=False),
        (f32(4, 3), f32(4, 3)),
    ),
    ("argsort_desc", lambda lib, x: lib.np.argsort(x, axis=0, descending=True), (f32(5, 3),)),
    ("nan_sort", lambda lib, x: lib.np.sort(lib.np.where(x > 0.5, lib.np.nan, x)), (f32(8),)),
    ("complex_sort", lambda lib, x: lib.np.sort(x), (c64(8),)),
    ("lexsort", lambda lib, a, b: lib.np.lexsort((a, b)), (ints(0, 3, 8), ints(0, 3, 8))),
    ("bool_sort", lambda lib, x: lib.np.sort(x > 0), (f32(8),)),
    ("topk", lambda lib, x: lib.lax.top_k(x, 3), (f32(4, 8),)),
    (
        "unique",
        lambda lib, x: lib.np.unique(
            x, size=5, fill_value=-1, return_inverse=True, return_counts=True
        ),
        (ints(0, 5, 9),),
    ),
    (
        "searchsorted",
        lambda lib, a, v: lib.np.searchsorted(lib.np.sort(a), v, side="right", method="sort"),
        (f32(9), f32(4)),
    ),
    (
        "percentile",
        lambda lib, x: lib.np.percentile(x, lib.np.asarray([10.0, 50.0, 90.0]), axis=1),
        (f32(3, 9),),
    ),
    ("u8_sort", lambda lib, x: lib.lax.sort(x, dimension=-1), (ints(0, 255, 7, t=np.uint8),)),
    (
        "bf16_sort",
        lambda lib, x: lib.np.sort(x.astype(lib.np.bfloat16)).astype(np.float32),
        (f32(8),),
    ),
    ("mode", lambda lib, x: lib.np.nanmedian(x, axis=0), (f32(5, 3),)),
]:
    add("sort_" + nm, f, *a)


for op in ("set", "add", "mul", "min", "max"):
    for mode in ("clip", "drop", "promise_in_bounds"):
        idx = ints(-2, 9, 3) if mode != "promise_in_bounds" else np.array([0, 3, 2], np.int32)
        add(
            f"at_{op}_{mode}",
            lambda lib, x, i, u, op=op, mode=mode: getattr(x.at[i], op)(
                u, mode=mode, unique_indices=mode == "promise_in_bounds"
            ),
            f32(6, 2),
            idx,
            f32(3, 2),
            # JAX's gradient of a clipped minimum by equal indices is infinite.
            grad=(op, mode) not in (("min", "clip"), ("max", "clip")),
        )
for mode in ("fill", "clip", "wrap"):
    add(
        f"take_{mode}",
        lambda lib, x, i, mode=mode: lib.np.take(x, i, axis=0, mode=mode),
        f32(6, 2),
        ints(-9, 9, 4),
    )


@function(f32(4, 5, 3), ints(0, 4, 6), ints(0, 3, 6), f32(6, 5))
def scatter_split_index(lib, x, i, k, u):
    return x.at[i, :, k].add(u)


@function(f32(3, 5), ints(-1, 6, 3, 2), f32(3, 2))
def scatter_batched(lib, x, i, u):
    return lib.jax.vmap(lambda x, i, u: x.at[i].add(u))(x, i, u)


@function(f32(3, 5), ints(-1, 6, 3, 2))
def gather_batched(lib, x, i):
    return lib.jax.vmap(lambda x, i: x.at[i].get(mode="fill", fill_value=7.0))(x, i)


@function(f32(5, 6), ints(0, 4, 3, 2), f32(3, 2, 2))
def scatter_windows(lib, x, i, u):
    d = lib.lax.ScatterDimensionNumbers(
        update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(0, 1)
    )
    return lib.lax.scatter_add(x, i, u, d)


@function(f32(5, 6), ints(0, 6, 3, 2), f32(3, 2, 2), grad=False)
def scatter_apply(lib, x, i, u):
    d = lib.lax.ScatterDimensionNumbers(
        update_window_dims=(1, 2), inserted_window_dims=(), scatter_dims_to_operand_dims=(0, 1)
    )
    return lib.lax.scatter(x, i, u, d, mode="clip")


@function(f32(9), ints(0, 4, 9))
def segment_ops(lib, x, s):
    return (
        lib.jax.ops.segment_sum(x, s, 4),
        lib.jax.ops.segment_max(x, s, 4),
        lib.jax.ops.segment_prod(x, s, 4),
    )


@function(f32(9), f32(9), grad=False)
def histogram(lib, x, w):
    return lib.np.histogram(x, bins=4, range=(-2, 2), weights=w)


@function(f32(4, 4))
def fill_diag(lib, x):
    return lib.np.fill_diagonal(x, 3.0, inplace=False) @ x


@function(f32(4, 6), ints(0, 6, 4, 2))
def put_along(lib, x, i):
    return lib.np.take_along_axis(lib.np.put_along_axis(x, i, 2.0, 1, inplace=False), i, 1)


@function(ints(0, 9, 5))
def bincount(lib, x):
    return lib.np.bincount(x, length=10)


@function(f32(6, 7))
def advanced_index(lib, x):
    return (
        x[lib.np.array([0, 2]), 1:5:2],
        x[..., None, 3],
        x[lib.np.array([[0], [1]]), lib.np.array([2, 3])],
    )


def conv(nm, xs, ws, dn=None, grad=True, pre=None, **kw):
    def f(lib, x, w):
        if pre:
            x, w = pre(lib, x, w)
        return lib.lax.conv_general_dilated(x, w, dimension_numbers=dn, **kw)

    add("conv_" + nm, f, f32(*xs), f32(*ws), grad=grad)


conv("same_1d", (2, 3, 8), (4, 3, 3), window_strides=(1,), padding="SAME")
conv("stride_2d", (2, 3, 8, 7), (4, 3, 3, 2), window_strides=(2, 1), padding=((1, 0), (0, 2)))
conv(
    "nhwc",
    (2, 8, 7, 3),
    (3, 2, 3, 4),
    ("NHWC", "HWIO", "NHWC"),
    window_strides=(1, 1),
    padding="VALID",
)
conv(
    "lhs_dil",
    (1, 2, 5, 5),
    (3, 2, 3, 3),
    window_strides=(1, 1),
    padding=((2, 2), (2, 2)),
    lhs_dilation=(2, 2),
)
conv(
    "rhs_dil",
    (1, 2, 9, 9),
    (3, 2, 3, 3),
    window_strides=(1, 2),
    padding="VALID",
    rhs_dilation=(2, 3),
)
conv(
    "groups",
    (2, 6, 5, 5),
    (9, 2, 2, 2),
    window_strides=(1, 1),
    padding="SAME",
    feature_group_count=3,
)
conv(
    "depthwise",
    (2, 6, 6, 4),
    (3, 3, 1, 8),
    ("NHWC", "HWIO", "NHWC"),
    window_strides=(1, 1),
    padding="SAME",
    feature_group_count=4,
)
conv(
    "batch_groups", (4, 3, 5), (6, 3, 2), window_strides=(1,), padding="VALID", batch_group_count=2
)
conv("3d", (1, 2, 4, 4, 4), (3, 2, 2, 2, 2), window_strides=(1, 2, 1), padding="SAME")
conv("negative_pad", (1, 2, 8), (3, 2, 3), window_strides=(1,), padding=((-1, 2),))
conv(
    "bf16",
    (1, 2, 8),
    (3, 2, 3),
    window_strides=(1,),
    padding="SAME",
    preferred_element_type=np.float32,
    pre=lambda lib, x, w: (x.astype(lib.np.bfloat16), w.astype(lib.np.bfloat16)),
    grad=False,
)
conv(
    "int",
    (1, 2, 8),
    (3, 2, 3),
    window_strides=(1,),
    padding="SAME",
    pre=lambda lib, x, w: ((x * 4).astype(lib.np.int32), (w * 4).astype(lib.np.int32)),
    grad=False,
)
conv(
    "complex",
    (1, 2, 8),
    (3, 2, 3),
    window_strides=(1,),
    padding="SAME",
    pre=lambda lib, x, w: (x + 1j * x[..., ::-1], w - 2j * w),
    grad=False,
)
conv(
    "cwhn",
    (8, 7, 3, 2),
    (3, 2, 3, 4),
    ("HWCN", "HWIO", "HWNC"),
    window_strides=(1, 1),
    padding="SAME",
)
add(
    "conv_transpose",
    lambda lib, x, w: lib.lax.conv_transpose(x, w, (2, 2), "SAME"),
    f32(1, 4, 4, 3),
    f32(3, 3, 3, 2),
)
add(
    "conv_scalar",
    lambda lib, x, w: lib.lax.conv_general_dilated(x, w, (), "VALID"),
    f32(2, 3),
    f32(4, 3),
)
add(
    "patches",
    lambda lib, x: lib.lax.conv_general_dilated_patches(x, (2, 3), (1, 2), "SAME"),
    f32(1, 2, 5, 6),
)
add(
    "conv_local",
    lambda lib, x, w: lib.lax.conv_general_dilated_local(x, w, (1,), "VALID", (3,)),
    f32(1, 2, 8),
    f32(4, 6, 6),
    ours=False,
)


for nm, f in {
    "max_pool": lambda lib, x: lib.lax.reduce_window(
        x, -np.inf, lib.lax.max, (1, 2, 3), (1, 2, 1), "SAME"
    ),
    "avg_pool": lambda lib, x: lib.lax.reduce_window(
        x, 0.0, lib.lax.add, (1, 3, 3), (1, 1, 2), "VALID"
    ),
    "dilated": lambda lib, x: lib.lax.reduce_window(
        x,
        0.0,
        lib.lax.add,
        (1, 2, 2),
        (1, 1, 1),
        ((0, 0), (1, 0), (0, 1)),
        base_dilation=(1, 2, 1),
        window_dilation=(1, 2, 2),
    ),
    "min_pool": lambda lib, x: lib.lax.reduce_window(
        x, np.inf, lib.lax.min, (1, 2, 2), (1, 1, 1), "VALID"
    ),
    "logsumexp": lambda lib, x: lib.lax.cumlogsumexp(x, axis=1, reverse=True),
    "cummax": lambda lib, x: lib.lax.cummax(x, axis=2),
    "cumprod": lambda lib, x: lib.lax.cumprod(x, axis=0, reverse=True),
    "argmax": lambda lib, x: (lib.np.argmax(x, 1), lib.np.argmin(x, 2), lib.np.nanargmax(x)),
    "custom_reduce": lambda lib, x: lib.lax.reduce(
        x, np.float32(0), lambda a, b: a + 2 * b - b, (1,)
    ),
    "multi_reduce": lambda lib, x: lib.lax.reduce(
        (x, x * 2),
        (np.float32(0), np.float32(-np.inf)),
        lambda a, b: (a[0] + b[0], lib.np.maximum(a[1], b[1])),
        (1, 2),
    ),
}.items():
    add("window_" + nm, f, f32(2, 5, 6), grad=nm not in ("custom_reduce", "multi_reduce"))

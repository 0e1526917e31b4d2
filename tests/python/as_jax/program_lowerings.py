"""Lowerings that write ops of StableHLO by JAX's builders."""

# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false
# pyright: reportCallIssue=false, reportIndexIssue=false, reportFunctionMemberAccess=false

from __future__ import annotations

import itertools

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import scipy.linalg
from jax._src.lib.mlir.dialects import hlo as internal_hlo
from jax.extend.core import Primitive
from jax.extend.mlir import ir
from jax.extend.mlir.dialects import chlo, func
from jax.extend.mlir.dialects import stablehlo as hlo
from jax.interpreters import ad, batching, mlir

_numbers = itertools.count()
X = np.float32([[3, 1, 2], [-4, 6, 5]])
V = np.float32([2, 0, 1])
I = np.int32([2, 0])  # noqa: E741
SQUARE = np.float32([[4, 1, 0], [1, 5, 2], [0, 2, 6]])


def primitive(rule, like):
    """A primitive with results like those of a function, and a rule as its lowering."""
    p = Primitive(f"written_{next(_numbers)}")
    p.multiple_results = True

    @p.def_abstract_eval
    def types(*avals):
        outs = jax.eval_shape(like, *avals)
        return [jax.core.ShapedArray(x.shape, x.dtype) for x in jax.tree.leaves(outs)]

    mlir.register_lowering(p, rule)
    return p


def check(rule, like, *args):
    """The rule computes what a function of `jax.numpy` does, in a compiled program."""
    p = primitive(lambda ctx, *values: _listed(rule(ctx, *values)), like)
    outs = jax.jit(lambda *xs: p.bind(*xs))(*args)
    for out, expected in zip(outs, jax.tree.leaves(like(*args)), strict=True):
        assert out.dtype == expected.dtype
        np.testing.assert_allclose(
            np.asarray(out, np.float64), np.asarray(expected, np.float64), rtol=1e-5, atol=1e-6
        )


def _listed(x):
    return list(x) if isinstance(x, (list, tuple, ir.OpResultList)) else [x]


def out_type(ctx, i=0):
    return mlir.aval_to_ir_type(ctx.avals_out[i])


def constant(value, dtype=np.float32):
    return mlir.ir_constant(np.asarray(value, dtype))


def scalar(dtype=np.float32):
    return mlir.aval_to_ir_type(jax.core.ShapedArray((), np.dtype(dtype)))


def fill(region, types, body):
    """Write the body of a region."""
    block = region.blocks.append(*types)
    with ir.InsertionPoint(block):
        hlo.return_(_listed(body(*block.arguments)))


def reduced(ctx, x):
    op = hlo.ReduceOp([out_type(ctx)], [x], [constant(0)], mlir.dense_int_array([1]))
    fill(op.body, [scalar()] * 2, hlo.add)
    return op.result


def windows(ctx, x):
    op = hlo.ReduceWindowOp(
        [out_type(ctx)], [x], [constant(-np.inf)], [1, 2], padding=np.int64([[0, 0], [0, 0]])
    )
    fill(op.body, [scalar()] * 2, hlo.maximum)
    return op.result


def sort(ctx, x):
    op = hlo.SortOp([x.type], [x], dimension=1, is_stable=True)
    fill(op.comparator, [scalar()] * 2, lambda a, b: hlo.compare(a, b, "LT"))
    return op.results


def loop(ctx, x):
    op = hlo.WhileOp([scalar(np.int32), x.type], [constant(0, np.int32), x])
    types = [scalar(np.int32), x.type]
    fill(op.cond, types, lambda i, x: hlo.compare(i, constant(3, np.int32), "LT"))
    fill(op.body, types, lambda i, x: [hlo.add(i, constant(1, np.int32)), hlo.add(x, x)])
    return op.results[1]


def branch(ctx, x):
    first = hlo.reshape(scalar(), hlo.slice(x, [0, 0], [1, 1], [1, 1]))
    pred = hlo.compare(first, constant(0), hlo.ComparisonDirectionAttr.get("GT"))
    op = hlo.IfOp([x.type], pred)
    fill(op.true_branch, [], lambda: hlo.negate(x))
    fill(op.false_branch, [], lambda: x)
    return op.result


def case(ctx, x):
    op = hlo.CaseOp([x.type], constant(1, np.int32), 2)
    for region, build in zip(op.regions, (hlo.negate, hlo.exponential), strict=True):
        fill(region, [], lambda build=build: build(x))
    return op.result


def gather(ctx, x, i):
    numbers = hlo.GatherDimensionNumbers.get(
        offset_dims=[0],
        collapsed_slice_dims=[1],
        operand_batching_dims=[],
        start_indices_batching_dims=[],
        start_index_map=[1],
        index_vector_dim=1,
    )
    return hlo.gather(x, i, numbers, [2, 1])


def scatter(ctx, x, i):
    numbers = hlo.ScatterDimensionNumbers.get(
        update_window_dims=[],
        inserted_window_dims=[0],
        input_batching_dims=[],
        scatter_indices_batching_dims=[],
        scattered_dims_to_operand_dims=[0],
        index_vector_dim=1,
    )
    updates = constant([10, 20])
    places = hlo.reshape(ir.RankedTensorType.get((2, 1), scalar(np.int32).element_type), i)
    op = hlo.ScatterOp([x.type], [x], places, [updates], numbers, unique_indices=True)
    fill(op.update_computation, [scalar()] * 2, hlo.add)
    return op.results


def contracted(ctx, x, y):
    numbers = hlo.DotDimensionNumbers.get(
        lhs_batching_dimensions=[],
        rhs_batching_dimensions=[],
        lhs_contracting_dimensions=[1],
        rhs_contracting_dimensions=[1],
    )
    precision = ir.ArrayAttr.get([hlo.PrecisionAttr.get("HIGHEST")] * 2)
    return hlo.dot_general(out_type(ctx), x, y, numbers, precision_config=precision)


def convolved(ctx, x, w):
    numbers = hlo.ConvDimensionNumbers.get(
        input_batch_dimension=0,
        input_feature_dimension=1,
        input_spatial_dimensions=[2],
        kernel_input_feature_dimension=1,
        kernel_output_feature_dimension=0,
        kernel_spatial_dimensions=[2],
        output_batch_dimension=0,
        output_feature_dimension=1,
        output_spatial_dimensions=[2],
    )
    return hlo.convolution(
        out_type(ctx), x, w, numbers, 1, 1, window_strides=[1], padding=np.int64([[1, 1]])
    )


def called(ctx, x):
    with ir.InsertionPoint(ctx.module_context.module.body):

        @func.func(x.type)
        def doubled(y):
            return hlo.add(y, y)

    return func.CallOp(doubled.func_op, [x]).results[0]


CASES = {
    "pointwise": (
        lambda ctx, x: hlo.AddOp(hlo.MulOp(x, x), hlo.SineOp(x)).result,
        lambda x: x * x + jnp.sin(x),
        X,
    ),
    "reduce": (reduced, lambda x: x.sum(1), X),
    "windows": (windows, lambda x: jnp.maximum(x[:, 1:], x[:, :-1]), X),
    "sort": (sort, lambda x: jnp.sort(x, axis=1), X),
    "while": (loop, lambda x: 8 * x, X),
    "if": (branch, lambda x: -x, X),
    "case": (case, jnp.exp, X),
    "gather": (gather, lambda x, i: x[:, i[:, 0]], X, I[:, None]),
    "scatter": (scatter, lambda x, i: x.at[i].add(jnp.float32([10, 20])), jnp.asarray(V), I),
    "contraction": (contracted, lambda x, y: x @ y.T, X, X + 1),
    "convolution": (
        convolved,
        lambda x, w: jax.lax.conv_general_dilated(x, w, (1,), [(1, 1)]),
        X.reshape(1, 1, 6),
        X.reshape(2, 1, 3),
    ),
    "function": (called, lambda x: 2 * x, X),
    "select": (
        lambda ctx, x: hlo.select(hlo.compare(x, hlo.negate(x), "GE"), x, hlo.floor(x)),
        lambda x: jnp.where(x >= -x, x, jnp.floor(x)),
        X - 0.5,
    ),
    "clamp": (lambda ctx, x: hlo.clamp(constant(0), x, constant(4)), lambda x: x.clip(0, 4), X),
    "pad": (
        lambda ctx, x: hlo.pad(x, constant(7), [0, 1], [1, 0], [0, 1]),
        lambda x: jax.lax.pad(x, 7.0, [(0, 1, 0), (1, 0, 1)]),
        X,
    ),
    "concatenate": (
        lambda ctx, x: hlo.concatenate([x, hlo.reverse(x, [1])], 0),
        lambda x: jnp.concatenate([x, x[:, ::-1]]),
        X,
    ),
    "dynamic_slice": (
        lambda ctx, x, i: hlo.dynamic_slice(x, [i, constant(1, np.int32)], [1, 2]),
        lambda x, i: jax.lax.dynamic_slice(x, (i, 1), (1, 2)),
        X,
        np.int32(1),
    ),
    "dynamic_update_slice": (
        lambda ctx, x, i: hlo.dynamic_update_slice(x, constant([[9]]), [i, i]),
        lambda x, i: jax.lax.dynamic_update_slice(x, jnp.float32([[9]]), (i, i)),
        X,
        np.int32(1),
    ),
    "transpose": (
        lambda ctx, x: hlo.transpose(x, mlir.dense_int_array([1, 0])),
        lambda x: x.T,
        X,
    ),
    "iota": (
        lambda ctx, x: hlo.add(
            hlo.iota(out_type(ctx), 1),
            hlo.convert(out_type(ctx), hlo.broadcast_in_dim(x.type, constant(1.5), [])),
        ),
        lambda x: jnp.broadcast_to(jnp.arange(3) + 1, (2, 3)),
        X,
    ),
    "fft": (
        lambda ctx, x: hlo.real(hlo.fft(x, hlo.FftTypeAttr.get("RFFT"), [3])),
        lambda x: jnp.fft.rfft(x).real,
        X,
    ),
    "factor": (
        lambda ctx, a: hlo.triangular_solve(
            hlo.cholesky(a, lower=True),
            a,
            left_side=True,
            lower=True,
            unit_diagonal=False,
            transpose_a="NO_TRANSPOSE",
        ),
        lambda a: (
            jnp.asarray(scipy.linalg.cholesky(np.asarray(a)))
            if not isinstance(a, jax.core.Tracer)
            else a
        ),
        SQUARE,
    ),
    "composed": (lambda ctx, x: chlo.erf(chlo.asinh(x)), None, X),
    "bits": (
        lambda ctx, x: hlo.popcnt(
            hlo.and_(hlo.bitcast_convert(out_type(ctx), x), constant([255, 255, 255], np.uint32))
        ),
        lambda x: jax.lax.population_count(jax.lax.bitcast_convert_type(x, jnp.uint32) & 255),
        V,
    ),
    "words": (
        lambda ctx, x: hlo.not_(mlir.ir_constant(np.uint8([1, 255]))),
        lambda x: jnp.uint8([254, 0]),
        V,
    ),
    "booleans": (
        lambda ctx, x: hlo.xor(
            mlir.ir_constant(np.array([True, False, True])),
            hlo.constant(
                ir.DenseElementsAttr.get(
                    np.array(True), type=ir.IntegerType.get_signless(1), shape=[3]
                )
            ),
        ),
        lambda x: jnp.array([False, True, False]),
        V,
    ),
    "small_floats": (
        lambda ctx, x: hlo.add(mlir.ir_constant(np.array([1.5, -2, 0], ml_dtypes.bfloat16)), x),
        lambda x: x + jnp.array([1.5, -2, 0], jnp.bfloat16),
        V.astype(ml_dtypes.bfloat16),
    ),
    "complex": (
        lambda ctx, x: hlo.imag(hlo.multiply(mlir.ir_constant(np.complex64([1 + 2j])), x)),
        lambda x: ((1 + 2j) * x).imag,
        np.complex64([3 - 1j]),
    ),
    "barrier": (lambda ctx, x, y: hlo.optimization_barrier([x, y]), lambda x, y: (x, y), X, V),
    "traced": (
        lambda ctx, x: hlo.add(mlir.lower_fun(jnp.tanh, False)(ctx, hlo.negate(x))[0], x),
        lambda x: x - jnp.tanh(x),
        X,
    ),
    "called_on_the_host": (
        lambda ctx, x: hlo.add(
            mlir.emit_python_callback(
                ctx,
                lambda v: (np.sqrt(v),),
                None,
                [hlo.abs(x)],
                ctx.avals_in,
                ctx.avals_out,
                has_side_effect=False,
            )[0][0],
            x,
        ),
        lambda x: x + jnp.sqrt(abs(x)),
        X,
    ),
}
CASES["composed"] = (CASES["composed"][0], lambda x: jax.lax.erf(jnp.arcsinh(x)), X)


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    check(*CASES[name])


def test_rules_of_a_primitive_that_is_written():
    p = Primitive("square")
    p.def_abstract_eval(lambda x: x)
    mlir.register_lowering(p, lambda ctx, x: [internal_hlo.MulOp(x, x).result])
    ad.defjvp(p, lambda t, x: 2 * x * t)
    batching.defvectorized(p)
    square = jax.jit(p.bind)
    assert square(3.0) == 9.0
    assert jax.jit(jax.grad(p.bind))(3.0) == 6.0
    np.testing.assert_array_equal(jax.jit(jax.vmap(p.bind))(X), X * X)
    np.testing.assert_array_equal(jax.jit(lambda x: jax.lax.map(p.bind, x))(X), X * X)


def test_parameters_and_context():
    p = Primitive("power")
    p.def_abstract_eval(lambda x, *, y: x)

    @p.def_impl
    def impl(x, *, y):
        return jax.jit(lambda x: p.bind(x, y=y))(x)

    def lowering(ctx, x, *, y):
        assert ctx.avals_in[0].shape == (3,)
        assert ctx.platforms == ("cpu",)
        assert isinstance(x, ir.Value)
        assert ir.RankedTensorType(x.type).shape == [3]
        assert ctx.replace(avals_out=None).avals_out is None
        out = x
        for _ in range(y - 1):
            out = hlo.multiply(out, x)
        return (out,)

    mlir.register_lowering(p, lowering)
    np.testing.assert_array_equal(p.bind(V, y=3), V**3)


def test_errors():
    def fails(rule, error, text):
        with pytest.raises(error, match=text):
            check(rule, lambda x: x, X)

    fails(lambda ctx, x: hlo.add(x, 1), TypeError, "rhs of stablehlo.add must be a value of MLIR")
    fails(lambda ctx, x: hlo.add(x), TypeError, r"takes \(lhs, rhs\)")
    fails(lambda ctx, x: hlo.add(x, x, axis=1), TypeError, r"\['axis'\] by name")
    fails(
        lambda ctx, x: hlo.transpose(x, hlo.PrecisionAttr.get("HIGH")), TypeError, "permutation of"
    )
    fails(lambda ctx, x: hlo.compare(x, x, "MORE"), Exception, "MORE")
    fails(lambda ctx, x: hlo.fft(x, hlo.PrecisionAttr.get("HIGH"), [3]), TypeError, "fft_type of")
    fails(lambda ctx, x: hlo.concatenate(x, 0), TypeError, "must be a list of values")
    fails(lambda ctx, x: hlo.reverse(x, [5]), Exception, "reverse")
    fails(lambda ctx, x: 3, TypeError, "must return a list of values, got: 3")
    fails(lambda ctx, x: hlo.ReduceOp([x.type], [x], [], [1]).result, TypeError, "equally long")
    fails(
        lambda ctx, x: hlo.dynamic_slice(x, [constant(0, np.int32)], [1, 1]), Exception, "indices"
    )
    fails(lambda ctx, x: hlo.custom_call([x.type], [x], "nowhere"), Exception, "nowhere")


def test_modules_and_attributes():
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.create()
        of = mlir.aval_to_ir_type(jax.typeof(V))
        with ir.InsertionPoint(module.body):

            @func.func(of)
            def main(x):
                call = mlir.custom_call("f", result_types=[of], operands=[x], backend_config="")
                return hlo.add(call.result, x)

        text = mlir.module_to_string(module)
        assert "stablehlo.custom_call @f" in text
        assert str(mlir.ir_attribute({"a": 1, "b": [2.0, "c", True], "d": np.float32})) == (
            '{a = 1 : i32, b = [2.000000e+00 : f32, "c", true], d = f32}'
        )
        assert str(mlir.i64_attr(3)), str(mlir.i32_attr(3)) == ("3 : i64", "3 : i32")
        assert str(mlir.dtype_to_ir_type(jnp.uint8)) == "ui8"


def test_programs_that_a_client_compiles():
    text = jax.jit(lambda x: jnp.sin(x) + 1).lower(V).as_text("stablehlo")
    from jax._src import xla_bridge

    backend = xla_bridge.get_backend()
    compiled = backend.compile_and_load(text, backend.devices()[:1])
    (out,) = compiled.execute([V])
    np.testing.assert_allclose(out, np.sin(V) + 1, rtol=1e-6)

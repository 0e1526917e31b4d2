"""The ops of StableHLO and CHLO: how their builders in Python are called."""

# ruff: noqa: E501

from __future__ import annotations

from typing import NamedTuple

# In each line: the builder, the class of the op, its parameters in order, and its regions.
#   x      an operand                    *x     a list of operands
#   x:kind an attribute                  [x:kind] one that can be left out, given by name
#   type, types                          of the result, of the results: others are inferred
#   {x}    a region
_UNARY = """
abs Abs|ceil Ceil|count_leading_zeros Clz|floor Floor|imag Imag|negate Neg|not_ Not|
popcnt PopulationCount|real Real|round_nearest_afz Round|round_nearest_even RoundNearestEven|sign Sign
"""
_WITH_ACCURACY = """
cbrt Cbrt|cosine Cosine|exponential Exp|exponential_minus_one Expm1|log Log|log_plus_one Log1p|
logistic Logistic|rsqrt Rsqrt|sine Sine|sqrt Sqrt|tan Tan|tanh Tanh
"""
_BINARY = """
add Add|and_ And|atan2 Atan2|complex Complex|divide Div|maximum Max|minimum Min|multiply Mul|or_ Or|
power Pow|remainder Rem|shift_left ShiftLeft|shift_right_arithmetic ShiftRightArithmetic|
shift_right_logical ShiftRightLogical|subtract Subtract|xor Xor
"""
_OTHER = """
all_gather AllGather types *operands_ all_gather_dim:i64 replica_groups:elements [channel_handle:channel_handle] [use_global_device_ids:unit]
all_reduce AllReduce types *operands_ replica_groups:elements [channel_handle:channel_handle] [use_global_device_ids:unit] {computation}
all_to_all AllToAll *operands_ split_dimension:i64 concat_dimension:i64 split_count:i64 replica_groups:elements [channel_handle:channel_handle]
batch_norm_grad BatchNormGrad operand scale mean variance grad_output epsilon:f32 feature_index:i64
batch_norm_inference BatchNormInference operand scale offset mean variance epsilon:f32 feature_index:i64
batch_norm_training BatchNormTraining operand scale offset epsilon:f32 feature_index:i64
bitcast_convert BitcastConvert type operand
broadcast Broadcast operand broadcast_sizes:dims
broadcast_in_dim BroadcastInDim type operand broadcast_dimensions:dims
case Case types index {*branches}
cholesky Cholesky a [lower:bool]
clamp Clamp min operand max
collective_broadcast CollectiveBroadcast operand replica_groups:elements [channel_handle:channel_handle]
collective_permute CollectivePermute operand source_target_pairs:elements [channel_handle:channel_handle]
compare Compare lhs rhs comparison_direction:comparison_direction [compare_type:comparison_type]
composite Composite types *inputs name:str decomposition:symbol [composite_attributes:dict] [version:i32] {*composite_regions}
concatenate Concatenate *inputs dimension:i64
constant Constant value:elements
convert Convert type operand
convolution Convolution type lhs rhs dimension_numbers:conv feature_group_count:i64 batch_group_count:i64 [window_strides:dims] [padding:elements] [lhs_dilation:dims] [rhs_dilation:dims] [window_reversal:bools] [precision_config:array]
custom_call CustomCall types *inputs call_target_name:str [has_side_effect:bool] [backend_config:any] [api_version:i32] [called_computations:array] [operand_layouts:array] [result_layouts:array] [output_operand_aliases:array]
dot Dot type lhs rhs [precision_config:array]
dot_general DotGeneral type lhs rhs dot_dimension_numbers:dot [precision_config:array] [algorithm:dot_algorithm]
dynamic_broadcast_in_dim DynamicBroadcastInDim type operand output_dimensions broadcast_dimensions:dims [known_expanding_dimensions:dims] [known_nonexpanding_dimensions:dims]
dynamic_conv DynamicConv type lhs rhs padding dimension_numbers:conv feature_group_count:i64 batch_group_count:i64 [window_strides:dims] [lhs_dilation:dims] [rhs_dilation:dims] [window_reversal:bools] [precision_config:array]
dynamic_gather DynamicGather operand start_indices slice_sizes dimension_numbers:gather [indices_are_sorted:bool]
dynamic_iota DynamicIota type output_shape iota_dimension:i64
dynamic_pad DynamicPad type operand padding_value edge_padding_low edge_padding_high interior_padding
dynamic_reshape DynamicReshape type operand output_shape
dynamic_slice DynamicSlice operand *start_indices slice_sizes:dims
dynamic_update_slice DynamicUpdateSlice operand update *start_indices
fft Fft operand fft_type:fft_type fft_length:dims
gather Gather operand start_indices dimension_numbers:gather slice_sizes:dims [indices_are_sorted:bool]
get_dimension_size GetDimensionSize operand dimension:i64
if_ If types pred {true_branch} {false_branch}
iota Iota type iota_dimension:i64
is_finite IsFinite x
map Map type *inputs dimensions:dims {computation}
optimization_barrier OptimizationBarrier *operand
pad Pad operand padding_value edge_padding_low:dims edge_padding_high:dims interior_padding:dims
partition_id PartitionId
real_dynamic_slice RealDynamicSlice type operand start_indices limit_indices strides
reduce Reduce types *inputs *init_values dimensions:dims {body}
reduce_precision ReducePrecision operand exponent_bits:i32 mantissa_bits:i32
reduce_scatter ReduceScatter type operand scatter_dimension:i64 replica_groups:elements [channel_handle:channel_handle] [use_global_device_ids:unit] {computation}
reduce_window ReduceWindow types *inputs *init_values window_dimensions:dims [window_strides:dims] [base_dilations:dims] [window_dilations:dims] [padding:elements] {body}
replica_id ReplicaId
reshape Reshape type operand
return_ Return *results_
reverse Reverse operand dimensions:dims
rng Rng a b shape rng_distribution:rng_distribution
rng_bit_generator RngBitGenerator type type rng_algorithm:rng_algorithm initial_state
scatter Scatter types *inputs scatter_indices *updates scatter_dimension_numbers:scatter [indices_are_sorted:bool] [unique_indices:bool] {update_computation}
select Select pred on_true on_false
select_and_scatter SelectAndScatter type operand source init_value [window_dimensions:dims] [window_strides:dims] [padding:elements] {select} {scatter}
set_dimension_size SetDimensionSize operand size dimension:i64
slice Slice operand start_indices:dims limit_indices:dims strides:dims
sort Sort types *inputs [dimension:i64] [is_stable:bool] {comparator}
transpose Transpose operand permutation:dims
triangular_solve TriangularSolve a b left_side:bool lower:bool unit_diagonal:bool transpose_a:transpose
while_ While types *operand {cond} {body}
"""
_CHLO_UNARY = """
acos Acos|acosh Acosh|asin Asin|asinh Asinh|atan Atan|atanh Atanh|bessel_i1e BesselI1e|conj Conj|
cosh Cosh|digamma Digamma|erf Erf|erf_inv ErfInv|erfc Erfc|is_inf IsInf|is_neg_inf IsNegInf|
is_pos_inf IsPosInf|lgamma Lgamma|sinh Sinh|square Square|tan Tan
"""
_CHLO_OTHER = """
next_after NextAfter x y
polygamma Polygamma n x
top_k TopK operand k:i64
zeta Zeta x q
"""


def _alike(names: str, parameters: str) -> list[str]:
    return [f"{each.strip()} {parameters}" for each in names.split("|")]


STABLEHLO = [
    *_alike(_UNARY, "operand"),
    *_alike(_WITH_ACCURACY, "operand [result_accuracy:result_accuracy]"),
    *_alike(_BINARY, "lhs rhs"),
    *_OTHER.strip().splitlines(),
]
CHLO = [*_alike(_CHLO_UNARY, "operand"), *_CHLO_OTHER.strip().splitlines()]


class Parameter(NamedTuple):
    """A parameter of a builder.

    Attributes:
      name: its name; that of a type is `result`.
      kind: "operand", "operands", "type", "types", or that of an attribute.
      is_optional: whether it can be left out.
    """

    name: str
    kind: str
    is_optional: bool = False


class Spec(NamedTuple):
    """How an op is built.

    Attributes:
      name: the name of its builder.
      class_name: that of its class.
      op: that of the op.
      parameters: in order.
      regions: the names of its regions.
      has_counted_regions: whether their number is the last positional argument.
    """

    name: str
    class_name: str
    op: str
    parameters: tuple[Parameter, ...]
    regions: tuple[str, ...]
    has_counted_regions: bool


def parsed(dialect: str, line: str) -> Spec:
    """The line of an op in the table."""
    name, class_name, *words = line.split()
    parameters, regions, is_counted = [], [], False
    for word in words:
        if word.startswith("{"):
            is_counted = word.startswith("{*")
            regions.append(word.strip("{*}"))
        elif word in ("type", "types"):
            parameters.append(Parameter("result", word))
        elif word.startswith("*"):
            parameters.append(Parameter(word[1:], "operands"))
        else:
            of, _, kind = word.strip("[]").partition(":")
            parameters.append(Parameter(of, kind or "operand", word.startswith("[")))
    op = f"{dialect}.{name.rstrip('_')}"
    return Spec(name, f"{class_name}Op", op, tuple(parameters), tuple(regions), is_counted)

"""JAX's `lax`: functions that validate their operands, do not promote them, and broadcast only
scalars.
"""

from typing import Any as _Any

from dovetail.arrays import keys as _keys
from dovetail.base import late as _late
from dovetail.base.dtypes import dtype as dtype
from dovetail.eager import cache as _eager

# Its functions use those above.
from dovetail.lax import linalg as linalg
from dovetail.lax.application import scatter_apply as scatter_apply
from dovetail.lax.basics import DotDimensionNumbers as DotDimensionNumbers
from dovetail.lax.basics import RoundingMethod as RoundingMethod
from dovetail.lax.basics import abs as abs
from dovetail.lax.basics import acos as acos
from dovetail.lax.basics import acosh as acosh
from dovetail.lax.basics import add as add
from dovetail.lax.basics import approx_max_k as approx_max_k
from dovetail.lax.basics import approx_min_k as approx_min_k
from dovetail.lax.basics import argmax as argmax
from dovetail.lax.basics import argmin as argmin
from dovetail.lax.basics import asin as asin
from dovetail.lax.basics import asinh as asinh
from dovetail.lax.basics import atan as atan
from dovetail.lax.basics import atan2 as atan2
from dovetail.lax.basics import atanh as atanh
from dovetail.lax.basics import batch_matmul as batch_matmul
from dovetail.lax.basics import bitcast_convert_type as bitcast_convert_type
from dovetail.lax.basics import bitwise_and as bitwise_and
from dovetail.lax.basics import bitwise_not as bitwise_not
from dovetail.lax.basics import bitwise_or as bitwise_or
from dovetail.lax.basics import bitwise_xor as bitwise_xor
from dovetail.lax.basics import broadcast as broadcast
from dovetail.lax.basics import broadcast_in_dim as broadcast_in_dim
from dovetail.lax.basics import broadcast_like as broadcast_like
from dovetail.lax.basics import broadcast_to_rank as broadcast_to_rank
from dovetail.lax.basics import broadcasted_iota as broadcasted_iota
from dovetail.lax.basics import cbrt as cbrt
from dovetail.lax.basics import ceil as ceil
from dovetail.lax.basics import clamp as clamp
from dovetail.lax.basics import clz as clz
from dovetail.lax.basics import collapse as collapse
from dovetail.lax.basics import complex as complex
from dovetail.lax.basics import concatenate as concatenate
from dovetail.lax.basics import conj as conj
from dovetail.lax.basics import convert_element_type as convert_element_type
from dovetail.lax.basics import cos as cos
from dovetail.lax.basics import cosh as cosh
from dovetail.lax.basics import cumlogsumexp as cumlogsumexp
from dovetail.lax.basics import cummax as cummax
from dovetail.lax.basics import cummin as cummin
from dovetail.lax.basics import cumprod as cumprod
from dovetail.lax.basics import cumsum as cumsum
from dovetail.lax.basics import div as div
from dovetail.lax.basics import dot as dot
from dovetail.lax.basics import dot_general as dot_general
from dovetail.lax.basics import empty as empty
from dovetail.lax.basics import eq as eq
from dovetail.lax.basics import erf as erf
from dovetail.lax.basics import erfc as erfc
from dovetail.lax.basics import exp as exp
from dovetail.lax.basics import exp2 as exp2
from dovetail.lax.basics import expand_dims as expand_dims
from dovetail.lax.basics import expm1 as expm1
from dovetail.lax.basics import floor as floor
from dovetail.lax.basics import full as full
from dovetail.lax.basics import full_like as full_like
from dovetail.lax.basics import ge as ge
from dovetail.lax.basics import gt as gt
from dovetail.lax.basics import imag as imag
from dovetail.lax.basics import index_in_dim as index_in_dim
from dovetail.lax.basics import integer_pow as integer_pow
from dovetail.lax.basics import iota as iota
from dovetail.lax.basics import is_finite as is_finite
from dovetail.lax.basics import le as le
from dovetail.lax.basics import log as log
from dovetail.lax.basics import log1p as log1p
from dovetail.lax.basics import logistic as logistic
from dovetail.lax.basics import lt as lt
from dovetail.lax.basics import max as max
from dovetail.lax.basics import min as min
from dovetail.lax.basics import mul as mul
from dovetail.lax.basics import ne as ne
from dovetail.lax.basics import neg as neg
from dovetail.lax.basics import nextafter as nextafter
from dovetail.lax.basics import optimization_barrier as optimization_barrier
from dovetail.lax.basics import pad as pad
from dovetail.lax.basics import population_count as population_count
from dovetail.lax.basics import pow as pow
from dovetail.lax.basics import real as real
from dovetail.lax.basics import reciprocal as reciprocal
from dovetail.lax.basics import reduce_and as reduce_and
from dovetail.lax.basics import reduce_max as reduce_max
from dovetail.lax.basics import reduce_min as reduce_min
from dovetail.lax.basics import reduce_or as reduce_or
from dovetail.lax.basics import reduce_precision as reduce_precision
from dovetail.lax.basics import reduce_prod as reduce_prod
from dovetail.lax.basics import reduce_sum as reduce_sum
from dovetail.lax.basics import reduce_xor as reduce_xor
from dovetail.lax.basics import rem as rem
from dovetail.lax.basics import reshape as reshape
from dovetail.lax.basics import rev as rev
from dovetail.lax.basics import round as round
from dovetail.lax.basics import rsqrt as rsqrt
from dovetail.lax.basics import scaled_dot as scaled_dot
from dovetail.lax.basics import select as select
from dovetail.lax.basics import select_n as select_n
from dovetail.lax.basics import shape_as_value as shape_as_value
from dovetail.lax.basics import shift_left as shift_left
from dovetail.lax.basics import shift_right_arithmetic as shift_right_arithmetic
from dovetail.lax.basics import shift_right_logical as shift_right_logical
from dovetail.lax.basics import sign as sign
from dovetail.lax.basics import sin as sin
from dovetail.lax.basics import sinh as sinh
from dovetail.lax.basics import slice as slice
from dovetail.lax.basics import slice_in_dim as slice_in_dim
from dovetail.lax.basics import sort as sort
from dovetail.lax.basics import sort_key_val as sort_key_val
from dovetail.lax.basics import split as split
from dovetail.lax.basics import sqrt as sqrt
from dovetail.lax.basics import square as square
from dovetail.lax.basics import squeeze as squeeze
from dovetail.lax.basics import stack as stack
from dovetail.lax.basics import stop_gradient as stop_gradient
from dovetail.lax.basics import sub as sub
from dovetail.lax.basics import tan as tan
from dovetail.lax.basics import tanh as tanh
from dovetail.lax.basics import tile as tile
from dovetail.lax.basics import top_k as top_k
from dovetail.lax.basics import transpose as transpose
from dovetail.lax.basics import unstack as unstack
from dovetail.lax.collectives import all_gather as all_gather
from dovetail.lax.collectives import pmax as pmax
from dovetail.lax.collectives import pmean as pmean
from dovetail.lax.collectives import pmin as pmin
from dovetail.lax.collectives import psum as psum
from dovetail.lax.collectives import psum_scatter as psum_scatter
from dovetail.lax.constraints import with_sharding_constraint as with_sharding_constraint
from dovetail.lax.control import associative_scan as associative_scan
from dovetail.lax.control import cond as cond
from dovetail.lax.control import custom_linear_solve as custom_linear_solve
from dovetail.lax.control import custom_root as custom_root
from dovetail.lax.control import fori_loop as fori_loop
from dovetail.lax.control import map as map
from dovetail.lax.control import scan as scan
from dovetail.lax.control import switch as switch
from dovetail.lax.control import while_loop as while_loop
from dovetail.lax.conv_dimensions import ConvDimensionNumbers as ConvDimensionNumbers
from dovetail.lax.conv_dimensions import (
    ConvGeneralDilatedDimensionNumbers as ConvGeneralDilatedDimensionNumbers,
)
from dovetail.lax.conv_dimensions import conv_dimension_numbers as conv_dimension_numbers
from dovetail.lax.conv_dimensions import conv_general_permutations as conv_general_permutations
from dovetail.lax.conv_dimensions import conv_general_shape_tuple as conv_general_shape_tuple
from dovetail.lax.conv_dimensions import conv_shape_tuple as conv_shape_tuple
from dovetail.lax.conv_dimensions import conv_transpose_shape_tuple as conv_transpose_shape_tuple
from dovetail.lax.conv_dimensions import padtype_to_pads as padtype_to_pads
from dovetail.lax.convolution import conv as conv
from dovetail.lax.convolution import conv_general_dilated as conv_general_dilated
from dovetail.lax.convolution import conv_transpose as conv_transpose
from dovetail.lax.convolution import conv_with_general_padding as conv_with_general_padding
from dovetail.lax.dynamic_slices import dynamic_index_in_dim as dynamic_index_in_dim
from dovetail.lax.dynamic_slices import dynamic_slice as dynamic_slice
from dovetail.lax.dynamic_slices import dynamic_slice_in_dim as dynamic_slice_in_dim
from dovetail.lax.dynamic_slices import dynamic_update_index_in_dim as dynamic_update_index_in_dim
from dovetail.lax.dynamic_slices import dynamic_update_slice as dynamic_update_slice
from dovetail.lax.dynamic_slices import dynamic_update_slice_in_dim as dynamic_update_slice_in_dim
from dovetail.lax.exchanges import all_to_all as all_to_all
from dovetail.lax.exchanges import pbroadcast as pbroadcast
from dovetail.lax.exchanges import pswapaxes as pswapaxes
from dovetail.lax.fourier import FftType as FftType
from dovetail.lax.fourier import fft as fft
from dovetail.lax.indexing import GatherDimensionNumbers as GatherDimensionNumbers
from dovetail.lax.indexing import GatherScatterMode as GatherScatterMode
from dovetail.lax.indexing import ScatterDimensionNumbers as ScatterDimensionNumbers
from dovetail.lax.indexing import gather as gather
from dovetail.lax.indexing import index_take as index_take
from dovetail.lax.indexing import scatter as scatter
from dovetail.lax.indexing import scatter_add as scatter_add
from dovetail.lax.indexing import scatter_max as scatter_max
from dovetail.lax.indexing import scatter_min as scatter_min
from dovetail.lax.indexing import scatter_mul as scatter_mul
from dovetail.lax.indexing import scatter_sub as scatter_sub
from dovetail.lax.multiply_high import mulhi as mulhi
from dovetail.lax.named_axes import axis_index as axis_index
from dovetail.lax.named_axes import axis_size as axis_size
from dovetail.lax.named_axes import pcast as pcast
from dovetail.lax.patches import conv_general_dilated_local as conv_general_dilated_local
from dovetail.lax.patches import conv_general_dilated_patches as conv_general_dilated_patches
from dovetail.lax.permutations import ppermute as ppermute
from dovetail.lax.permutations import precv as precv
from dovetail.lax.permutations import psend as psend
from dovetail.lax.permutations import pshuffle as pshuffle
from dovetail.lax.precision import AccuracyMode as AccuracyMode
from dovetail.lax.precision import DotAlgorithm as DotAlgorithm
from dovetail.lax.precision import DotAlgorithmPreset as DotAlgorithmPreset
from dovetail.lax.precision import Precision as Precision
from dovetail.lax.precision import PrecisionLike as PrecisionLike
from dovetail.lax.precision import Tolerance as Tolerance
from dovetail.lax.ragged import RaggedDotDimensionNumbers as RaggedDotDimensionNumbers
from dovetail.lax.ragged import ragged_dot as ragged_dot
from dovetail.lax.ragged import ragged_dot_general as ragged_dot_general
from dovetail.lax.ragged_exchange import ragged_all_to_all as ragged_all_to_all
from dovetail.lax.random_bits import RandomAlgorithm as RandomAlgorithm
from dovetail.lax.random_bits import rng_bit_generator as rng_bit_generator
from dovetail.lax.random_bits import rng_uniform as rng_uniform
from dovetail.lax.special import bessel_i0e as bessel_i0e
from dovetail.lax.special import bessel_i1e as bessel_i1e
from dovetail.lax.special import betainc as betainc
from dovetail.lax.special import digamma as digamma
from dovetail.lax.special import erf_inv as erf_inv
from dovetail.lax.special import igamma as igamma
from dovetail.lax.special import igamma_grad_a as igamma_grad_a
from dovetail.lax.special import igammac as igammac
from dovetail.lax.special import lgamma as lgamma
from dovetail.lax.special import polygamma as polygamma
from dovetail.lax.special import random_gamma_grad as random_gamma_grad
from dovetail.lax.special import zeta as zeta
from dovetail.lax.staging import after_all as after_all
from dovetail.lax.staging import composite as composite
from dovetail.lax.staging import create_token as create_token
from dovetail.lax.staging import dce_sink as dce_sink
from dovetail.lax.staging import platform_dependent as platform_dependent
from dovetail.lax.staging import stage as stage
from dovetail.lax.windows import reduce as reduce
from dovetail.lax.windows import reduce_window as reduce_window
from dovetail.lax.windows import reduce_window_shape_tuple as reduce_window_shape_tuple
from dovetail.ops.operands import broadcast_shapes as broadcast_shapes

# Editors complete what `__getattr__` finds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dovetail.lax.primitive_names import *  # noqa: F403

# Functions passed to these may do anything.
_CONTROL = (
    "associative_scan",
    "cond",
    "custom_linear_solve",
    "custom_root",
    "fori_loop",
    "map",
    "scan",
    "switch",
    "while_loop",
)
# These depend on the named axes in scope.
_COLLECTIVES = (
    *("all_gather", "all_to_all", "axis_index", "axis_size", "pbroadcast", "pcast", "pmax"),
    *("pmean", "pmin", "ppermute", "precv", "psend", "pshuffle", "psum", "psum_scatter"),
    *("pswapaxes",),
    "ragged_all_to_all",
)
# Keys are moved too.
_keys.let_move_keys(
    globals(),
    {
        "dynamic_index_in_dim": (0,),
        "dynamic_slice": (0,),
        "dynamic_slice_in_dim": (0,),
        "dynamic_update_index_in_dim": (0, 1),
        "dynamic_update_slice": (0, 1),
        "dynamic_update_slice_in_dim": (0, 1),
    },
)
# `rng_uniform` returns something else at each call.
_eager.remember(globals(), (*_CONTROL, *_COLLECTIVES, "rng_uniform", "with_sharding_constraint"))


def __getattr__(name: str) -> _Any:
    # Primitives, such as `add_p`.
    return _late.jaxprs.find(__name__, name)

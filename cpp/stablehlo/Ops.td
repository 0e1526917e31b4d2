// The ops of `stablehlo`: names and text by the StableHLO specification.
#ifndef DOVETAIL_STABLEHLO_OPS_TD
#define DOVETAIL_STABLEHLO_OPS_TD

include "Stablehlo.td"

//===- Pointwise ops -----------------------------------------------------------===//

/// One type is printed if operands and result have the same.
class Unary<string mnemonic> : StablehloOp<mnemonic, [Pure]> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<Types>(type($operand), type($result))";
}
class Binary<string mnemonic> : StablehloOp<mnemonic, [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<Types>(type($lhs), type($rhs), type($result))";
}
def AbsOp : Unary<"abs">;
def CbrtOp : Unary<"cbrt">;
def CeilOp : Unary<"ceil">;
def ConvertOp : Unary<"convert">;
def ClzOp : Unary<"count_leading_zeros">;
def CosineOp : Unary<"cosine">;
def ExpOp : Unary<"exponential">;
def Expm1Op : Unary<"exponential_minus_one">;
def FloorOp : Unary<"floor">;
def ImagOp : Unary<"imag">;
def LogOp : Unary<"log">;
def Log1pOp : Unary<"log_plus_one">;
def LogisticOp : Unary<"logistic">;
def NotOp : Unary<"not">;
def NegOp : Unary<"negate">;
def PopcntOp : Unary<"popcnt">;
def RealOp : Unary<"real">;
def RoundAwayOp : Unary<"round_nearest_afz">;
def RoundEvenOp : Unary<"round_nearest_even">;
def RsqrtOp : Unary<"rsqrt">;
def SignOp : Unary<"sign">;
def SineOp : Unary<"sine">;
def SqrtOp : Unary<"sqrt">;
def TanOp : Unary<"tan">;
def TanhOp : Unary<"tanh">;
def AddOp : Binary<"add">;
def Atan2Op : Binary<"atan2">;
def DivOp : Binary<"divide">;
def MaxOp : Binary<"maximum">;
def MinOp : Binary<"minimum">;
def MulOp : Binary<"multiply">;
def PowOp : Binary<"power">;
def RemOp : Binary<"remainder">;
def ShiftLeftOp : Binary<"shift_left">;
def ShiftRightArithmeticOp : Binary<"shift_right_arithmetic">;
def ShiftRightLogicalOp : Binary<"shift_right_logical">;
def SubOp : Binary<"subtract">;
def AndOp : Binary<"and">;
def OrOp : Binary<"or">;
def XorOp : Binary<"xor">;
def IsFiniteOp : StablehloOp<"is_finite", [Pure]> {
  let arguments = (ins AnyType:$x);
  let results = (outs AnyType:$y);
  let assemblyFormat = "$x attr-dict `:` functional-type($x, $y)";
}
def BitcastConvertOp : StablehloOp<"bitcast_convert", [Pure]> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
}
def ComplexOp : StablehloOp<"complex", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
}
def CompareOp : StablehloOp<"compare", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, ComparisonAttr:$comparison_direction,
                       OptionalAttr<ComparisonKindAttr>:$compare_type);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)? attr-dict `:` functional-type(operands, results)
  }];
}
def SelectOp : StablehloOp<"select", [Pure]> {
  let arguments = (ins AnyType:$pred, AnyType:$on_true, AnyType:$on_false);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict
    `:` custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
}
def ClampOp : StablehloOp<"clamp", [Pure]> {
  let arguments = (ins AnyType:$min, AnyType:$operand, AnyType:$max);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<Types>(type($min), type($operand), type($max), type($result))
  }];
}
def ReducePrecisionOp : StablehloOp<"reduce_precision", [Pure]> {
  let arguments = (ins AnyType:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs AnyType:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<Format>($exponent_bits, $mantissa_bits) attr-dict
    `:` custom<Types>(type($operand), type($output))
  }];
}
def MapOp : StablehloOp<"map"> {
  let arguments = (ins Variadic<AnyType>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$computation);
}

//===- Creation and shapes -------------------------------------------------------===//

def ConstantOp : StablehloOp<"constant", [Pure]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyType:$output);
  let hasCustomAssemblyFormat = 1;
}
def IotaOp : StablehloOp<"iota", [Pure]> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs AnyType:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}
def DynamicIotaOp : StablehloOp<"dynamic_iota", [Pure]> {
  let arguments = (ins AnyType:$output_shape, I64Attr:$iota_dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
}
def BroadcastInDimOp : StablehloOp<"broadcast_in_dim", [Pure]> {
  let arguments = (ins AnyType:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
}
def DynamicBroadcastInDimOp : StablehloOp<"dynamic_broadcast_in_dim", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
}
def ReshapeOp : StablehloOp<"reshape", [Pure]> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}
def DynamicReshapeOp : StablehloOp<"dynamic_reshape", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$output_shape);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def TransposeOp : StablehloOp<"transpose", [Pure]> {
  let arguments = (ins AnyType:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}
def ReverseOp : StablehloOp<"reverse", [Pure]> {
  let arguments = (ins AnyType:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $dimensions attr-dict `:` custom<Types>(type($operand), type($result))";
}
def ConcatenateOp : StablehloOp<"concatenate", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$inputs, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    custom<OperandsBeforeAttribute>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}
def PadOp : StablehloOp<"pad", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}
def DynamicPadOp : StablehloOp<"dynamic_pad", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$padding_value, AnyType:$edge_padding_low, AnyType:$edge_padding_high,
                       AnyType:$interior_padding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def SliceOp : StablehloOp<"slice", [Pure]> {
  let arguments = (ins AnyType:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand custom<Ranges>($start_indices, $limit_indices, $strides) attr-dict `:` functional-type(operands, results)
  }];
}
def RealDynamicSliceOp : StablehloOp<"real_dynamic_slice", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, AnyType:$limit_indices, AnyType:$strides);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def SetDimensionSizeOp : StablehloOp<"set_dimension_size", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$size, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
}
def DynamicSliceOp : StablehloOp<"dynamic_slice", [Pure]> {
  let arguments = (ins AnyType:$operand, Variadic<AnyType>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` custom<OperandsBeforeAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict
    `:` functional-type(operands, results)
  }];
}
def DynamicUpdateSliceOp : StablehloOp<"dynamic_update_slice", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$update, Variadic<AnyType>:$start_indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def GetDimensionSizeOp : StablehloOp<"get_dimension_size", [Pure]> {
  let arguments = (ins AnyType:$operand, I64Attr:$dimension);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}
def OptimizationBarrierOp : StablehloOp<"optimization_barrier", [Pure]> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result))):(`(` `)`)?
  }];
}

//===- Contractions --------------------------------------------------------------===//

def DotOp : StablehloOp<"dot", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precisions>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
}
def DotGeneralOp : StablehloOp<"dot_general", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, DotNumbersAttr:$dot_dimension_numbers,
                       OptionalAttr<ArrayAttr>:$precision_config, OptionalAttr<DotAlgorithmAttr>:$algorithm);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<Contraction>($dot_dimension_numbers) `` custom<PrecisionsAndAlgorithm>($precision_config, $algorithm)
    attr-dict `:` functional-type(operands, results)
  }];
}
def ConvolutionOp : StablehloOp<"convolution", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
                       OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
                       ConvNumbersAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvNumbers>($dimension_numbers) `,` `window` `=` `{`
    custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}` attr-dict
    `:` functional-type(operands, results)
  }];
}
def DynamicConvolutionOp : StablehloOp<"dynamic_conv", [Pure]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, AnyType:$padding, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation, OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation,
                       OptionalAttr<DenseBoolArrayAttr>:$window_reversal, ConvNumbersAttr:$dimension_numbers,
                       I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                       OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyType:$result);
}

//===- Reductions and windows ------------------------------------------------------===//

def ReturnOp : StablehloOp<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def ReduceOp : StablehloOp<"reduce", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def ReduceWindowOp : StablehloOp<"reduce_window", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$init_values, DenseI64ArrayAttr:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$body);
}
def SelectAndScatterOp : StablehloOp<"select_and_scatter"> {
  let arguments = (ins AnyType:$operand, AnyType:$source, AnyType:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs AnyType:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
}

//===- Indices and order -------------------------------------------------------------===//

def GatherOp : StablehloOp<"gather", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, GatherNumbersAttr:$dimension_numbers,
                       DenseI64ArrayAttr:$slice_sizes, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyType:$result);
}
def DynamicGatherOp : StablehloOp<"dynamic_gather", [Pure]> {
  let arguments = (ins AnyType:$operand, AnyType:$start_indices, AnyType:$slice_sizes,
                       GatherNumbersAttr:$dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs AnyType:$result);
}
def ScatterOp : StablehloOp<"scatter", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, AnyType:$scatter_indices, Variadic<AnyType>:$updates,
                       ScatterNumbersAttr:$scatter_dimension_numbers,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$update_computation);
}
def SortOp : StablehloOp<"sort"> {
  let arguments = (ins Variadic<AnyType>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$comparator);
}

//===- Control -------------------------------------------------------------------------===//

def WhileOp : StablehloOp<"while"> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def IfOp : StablehloOp<"if"> {
  let arguments = (ins AnyType:$pred);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
}
def CaseOp : StablehloOp<"case"> {
  let arguments = (ins AnyType:$index);
  let results = (outs Variadic<AnyType>:$outs);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
}
def CompositeOp : StablehloOp<"composite"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name,
                       DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<AnyType>:$outs);
  let assemblyFormat = "$name $inputs attr-dict `:` functional-type(operands, results)";
}
def CustomCallOp : StablehloOp<"custom_call"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name);
  let results = (outs Variadic<AnyType>:$outs);
  let assemblyFormat = [{
    custom<Target>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

/// Statistics are vectors along the dimension `feature_index`.
class BatchNorm<string mnemonic, dag arguments_, dag results_> : StablehloOp<mnemonic, [Pure]> {
  let arguments = !con(arguments_, (ins F32Attr:$epsilon, I64Attr:$feature_index));
  let results = results_;
}
def BatchNormInferenceOp : BatchNorm<"batch_norm_inference",
    (ins AnyRankedTensor:$operand, AnyRankedTensor:$scale, AnyRankedTensor:$offset, AnyRankedTensor:$mean,
         AnyRankedTensor:$variance), (outs AnyRankedTensor:$result)>;
def BatchNormTrainingOp : BatchNorm<"batch_norm_training",
    (ins AnyRankedTensor:$operand, AnyRankedTensor:$scale, AnyRankedTensor:$offset),
    (outs AnyRankedTensor:$output, AnyRankedTensor:$batch_mean, AnyRankedTensor:$batch_var)>;
def BatchNormGradOp : BatchNorm<"batch_norm_grad",
    (ins AnyRankedTensor:$operand, AnyRankedTensor:$scale, AnyRankedTensor:$mean, AnyRankedTensor:$variance,
         AnyRankedTensor:$grad_output),
    (outs AnyRankedTensor:$grad_operand, AnyRankedTensor:$grad_scale, AnyRankedTensor:$grad_offset)>;

//===- Collectives ----------------------------------------------------------------------===//

/// Devices are numbered; those of one row of `replica_groups` exchange values.
class Collective<string mnemonic, dag attributes, list<Trait> traits = []> : StablehloOp<mnemonic, traits> {
  let arguments = !con((ins AnyRankedTensor:$operand), attributes, (ins OptionalAttr<AnyAttr>:$channel_handle));
  let results = (outs AnyRankedTensor:$result);
}
def AllReduceOp : StablehloOp<"all_reduce"> {
  let arguments = (ins Variadic<AnyRankedTensor>:$operands, I64ElementsAttr:$replica_groups,
                       OptionalAttr<AnyAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$computation);
}
def AllGatherOp : StablehloOp<"all_gather", [Pure]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$operands, I64Attr:$all_gather_dim, I64ElementsAttr:$replica_groups,
                       OptionalAttr<AnyAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}
def ReduceScatterOp : Collective<"reduce_scatter", (ins I64Attr:$scatter_dimension, I64ElementsAttr:$replica_groups,
                                                        UnitAttr:$use_global_device_ids)> {
  let regions = (region SizedRegion<1>:$computation);
}
def AllToAllOp : StablehloOp<"all_to_all", [Pure]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$operands, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       I64Attr:$split_count, I64ElementsAttr:$replica_groups, OptionalAttr<AnyAttr>:$channel_handle);
  let results = (outs Variadic<AnyRankedTensor>:$results);
}
def CollectivePermuteOp : Collective<"collective_permute", (ins I64ElementsAttr:$source_target_pairs), [Pure]>;
def CollectiveBroadcastOp : Collective<"collective_broadcast", (ins I64ElementsAttr:$replica_groups), [Pure]>;
class DeviceNumber<string mnemonic> : StablehloOp<mnemonic, [Pure]> {
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def PartitionIdOp : DeviceNumber<"partition_id">;
def ReplicaIdOp : DeviceNumber<"replica_id">;

//===- Transforms, matrices, random numbers ------------------------------------------------===//

def FftOp : StablehloOp<"fft", [Pure]> {
  let arguments = (ins AnyType:$operand, FftKindAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
}
def CholeskyOp : StablehloOp<"cholesky", [Pure]> {
  let arguments = (ins AnyType:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<Types>(type($a), type($result))";
}
def TriangularSolveOp : StablehloOp<"triangular_solve", [Pure]> {
  let arguments = (ins AnyType:$a, AnyType:$b, BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
                       TranspositionAttr:$transpose_a);
  let results = (outs AnyType:$result);
}
def RngBitGeneratorOp : StablehloOp<"rng_bit_generator", [Pure]> {
  let arguments = (ins GeneratorAttr:$rng_algorithm, AnyType:$initial_state);
  let results = (outs AnyType:$output_state, AnyType:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)
  }];
}

#endif // DOVETAIL_STABLEHLO_OPS_TD

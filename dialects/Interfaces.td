// The interfaces by which an op describes itself; transforms and lowerings know ops only through these.
#ifndef DOVETAIL_INTERFACES_TD
#define DOVETAIL_INTERFACES_TD

include "mlir/IR/OpBase.td"

class Rule<string name> : OpInterface<name> { let cppNamespace = "::dovetail"; }

def PointwiseOpInterface : Rule<"PointwiseOpInterface"> {
  let description = [{
    An op with one result, each element of which is computed from the elements of its operands at the same position. Its
    jvp, transpose, batching, factor map and lowering are derived from the formulas below.
  }];
  let methods = [
    InterfaceMethod<[{
      The result's tangent from the tangent `t` of operand `i`: one expression, linear in `t`. A null value is zero.
      `operands` and `ans` stand for this op's operands and result in the function under construction.
    }], "::mlir::Value", "tangent",
      (ins "::dovetail::Emitter &":$e, "unsigned":$i, "::mlir::Value":$t, "::mlir::ValueRange":$operands,
           "::mlir::Value":$ans)>,
    InterfaceMethod<[{
      The cotangent of operand `i`, in which the op is linear, from the result's cotangent `t`. `operands` is null where
      the op is linear.
    }], "::mlir::Value", "cotangent",
      (ins "::dovetail::Emitter &":$e, "unsigned":$i, "::mlir::Value":$t, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<"The sets of operands in which the op is jointly linear.",
      "::dovetail::OperandSets", "linearSets">,
    InterfaceMethod<"The scalar computation, on lowered element types.",
      "::mlir::Value", "emitScalar", (ins "::dovetail::scalar::ScalarBuilder &":$b, "::mlir::ValueRange":$args)>,
  ];
}

def JvpOpInterface : Rule<"JvpOpInterface"> {
  let description = "Forward-mode rule of an op that is neither pointwise nor linear.";
  let methods = [
    InterfaceMethod<[{
      Emits the op on `primals`, and its tangents for `tangents` (null is zero; at least one is nonzero). Appends one
      entry per result to `results` and to `resultTangents` (null for zero).
    }], "::llvm::LogicalResult", "jvp",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$primals, "::llvm::ArrayRef<::mlir::Value>":$tangents,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$resultTangents)>,
  ];
}

def LinearOpInterface : Rule<"LinearOpInterface"> {
  let description = [{
    An op that is linear in some of its operands. Its jvp is derived: the sum, over the sets of operands in which it is
    jointly linear, of the op on the tangents of that set.
  }];
  let methods = [
    InterfaceMethod<"The sets of operands in which the op is jointly linear.",
      "::dovetail::OperandSets", "linearSets">,
    InterfaceMethod<[{
      Emits the transpose. `operands` is null where the op is linear, otherwise the operand; `cotangents` has one entry
      per result (null is zero; at least one is nonzero). Sets `operandCotangents[i]` for each linear operand `i` (null
      is zero). The sizes of a linear operand's `?` dimensions are `e.sizes` of this op's operand.
    }], "::llvm::LogicalResult", "transpose",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands, "::llvm::ArrayRef<::mlir::Value>":$cotangents,
           "::llvm::MutableArrayRef<::mlir::Value>":$operandCotangents)>,
  ];
}

def BatchOpInterface : Rule<"BatchOpInterface"> {
  let description = "The batching rule of an op: how it runs on operands some of which have an additional dimension, the batch.";
  let methods = [
    InterfaceMethod<[{
      Emits the op over the batch. `dims[i]` is the position of the batch dimension in operand `i`, or kUnbatched. At
      least one operand is batched, unless the op names the axis of the batch. Appends one entry per result to `results`
      and `resultDims`.
    }], "::llvm::LogicalResult", "batch",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands, "::llvm::ArrayRef<int64_t>":$dims,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results, "::llvm::SmallVectorImpl<int64_t> &":$resultDims)>,
  ];
}

def NamedAxesOpInterface : Rule<"NamedAxesOpInterface"> {
  let description = [{
    An op over the elements of named axes. Under the batch of such an axis, its batching rule applies even if no operand
    carries the batch; so does that of any op whose bodies or callees contain such an op.
  }];
  let methods = [
    InterfaceMethod<"The names, strings.", "::mlir::ArrayAttr", "getAxes">,
    InterfaceMethod<[{
      The op on `x` over `axes`, with one value for all elements of the axes as its result; null if each element has a result
      of its own.
    }], "::mlir::Value", "emitInvariant", (ins "::dovetail::Emitter &":$e, "::mlir::Value":$x, "::mlir::ArrayAttr":$axes),
      "", "return {};">,
    InterfaceMethod<"Whether it adds up what the elements have: terms of sums are then added, too.", "bool", "addsTerms",
                    (ins), "", "return false;">,
  ];
}

def VaryingOpInterface : Rule<"VaryingOpInterface"> {
  let description = [{
    An op with bodies or callees, or one that makes values vary: along which manual axes of a mesh its results vary. The
    results of all other ops vary along the axes along which one of their operands varies.
  }];
  let methods = [
    InterfaceMethod<[{
      `operands[i]` has the axes along which operand i varies; the op adds those along which it must vary. Appends one entry per
      result to `results`. Bodies and callees are analyzed, and rewritten for arguments that vary so, by `analysis`.
    }], "::llvm::LogicalResult", "vary",
      (ins "::dovetail::VaryingAnalysis &":$analysis, "::llvm::MutableArrayRef<::dovetail::AxisSet>":$operands,
           "::llvm::SmallVectorImpl<::dovetail::AxisSet> &":$results)>,
  ];
}

def DimsOpInterface : Rule<"DimsOpInterface"> {
  let description = [{
    The factor map: which dimensions of operands and results belong to the same loop of the op's computation, and which of
    these loops are reduced. Sharding and the bookkeeping of shapes use nothing else.
  }];
  let methods = [InterfaceMethod<"The factor map of this op.", "::dovetail::FactorMap", "factorMap">];
}

def PermuteOpInterface : Rule<"PermuteOpInterface"> {
  let description = "An op that makes its result with any order of dimensions, without more work.";
  let methods = [InterfaceMethod<"The result with dimension `permutation[i]` as its dimension i.", "::mlir::Value",
    "emitPermuted", (ins "::dovetail::Emitter &":$e, "::llvm::ArrayRef<int64_t>":$permutation)>];
}

def CountOpInterface : Rule<"CountOpInterface"> {
  let description = "An op on integers or bools whose result may count along a dimension, as the indices of a batch do.";
  let methods = [
    InterfaceMethod<[{
      What the result has at `places`, from what `counting` knows of the operands; nothing if this is not known.
    }], "::std::optional<::dovetail::Count>", "count",
      (ins "::dovetail::Counting &":$counting, "::dovetail::Places":$places)>,
  ];
}
def Counts : DeclareOpInterfaceMethods<CountOpInterface>;

def PartOpInterface : Rule<"PartOpInterface"> {
  let description = "An op whose indivisible factors devices can divide after all, knowing which parts they have.";
  let methods = [
    InterfaceMethod<[{
      Emits a device's part of the result, of this type, from its parts of the operands. `factors` has an entry for each
      factor. The device may use collectives over the axes of those that are divided.
    }], "::mlir::Value", "emitPart",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands,
           "::llvm::ArrayRef<::dovetail::DividedFactor>":$factors, "::mlir::RankedTensorType":$type)>,
  ];
}

def ComponentsOpInterface : Rule<"ComponentsOpInterface"> {
  let description = [{
    An op that puts arrays of size 1 along a dimension next to each other, or takes one of them back.
  }];
  let methods = [
    InterfaceMethod<"The dimension along which all operands, in order, have size 1 and are the result; -1 for none.",
      "int64_t", "joinedDim", (ins), "", "return -1;">,
    InterfaceMethod<"The index along `dim` of all elements of the operand that the result has; -1 if there are several.",
      "int64_t", "indexAlong", (ins "int64_t":$dim), "", "return -1;">,
    InterfaceMethod<"The result, of the operand's elements at that index.", "::mlir::Value", "emitFromComponent",
      (ins "::dovetail::Emitter &":$e, "::mlir::Value":$component, "int64_t":$dim), "", "return {};">,
  ];
}

def SplitOpInterface : Rule<"SplitOpInterface"> {
  let description = "An op with a body, part of which may not depend on some operands; all other ops are indivisible.";
  let methods = [
    InterfaceMethod<[{
      Replaces the op, whose operands marked in `unknown` are known only later, by an op that does not need them,
      followed by one that does; emits both with `e`, on `operands`. Appends one entry per result to `results`.
    }], "::llvm::LogicalResult", "split",
      (ins "::dovetail::Emitter &":$e, "const ::llvm::SmallBitVector &":$unknown, "::mlir::ValueRange":$operands,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
    InterfaceMethod<[{
      Whether the op must be split before it has a transpose, with the linear operands marked in `linear` unknown.
    }], "::llvm::FailureOr<bool>", "needsSplit",
      (ins "::dovetail::Emitter &":$e, "const ::llvm::SmallBitVector &":$linear), "", "return false;">,
  ];
}

def ResultSizeOpInterface : Rule<"ResultSizeOpInterface"> {
  let description = "An op some of whose `?` sizes are neither operands nor follow from its factor map.";
  let methods = [
    InterfaceMethod<[{
      The size of a `?` dimension of a result; null after an error. `operands` is null where an operand's elements need
      not exist; its sizes are `e.size` of this op's operand.
    }], "::mlir::Value", "resultSize",
      (ins "::dovetail::Emitter &":$e, "::mlir::ValueRange":$operands, "unsigned":$result, "int64_t":$dimension)>,
  ];
}

def SizingOpInterface : Rule<"SizingOpInterface"> {
  let description = "An op some of whose results have sizes given by the values of its operands.";
  let methods = [InterfaceMethod<"The indices of these operands.", "::llvm::SmallVector<unsigned>", "getSizingOperands">];
}

def SizeQueryOpInterface : Rule<"SizeQueryOpInterface"> {
  let description = "An op that only queries a size of its operand, so that the operand's elements need not exist.";
  let methods = [
    InterfaceMethod<"The queried dimension of operand 0.", "int64_t", "getQueriedDimension">,
  ];
}

def CheapOpInterface : Rule<"CheapOpInterface"> {
  let description = [{
    An op whose result costs little more to recompute than to load, since each element depends on few others.
  }];
  let methods = [InterfaceMethod<"Whether this is true of this op.", "bool", "isCheap", (ins), "", "return true;">];
}

def SizedOpInterface : Rule<"SizedOpInterface"> {
  let description = "An op of one result whose `?` sizes are operands.";
  let methods = [InterfaceMethod<"One size for each `?` of the result.", "::mlir::Operation::operand_range", "getSizes">];
}

def LowerOpInterface : Rule<"LowerOpInterface"> {
  let description = "The lowering of an op to linalg, tensor, arith and scf; attached by the lowering library.";
  let methods = [
    InterfaceMethod<[{
      Emits the op on lowered operands (signless integers) and appends the results.
    }], "::llvm::LogicalResult", "lower",
      (ins "::mlir::ImplicitLocOpBuilder &":$b, "::mlir::ValueRange":$operands,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def ReduceOpInterface : Rule<"ReduceOpInterface"> {
  let description = "A reduction with an associative scalar operation.";
  let methods = [
    InterfaceMethod<"The reduced dimensions.", "::llvm::ArrayRef<int64_t>", "getDims">,
    InterfaceMethod<"The neutral element, of the lowered type of element type `b.elementType`.", "::mlir::Value", "emitNeutral",
      (ins "::dovetail::scalar::ScalarBuilder &":$b)>,
    InterfaceMethod<"One step of the reduction.", "::mlir::Value", "emitStep",
      (ins "::dovetail::scalar::ScalarBuilder &":$b, "::mlir::Value":$accumulator, "::mlir::Value":$x)>,
    InterfaceMethod<"The same reduction of another array.", "::mlir::Value", "emitOver",
      (ins "::dovetail::Emitter &":$e, "::mlir::Value":$x, "::llvm::ArrayRef<int64_t>":$dims)>,
  ];
}

def InlineOpInterface : Rule<"InlineOpInterface"> {
  let description = "An op that `simplify` replaces by the body of a function.";
  let methods = [
    InterfaceMethod<"The function.", "::mlir::FlatSymbolRefAttr", "getCalleeAttr">,
    InterfaceMethod<"The function's arguments, emitted before its body if they are not this op's operands.",
      "::llvm::SmallVector<::mlir::Value>", "inlinedArguments", (ins "::mlir::OpBuilder &":$builder), "",
      "return ::llvm::SmallVector<::mlir::Value>($_op->getOperands());">,
  ];
}

def RefOpInterface : Rule<"RefOpInterface"> {
  let description = [{
    An op on references: what it does to the arrays that they hold. Whether it writes to one, or ends it, are its memory
    effects.
  }];
  let methods = [
    InterfaceMethod<[{
      The op on arrays. `held[i]` is the array that operand `i` holds if it is a reference, otherwise null; the op replaces
      what it writes, and sets what it ends to null. Appends one entry per result to `results`: for a reference, the array
      that it holds.
    }], "void", "discharge",
      (ins "::mlir::ValueRange":$operands, "::llvm::MutableArrayRef<::mlir::Value>":$held,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def GlobalOpInterface : Rule<"GlobalOpInterface"> {
  let description = [{
    An op on the parts of arrays that devices hold, or on where these are. It has a meaning on whole arrays, and states how
    its operands and results are sharded.
  }];
  let methods = [
    InterfaceMethod<"Emits its meaning: the same on whole arrays. Appends one entry per result to `results`.",
      "::llvm::LogicalResult", "emitGlobal",
      (ins "::dovetail::Emitter &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
    InterfaceMethod<"The sharding that an operand must have.", "::dovetail::ShardingAttr", "operandSharding",
      (ins "unsigned":$number)>,
    InterfaceMethod<"The sharding of a result.", "::dovetail::ShardingAttr", "resultSharding",
      (ins "unsigned":$number)>,
    InterfaceMethod<"Replaces the sharding of a result, and of what must be sharded like it: its open dimensions are decided.",
      "void", "closeSharding", (ins "unsigned":$number, "::dovetail::ShardingAttr":$sharding), "", "return;">,
    InterfaceMethod<"The axes over which open dimensions of results must not be sharded further.",
      "::mlir::ArrayAttr", "closedAxes", (ins), "", "return {};">,
    InterfaceMethod<[{
      The function that devices apply to parts, if there is one: along `manualAxes` as the shardings of operands and results
      say. Along the other axes, its arrays are divided among devices like those of the program.
    }], "::mlir::FlatSymbolRefAttr", "partsFunction", (ins), "", "return {};">,
    InterfaceMethod<"The axes along which the arrays of that function are parts.",
      "::mlir::ArrayAttr", "manualAxes", (ins), "", "return {};">,
    InterfaceMethod<[{
      Emits what one device computes, given its parts of the operands, and what `partsFunction` is on one device. Appends
      its parts of the results to `results`.
    }], "void", "emitLocal",
      (ins "::dovetail::Emitter &":$e, "::mlir::func::FuncOp":$function, "::mlir::ValueRange":$parts,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def SaveableOpInterface : Rule<"SaveableOpInterface"> {
  let description = "An op whose result checkpoint policies can select.";
  let methods = [
    InterfaceMethod<"Its kind: `dot`, `unbatched_dot` (without batch dimensions), or `named`.",
      "::llvm::StringRef", "getSavedKind">,
    InterfaceMethod<"The name, if it is named.", "::llvm::StringRef", "getSavedName", (ins), "", "return {};">,
  ];
}

def TransientOpInterface : Rule<"TransientOpInterface"> {
  let description = "An op that only transposition can resolve: none may remain once all requests are expanded.";
  let methods = [InterfaceMethod<"Reports that it remains.", "::mlir::InFlightDiagnostic", "reportLeft">];
}

def ResolveOpInterface : Rule<"ResolveOpInterface"> {
  let description = "An op that transforms know by its rules, and that `expand` replaces last.";
  let methods = [
    InterfaceMethod<"Emits what computes it.", "::llvm::LogicalResult", "resolve",
      (ins "::dovetail::Emitter &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

def RequestOpInterface : Rule<"RequestOpInterface"> {
  let description = "An op that asks for a transformed function.";
  let methods = [
    InterfaceMethod<[{
      Makes the transformed functions and emits the calls in place of this op. The callee contains no requests any more.
    }], "::llvm::LogicalResult", "expand",
      (ins "::dovetail::Emitter &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
  ];
}

#endif // DOVETAIL_INTERFACES_TD

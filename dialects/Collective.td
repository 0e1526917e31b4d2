// Collectives: ops over the elements of named axes, those of `vmap` and of meshes.
#ifndef DOVETAIL_COLLECTIVE_TD
#define DOVETAIL_COLLECTIVE_TD

include "Dovetail.td"

/// Each element of the product of `axes`, in row-major order, has values of its own. If an axis is that of a batch,
/// the op becomes one over the other axes, and ordinary ops along the batch dimension.
class Collective<string mnemonic, list<Trait> traits = []>
    : InferredOp<mnemonic, traits # [NamedAxesOpInterface, DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>]>;

/// `invariant`: the result is one value, held by all elements, and so is its cotangent. Otherwise each element has a result
/// of its own, and they happen to be equal.
class AllReduce<string mnemonic, Type element, list<Trait> traits> : Collective<mnemonic, traits> {
  let arguments = (ins Tensor<element>:$x, StrArrayAttr:$axes, UnitAttr:$invariant);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = "$x `over` $axes (`invariant` $invariant^)? attr-dict `:` type($x)";
  code emitting = [{
    ::mlir::Value emitInvariant(::dovetail::Emitter &e, ::mlir::Value x, ::mlir::ArrayAttr axes);
  }];
  let extraClassDeclaration = emitting;
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::emitInvariant(::dovetail::Emitter &e, ::mlir::Value x, ::mlir::ArrayAttr axes) {
      return e.make<$cppClass>(x, axes, /*invariant=*/true);
    }
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      types.push_back(adaptor.getX().getType());
      return ::dovetail::verifyAxes(loc, getOperationName(), adaptor.getAxes());
    }
    ::llvm::LogicalResult $cppClass::batch(::dovetail::Emitter &e, ::mlir::ValueRange operands,
        ::llvm::ArrayRef<int64_t> dims, ::llvm::SmallVectorImpl<::mlir::Value> &results,
        ::llvm::SmallVectorImpl<int64_t> &resultDims) {
      return ::dovetail::batchAllReduce(e, *this, operands[0], dims[0], results, resultDims);
    }
    ::dovetail::FactorMap $cppClass::factorMap() { return ::dovetail::pointwiseFactorMap(*this); }
  }];
}

def AllReduceSumOp : AllReduce<"all_reduce_sum", Number, [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let extraClassDeclaration = emitting # "bool addsTerms() { return true; }";
  let summary = "the sum over all elements of the axes, returned to each of them";
}
def AllReduceMaxOp : AllReduce<"all_reduce_max", Ordered, [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "the maximum over all elements of the axes, returned to each of them";
}
def AllReduceMinOp : AllReduce<"all_reduce_min", Ordered, [DeclareOpInterfaceMethods<JvpOpInterface>]> {
  let summary = "the minimum over all elements of the axes, returned to each of them";
}

def VaryOp : Collective<"vary", [DeclareOpInterfaceMethods<LinearOpInterface>, DeclareOpInterfaceMethods<VaryingOpInterface>]> {
  let summary = "a value that is the same for all elements of the axes, as a value of each element's own";
  let description = [{
    Its transpose is the sum over the axes. `unreduced` says in types that the values, which vary already, are terms of a
    sum over the axes, and `reduced` that cotangents are, while the values stay the same.
  }];
  let arguments = (ins AnyArray:$x, StrArrayAttr:$axes, UnitAttr:$unreduced, UnitAttr:$reduced);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = [{
    $x `over` $axes (`unreduced` $unreduced^)? (`reduced` $reduced^)? attr-dict `:` type($x)
  }];
}

/// A linear op that depends on the positions of elements, and therefore states the sizes of the axes.
class Exchange<string mnemonic, Type element, dag attributes, string format>
    : Collective<mnemonic, [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let arguments = !con((ins Tensor<element>:$x, StrArrayAttr:$axes, DenseI64ArrayAttr:$sizes), attributes);
  let results = (outs Tensor<element>:$ans);
  let assemblyFormat = "$x `over` $axes `sizes` $sizes " # format # " attr-dict `:` type($x)";
  let extraClassDefinition = "::dovetail::OperandSets $cppClass::linearSets() { return {{0}}; }";
}

def AllGatherOp : Exchange<"all_gather", Element, (ins I64Attr:$dimension, UnitAttr:$invariant, UnitAttr:$reduced),
                           "`dimension` $dimension (`invariant` $invariant^)? (`reduced` $reduced^)?"> {
  let summary = "all elements of the axes, along a new dimension";
  let description = [{
    `invariant`: the result is one value, held by all elements, and so is its cotangent. `reduced` says in types that it is
    the same for all elements, and that its cotangents are terms of a sum.
  }];
  let extraClassDeclaration = [{
    ::mlir::Value emitInvariant(::dovetail::Emitter &e, ::mlir::Value x, ::mlir::ArrayAttr axes);
  }];
}
def ReduceScatterOp : Exchange<"reduce_scatter", Number, (ins I64Attr:$dimension), "`dimension` $dimension"> {
  let summary = "the sum over all elements of the axes, each of which gets its slice along a dimension";
  let description = "The size of the dimension is the product of the axes; the result does not have it.";
  let extraClassDeclaration = "bool addsTerms() { return true; }";
}
def AllToAllOp : Exchange<"all_to_all", Element, (ins I64Attr:$from, I64Attr:$to), "`from` $from `to` $to"> {
  let summary = "slice j along one dimension of element i becomes slice i along another dimension of element j";
  let description = [{
    The size of dimension `from` is the product of the axes. The result has a dimension `to` of that size instead, counted
    without `from`.
  }];
}
def PermuteOp : Exchange<"permute", Element, (ins DenseI64ArrayAttr:$sources, DenseI64ArrayAttr:$targets),
                         "`from` $sources `to` $targets"> {
  let summary = "element `targets[n]` gets the operand of element `sources[n]`; the others get zeros";
}

def AxisIndexOp : Collective<"axis_index"> {
  let summary = "the index of the element among those of the axes";
  let arguments = (ins StrArrayAttr:$axes, DenseI64ArrayAttr:$sizes);
  let results = (outs Tensor<I32>:$ans);
  let assemblyFormat = "`over` $axes `sizes` $sizes attr-dict";
}

#endif // DOVETAIL_COLLECTIVE_TD

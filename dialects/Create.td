// Ops that create arrays, and the size of a dimension.
#ifndef DOVETAIL_CREATE_TD
#define DOVETAIL_CREATE_TD

include "Dovetail.td"

def ConstantOp : InferredOp<"constant", [ConstantLike]> {
  let summary = "an array known at compile time";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def IotaOp : DovetailOp<"iota", [Pure, SizedOpInterface, DeclareOpInterfaceMethods<DimsOpInterface>,
                                 DeclareOpInterfaceMethods<PermuteOpInterface>,
                                 DeclareOpInterfaceMethods<PartOpInterface>, Counts]> {
  let summary = "each element is its index along one dimension";
  let arguments = (ins I64Attr:$dimension, Sizes:$sizes);
  let weakOperands = [];
  let statesElement = 1;
  let results = (outs Tensor<Number>:$ans);
  let assemblyFormat = "$dimension (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($ans)";
  let hasVerifier = 1;
}

def DimOp : DovetailOp<"dim", [Pure, DeclareOpInterfaceMethods<BatchOpInterface>, SizeQueryOpInterface]> {
  let summary = "the size of one dimension";
  let arguments = (ins AnyArray:$x, I64Attr:$dimension);
  let results = (outs Index:$size);
  let assemblyFormat = "$x `,` $dimension attr-dict `:` type($x)";
  let extraClassDeclaration = "int64_t getQueriedDimension() { return getDimension(); }";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DOVETAIL_CREATE_TD

// The general contraction of two arrays.
#ifndef DOVETAIL_DOT_TD
#define DOVETAIL_DOT_TD

include "Dovetail.td"

def DotGeneralOp : InferredOp<"dot_general", [DeclareOpInterfaceMethods<LinearOpInterface>,
                                              DeclareOpInterfaceMethods<BatchOpInterface>,
                                              DeclareOpInterfaceMethods<DimsOpInterface>, SaveableOpInterface]> {
  let summary = "sum over the contracting dimensions of the product of two arrays";
  let description = [{
    Result dimensions: the batch dimensions in the given order, the free ones of `lhs`, the free ones of `rhs`. With
    `element`, products are formed and summed in that element type, which is the result's.
  }];
  let arguments = (ins Tensor<Number>:$lhs, Tensor<Number>:$rhs, DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
                       DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract, OptionalAttr<TypeAttr>:$element);
  let results = (outs Tensor<Number>:$ans);
  let assemblyFormat = [{
    $lhs `,` $rhs `batch` $lhs_batch `x` $rhs_batch `contract` $lhs_contract `x` $rhs_contract (`element` $element^)?
    attr-dict `:` type($lhs) `,` type($rhs)
  }];
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getSavedKind() { return getLhsBatch().empty() ? "unbatched_dot" : "dot"; }
  }];
}

#endif // DOVETAIL_DOT_TD

// Contractions in which one array slides along another.
#ifndef DOVETAIL_CONV_TD
#define DOVETAIL_CONV_TD

include "Dovetail.td"

def ConvOp : InferredOp<"conv", [DeclareOpInterfaceMethods<LinearOpInterface>,
                                 DeclareOpInterfaceMethods<BatchOpInterface>,
                                 DeclareOpInterfaceMethods<DimsOpInterface>,
                                 DeclareOpInterfaceMethods<ResultSizeOpInterface>, SaveableOpInterface]> {
  let summary = "the contraction of an array's windows with a kernel";
  let description = [{
    Every dimension of `lhs`, `rhs` and the result has a label: `lhs_dims`, `rhs_dims`, `ans_dims`. A label of `windows`
    is in all three: along it, ans[p] sums lhs[p * stride + k * dilation] * rhs[k] over k, for all p for which all of
    these exist. Any other label is a batch dimension if it is in all three, a contracting one if it is in both
    operands, and a free one if it is in one operand and the result. With `element`, products are formed and summed in
    that element type, which is the result's.

    Padding and dilation of the operand are `pad`, groups are batch dimensions. Both transposes are therefore
    convolutions.
  }];
  let arguments = (ins Tensor<Number>:$lhs, Tensor<Number>:$rhs, DenseI64ArrayAttr:$lhs_dims, DenseI64ArrayAttr:$rhs_dims,
                       DenseI64ArrayAttr:$ans_dims, DenseI64ArrayAttr:$windows, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$dilations, OptionalAttr<TypeAttr>:$element);
  let results = (outs Tensor<Number>:$ans);
  let assemblyFormat = [{
    $lhs `,` $rhs `dims` $lhs_dims `x` $rhs_dims `to` $ans_dims `windows` $windows `strides` $strides
    `dilations` $dilations (`element` $element^)? attr-dict `:` type($lhs) `,` type($rhs)
  }];
  let extraClassDeclaration = [{ ::llvm::StringRef getSavedKind() { return "dot"; } }];
}

#endif // DOVETAIL_CONV_TD

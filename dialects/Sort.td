// Sorting along one dimension.
#ifndef DOVETAIL_SORT_TD
#define DOVETAIL_SORT_TD

include "Dovetail.td"

def SortOp : InferredOp<"sort", [DeclareOpInterfaceMethods<JvpOpInterface>, DeclareOpInterfaceMethods<BatchOpInterface>,
                                 DeclareOpInterfaceMethods<DimsOpInterface>,
                                 DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the operands, permuted alike along one dimension so that the first `num_keys` are in increasing order";
  let description = [{
    Later keys order elements whose earlier keys are equal; elements with equal keys keep their order. -0 equals 0, a
    NaN is greater than any number and equal to any NaN, and complex numbers are ordered by real part, then by imaginary
    part.
  }];
  let arguments = (ins Variadic<AnyArray>:$xs, I64Attr:$dimension, I64Attr:$num_keys);
  let results = (outs Variadic<AnyArray>:$sorted);
  let assemblyFormat = "$xs `dimension` $dimension `keys` $num_keys attr-dict `:` type($xs)";
}

#endif // DOVETAIL_SORT_TD

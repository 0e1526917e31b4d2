// Sorting along one dimension.
#ifndef DOVETAIL_SORT_TD
#define DOVETAIL_SORT_TD

include "Dovetail.td"

def SortOp : InferredOp<"sort", [DeclareOpInterfaceMethods<JvpOpInterface>, DeclareOpInterfaceMethods<BatchOpInterface>,
                                 DeclareOpInterfaceMethods<DimsOpInterface>,
                                 DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the operands, permuted alike along one dimension so that the first `num_keys` are in order";
  let description = [{
    The order is increasing. Later keys order elements whose earlier keys are equal; elements with equal keys keep their order. -0 equals 0, a
    NaN is greater than any number and equal to any NaN, and complex numbers are ordered by real part, then by imaginary
    part. `descending` reverses this order, but elements with equal keys still keep theirs. With `first`, the results have
    only that many elements along the dimension, those that come first. `carried` says whether results are wanted divided among
    devices along the dimension as the operands are; if it is not stated, they are if they have all elements.
  }];
  let arguments = (ins Variadic<AnyArray>:$xs, I64Attr:$dimension, I64Attr:$num_keys, OptionalAttr<I64Attr>:$first,
                       DefaultValuedAttr<BoolAttr, "false">:$descending, OptionalAttr<BoolAttr>:$carried);
  let results = (outs Variadic<AnyArray>:$sorted);
  let hasCanonicalizer = 1;
  let assemblyFormat = [{
    $xs `dimension` $dimension `keys` $num_keys (`first` $first^)? (`descending` `=` $descending^)? (`carried` `=` $carried^)?
    attr-dict `:` type($xs)
  }];
}

#endif // DOVETAIL_SORT_TD

// Hashes from which random numbers are made.
#ifndef DOVETAIL_RANDOM_TD
#define DOVETAIL_RANDOM_TD

include "Dovetail.td"

def Threefry2x32Op : InferredOp<"threefry2x32", [SameTypeOperands, DeclareOpInterfaceMethods<BatchOpInterface>,
                                                 DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "the hash Threefry-2x32 with 20 rounds, of each counter of two words under the key at the same position";
  let description = [{
    `k0` and `k1` are the words of the keys, `x0` and `x1` those of the counters (Salmon et al., Parallel random numbers:
    as easy as 1, 2, 3; SC 2011).
  }];
  let weakOperands = [];
  let arguments = (ins Tensor<UI32>:$k0, Tensor<UI32>:$k1, Tensor<UI32>:$x0, Tensor<UI32>:$x1);
  let results = (outs Tensor<UI32>:$first, Tensor<UI32>:$second);
  let assemblyFormat = "$k0 `,` $k1 `,` $x0 `,` $x1 attr-dict `:` type($k0)";
}

#endif // DOVETAIL_RANDOM_TD

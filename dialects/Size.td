// Sizes of dynamic shapes: assumptions about them, and conversion to numbers.
#ifndef DOVETAIL_SIZE_TD
#define DOVETAIL_SIZE_TD

include "Dovetail.td"

def FromIndexOp : DovetailOp<"from_index", [Pure, CheapOpInterface]> {
  let summary = "a size as a number";
  let arguments = (ins Index:$size);
  let results = (outs Tensor<SignedInt>:$ans);
  let assemblyFormat = "$size attr-dict `:` type($ans)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def AssumeOp : DovetailOp<"assume", [Pure, CheapOpInterface, AllTypesMatch<["size", "same"]>]> {
  let summary = "a size that is known to be within bounds, and a multiple of a number";
  let description = "The size must be checked before: the compiler relies on it.";
  let arguments = (ins Index:$size, I64Attr:$min, I64Attr:$max, I64Attr:$multiple);
  let results = (outs Index:$same);
  let assemblyFormat = "$size `min` $min `max` $max `multiple` $multiple attr-dict";
  let hasVerifier = 1;
}

def WithSizesOp : DovetailOp<"with_sizes", [Pure, CheapOpInterface, SizedOpInterface, AllTypesMatch<["x", "ans"]>,
                                            DeclareOpInterfaceMethods<LinearOpInterface>,
                                            DeclareOpInterfaceMethods<BatchOpInterface>,
                                            DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "an array whose `?` sizes are known to be the given ones";
  let description = "A size that several arrays share is then one value in the program.";
  let arguments = (ins AnyArray:$x, Sizes:$sizes);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "$x (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($x)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // DOVETAIL_SIZE_TD

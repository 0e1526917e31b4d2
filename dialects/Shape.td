// Linear ops that move elements without computing on them.
#ifndef DOVETAIL_SHAPE_TD
#define DOVETAIL_SHAPE_TD

include "Dovetail.td"

class Linear<string mnemonic, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [Pure, CheapOpInterface, DeclareOpInterfaceMethods<LinearOpInterface>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let results = (outs AnyArray:$ans);
}

/// Its result shape is stated; the sizes of its `?` dimensions are operands.
class Shaped<string mnemonic, list<Trait> traits = []> : Linear<mnemonic, traits # [SizedOpInterface]> {
  let hasVerifier = 1;
}

def ReshapeOp : Shaped<"reshape", [Counts]> {
  let summary = "the same elements, in row-major order, in another shape";
  let arguments = (ins AnyArray:$x, Sizes:$sizes);
  let assemblyFormat = "$x (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($x) `->` type($ans)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def BroadcastOp : Shaped<"broadcast", [Counts, DeclareOpInterfaceMethods<PermuteOpInterface>]> {
  let summary = "operand dimension i becomes result dimension `dims[i]`; along the others the operand is repeated";
  let description = [{
    The `dims` are strictly increasing; the sizes agree (a size of 1 does not stretch: reshape it away first).
  }];
  let arguments = (ins AnyArray:$x, DenseI64ArrayAttr:$dims, Sizes:$sizes);
  let assemblyFormat = "$x `dims` $dims (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($x) `->` type($ans)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def SliceOp
    : Shaped<"slice", [DeclareOpInterfaceMethods<ComponentsOpInterface, ["indexAlong", "emitFromComponent"]>]> {
  let summary = "element i along a dimension is operand element start + i * stride";
  let arguments = (ins AnyArray:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$strides, Sizes:$sizes);
  let assemblyFormat = [{
    $x `starts` $starts `strides` $strides (`sizes` `(` $sizes^ `)`)? attr-dict `:` type($x) `->` type($ans)
  }];
  let hasFolder = 1;
}

def PadOp : Shaped<"pad", [DeclareOpInterfaceMethods<PartOpInterface>]> {
  let summary = "operand element i goes to low + i * (interior + 1); the rest of the result is the padding value";
  let description = [{
    Elements that fall outside the result are dropped, so a negative `low`, or a result smaller than the extent of the
    operand, crops.
  }];
  let weakOperands = ["x"];
  let arguments = (ins AnyArray:$x, AnyArray:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$interior, Sizes:$sizes);
  let assemblyFormat = [{
    $x `,` $value `low` $low `interior` $interior (`sizes` `(` $sizes^ `)`)? attr-dict
    `:` type($x) `,` type($value) `->` type($ans)
  }];
  let hasFolder = 1;
}

def TransposeOp : Linear<"transpose", [InferTypes, Counts]> {
  let summary = "result dimension i is operand dimension `permutation[i]`";
  let arguments = (ins AnyArray:$x, DenseI64ArrayAttr:$permutation);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def ReverseOp : Linear<"reverse", [InferTypes]> {
  let summary = "the elements in reverse order along some dimensions";
  let arguments = (ins AnyArray:$x, DenseI64ArrayAttr:$dims);
  let assemblyFormat = "$x $dims attr-dict `:` type($x)";
  let hasFolder = 1;
}

def RollOp : Linear<"roll", [InferTypes, DeclareOpInterfaceMethods<PartOpInterface>]> {
  let summary = "element i along a dimension is operand element i - shift, counted round from the end to the start";
  let description = [{
    A shift of any size is valid. Devices that divide the dimension exchange the elements that leave their parts; on
    one device it is two slices, one after the other.
  }];
  let arguments = (ins AnyArray:$x, I64Attr:$dimension, I64Attr:$shift);
  let assemblyFormat = "$x `dimension` $dimension `shift` $shift attr-dict `:` type($x)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The same in other ops, of elements along `dimension`.
    static ::mlir::Value emit(::dovetail::Emitter &e, ::mlir::Value x, int64_t dimension, int64_t shift);
  }];
}

def ConcatenateOp
    : Linear<"concatenate", [InferTypes, DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                             DeclareOpInterfaceMethods<ComponentsOpInterface, ["joinedDim"]>, Counts]> {
  let summary = "the operands, one after the other along one dimension";
  let arguments = (ins Variadic<AnyArray>:$xs, I64Attr:$dimension);
  let assemblyFormat = "$xs `dimension` $dimension attr-dict `:` type($xs)";
  let hasFolder = 1;
}

def OptimizationBarrierOp : DovetailOp<"optimization_barrier", [Pure, InferTypes, HidesOperands,
                                                                DeclareOpInterfaceMethods<JvpOpInterface>,
                                                                DeclareOpInterfaceMethods<LinearOpInterface>,
                                                                DeclareOpInterfaceMethods<BatchOpInterface>,
                                                                DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "the operands, none of which is used before all are computed; nothing is simplified or fused across it";
  let arguments = (ins Variadic<AnyArray>:$xs);
  let results = (outs Variadic<AnyArray>:$same);
  let assemblyFormat = "$xs attr-dict `:` type($xs)";
}

#endif // DOVETAIL_SHAPE_TD

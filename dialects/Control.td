// Control flow: loops and branches, whose bodies are isolated from above.
#ifndef DOVETAIL_CONTROL_TD
#define DOVETAIL_CONTROL_TD

include "Dovetail.td"

def ThreadOpInterface : Rule<"ThreadOpInterface"> {
  let description = [{
    An op with bodies through which values can be threaded: from iteration to iteration of a loop, or through the branch
    that is taken.
  }];
  let methods = [
    InterfaceMethod<[{
      Replaces the op by one that threads `values` through its bodies. Calls `through` with each body that may change the
      values, and with the values there; it returns those at the body's end. Calls `seen` with each other body. Returns
      the values after the op.
    }], "::llvm::SmallVector<::mlir::Value>", "thread",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$values,
           "::llvm::function_ref<::llvm::SmallVector<::mlir::Value>(::mlir::Block &, ::mlir::ValueRange)>":$through,
           "::llvm::function_ref<void(::mlir::Block &, ::mlir::ValueRange)>":$seen)>,
    InterfaceMethod<[{
      Whether an op that `concerns` the caller is in a body that `thread` does not go through: it decides whether the
      others run again.
    }], "bool", "decidesItself", (ins "::llvm::function_ref<bool(::mlir::Operation *)>":$concerns), "",
      "return false;">,
    InterfaceMethod<"Replaces the op by one whose other bodies compute what that body does; returns it.",
      "::mlir::Operation *", "rotate", (ins "::mlir::OpBuilder &":$builder), "", "return $_op;">,
  ];
}

def FlowOpInterface : Rule<"FlowOpInterface"> {
  let description = "An op with bodies: where its operands, and what its bodies return, flow to.";
  let methods = [
    InterfaceMethod<[{
      Calls `visit` with each argument of a body and each result of the op that may have the value of `source`, an operand
      of this op or of the terminator of one of its bodies.
    }], "void", "forEachTarget",
      (ins "::mlir::OpOperand &":$source,
           "::llvm::function_ref<void(::mlir::Value target, ::dovetail::Flow flow)>":$visit)>,
  ];
}

def YieldOp : DovetailOp<"yield", [Pure, Terminator]> {
  let summary = "what a body returns";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

/// An op with bodies; the values that these use are operands.
class ControlOp<string mnemonic, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
                                     DeclareOpInterfaceMethods<JvpOpInterface>,
                                     DeclareOpInterfaceMethods<LinearOpInterface>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<SplitOpInterface, ["needsSplit"]>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                                     DeclareOpInterfaceMethods<ThreadOpInterface>,
                                     DeclareOpInterfaceMethods<FlowOpInterface>,
                                     DeclareOpInterfaceMethods<VaryingOpInterface>]> {
  let results = (outs Variadic<AnyType>:$outs);
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def ScanOp : ControlOp<"scan", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SizingOpInterface>]> {
  let summary = "a loop over the leading dimension of arrays";
  let description = [{
    The body takes the carries, one slice of each of `xs`, and `consts`; it returns the carries of the next iteration and
    slices of the stacked results. The results are the last carries, then the stacked ones. `length` is the number of
    iterations; if it is -1, that is `count`, or without it the leading dimension of the first of `xs`. With `reverse`,
    iterations run from the last slices to the first, and stack in the same order.
  }];
  let arguments = (ins Variadic<AnyArray>:$inits, Variadic<AnyArray>:$xs, Variadic<AnyType>:$consts,
                       Optional<Tensor<I32>>:$count, I64Attr:$length, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `length` $length (`count` $count^)? `init` `(` $inits `)` `over` `(` $xs `)` `consts` `(` $consts `)` attr-dict
    `:` functional-type(operands, results) custom<Body>($body)
  }];
}

def WhileOp : ControlOp<"while", [AttrSizedOperandSegments]> {
  let summary = "a loop that runs as long as a predicate of its carries holds";
  let description = [{
    Both regions take the carries and `consts`; `cond` returns a bool, `body` the carries of the next iteration.
    `max_steps` promises that there are no more iterations than that; the residuals of the derivative then have this
    size.
  }];
  let arguments = (ins Variadic<AnyArray>:$inits, Variadic<AnyType>:$consts, OptionalAttr<I64Attr>:$max_steps);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `init` `(` $inits `)` `consts` `(` $consts `)` attr-dict `:` functional-type(operands, results)
    custom<Body>($cond) `do` custom<Body>($body)
  }];
  let extraClassDeclaration = [{
    bool decidesItself(::llvm::function_ref<bool(::mlir::Operation *)> concerns);
    ::mlir::Operation *rotate(::mlir::OpBuilder &builder);
  }];
}

def CaseOp : ControlOp<"case"> {
  let summary = "the results of one of several branches, selected by an index";
  let description = "All branches take all of `args`. An index out of bounds selects the nearest branch.";
  let arguments = (ins Tensor<I32>:$index, Variadic<AnyType>:$args);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = [{
    $index `of` `(` $args `)` attr-dict `:` functional-type(operands, results) custom<Bodies>($branches)
  }];
}

def IndexOp : DovetailOp<"index", [Pure, DeclareOpInterfaceMethods<BatchOpInterface>, SizingOpInterface]> {
  let summary = "a number as a size";
  let description = "The number is at least 0. For a batch of numbers, the size is the largest.";
  let arguments = (ins Tensor<I32>:$x);
  let results = (outs Index:$size);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extraClassDeclaration = "::llvm::SmallVector<unsigned> getSizingOperands() { return {0}; }";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DOVETAIL_CONTROL_TD

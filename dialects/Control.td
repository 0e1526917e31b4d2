// Control flow: loops and branches, whose bodies are isolated from above.
#ifndef DOVETAIL_CONTROL_TD
#define DOVETAIL_CONTROL_TD

include "Dovetail.td"

def ThreadOpInterface : Rule<"ThreadOpInterface"> {
  let description = [{
    An op with bodies through which a value can go: from step to step of a loop, or through the branch that is chosen.
  }];
  let methods = [
    InterfaceMethod<[{
      Replaces the op by one through which `value` goes. `through` is called with each body that may change it, and with
      what it is there, and returns what it is at the body's end. Returns what it is behind the op.
    }], "::mlir::Value", "thread",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Value":$value,
           "::llvm::function_ref<::mlir::Value(::mlir::Block &, ::mlir::Value)>":$through)>,
  ];
}

def YieldOp : DovetailOp<"yield", [Pure, Terminator]> {
  let summary = "what a body returns";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

/// An op with bodies; what these use comes in as operands.
class ControlOp<string mnemonic, list<Trait> traits = []>
    : DovetailOp<mnemonic, traits # [IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable,
                                     DeclareOpInterfaceMethods<JvpOpInterface>,
                                     DeclareOpInterfaceMethods<LinearOpInterface>,
                                     DeclareOpInterfaceMethods<BatchOpInterface>,
                                     DeclareOpInterfaceMethods<SplitOpInterface, ["needsSplit"]>,
                                     DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                                     DeclareOpInterfaceMethods<ThreadOpInterface>]> {
  let results = (outs Variadic<AnyType>:$outs);
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
}

def ScanOp : ControlOp<"scan", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SizingOpInterface>]> {
  let summary = "a loop over the leading dimension of arrays";
  let description = [{
    The body takes the carries, one slice of each of `xs` and `consts`, and returns the carries of the next step and
    slices of the results that are stacked. The results are the last carries, then the stacked ones. `length` is the
    number of steps; where it is -1, `count` says it, and without it the leading dimension of the first of `xs`. With
    `reverse` the steps run from the last slices to the first, and stack alike.
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
    Both regions take the carries and `consts`; `cond` returns a bool, `body` the carries of the next step. `max_steps`
    promises that there are no more steps than that; what the derivative keeps of them then has this size.
  }];
  let arguments = (ins Variadic<AnyArray>:$inits, Variadic<AnyType>:$consts, OptionalAttr<I64Attr>:$max_steps);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let assemblyFormat = [{
    `init` `(` $inits `)` `consts` `(` $consts `)` attr-dict `:` functional-type(operands, results)
    custom<Body>($cond) `do` custom<Body>($body)
  }];
}

def CaseOp : ControlOp<"case"> {
  let summary = "the results of one of several branches, chosen by a number";
  let description = "All branches take all of `args`. A number out of bounds chooses the nearest branch.";
  let arguments = (ins Tensor<I32>:$index, Variadic<AnyType>:$args);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let assemblyFormat = [{
    $index `of` `(` $args `)` attr-dict `:` functional-type(operands, results) custom<Bodies>($branches)
  }];
}

def IndexOp : DovetailOp<"index", [Pure, DeclareOpInterfaceMethods<BatchOpInterface>, SizingOpInterface]> {
  let summary = "a number as a size";
  let description = "The number is at least 0. Of a batch of numbers, the largest is the size.";
  let arguments = (ins Tensor<I32>:$x);
  let results = (outs Index:$size);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let extraClassDeclaration = "::llvm::SmallVector<unsigned> getSizingOperands() { return {0}; }";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif // DOVETAIL_CONTROL_TD

// Functions with derivative rules of their own.
#ifndef DOVETAIL_CUSTOM_TD
#define DOVETAIL_CUSTOM_TD

include "Dovetail.td"

/// A call of a function that other functions differentiate. What any of them closes over comes as `captured` to all.
class CustomOp<string mnemonic> : ApplyOp<mnemonic, [AttrSizedOperandSegments, InlineOpInterface]>;

def CustomJvpOp : CustomOp<"custom_jvp"> {
  let summary = "a call of a function whose forward-mode derivative is another function";
  let description = [{
    The rule takes the arguments, what is captured, and the tangents of the differentiable arguments; it returns the results
    and the tangents of the differentiable results. It is called where an argument has a tangent, with zeros for the others.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$rule, Variadic<AnyType>:$args,
                       Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `rule` $rule `(` $args `)` (`captured` `(` $captured^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
}

def CustomVjpOp : CustomOp<"custom_vjp"> {
  let summary = "a call of a function whose reverse-mode derivative is another function";
  let description = [{
    `fwd` takes what the function takes, and returns its results and residuals. `bwd` takes the residuals, what is captured,
    and the cotangents of the differentiable results; it returns cotangents of the arguments numbered `wrt`, the others'
    being zero. Forward mode calls `fwd`, and leaves a `custom_tangent`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$fwd, FlatSymbolRefAttr:$bwd, DenseI64ArrayAttr:$wrt,
                       Variadic<AnyType>:$args, Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `fwd` $fwd `bwd` $bwd `wrt` $wrt `(` $args `)` (`captured` `(` $captured^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def CustomTangentOp : OnFunction<"custom_tangent", [AttrSizedOperandSegments,
                                                    DeclareOpInterfaceMethods<JvpOpInterface>,
                                                    DeclareOpInterfaceMethods<LinearOpInterface>,
                                                    DeclareOpInterfaceMethods<BatchOpInterface>,
                                                    DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                                                    DeclareOpInterfaceMethods<TransientOpInterface>]> {
  let summary = "the linear function whose transpose another function states";
  let description = [{
    `bwd` takes `residuals` and a cotangent for each result; those of its results that are numbered `of` are the cotangents
    of `tangents`. `sizes` are those of the `?`s of the results. There is no other way to compute it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$bwd, DenseI64ArrayAttr:$of, Variadic<AnyType>:$residuals, Sizes:$sizes,
                       Variadic<AnyArray>:$tangents);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = [{
    $bwd `of` $of `(` $residuals `)` (`sizes` `(` $sizes^ `)`)? `tangents` `(` $tangents `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def CustomVmapOp : CustomOp<"custom_vmap"> {
  let summary = "a call of a function that a rule batches";
  let description = [{
    `batch_rule` names a rule of the program that made this module (see CustomVmap.h): asked which arguments have a batch, it gives
    the function that takes them with the batch in front. Forward mode appends a tangent for each argument numbered by the
    next list of `jvps`, and one for each differentiable result. The rule knows nothing of what is captured.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$batch_rule, OptionalAttr<ArrayAttr>:$jvps, Variadic<AnyType>:$args,
                       Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `rule` $batch_rule (`jvps` $jvps^)? `(` $args `)` (`captured` `(` $captured^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def LinearSolveOp : OnFunction<"linear_solve", [AttrSizedOperandSegments, InlineOpInterface,
                                                DeclareOpInterfaceMethods<JvpOpInterface>,
                                                DeclareOpInterfaceMethods<LinearOpInterface>,
                                                DeclareOpInterfaceMethods<BatchOpInterface>,
                                                DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the solution of a linear equation, differentiated as the equation says";
  let description = [{
    All functions take arrays of the types of `rhs` and what is `captured`, and return arrays of the types of `rhs`. The
    callee computes the x of matvec(x) = rhs, and may return more results, which have no derivative; `transpose_solve` does so
    for `vecmat`, the transpose of `matvec`. `matvec` alone is differentiated:
    matvec(x') = rhs' - matvec'(x).
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$matvec, OptionalAttr<FlatSymbolRefAttr>:$vecmat,
                       OptionalAttr<FlatSymbolRefAttr>:$transpose_solve, Variadic<AnyArray>:$rhs,
                       Variadic<AnyType>:$captured);
  let results = (outs Variadic<AnyType>:$outs);
  let assemblyFormat = [{
    $callee `matvec` $matvec (`vecmat` $vecmat^)? (`transpose_solve` $transpose_solve^)? `(` $rhs `)`
    (`captured` `(` $captured^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The solution of the same equation, or of the transposed one, for other right-hand sides.
    LinearSolveOp solve(Emitter &e, ::mlir::ValueRange rhs, ::mlir::ValueRange captured, bool transposed = false);
  }];
}

#endif // DOVETAIL_CUSTOM_TD

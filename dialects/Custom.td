// Functions with custom rules for derivatives, batches and partitions.
#ifndef DOVETAIL_CUSTOM_TD
#define DOVETAIL_CUSTOM_TD

include "Dovetail.td"

/// A function of the module, or the name of a rule of the program that made it.
def BackwardRule : AnyAttrOf<[FlatSymbolRefAttr, StrAttr], "function or name of a rule">;

/// A call of a function whose rules are other functions. All of them take the values that any of them closes over, as
/// `captured`.
class CustomOp<string mnemonic> : ApplyOp<mnemonic, [AttrSizedOperandSegments, InlineOpInterface]>;

def CustomJvpOp : CustomOp<"custom_jvp"> {
  let summary = "a call of a function whose forward-mode derivative is another function";
  let description = [{
    The rule takes the arguments, the captured values, and the tangents of the differentiable arguments; it returns the
    results and the tangents of the differentiable results. It is called if any argument has a tangent, with zeros for the
    others.
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
    `fwd` takes the same arguments as the function, and returns its results and residuals. `bwd` takes the residuals,
    the captured values, and the cotangents of the differentiable results; it returns cotangents of the arguments in
    `wrt`, and those of the others are zero. Forward mode calls `fwd` and emits a `custom_tangent`.

    A string as `bwd` names a rule of the program that made this module (see ProgramRules.h), which is asked for when the
    `custom_tangent` is transposed, and told which results have a cotangent. It does not know the captured values.

    References that the functions use are among the arguments, as the arrays that they hold. `written` has those that the
    function and `fwd` write to: what they hold then are results after the proper ones. Their tangents are those from before,
    and `bwd` takes no cotangents of them. The last arguments are `echoes`, one for each reference that `bwd` uses, and so are
    the last results. They are no arguments of the derivative: without a tangent of another argument, or without a
    cotangent of another result, `bwd` does not run, and they pass unchanged.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, FlatSymbolRefAttr:$fwd, BackwardRule:$bwd, DenseI64ArrayAttr:$wrt,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$written, DefaultValuedAttr<I64Attr, "0">:$echoes,
                       Variadic<AnyType>:$args, Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `fwd` $fwd `bwd` $bwd `wrt` $wrt (`written` $written^)? (`echoes` $echoes^)? `(` $args `)`
    (`captured` `(` $captured^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The results that `bwd` takes cotangents of: the differentiable ones, but for what references hold.
    ::llvm::SmallVector<unsigned> pulledBack();
  }];
}

def CustomTangentOp : OnFunction<"custom_tangent", [AttrSizedOperandSegments,
                                                    DeclareOpInterfaceMethods<JvpOpInterface>,
                                                    DeclareOpInterfaceMethods<LinearOpInterface>,
                                                    DeclareOpInterfaceMethods<BatchOpInterface>,
                                                    DeclareOpInterfaceMethods<ResultSizeOpInterface>,
                                                    DeclareOpInterfaceMethods<TransientOpInterface>]> {
  let summary = "a linear function that is known only by its transpose";
  let description = [{
    `bwd` takes `residuals` and a cotangent for each result; its results in `of` are the cotangents of `tangents`. `sizes`
    are those of the `?`s of the results. There is no other way to compute it. `bwd` may be a rule of the program. The last
    `echoes` results, and results of `bwd`, are for references (`custom_vjp`): these alone are no reason to call `bwd`.
  }];
  let arguments = (ins BackwardRule:$bwd, DenseI64ArrayAttr:$of, DefaultValuedAttr<I64Attr, "0">:$echoes,
                       Variadic<AnyType>:$residuals, Sizes:$sizes, Variadic<AnyArray>:$tangents);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = [{
    $bwd `of` $of (`echoes` $echoes^)? `(` $residuals `)` (`sizes` `(` $sizes^ `)`)? `tangents` `(` $tangents `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def CustomVmapOp : CustomOp<"custom_vmap"> {
  let summary = "a call of a function with a custom batching rule";
  let description = [{
    `batch_rule` names a rule of the program that made this module (see ProgramRules.h): told which arguments are batched,
    it returns the function that takes them with the batch in front. Forward mode appends a tangent for each argument in
    the next list of `jvps`, and one for each differentiable result. The rule does not know the captured values.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$batch_rule, OptionalAttr<ArrayAttr>:$jvps, Variadic<AnyType>:$args,
                       Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `rule` $batch_rule (`jvps` $jvps^)? `(` $args `)` (`captured` `(` $captured^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def PartitionOpInterface : Rule<"PartitionOpInterface"> {
  let description = [{
    An op that says itself what a device computes, once it is known how its operands and results are wanted. Its factor map
    says how shardings are propagated through it.
  }];
  let methods = [
    InterfaceMethod<"Emits its meaning: the same on whole arrays. Appends one entry per result to `results`.",
      "::llvm::LogicalResult", "emitGlobal",
      (ins "::dovetail::Emitter &":$e, "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>,
    InterfaceMethod<[{
      The function of the parts. `shardings` are those of the operands, then those that are wanted of the results; null for a
      value that is no array.
    }], "::llvm::FailureOr<::dovetail::PartFunction>", "partFunction",
      (ins "::dovetail::Emitter &":$e, "::llvm::ArrayRef<::dovetail::ShardingAttr>":$shardings)>,
  ];
}

def CustomPartitionOp : ApplyOp<"custom_partition", [AttrSizedOperandSegments,
                                                     DeclareOpInterfaceMethods<DimsOpInterface>,
                                                     DeclareOpInterfaceMethods<PartitionOpInterface>]> {
  let summary = "a call of a function of which the program says what a device computes";
  let description = [{
    `rules` names the rules of the program that made this module (see ProgramRules.h). The one for the partition is asked
    for when it is known how the arguments are sharded and how the results are wanted; it may choose other shardings.
    `factors` has the factor of each dimension of the arguments, then of the results, or -1: along these, shardings are
    propagated. Without it, they are not. On one device, and in derivatives and batches, the op is a call of the function.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$rules, OptionalAttr<ArrayAttr>:$factors,
                       Variadic<AnyType>:$args, Variadic<AnyType>:$captured);
  let assemblyFormat = [{
    $callee `rules` $rules (`factors` $factors^)? `(` $args `)` (`captured` `(` $captured^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def PrimitiveOp : DovetailOp<"primitive", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                            DeclareOpInterfaceMethods<JvpOpInterface>,
                                            DeclareOpInterfaceMethods<LinearOpInterface>,
                                            DeclareOpInterfaceMethods<BatchOpInterface>,
                                            DeclareOpInterfaceMethods<ResolveOpInterface>]> {
  let summary = "an operation that the program defines, with all its rules";
  let description = [{
    `rules` names the rules of the program that made this module (see ProgramRules.h). They are asked for when a pass
    needs them: the derivative, the transpose, the function over a batch, and at last, when all requests are expanded,
    the function that computes it. `has_side_effect` says that it is neither dropped nor repeated. It knows arrays of
    static shape only.
  }];
  let arguments = (ins StrAttr:$primitive, StrAttr:$rules, DefaultValuedAttr<BoolAttr, "false">:$has_side_effect,
                       Variadic<AnyArray>:$args);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = "$primitive `rules` $rules `(` $args `)` attr-dict `:` functional-type($args, $outs)";
  let hasVerifier = 1;
}

def LinearSolveOp : OnFunction<"linear_solve", [AttrSizedOperandSegments, InlineOpInterface,
                                              DeclareOpInterfaceMethods<VaryingOpInterface>,
                                                DeclareOpInterfaceMethods<JvpOpInterface>,
                                                DeclareOpInterfaceMethods<LinearOpInterface>,
                                                DeclareOpInterfaceMethods<BatchOpInterface>,
                                                DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "the solution of a linear equation, differentiated through the equation";
  let description = [{
    All functions take arrays of the types of `rhs` and the `captured` values, and return arrays of the types of `rhs`.
    The callee computes the x of matvec(x) = rhs, and may return more results, which have no derivative;
    `transpose_solve` does the same for `vecmat`, the transpose of `matvec`. Only `matvec` is differentiated: matvec(x')
    = rhs' - matvec'(x).
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

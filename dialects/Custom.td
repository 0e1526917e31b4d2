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

def CustomTangentOp : OnFunction<"custom_tangent", [Pure, AttrSizedOperandSegments,
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

#endif // DOVETAIL_CUSTOM_TD

// Calls of functions of the program that made a module.
#ifndef DOVETAIL_CALLBACK_TD
#define DOVETAIL_CALLBACK_TD

include "Dovetail.td"

def CallbackOp : DovetailOp<"callback", [AttrSizedOperandSegments, HostOnly,
                                         DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                         DeclareOpInterfaceMethods<JvpOpInterface>,
                                         DeclareOpInterfaceMethods<BatchOpInterface>, NamedAxesOpInterface,
                                         DeclareOpInterfaceMethods<VaryingOpInterface>,
                                         DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "a call of a function of the program that made this module";
  let description = [{
    `function` is the name by which that program knows it. Its `effect` is `none` if it only computes, and may be
    called any number of times; `io` if it is called exactly as often as the program states; or `debug` if, in addition,
    it is ignored by derivatives. Effects keep their order within a program; an `ordered` `io` is rejected over a
    batch, which has no order; each element of `mesh_axes` has its own.

    Over a batch, `vmap_method` states what happens, as in JAX: `sequential` and `sequential_unrolled` call the function
    for one element after the other; `expand_dims`, `broadcast_all` and `legacy_vectorized` call it once, on arrays with
    the batch in front, where arguments without it get a dimension of size 1, the whole batch, or nothing. For each
    element of `mesh_axes`, those of the mesh over which the calling function takes parts, there is a call, whatever its
    arguments. `sizes` are those of the `?`s of all results.
  }];
  let arguments = (ins StrAttr:$function, StrAttr:$effect, DefaultValuedAttr<BoolAttr, "false">:$ordered,
                       OptionalAttr<StrAttr>:$vmap_method,
                       OptionalAttr<StrArrayAttr>:$mesh_axes,
                       Variadic<AnyArray>:$args, Sizes:$sizes);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = [{
    $function `effect` $effect (`vmap` $vmap_method^)? (`over` $mesh_axes^)? `(` $args `)` (`sizes` `(` $sizes^ `)`)? attr-dict
    `:` functional-type($args, $outs)
  }];
  let extraClassDeclaration = [{
    ::mlir::ArrayAttr getAxes() { return getMeshAxes().value_or(::mlir::ArrayAttr::get(getContext(), {})); }
  }];
  let hasVerifier = 1;
}

def HostStepOp : DovetailOp<"host_step", [Pure]> {
  let summary = "what a function of the process that recorded an eager call returns";
  let description = [{
    Recordings of eager calls have it where the host computes what no op does, or computes it in one go. `function` is the
    number that the recording knows it by; it only computes. Sizes on which values decide are `?`, and nothing but the
    result has them. Recordings are simplified and replayed, never transformed or lowered, so that there are no rules.
  }];
  let arguments = (ins I64Attr:$function, Variadic<AnyArray>:$args);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = "$function `(` $args `)` attr-dict `:` functional-type($args, $outs)";
}

def LateCallOp : DovetailOp<"late_call", [HostOnly, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a call of a program that the host compiles when it is first called";
  let description = [{
    `program` is the text of a module, whose function `main` takes `args` and returns the results. Loops that are one
    dispatch until an iteration needs the host leave that iteration to such a program: few do, and then it need not be
    compiled. It arises where programs are lowered, behind all transforms, so that there are no rules.
  }];
  let arguments = (ins StrAttr:$program, Variadic<AnyArray>:$args);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = "$program `(` $args `)` attr-dict `:` functional-type($args, $outs)";
}

#endif // DOVETAIL_CALLBACK_TD

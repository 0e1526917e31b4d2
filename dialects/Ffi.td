// Calls of functions of native libraries.
#ifndef DOVETAIL_FFI_TD
#define DOVETAIL_FFI_TD

include "Dovetail.td"

def FfiCallOp : DovetailOp<"ffi_call", [AttrSizedOperandSegments, HostOnly,
                                        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
                                        DeclareOpInterfaceMethods<JvpOpInterface>,
                                        DeclareOpInterfaceMethods<BatchOpInterface>, NamedAxesOpInterface,
                                        DeclareOpInterfaceMethods<DimsOpInterface>,
                                        DeclareOpInterfaceMethods<VaryingOpInterface>,
                                        DeclareOpInterfaceMethods<ResultSizeOpInterface>]> {
  let summary = "a call of a function of a native library";
  let description = [{
    `target` is the name under which the function is registered where the program runs. It gets the arrays, memory for the
    results, and `config`: numbers with the types that they state, texts, dense arrays, and dictionaries of these. A
    call with `has_side_effect` is made exactly as often as the program states it, in order; any other may be made any
    number of times.

    `aliases` has an entry for each result: the argument in whose memory it is written, or -1. `input_layouts` and
    `output_layouts` list the dimensions of each array from major to minor, in the order in which its elements are in the
    function's memory. The first `batch_dims` dimensions of all arrays, if stated, are a batch, whose elements do not
    depend on each other: devices may call the function on parts of it. `factors` says more: for each argument, then for
    each result, the loop that each dimension is, or -1. Devices may call the function on parts of the loops that all
    results have.

    `vmap_method`, `mesh_axes` and `sizes` are those of `callback`.
  }];
  let arguments = (ins StrAttr:$target, DefaultValuedAttr<BoolAttr, "false">:$has_side_effect,
                       OptionalAttr<StrAttr>:$vmap_method, OptionalAttr<StrArrayAttr>:$mesh_axes,
                       OptionalAttr<DictionaryAttr>:$config, OptionalAttr<DenseI64ArrayAttr>:$aliases,
                       OptionalAttr<ArrayAttr>:$input_layouts, OptionalAttr<ArrayAttr>:$output_layouts,
                       OptionalAttr<I64Attr>:$batch_dims, OptionalAttr<ArrayAttr>:$factors, Variadic<AnyArray>:$args, Sizes:$sizes);
  let results = (outs Variadic<AnyArray>:$outs);
  let assemblyFormat = [{
    $target (`vmap` $vmap_method^)? (`over` $mesh_axes^)? `(` $args `)` (`sizes` `(` $sizes^ `)`)? (`with` $config^)?
    attr-dict `:` functional-type($args, $outs)
  }];
  let extraClassDeclaration = [{
    ::mlir::ArrayAttr getAxes() { return getMeshAxes().value_or(::mlir::ArrayAttr::get(getContext(), {})); }
    /// The argument in whose memory a result is written, or -1.
    int64_t aliasOf(unsigned result) { return getAliases() ? (*getAliases())[result] : -1; }
    /// The dimensions of an array from major to minor, in their order in memory; empty if that is theirs.
    ::llvm::ArrayRef<int64_t> layoutOf(bool isResult, unsigned number);
    /// The loops of the dimensions of the arguments and of the results, by `factors` or `batch_dims`; those that devices
    /// may not divide are none.
    ::llvm::SmallVector<::llvm::SmallVector<int64_t>> loops();
  }];
  let hasVerifier = 1;
}

#endif // DOVETAIL_FFI_TD

// Calls, and the requests that `expand` turns into calls of transformed functions.
#ifndef DOVETAIL_CALL_TD
#define DOVETAIL_CALL_TD

include "Dovetail.td"
include "mlir/Interfaces/CallInterfaces.td"

def CallOp : ApplyOp<"call", [CallOpInterface, InlineOpInterface]> {
  let summary = "the results of a function; transforms go through it, `simplify` inlines it";
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args);
  let assemblyFormat = "$callee `(` $args `)` attr-dict `:` functional-type($args, $outs)";
  let extraClassDeclaration = [{
    ::mlir::CallInterfaceCallable getCallableForCallee() { return getCalleeAttr(); }
    void setCalleeFromCallable(::mlir::CallInterfaceCallable callee) {
      setCalleeAttr(::llvm::cast<::mlir::FlatSymbolRefAttr>(::llvm::cast<::mlir::SymbolRefAttr>(callee)));
    }
    ::mlir::Attribute removeArgAttrsAttr() { return nullptr; }
    ::mlir::Attribute removeResAttrsAttr() { return nullptr; }
    ::mlir::ArrayAttr getArgAttrsAttr() { return nullptr; }
    ::mlir::ArrayAttr getResAttrsAttr() { return nullptr; }
    void setArgAttrsAttr(::mlir::ArrayAttr) {}
    void setResAttrsAttr(::mlir::ArrayAttr) {}
    ::mlir::Operation::operand_range getArgOperands() { return getArgs(); }
    ::mlir::MutableOperandRange getArgOperandsMutable() { return getArgsMutable(); }
  }];
}

class Request<string mnemonic, list<Trait> traits = []>
    : OnFunction<mnemonic, traits # [DeclareOpInterfaceMethods<RequestOpInterface>,
                                     DeclareOpInterfaceMethods<VaryingOpInterface>]> {
  let results = (outs Variadic<AnyType>:$outs);
}

def JvpOp : Request<"jvp", [AttrSizedOperandSegments]> {
  let summary = "a function's results, then their tangents";
  let description = [{
    It takes one tangent for each primal listed in `wrt`, and returns the results of the function, then the tangents of
    its differentiable results.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, DenseI64ArrayAttr:$wrt, Variadic<AnyType>:$primals, Variadic<AnyArray>:$tangents);
  let assemblyFormat = [{
    $callee `wrt` $wrt `(` $primals `)` `tangents` `(` $tangents `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def VjpOp : Request<"vjp", [AttrSizedOperandSegments]> {
  let summary = "a function's results, then cotangents of its arguments";
  let description = [{
    It takes one cotangent for each result listed in `of` (those of the others are zero), and returns the function's
    results, then one cotangent for each primal listed in `wrt`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, DenseI64ArrayAttr:$wrt, DenseI64ArrayAttr:$of,
                       Variadic<AnyType>:$primals, Variadic<AnyArray>:$cotangents);
  let assemblyFormat = [{
    $callee `wrt` $wrt `of` $of `(` $primals `)` `cotangents` `(` $cotangents `)` attr-dict
    `:` functional-type(operands, results)
  }];
}

def VmapOp : Request<"vmap"> {
  let summary = "a function over a batch";
  let description = [{
    Argument i carries the batch as dimension `in[i]`, result i as dimension `out[i]`; -1 means no batch. If no argument
    carries it, `size` is its size. Collectives in the function refer to it by the name `axis`. Ops that state shardings
    divide the batch over the axes `over` of their mesh.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, DenseI64ArrayAttr:$in_dims, DenseI64ArrayAttr:$out_dims,
                       OptionalAttr<StrAttr>:$axis, OptionalAttr<StrArrayAttr>:$mesh_axes,
                       OptionalAttr<I64Attr>:$size, Variadic<AnyType>:$args);
  let assemblyFormat = [{
    $callee `in` $in_dims `out` $out_dims (`axis` $axis^)? (`over` $mesh_axes^)? (`size` $size^)? `(` $args `)` attr-dict
    `:` functional-type($args, $outs)
  }];
}

#endif // DOVETAIL_CALL_TD

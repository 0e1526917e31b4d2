// Functions whose derivatives recompute values instead of keeping them.
#ifndef DOVETAIL_CHECKPOINT_TD
#define DOVETAIL_CHECKPOINT_TD

include "Dovetail.td"

def CheckpointOp : ApplyOp<"checkpoint", [InlineOpInterface]> {
  let summary = "a call of a function whose derivatives recompute its values instead of keeping them";
  let description = [{
    A split keeps arguments, and values that `policy` allows to save. A policy is a list of what may be saved:
    `["all"]`, `["all_but", names…]`, `["dot"]`, `["unbatched_dot"]`, `["named", names…]`, `["named_but", names…]`,
    and results of ops by their mnemonics, `["op", names…]`.
    `recomputes` is set on the call that recomputes values. It does so behind a barrier, unless `prevent_cse` is false, so
    that CSE does not merge them with the original ones.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$args, OptionalAttr<ArrayAttr>:$policy,
                       DefaultValuedAttr<BoolAttr, "true">:$prevent_cse, DefaultValuedAttr<BoolAttr, "false">:$recomputes);
  let assemblyFormat = "$callee (`saving` $policy^)? `(` $args `)` attr-dict `:` functional-type($args, $outs)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value> inlinedArguments(::mlir::OpBuilder &builder);
  }];
}

def NameOp : DovetailOp<"name", [Pure, SameOperandsAndResultType, DeclareOpInterfaceMethods<JvpOpInterface>,
                                 DeclareOpInterfaceMethods<LinearOpInterface>,
                                 DeclareOpInterfaceMethods<BatchOpInterface>,
                                 DeclareOpInterfaceMethods<DimsOpInterface>,
                                 DeclareOpInterfaceMethods<SaveableOpInterface, ["getSavedName"]>]> {
  let summary = "the operand, with a name for checkpoint policies; tangents have none";
  let arguments = (ins AnyArray:$x, StrAttr:$label);
  let results = (outs AnyArray:$same);
  let assemblyFormat = "$x $label attr-dict `:` type($x)";
  let hasFolder = 1;
}

#endif // DOVETAIL_CHECKPOINT_TD

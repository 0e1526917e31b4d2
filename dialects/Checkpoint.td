// Functions of which derivatives keep little and compute the rest again.
#ifndef DOVETAIL_CHECKPOINT_TD
#define DOVETAIL_CHECKPOINT_TD

include "Dovetail.td"

def CheckpointOp : ApplyOp<"checkpoint", [InlineOpInterface]> {
  let summary = "a call of a function whose derivatives compute its values again instead of keeping them";
  let description = [{
    What a split keeps are arguments, and values that `policy` lets it save. A policy is a list of what may be saved:
    `["all"]`, `["all_but", names…]`, `["dot"]`, `["unbatched_dot"]`, `["named", names…]`, `["named_but", names…]`,
    and results of ops by their mnemonics, `["op", names…]`.
    `recomputes` is set where values are computed again: this happens behind a barrier, unless `prevent_cse` is false, so
    that they are not found to be the first ones.
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
  let summary = "the operand, with a name for policies of checkpoints; tangents have none";
  let arguments = (ins AnyArray:$x, StrAttr:$label);
  let results = (outs AnyArray:$same);
  let assemblyFormat = "$x $label attr-dict `:` type($x)";
  let hasFolder = 1;
}

#endif // DOVETAIL_CHECKPOINT_TD

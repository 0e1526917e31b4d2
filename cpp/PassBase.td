// The base class of passes.
#ifndef DOVETAIL_PASS_BASE_TD
#define DOVETAIL_PASS_BASE_TD

include "mlir/Pass/PassBase.td"

class ModulePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::dovetail::DovetailDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

#endif // DOVETAIL_PASS_BASE_TD

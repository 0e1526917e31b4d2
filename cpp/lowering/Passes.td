// The pass that lowers the dialect.
#ifndef DOVETAIL_LOWERING_PASSES_TD
#define DOVETAIL_LOWERING_PASSES_TD

include "cpp/PassBase.td"

def LowerPass : ModulePass<"dovetail-lower"> {
  let summary = "linalg, tensor, arith, math and complex instead of dovetail ops";
  let description = [{
    Pointwise ops become one `linalg.generic` with their scalar code, reductions one with a reduction loop; other ops lower as
    their families state. Integers lose their sign. The result suits every target, unless the module's attribute
    `dovetail.target` names one for which a family knows better. With the module's attribute `dovetail.host_loops` no loop becomes
    one dispatch; with `dovetail.host_functions` an op that the evaluator computes well is a call of a function that the module
    imports, whose declaration says which.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // DOVETAIL_LOWERING_PASSES_TD

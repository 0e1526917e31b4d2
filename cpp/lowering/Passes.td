// The pass that lowers the dialect.
#ifndef DOVETAIL_LOWERING_PASSES_TD
#define DOVETAIL_LOWERING_PASSES_TD

include "cpp/PassBase.td"

def LowerPass : ModulePass<"dovetail-lower"> {
  let summary = "linalg, tensor, arith, math and complex instead of dovetail ops";
  let description = [{
    Pointwise ops become one `linalg.generic` with their scalar code, reductions one with a reduction loop; other ops
    lower by the code of their families. Integers become signless. The result suits every target, unless the module's
    attribute `dovetail.target` names one for which a family has a better lowering. With the module's attribute
    `dovetail.host_loops`, no loop becomes one dispatch; with `dovetail.host_functions`, ops that the evaluator computes
    well become calls of imported functions, whose declarations name them.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // DOVETAIL_LOWERING_PASSES_TD

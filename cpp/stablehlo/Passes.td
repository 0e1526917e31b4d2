// The passes that translate between this dialect and StableHLO.
#ifndef DOVETAIL_STABLEHLO_PASSES_TD
#define DOVETAIL_STABLEHLO_PASSES_TD

include "cpp/PassBase.td"

def FromStablehloPass : ModulePass<"dovetail-from-stablehlo"> {
  let summary = "a program of StableHLO as one of this dialect";
  let description = [{
    Each op is replaced by what it states as its counterpart (`FromStablehloOpInterface`). Bodies of reductions and
    scatters that apply one op become ops that reduce; others are batched and applied to halves of the elements. A call of
    a LAPACK function becomes the op that it computes, a composite the call of its decomposition, or the op of that name.
    Attributes of other compilers are dropped, and functions that nothing calls are removed. An op without a counterpart
    is an error.
  }];
}

def ToStablehloPass : ModulePass<"dovetail-to-stablehlo"> {
  let summary = "a program of this dialect as one of StableHLO";
  let dependentDialects = ["::dovetail::DovetailDialect", "::dovetail::chlo::ChloDialect",
                           "::dovetail::stablehlo::StablehloDialect", "::dovetail::sdy::SdyDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect"];
  let description = [{
    Each op is replaced by what it states as its counterpart (`ToStablehloOpInterface`); a pointwise function of floats
    that states none, by its scalar code on whole arrays. Requests must be expanded before, and ops on matrices without
    a counterpart decomposed. Another op without a counterpart is an error.
  }];
}

#endif // DOVETAIL_STABLEHLO_PASSES_TD

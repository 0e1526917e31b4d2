// The dialects that programs go through.
#include "Dialects.h"
#include "cpp/cost/Cost.h"
#include "cpp/dispatch/Buffers.h"
#include "cpp/iree/Ops.h"
#include "cpp/linalg/Decompositions.h"
#include "cpp/lowering/Lowering.h"
#include "cpp/sharding/TypeRules.h"
#include "cpp/stablehlo/Families.h"
#include "cpp/stablehlo/Sdy.h"
#include "cpp/stablehlo/Stablehlo.h"

using namespace mlir;

namespace dovetail {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<DovetailDialect, arith::ArithDialect, complex::ComplexDialect, func::FuncDialect,
                  linalg::LinalgDialect, math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  registerIreeDialects(registry);
  stablehlo::registerStablehlo(registry);
  registerBufferization(registry);
  registerCosts(registry);
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *) {
    attachDecompositions(context);
    attachLowerings(context);
    attachTypeRules(context);
  });
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *, stablehlo::StablehloDialect *, chlo::ChloDialect *,
                            sdy::SdyDialect *) { attachStablehloCounterparts(context); });
}

} // namespace dovetail

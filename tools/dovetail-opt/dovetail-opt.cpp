// mlir-opt with the dovetail dialect, its passes and its pipeline.
#include "cpp/lowering/Lowering.h"
#include "cpp/transforms/Passes.h"
#include "cpp/transforms/Pipeline.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  dovetail::registerAllDialects(registry);
  dovetail::registerDovetailPasses();
  dovetail::registerPipeline();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "dovetail-opt: array program compiler\n", registry));
}

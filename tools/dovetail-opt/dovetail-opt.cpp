// mlir-opt with the dovetail dialect, its passes and its pipeline.
#include "cpp/pipeline/Dialects.h"
#include "cpp/pipeline/Pipeline.h"
#include "cpp/pipeline/TextLimits.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

/// Runs the passes that the command line names on a file.
static LogicalResult run(StringRef inputName, StringRef outputName, DialectRegistry &registry,
                         const MlirOptMainConfig &config) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> input = openInputFile(inputName, &error);
  std::unique_ptr<llvm::ToolOutputFile> output = input ? openOutputFile(outputName, &error) : nullptr;
  if (!output) {
    llvm::errs() << error << "\n";
    return failure();
  }
  bool isText = !isBytecode(*input);
  if (auto fault = isText ? dovetail::findFault(input->getBuffer()) : std::nullopt) {
    auto place = llvm::SMLoc::getFromPointer(input->getBufferStart() + fault->offset);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
    sources.PrintMessage(place, llvm::SourceMgr::DK_Error, fault->message);
    return failure();
  }
  if (failed(MlirOptMain(output->os(), std::move(input), registry, config)))
    return failure();
  output->keep();
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  dovetail::registerAllDialects(registry);
  dovetail::registerPasses();
  dovetail::registerPipeline();
  registerCanonicalizerPass();
  registerCSEPass();
  registerSymbolDCEPass();
  auto [input, output] = registerAndParseCLIOptions(argc, argv, "dovetail-opt: array program compiler\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  return asMainReturnCode(run(input, output, registry, config));
}

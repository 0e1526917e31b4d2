// Programs from and to StableHLO, from Python.
#include "Stablehlo.h"
#include "Context.h"
#include "Function.h"
#include "cpp/linalg/Passes.h"
#include "cpp/pipeline/TextLimits.h"
#include "cpp/stablehlo/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

/// Runs one pass.
static void run(ModuleOp module, std::unique_ptr<Pass> pass, Diagnostics &diagnostics) {
  PassManager manager(&context());
  manager.addPass(std::move(pass));
  if (failed(manager.run(module)))
    diagnostics.raise("the program cannot be translated");
}

/// The program of this dialect with a function `main` that computes what that function of a StableHLO program does.
static std::shared_ptr<Module> fromStablehlo(const std::string &text, const std::string &file) {
  if (std::optional<TextFault> fault = findFault(text))
    throw CompilerError(fault->message, file, StringRef(text).take_front(fault->offset).count('\n') + 1);
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context(), file);
  if (!module)
    diagnostics.raise("the text is not a module");
  run(*module, createFromStablehloPass(), diagnostics);
  return std::make_shared<Module>(std::move(module));
}

/// The text in StableHLO of a program after the phase `check`.
static std::string toStablehlo(const std::shared_ptr<Module> &module, bool locations) {
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> copy = module->op->clone();
  // Without the mark that this process has host functions, every op on matrices is decomposed.
  run(*copy, createDecomposePass(), diagnostics);
  run(*copy, createToStablehloPass(), diagnostics);
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, false);
  copy->print(stream, flags);
  return text;
}

void bindStablehlo(nb::module_ &m) {
  m.def("from_stablehlo", &fromStablehlo, "text"_a, "file"_a,
        "The program of this dialect for the text of one of StableHLO, read from that file.");
  m.def("to_stablehlo", &toStablehlo, "module"_a, "locations"_a, "The text in StableHLO of a simplified program.");
}

} // namespace dovetail

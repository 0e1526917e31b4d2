// The phases a program goes through; this is the only place that knows their order.
#include "Pipeline.h"
#include "cpp/dispatch/Passes.h"
#include "cpp/iree/Passes.h"
#include "cpp/linalg/Passes.h"
#include "cpp/lowering/Passes.h"
#include "cpp/transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace dovetail {

static void addExpand(OpPassManager &manager) { manager.addPass(createExpandPass()); }

static void addSimplify(OpPassManager &manager) {
  manager.addPass(createInlinePass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createCanonicalizerPass());
}

static void addCheck(OpPassManager &manager) { manager.addPass(createCheckFinitePass()); }

static void addDecompose(OpPassManager &manager) { manager.addPass(createDecomposePass()); }

static void addLower(OpPassManager &manager) {
  manager.addPass(createLowerPass());
  manager.addPass(createBytesPass());
  manager.addPass(createGuardReductionsPass());
  manager.addPass(createLimitFusionPass());
  manager.addPass(createSeparateReadsPass());
  manager.addPass(createReuseArgumentsPass());
}

static void addMerge(OpPassManager &manager) { manager.addPass(createMergeSmallPass()); }

static void addCarry(OpPassManager &manager) {
  manager.addPass(createCarryReferencesPass());
  manager.addPass(createKeepReadPass());
}

static void addNothing(OpPassManager &) {}

ArrayRef<Phase> phases() {
  static const Phase phases[] = {
      {"trace", "the program as it was traced, with its transform requests", addNothing},
      {"expand", "requests become transformed functions", addExpand},
      {"simplify", "calls inlined, folded, common subexpressions merged, dead code removed", addSimplify},
      {"shard", "the program of one device; the same program where there is no mesh", addNothing},
      {"check", "what finds the first NaN or infinity, where the module asks for it", addCheck},
      {"decompose", "algorithms in other ops instead of ops on matrices", addDecompose},
      {"lower", "linalg on tensors, as the code generator takes it", addLower},
      {"merge", "groups of small ops as one dispatch each", addMerge},
      {"carry", "references to buffers instead of the arrays that host loops carry; copies of what is read late",
       addCarry},
  };
  return phases;
}

namespace {
/// Writes the module as it is after a phase, `NN-<phase>.mlir`.
struct DumpPass : PassWrapper<DumpPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DumpPass)
  DumpPass(std::string path) : path(std::move(path)) {}
  void runOnOperation() override {
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error) {
      getOperation().emitError() << "cannot write '" << path << "': " << error.message();
      return signalPassFailure();
    }
    getOperation().print(file);
    file << '\n';
    markAllAnalysesPreserved();
  }
  std::string path;
};
} // namespace

bool addPhases(OpPassManager &manager, StringRef from, StringRef to, StringRef dump) {
  auto find = [](StringRef name) {
    return llvm::find_if(phases(), [&](const Phase &phase) { return phase.name == name; });
  };
  auto first = from.empty() ? phases().begin() : find(from), last = find(to);
  if (first == phases().end() || last == phases().end() || first > last)
    return false;
  if (!from.empty())
    ++first;
  for (auto phase = first; phase <= last; ++phase) {
    phase->addPasses(manager);
    if (!dump.empty())
      manager.addPass(std::make_unique<DumpPass>(
          llvm::formatv("{0}/{1,0+2}-{2}.mlir", dump, phase - phases().begin(), phase->name).str()));
  }
  return true;
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> from{*this, "from", llvm::cl::desc("the phase the input has gone through"), llvm::cl::init("")};
  Option<std::string> dump{*this, "dump", llvm::cl::desc("a folder for the module after each phase"),
                           llvm::cl::init("")};
  Option<std::string> to{*this, "to", llvm::cl::desc("the last phase to run"), llvm::cl::init("lower")};
};
} // namespace

void registerPasses() {
  registerDovetailTransformsPasses();
  registerDovetailLinalgPasses();
  registerDovetailLoweringPasses();
  registerDovetailDispatchPasses();
  registerDovetailIreePasses();
}

void registerPipeline() {
  std::string description = "the phases a program goes through, up to the one given:";
  for (const Phase &phase : phases())
    description += ("\n" + phase.name + ": " + phase.description).str();
  // The registry keeps references to these texts.
  static const std::string kept = description;
  PassPipelineRegistration<PipelineOptions>(
      "dovetail-pipeline", kept, [](OpPassManager &manager, const PipelineOptions &options) {
        if (addPhases(manager, options.from, options.to, options.dump))
          return;
        std::string names;
        for (const Phase &phase : phases())
          names += (names.empty() ? "" : ", ") + phase.name.str();
        llvm::reportFatalUsageError(Twine("--dovetail-pipeline: from and to must be two of ") + names +
                                    ", in this order, got: '" + options.from + "' and '" + options.to + "'");
      });
}

} // namespace dovetail

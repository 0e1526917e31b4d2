// The phases that a program goes through; the only place that knows their order.
#include "Pipeline.h"
#include "cpp/dispatch/Passes.h"
#include "cpp/iree/Passes.h"
#include "cpp/linalg/Passes.h"
#include "cpp/lowering/Passes.h"
#include "cpp/sharding/Passes.h"
#include "cpp/sharding/Shardings.h"
#include "cpp/stablehlo/Passes.h"
#include "cpp/tensors/Target.h"
#include "cpp/transforms/Passes.h"
#include "dialects/Custom.h"
#include "dialects/Grid.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace dovetail {

static void addExpand(OpPassManager &manager, const Form &) {
  manager.addPass(createDischargePass());
  manager.addPass(createVectorizeGridsPass());
  manager.addPass(createExpandPass());
}

static void addSimplify(OpPassManager &manager, const Form &) {
  manager.addPass(createInlinePass());
  manager.addPass(createSimplifyPass());
}

namespace {
/// Makes the program of one device, if the module names the mesh and can be partitioned; otherwise gives a program on
/// many devices its meaning on one. Leaves other programs as they are.
struct ShardPass : PassWrapper<ShardPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShardPass)
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto isRequested = [&] { return module->hasAttr(kPartition); };
    bool isSharded =
        module
            .walk([](Operation *op) {
              return isa<GlobalOpInterface, PartitionOpInterface>(op) ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted();
    if (!isSharded && !isRequested())
      return markAllAnalysesPreserved();
    // A batch that is divided among devices has no loop over all of it.
    keepFirstForms(module);
    if (isRequested() && failed(run([](OpPassManager &passes) {
          passes.addPass(createSplitAxesPass());
          passes.addPass(createPropagateShardingsPass());
          passes.addPass(createPartitionPass());
        })))
      return signalPassFailure();
    // A module that cannot be partitioned has lost the attribute.
    if (failed(run([&](OpPassManager &passes) {
          bool isPartitioned = isRequested();
          passes.addPass(isPartitioned ? createLocalizePass() : createUnshardPass());
          passes.addPass(createJoinAxesPass());
          addSimplify(passes, Form());
          if (!isPartitioned)
            return;
          passes.addPass(createCheckCollectivesPass());
          passes.addPass(createHoistCollectivesPass());
          passes.addPass(createMergeCollectivesPass());
          if (Target(module).isGpu())
            passes.addPass(createStartCollectivesPass());
        })))
      signalPassFailure();
  }

private:
  LogicalResult run(function_ref<void(OpPassManager &)> add) {
    OpPassManager passes(ModuleOp::getOperationName());
    add(passes);
    return runPipeline(passes, getOperation());
  }
};
} // namespace

static void addShard(OpPassManager &manager, const Form &) { manager.addPass(std::make_unique<ShardPass>()); }

static void addCheck(OpPassManager &manager, const Form &) { manager.addPass(createCheckFinitePass()); }

static void addDecompose(OpPassManager &manager, const Form &) {
  manager.addPass(createMarkReadOncePass());
  manager.addPass(createSuspendLoopsPass());
  manager.addPass(createDecomposePass());
  manager.addPass(createSplitStatesPass());
}

static void addLower(OpPassManager &manager, const Form &) {
  manager.addPass(createPlaceShortRowsPass());
  manager.addPass(createDivideLoopsPass());
  manager.addPass(createLowerPass());
  manager.addPass(createMaskPadsPass());
  manager.addPass(createShareShiftsPass());
  manager.addPass(createBytesPass());
  manager.addPass(createGuardReductionsPass());
  manager.addPass(createLimitFusionPass());
  manager.addPass(createSeparateReadsPass());
  manager.addPass(createSeparateReshapesPass());
  manager.addPass(createReuseArgumentsPass());
  manager.addPass(createFuseSharedPass());
  manager.addPass(createSeparateTransposedPass());
  manager.addPass(createStateSharingPass());
  manager.addPass(createSeparateGeneratedPass());
  manager.addPass(createKeepAlivePass());
}

static void addMerge(OpPassManager &manager, const Form &form) {
  if (form.separatesGenerated)
    manager.addPass(createSeparateGeneratedPass({/*all=*/true}));
  if (form.mergesOps)
    manager.addPass(createMergeSmallPass());
  manager.addPass(createHideWidthsPass());
  manager.addPass(createReadWholePass());
}

static void addCarry(OpPassManager &manager, const Form &form) {
  if (form.carriesReferences)
    manager.addPass(createCarryReferencesPass());
  manager.addPass(createKeepWaitsPass());
  if (form.separatesLoops)
    manager.addPass(createSeparateLoopsPass());
  manager.addPass(createKeepReadPass());
  manager.addPass(createSeparateResultsPass());
  manager.addPass(createHideConstantsPass());
  manager.addPass(createSeparateBarriersPass({form.separatesBarriers}));
  manager.addPass(createOutlineFunctionsPass());
  manager.addPass(createPassMemoryPass());
}

static void addNothing(OpPassManager &, const Form &) {}

ArrayRef<Phase> phases() {
  static const Phase phases[] = {
      {"trace", "the program as it was traced, with its transform requests", addNothing},
      {"expand", "references become the arrays that they hold, requests become transformed functions", addExpand},
      {"simplify", "calls inlined, folded, common subexpressions merged, dead code removed", addSimplify},
      {"shard",
       "the program of one device of the mesh that the module names; without it, a program's meaning on one device",
       addShard},
      {"check", "what finds the first NaN or infinity, where the module asks for it", addCheck},
      {"decompose", "algorithms in other ops instead of ops on matrices; states of few components as an array each",
       addDecompose},
      {"lower", "linalg on tensors, as the code generator takes it", addLower},
      {"merge", "groups of small ops as one dispatch each", addMerge},
      {"carry", "references to buffers instead of the arrays that host loops carry; copies of what is read late",
       addCarry},
  };
  return phases;
}

namespace {
/// Writes the module after a phase, `NN-<phase>.mlir`.
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

bool addPhases(OpPassManager &manager, StringRef from, StringRef to, const Form &form, StringRef dump) {
  auto find = [](StringRef name) {
    return llvm::find_if(phases(), [&](const Phase &phase) { return phase.name == name; });
  };
  auto first = from.empty() ? phases().begin() : find(from), last = find(to);
  if (first == phases().end() || last == phases().end() || first > last)
    return false;
  if (!from.empty())
    ++first;
  for (auto phase = first; phase <= last; ++phase) {
    phase->addPasses(manager, form);
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
  Option<std::string> form{*this, "form", llvm::cl::desc("the form to make, one of those below"), llvm::cl::init("")};
  Option<std::string> to{*this, "to", llvm::cl::desc("the last phase to run"), llvm::cl::init("lower")};
};
} // namespace

void registerPasses() {
  registerDovetailTransformsPasses();
  registerDovetailShardingPasses();
  registerDovetailLinalgPasses();
  registerDovetailLoweringPasses();
  registerDovetailDispatchPasses();
  registerDovetailIreePasses();
  registerDovetailStablehloPasses();
}

template <typename T>
static std::string namesOf(ArrayRef<T> all) {
  return llvm::join(llvm::map_range(all, [](const T &one) { return one.name; }), ", ");
}

void registerPipeline() {
  std::string description = "the phases a program goes through, up to the one given:";
  for (const Phase &phase : phases())
    description += ("\n" + phase.name + ": " + phase.description).str();
  description += "\nThe last phases make one of these forms, by default the first:";
  for (const Form &form : forms())
    description += ("\n" + form.name + ": " + form.reason).str();
  // The registry keeps references to these texts.
  static const std::string kept = description;
  PassPipelineRegistration<PipelineOptions>(
      "dovetail-pipeline", kept, [](OpPassManager &manager, const PipelineOptions &options) {
        const Form *form = findForm(options.form);
        if (!form)
          llvm::reportFatalUsageError(Twine("--dovetail-pipeline: form must be one of ") + namesOf(forms()) +
                                      ", got: '" + options.form + "'");
        if (addPhases(manager, options.from, options.to, *form, options.dump))
          return;
        llvm::reportFatalUsageError(Twine("--dovetail-pipeline: from and to must be two of ") + namesOf(phases()) +
                                    ", in this order, got: '" + options.from + "' and '" + options.to + "'");
      });
}

} // namespace dovetail

// The phases that a module runs through, from Python.
#include "Phases.h"
#include "BindModule.h"
#include "FlatBody.h"
#include "cpp/pipeline/Pipeline.h"
#include "cpp/tensors/Target.h"
#include "dialects/Collective.h"
#include "dialects/HostFunction.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <thread>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

/// Annotates the module with what phases may query: the target, and whether host functions exist.
static void mark(const std::shared_ptr<Module> &module, const std::string &target, bool hostFunctions) {
  module->op.get()->setAttr(kTarget, StringAttr::get(&context(), target));
  if (!hostFunctions)
    return;
  // Devices of a mesh have a thread each.
  int64_t threads = module->op.get()->hasAttr(kMesh) ? 1 : std::max(1u, std::thread::hardware_concurrency());
  module->op.get()->setAttr(kHostFunctions, UnitAttr::get(&context()));
  module->op.get()->setAttr(kThreads, Builder(&context()).getI64IntegerAttr(threads));
}

static void unmark(const std::shared_ptr<Module> &module) {
  module->op.get()->removeAttr(kTarget);
  module->op.get()->removeAttr(kHostFunctions);
  module->op.get()->removeAttr(kThreads);
}

/// A pass manager for some phases. Its passes collect all patterns of the dialects when they first run, which takes
/// longer than to run them on a small program: so managers are kept. Python code within a pass may run passes, so each
/// run has a manager of its own.
class KeptManager {
public:
  KeptManager(const std::string &from, const std::string &to, const std::string &formName)
      : idle(managers()[from + '\n' + to + '\n' + formName]) {
    if (!idle.empty()) {
      manager = idle.pop_back_val();
      return;
    }
    const Form *form = findForm(formName);
    if (!form)
      throw CompilerError("no form is called '" + formName + "'", "", 0);
    manager = std::make_unique<PassManager>(&context());
    if (!addPhases(*manager, from, to, *form))
      throw CompilerError("no phases from '" + from + "' to '" + to + "'", "", 0);
  }
  ~KeptManager() {
    if (manager)
      idle.push_back(std::move(manager));
  }
  PassManager &operator*() { return *manager; }

private:
  using Idle = SmallVector<std::unique_ptr<PassManager>, 1>;
  /// By phases and form; never released.
  static llvm::StringMap<Idle> &managers() {
    static auto *managers = new llvm::StringMap<Idle>;
    return *managers;
  }
  Idle &idle;
  std::unique_ptr<PassManager> manager;
};

namespace {

/// Collects remarks while it lives.
class RemarkCollector {
public:
  explicit RemarkCollector(Remarks &remarks) {
    remark::RemarkCategories wanted;
    wanted.missed = ".*";
    if (failed(remark::enableOptimizationRemarks(context(), std::make_unique<Streamer>(remarks),
                                                 std::make_unique<remark::RemarkEmittingPolicyAll>(), wanted)))
      throw CompilerError("remarks cannot be collected", "", 0);
  }
  ~RemarkCollector() { context().setRemarkEngine(nullptr); }

private:
  struct Streamer : remark::detail::MLIRRemarkStreamerBase {
    explicit Streamer(Remarks &remarks) : remarks(remarks) {}
    void streamOptimizationRemark(const remark::detail::Remark &remark) override {
      std::string text;
      for (const remark::detail::Remark::Arg &part : remark.getArgs())
        text += part.val;
      remarks.emplace_back(text, sourceLocationOf(remark.getLocation()));
    }
    Remarks &remarks;
  };
};

} // namespace

Remarks runPhases(const std::shared_ptr<Module> &module, const std::string &from, const std::string &to,
                  const std::string &target, bool hostFunctions, const std::string &formName, bool wantsRemarks) {
  Diagnostics diagnostics;
  KeptManager manager(from, to, formName);
  Remarks remarks;
  std::optional<RemarkCollector> collector;
  if (wantsRemarks)
    collector.emplace(remarks);
  mark(module, target, hostFunctions);
  LogicalResult result = (*manager).run(*module->op);
  unmark(module);
  module->symbols = std::make_unique<SymbolTable>(*module->op);
  if (failed(result))
    diagnostics.raise("the compiler failed between '" + from + "' and '" + to + "'");
  return remarks;
}

nb::bytes marked(const std::shared_ptr<Module> &module, const std::string &target, bool hostFunctions, bool isText) {
  mark(module, target, hostFunctions);
  std::string result;
  if (isText) {
    result = textOf(module, /*locations=*/true);
  } else {
    llvm::raw_string_ostream stream(result);
    if (failed(writeBytecodeToFile(*module->op, stream)))
      throw CompilerError("the module cannot be written", "", 0);
  }
  unmark(module);
  return nb::bytes(result.data(), result.size());
}

void become(const std::shared_ptr<Module> &module, nb::bytes bytecode) {
  Diagnostics diagnostics;
  // Passes have verified it.
  ParserConfig config(&context(), /*verifyAfterParse=*/false);
  auto other = parseSourceString<ModuleOp>(StringRef(bytecode.c_str(), bytecode.size()), config);
  if (!other)
    diagnostics.raise("the bytecode is not a module");
  module->op = std::move(other);
  module->symbols = std::make_unique<SymbolTable>(*module->op);
  unmark(module);
}

static std::vector<std::pair<std::string, std::string>> phaseNames() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const Phase &phase : phases())
    names.emplace_back(phase.name.str(), phase.description.str());
  return names;
}

void bindPhases(nb::module_ &m) {
  nb::class_<Form>(m, "Form", "A form of a lowered program; see `dovetail-opt --help`.")
      .def_prop_ro(
          "name", [](const Form &form) { return form.name.str(); }, "Its name.")
      .def_prop_ro(
          "reason", [](const Form &form) { return form.reason.str(); }, "Its purpose.")
      .def_ro("merges_ops", &Form::mergesOps, "True if small ops are merged into dispatches; CPUs only.")
      .def_prop_ro(
          "after", [](const Form &form) { return form.after.str(); },
          "The part of IREE's error about the previous form after which this one is tried; empty for any error.")
      .def(
          "suits", [](const Form &form, const std::shared_ptr<Module> &module) { return form.suits(*module->op); },
          "lowered"_a, "True unless IREE is known to compile this form of a lowered program wrongly.");
  m.def("forms", [] { return forms().vec(); }, "All forms of lowered programs, best first.");
  m.def("phases", &phaseNames, "(name, description) of each phase, in order.");
}

} // namespace dovetail

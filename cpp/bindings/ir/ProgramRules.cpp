// Rules that are Python functions.
#include "ProgramRules.h"
#include "Context.h"
#include "Function.h"
#include "Shardings.h"
#include "cpp/transforms/Expand.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

static const char *nameOf(RuleKind kind) {
  switch (kind) {
  case RuleKind::Batch:
    return "batch";
  case RuleKind::Jvp:
    return "jvp";
  case RuleKind::Transpose:
    return "transpose";
  case RuleKind::Backward:
    return "backward";
  case RuleKind::Lower:
    return "lower";
  case RuleKind::Partition:
    return "partition";
  }
  llvm_unreachable("a kind of rule");
}

static std::vector<bool> listed(ArrayRef<bool> marks) { return std::vector<bool>(marks.begin(), marks.end()); }

FailureOr<RuleAnswer> askPython(const RuleQuestion &question) {
  // Exceptions must not pass through the compiler. The module is looked up each time: a stored reference would outlive
  // the interpreter.
  try {
    nb::object answer = nb::module_::import_("dovetail.transforms.program_rules").attr("answer");
    std::optional<std::string> axis;
    if (question.batch.axis)
      axis = question.batch.axis.str();
    std::vector<ShardingHandle> shardings;
    for (ShardingAttr sharding : question.shardings)
      shardings.push_back({sharding});
    nb::object made = answer(question.rules.str(), nameOf(question.kind), listed(question.operands),
                             listed(question.results), question.batch.size, axis, shardings);
    auto module = nb::cast<std::shared_ptr<Module>>(made[0]);
    auto marks = nb::cast<std::vector<bool>>(made[1]);
    OwningOpRef<ModuleOp> copy = module->op->clone();
    Functions functions(*copy);
    if (failed(expandCalleesOf(copy->lookupSymbol<func::FuncOp>("main"), functions)))
      return failure();
    RuleAnswer result{std::move(copy), SmallVector<bool>(marks.begin(), marks.end())};
    for (const auto &sharding : nb::cast<std::vector<ShardingHandle>>(made[2]))
      result.shardings.push_back(sharding.attribute);
    // Nothing else is left to do when programs are partitioned.
    if (question.kind == RuleKind::Partition && failed(resolveAll(*result.module, functions)))
      return failure();
    return result;
  } catch (...) {
    Diagnostics::keep(std::current_exception());
    return failure();
  }
}

} // namespace dovetail

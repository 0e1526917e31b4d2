// Rules for batching that are Python functions.
#include "BatchRules.h"
#include "Context.h"
#include "Function.h"
#include "dialects/CustomVmap.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

/// `ask(name, batched, size)` returns (module, which results are batched); it lives as long as the process.
static void setPythonBatchRule(nb::callable ask) {
  nb::handle kept = ask.release();
  setBatchRule(context(), [kept](StringRef name, ArrayRef<bool> batched, int64_t size) -> FailureOr<BatchedByRule> {
    // Exceptions must not pass through the compiler.
    try {
      nb::object made = kept(name.str(), std::vector<bool>(batched.begin(), batched.end()), size);
      auto module = nb::cast<std::shared_ptr<Module>>(made[0]);
      auto results = nb::cast<std::vector<bool>>(made[1]);
      return BatchedByRule{module->op->clone(), SmallVector<bool>(results.begin(), results.end())};
    } catch (...) {
      Diagnostics::keep(std::current_exception());
      return failure();
    }
  });
}

void bindBatchRules(nb::module_ &m) {
  m.def("set_batch_rule", &setPythonBatchRule, nb::arg("ask"),
        "Set who is asked how functions with rules of their own are batched.");
}

} // namespace dovetail

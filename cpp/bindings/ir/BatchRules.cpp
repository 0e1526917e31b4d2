// Batching rules that are Python functions.
#include "BatchRules.h"
#include "Context.h"
#include "Function.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

FailureOr<BatchedByRule> askPython(StringRef name, ArrayRef<bool> batched, int64_t size) {
  // Exceptions must not pass through the compiler. The module is looked up each time: a stored reference would outlive
  // the interpreter.
  try {
    nb::object ask = nb::module_::import_("dovetail.transforms.custom_batching").attr("ask_rule");
    nb::object made = ask(name.str(), std::vector<bool>(batched.begin(), batched.end()), size);
    auto module = nb::cast<std::shared_ptr<Module>>(made[0]);
    auto results = nb::cast<std::vector<bool>>(made[1]);
    return BatchedByRule{module->op->clone(), SmallVector<bool>(results.begin(), results.end())};
  } catch (...) {
    Diagnostics::keep(std::current_exception());
    return failure();
  }
}

} // namespace dovetail

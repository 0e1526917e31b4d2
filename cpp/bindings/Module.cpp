// The extension module `dovetail._core`.
#include "cpp/bindings/calls/CompiledCalls.h"
#include "cpp/bindings/calls/Invocation.h"
#include "cpp/bindings/calls/Package.h"
#include "cpp/bindings/calls/PartCalls.h"
#include "cpp/bindings/calls/Storage.h"
#include "cpp/bindings/eager/CachedFunction.h"
#include "cpp/bindings/eager/EvaluatorLoops.h"
#include "cpp/bindings/eager/Executor.h"
#include "cpp/bindings/ir/BindFunction.h"
#include "cpp/bindings/ir/BindModule.h"
#include "cpp/bindings/ir/Context.h"
#include "cpp/bindings/ir/Export.h"
#include "cpp/bindings/ir/Listing.h"
#include "cpp/bindings/ir/Phases.h"
#include "cpp/bindings/ir/Shardings.h"
#include "cpp/bindings/ir/Stablehlo.h"
#include "cpp/bindings/ir/Traffic.h"
#include "cpp/cost/AssumedSize.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

static std::vector<std::string> registeredOps() {
  std::vector<std::string> names;
  for (RegisteredOperationName name : context().getRegisteredOperationsByDialect("dovetail"))
    names.push_back(name.stripDialect().str());
  return names;
}

} // namespace dovetail

NB_MODULE(_core, m) {
  using namespace dovetail;
  m.doc() = "The compiler: modules of the dovetail dialect, their construction and their transforms.";

  static nb::object compilerError = nb::steal(PyErr_NewExceptionWithDoc(
      "dovetail._core.CompilerError", "An error of the compiler: message, file, line.", PyExc_ValueError, nullptr));
  m.attr("CompilerError") = compilerError;
  m.attr("ASSUMED_SIZE") = kAssumedSize;
  nb::register_exception_translator([](const std::exception_ptr &pointer, void *) {
    try {
      std::rethrow_exception(pointer);
    } catch (const CompilerError &error) {
      PyErr_SetObject(compilerError.ptr(), nb::make_tuple(error.what(), error.file, error.line).ptr());
    }
  });

  bindModule(m);
  bindPhases(m);
  bindShardings(m);
  bindTraffic(m);
  bindListing(m);
  bindFunction(m);
  bindStorage(m);
  bindPackage(m);
  bindExecutor(m);
  bindCachedFunction(m);
  bindExport(m);
  bindStablehlo(m);
  bindInvocation(m);
  bindPartCalls(m);
  bindCompiledCalls(m);
  bindLoops(m);
  m.def("registered_ops", &registeredOps, "Names of all ops of the dialect.");
}

// The forms in which a lowered program may be given to IREE, best first.
#include "Forms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace dovetail {

/// IREE's error for an optimization barrier on arrays in memory of different kinds.
constexpr llvm::StringLiteral kBarrierRefused = "'util.optimization_barrier' op";

ArrayRef<Form> forms() {
  static const Form forms[] = {
      {"merged", "the fastest: few dispatches, and loops that copy nothing", true, true, false, false, ""},
      {"merged-apart", "the same, for barriers that IREE refuses", true, true, false, true, kBarrierRefused},
      {"unmerged", "for other devices than CPUs, and for merged dispatches that IREE refuses", false, true, false,
       false, ""},
      {"unmerged-apart", "the same, for barriers that IREE refuses", false, true, false, true, kBarrierRefused},
      {"by-value", "for references that IREE refuses; loops copy what they carry", false, false, false, false, ""},
      {"by-value-apart", "the same, for barriers that IREE refuses", false, false, false, true, kBarrierRefused},
      {"fenced", "for circular dependencies that IREE makes of what lies before and behind a loop", false, false, true,
       false, ""},
      {"fenced-apart", "the same, for barriers that IREE refuses", false, false, true, true, kBarrierRefused},
  };
  return forms;
}

const Form *findForm(StringRef name) {
  if (name.empty())
    return forms().begin();
  auto found = llvm::find_if(forms(), [&](const Form &form) { return form.name == name; });
  return found == forms().end() ? nullptr : found;
}

/// Whether a host loop carries several arrays of unknown size.
static bool carriesUnknownSizes(ModuleOp lowered) {
  bool found = false;
  lowered->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // The code of a dispatch belongs to the code generator.
    if (op->getName().getStringRef() == "flow.dispatch.workgroups")
      return WalkResult::skip();
    found |= isa<LoopLikeOpInterface>(op) && llvm::count_if(op->getResultTypes(), [](Type type) {
                                               auto array = dyn_cast<RankedTensorType>(type);
                                               return array && !array.hasStaticShape();
                                             }) > 1;
    return WalkResult::advance();
  });
  return found;
}

bool Form::suits(ModuleOp lowered) const {
  // IREE computes wrong results if a loop carries several arrays of unknown size by value.
  return carriesReferences || !carriesUnknownSizes(lowered);
}

} // namespace dovetail

// The forms in which a lowered program may be given to IREE, best first.
#include "Forms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace dovetail {

/// IREE's error for an optimization barrier on arrays in memory of different kinds.
constexpr llvm::StringLiteral kBarrierRefused = "'util.optimization_barrier' op";

/// Its error for an array that is computed of none before a loop, and read in it and behind it.
constexpr llvm::StringLiteral kUnscheduled = "streamable op expected to be in an execution region";

ArrayRef<Form> forms() {
  static constexpr llvm::StringLiteral kApart = "the same, for barriers that IREE refuses",
                                       kGenerated = "the same, for generated arrays that IREE does not schedule";
  static const Form forms[] = {
      {"merged", "the fastest: few dispatches, and loops that copy nothing", true, true, false, false, false, ""},
      {"merged-apart", kApart, true, true, false, true, false, kBarrierRefused},
      {"merged-generated", kGenerated, true, true, false, false, true, kUnscheduled},
      {"unmerged", "for other devices than CPUs, and for merged dispatches that IREE refuses", false, true, false,
       false, false, ""},
      {"unmerged-apart", kApart, false, true, false, true, false, kBarrierRefused},
      {"unmerged-generated", kGenerated, false, true, false, false, true, kUnscheduled},
      {"by-value", "for references that IREE refuses; loops copy what they carry", false, false, false, false, false,
       ""},
      {"by-value-apart", kApart, false, false, false, true, false, kBarrierRefused},
      {"by-value-generated", kGenerated, false, false, false, false, true, kUnscheduled},
      {"fenced", "for circular dependencies that IREE makes of what lies before and behind a loop", false, false, true,
       false, false, ""},
      {"fenced-apart", kApart, false, false, true, true, false, kBarrierRefused},
      {"fenced-generated", kGenerated, false, false, true, false, true, kUnscheduled},
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

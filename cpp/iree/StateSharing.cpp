// States which results and arguments of a program share memory.
#include "Aliases.h"
#include "Donation.h"
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_STATESHARINGPASS
#include "cpp/iree/Passes.h.inc"

namespace {

/// Whether the arrays that ops of a function compute depend on its arguments.
DenseSet<Value> dependentArrays(func::FuncOp function) {
  DenseSet<Value> dependent(function.getArguments().begin(), function.getArguments().end());
  for (Operation &op : function.front()) {
    bool depends = false;
    op.walk([&](Operation *inner) {
      depends |= llvm::any_of(inner->getOperands(), [&](Value operand) { return dependent.contains(operand); });
    });
    if (depends)
      dependent.insert(op.result_begin(), op.result_end());
  }
  return dependent;
}

/// States indices in the reflection of a function.
void state(func::FuncOp function, StringRef name, ArrayRef<unsigned> numbers) {
  if (numbers.empty())
    return;
  Builder b(function.getContext());
  NamedAttrList entries(function->getAttrOfType<DictionaryAttr>("iree.reflection"));
  auto texts = llvm::map_range(numbers, [](unsigned number) { return std::to_string(number); });
  entries.set(name, b.getStringAttr(llvm::join(texts, ",")));
  function->setAttr("iree.reflection", entries.getDictionary(b.getContext()));
}

/// States which results share memory, and which arguments may be returned: no later call may overwrite them.
void stateSharing(func::FuncOp function, const Aliases &aliases) {
  DenseSet<Value> dependent = dependentArrays(function);
  OperandRange results = function.front().getTerminator()->getOperands();
  DenseMap<const void *, unsigned> owners;
  for (Value result : results)
    ++owners[aliases.classOf(result)];
  for (BlockArgument argument : function.getArguments())
    if (!isDonated(function, argument))
      ++owners[aliases.classOf(argument)];
  SmallVector<unsigned> sharing, handedBack;
  DenseSet<const void *> returned;
  for (auto [i, result] : llvm::enumerate(results)) {
    const void *memory = aliases.classOf(result);
    returned.insert(memory);
    if (owners[memory] > 1 || !dependent.contains(result))
      sharing.push_back(i);
  }
  for (BlockArgument argument : function.getArguments())
    if (!isDonated(function, argument) && returned.contains(aliases.classOf(argument)))
      handedBack.push_back(argument.getArgNumber());
  state(function, kSharing, sharing);
  state(function, kHandedBack, handedBack);
}

struct StateSharingPass : impl::StateSharingPassBase<StateSharingPass> {
  using StateSharingPassBase::StateSharingPassBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic())
        stateSharing(function, Aliases(function));
    // It only changes attributes.
    markAllAnalysesPreserved();
  }
};

} // namespace

} // namespace dovetail

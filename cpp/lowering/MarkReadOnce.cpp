// Marks values that one op reads, apart from reports of them.
#include "Lowering.h"
#include "Passes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_MARKREADONCEPASS
#include "cpp/lowering/Passes.h.inc"

namespace {

struct MarkReadOncePass : impl::MarkReadOncePassBase<MarkReadOncePass> {
  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk([&](Block *block) { changed |= mark(*block); });
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  static bool mark(Block &block) {
    // What runs for its effects only, and what only such ops read.
    DenseSet<Operation *> reports;
    bool changed = false;
    for (Operation &op : llvm::reverse(block)) {
      if (op.hasTrait<OpTrait::IsTerminator>() || isa<SymbolOpInterface>(op))
        continue;
      auto isReport = [&](Operation *user) { return reports.contains(user); };
      if (llvm::all_of(op.getUsers(), isReport)) {
        reports.insert(&op);
      } else if (op.getNumResults() == 1 && llvm::any_of(op.getUsers(), isReport) &&
                 llvm::count_if(op.getResult(0).getUses(), [&](OpOperand &use) { return !isReport(use.getOwner()); }) ==
                     1) {
        op.setAttr(kReadOnce, UnitAttr::get(op.getContext()));
        changed = true;
      }
    }
    return changed;
  }
};

} // namespace

} // namespace dovetail

// Prints the factor map of each op, for tests.
#include "Passes.h"

using namespace mlir;

namespace dovetail {

#define GEN_PASS_DEF_PRINTFACTORSPASS
#include "cpp/transforms/Passes.h.inc"

/// i, j, … z, then z1, z2, …
static std::string factorName(int64_t factor) {
  if (factor == FactorMap::kNone)
    return "_";
  constexpr int64_t numLetters = 'z' - 'i' + 1;
  return factor < numLetters ? std::string(1, 'i' + factor) : "z" + std::to_string(factor - numLetters + 1);
}

static void printNames(raw_ostream &os, ArrayRef<int64_t> factors) {
  llvm::interleave(factors, os, [&](int64_t factor) { os << factorName(factor); }, ",");
}

static void printTensors(raw_ostream &os, ArrayRef<SmallVector<int64_t>> tensors) {
  os << '(';
  llvm::interleave(
      tensors, os,
      [&](ArrayRef<int64_t> factors) {
        os << '[';
        printNames(os, factors);
        os << ']';
      },
      ",");
  os << ')';
}

static std::string text(const FactorMap &map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printTensors(os, map.operands);
  os << "->";
  printTensors(os, map.results);
  if (!map.reduced.empty()) {
    os << " {reduced ";
    printNames(os, map.reduced);
    os << '}';
  }
  if (!map.selected.empty()) {
    os << " {selected ";
    printNames(os, map.selected);
    os << '}';
  }
  return text;
}

namespace {
struct PrintFactorsPass : impl::PrintFactorsPassBase<PrintFactorsPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (std::optional<FactorMap> map = factorMap(op))
        op->emitRemark(text(*map));
    });
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dovetail

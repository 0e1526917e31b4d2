// Lowering of dots: contractions over the loops of the factor map.
#include "dialects/Dot.h"
#include "Contraction.h"

using namespace mlir;

namespace dovetail {

namespace {

/// An operand of a contraction, with the loop that runs over each of its dimensions.
struct Operand {
  Value value;
  SmallVector<int64_t> loops;
};

/// The operand with all its dimensions of loops from `first` on as one, which the code generator knows as a matrix
/// product's. If they are not side by side and in order, they are brought to the end.
Operand withOneReducedLoop(ImplicitLocOpBuilder &b, Operand operand, int64_t first) {
  auto isReduced = [&](int64_t loop) { return loop >= first; };
  auto *begin = llvm::find_if(operand.loops, isReduced);
  auto *end = std::find_if_not(begin, operand.loops.end(), isReduced);
  if (std::any_of(end, operand.loops.end(), isReduced) || !std::is_sorted(begin, end)) {
    auto order = llvm::to_vector(llvm::seq<int64_t>(0, operand.loops.size()));
    llvm::stable_sort(order, [&](int64_t i, int64_t j) {
      return std::max(operand.loops[i], first - 1) < std::max(operand.loops[j], first - 1);
    });
    Value moved = transposed(b, operand.value, order);
    auto loops = llvm::map_to_vector(order, [&](int64_t dim) { return operand.loops[dim]; });
    return withOneReducedLoop(b, {moved, loops}, first);
  }
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> loops;
  for (auto [dim, loop] : llvm::enumerate(operand.loops)) {
    if (!isReduced(loop) || groups.empty() || !isReduced(operand.loops[dim - 1])) {
      groups.emplace_back();
      loops.push_back(std::min(loop, first));
    }
    groups.back().push_back(dim);
  }
  return {tensor::CollapseShapeOp::create(b, operand.value, groups), loops};
}

struct DotGeneralLowering : LowerOpInterface::ExternalModel<DotGeneralLowering, DotGeneralOp> {
  LogicalResult lower(Operation *op, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    auto dot = cast<DotGeneralOp>(op);
    FactorMap factors = dot.factorMap();
    int64_t numParallel = factors.results[0].size(), numReduced = factors.reduced.size();
    Operand lhs = {operands[0], factors.operands[0]}, rhs = {operands[1], factors.operands[1]};
    if (numReduced > 1) {
      lhs = withOneReducedLoop(b, lhs, numParallel);
      rhs = withOneReducedLoop(b, rhs, numParallel);
      numReduced = 1;
    }
    ContractionLoops loops;
    for (ArrayRef<int64_t> dims : {ArrayRef(lhs.loops), ArrayRef(rhs.loops), ArrayRef(factors.results[0])}) {
      auto exprs = llvm::map_to_vector(dims, [&](int64_t dim) { return b.getAffineDimExpr(dim); });
      loops.maps.push_back(AffineMap::get(numParallel + numReduced, 0, exprs, b.getContext()));
    }
    loops.iterators.assign(numParallel, utils::IteratorType::parallel);
    loops.iterators.resize(numParallel + numReduced, utils::IteratorType::reduction);
    loops.sizes.resize(numParallel);
    for (const Operand &operand : {lhs, rhs})
      for (auto [loop, size] : llvm::zip_equal(operand.loops, sizesOf(b, operand.value)))
        if (loop < numParallel)
          loops.sizes[loop] = size;
    results.push_back(lowerContraction(b, lhs.value, rhs.value, getElementTypeOrSelf(dot.getLhs()),
                                       getElementTypeOrSelf(dot.getType()),
                                       [&](Value x, Value y, Type element, Type accumulator) {
                                         return contracted(b, loops, x, y, element, accumulator);
                                       }));
    return success();
  }
};

} // namespace

void attachDotLowerings(MLIRContext *context) { DotGeneralOp::attachInterface<DotGeneralLowering>(*context); }

} // namespace dovetail

// Reductions of rows that are computed from broadcast arrays: one loop nest, with tiles of whole rows.
#include "BroadcastRows.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"
#include "dialects/Reduce.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Loops that compute an element from the elements at the same place of arrays with fewer dimensions, in one body.
class FromFewer {
public:
  explicit FromFewer(int64_t rank) : rank(rank) {}

  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;

  /// Adds what `x` is computed from. False if that is an array with all dimensions, or no such loop.
  bool add(Value x) {
    auto op = x.getDefiningOp<linalg::GenericOp>();
    if (!op || op.getNumResults() != 1 || op.getNumReductionLoops() != 0 || op.hasIndexSemantics() ||
        !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
        op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
      return false;
    if (ops.contains(op))
      return true;
    for (OpOperand *input : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(input);
      if (map.isIdentity() ? !add(input->get()) : !addInput(input->get(), map))
        return false;
    }
    return ops.insert(op);
  }

  /// Emits the element, where `arguments` are those of the inputs.
  Value emit(OpBuilder &b, ValueRange arguments) const {
    IRMapping mapping;
    Value element;
    for (linalg::GenericOp op : ops) {
      for (OpOperand *input : op.getDpsInputOperands()) {
        AffineMap map = op.getMatchingIndexingMap(input);
        mapping.map(op.getMatchingBlockArgument(input),
                    map.isIdentity() ? mapping.lookup(input->get()) : arguments[*placeOf(input->get(), map)]);
      }
      for (Operation &each : op.getBody()->without_terminator())
        b.clone(each, mapping);
      element = mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
      mapping.map(op.getResult(0), element);
    }
    return element;
  }

  /// Whether the element is a product of two inputs.
  bool isProduct() const {
    int64_t count = 0;
    for (linalg::GenericOp op : ops)
      for (Operation &each : op.getBody()->without_terminator())
        count += isa<arith::MulFOp>(each) ? 1 : 2;
    return count == 1;
  }

private:
  int64_t rank;
  /// Each after those whose results it reads.
  llvm::SetVector<linalg::GenericOp> ops;

  std::optional<size_t> placeOf(Value input, AffineMap map) const {
    for (auto [place, each, known] : llvm::enumerate(inputs, maps))
      if (each == input && known == map)
        return place;
    return std::nullopt;
  }

  bool addInput(Value input, AffineMap map) {
    if (!map.isProjectedPermutation() || map.getNumResults() == rank)
      return false;
    if (!placeOf(input, map)) {
      inputs.push_back(input);
      maps.push_back(map);
    }
    return true;
  }
};

} // namespace

Value reducedFromFewer(ImplicitLocOpBuilder &b, ReduceOpInterface op, Value x, Type element, Type accumulator) {
  // Accumulators in f64, of sums of more than `shortRow` terms, take more registers.
  constexpr int64_t shortRow = 64, longestRow = 256;
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rank = type.getRank(), row = rank - 1;
  if (rank < 3 || !type.hasStaticShape() || !Target(op).isCpu() || op.getDims() != ArrayRef<int64_t>(row))
    return {};
  // What others read, too, is computed once.
  if (!op->getOperand(0).hasOneUse())
    return {};
  int64_t terms = type.getDimSize(row);
  bool hasUnits = llvm::any_of(type.getShape(), [](int64_t size) { return size <= 1; });
  if (terms > longestRow || hasUnits || !accumulator.isIntOrFloat() || accumulator.isInteger(1))
    return {};
  FromFewer rows(rank);
  if (!rows.add(x))
    return {};
  // The code generator has tiles of its own for sums of products.
  if (rows.isProduct() && isa<LinearOpInterface>(*op) && accumulator == element)
    return {};
  SmallVector<AffineMap> maps = rows.maps;
  maps.push_back(b.getMultiDimIdentityMap(rank).dropResult(row));
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  loops[row] = utils::IteratorType::reduction;
  scalar::ScalarBuilder outer(b.getLoc(), b, accumulator);
  Value init = filled(b, ArrayRef(sizesOf(b, x)).drop_back(), op.emitNeutral(outer));
  auto generic = linalg::GenericOp::create(b, init.getType(), rows.inputs, init, maps, loops,
                                           [&](OpBuilder &inner, Location loc, ValueRange args) {
                                             scalar::ScalarBuilder source(loc, inner, element);
                                             Value value = rows.emit(inner, args.drop_back());
                                             value = scalar::convert(source, value, accumulator);
                                             scalar::ScalarBuilder step(loc, inner, accumulator);
                                             linalg::YieldOp::create(step, op.emitStep(step, args.back(), value));
                                           });
  // The code generator would choose tiles of a part of each row, and keep sums of them in memory.
  SmallVector<int64_t> threads(rank, 1), parallel(rank, 1), reduced(rank, 0);
  threads[row - 2] = 16;
  parallel[row - 2] = terms > shortRow ? 1 : 4;
  parallel[row - 1] = 8;
  threads[row - 1] = threads[row] = parallel[row] = 0;
  reduced[row] = terms;
  setTiles(generic, threads, parallel, reduced);
  return generic.getResult(0);
}

} // namespace dovetail

// Counterparts of generators of random bits.
#include "dialects/Random.h"
#include "Families.h"
#include "Importer.h"
#include "dialects/Create.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Threefry-2x32 of a key and consecutive counters, of 64 bits each: the state is the key and the next counter. Blocks
/// of two words make two elements of 32 bits, or one of 64.
struct ImportRngBitGenerator
    : FromStablehloOpInterface::ExternalModel<ImportRngBitGenerator, stablehlo::RngBitGeneratorOp> {
  LogicalResult importTo(Operation *op, Importer &e, SmallVectorImpl<Value> &results) const {
    auto generator = cast<stablehlo::RngBitGeneratorOp>(op);
    Value state = generator.getInitialState();
    auto type = cast<RankedTensorType>(generator.getOutput().getType());
    Type wide = Algebra::elementOf(state);
    bool isNarrow = type.getElementType().isUnsignedInteger(32), isWide = type.getElementType().isUnsignedInteger(64);
    bool isThreefry = generator.getRngAlgorithm() == stablehlo::Generator::THREE_FRY;
    if (!isThreefry || !wide.isUnsignedInteger(64) || Algebra::sizeOf(state, 0) != 2 || !(isNarrow || isWide))
      return op->emitError() << "rng_bit_generator: the algorithm must be THREE_FRY with a state of two ui64, and make "
                                "ui32 or ui64, got: "
                             << stablehlo::stringifyGenerator(generator.getRngAlgorithm()) << ", " << state.getType()
                             << " and " << type;
    int64_t count = type.getNumElements(), blocks = isNarrow ? (count + 1) / 2 : count;
    auto many = RankedTensorType::get({blocks}, wide);
    Value counters = e.add(e.broadcast(e.reshapedTo(e.slice(state, 0, 1, 1), {}), {}, many, {}),
                           e.make<IotaOp>(many, 0, ValueRange()));
    Value keys = e.broadcast(e.reshapedTo(e.slice(state, 0, 0, 1), {}), {}, many, {});
    Type narrow = IntegerType::get(op->getContext(), 32, IntegerType::Unsigned);
    auto low = [&](Value x) { return e.convert(x, narrow); };
    auto high = [&](Value x) { return e.convert(e.make<ShiftRightLogicalOp>(x, e.full(x, 32)), narrow); };
    auto hash = Threefry2x32Op::create(e.builder, e.loc, low(keys), high(keys), low(counters), high(counters));
    Value bits;
    if (isNarrow) {
      Value pairs[] = {e.reshapedTo(hash.getFirst(), {blocks, 1}), e.reshapedTo(hash.getSecond(), {blocks, 1})};
      bits = e.slice(e.reshapedTo(e.joined(pairs, 1), {2 * blocks}), 0, 0, count);
    } else {
      Value second = e.convert(hash.getSecond(), wide);
      bits = e.make<OrOp>(e.convert(hash.getFirst(), wide), e.make<ShiftLeftOp>(second, e.full(second, 32)));
    }
    Value step[] = {e.zeros(RankedTensorType::get({1}, wide), {}),
                    e.full(RankedTensorType::get({1}, wide), {}, static_cast<double>(blocks))};
    results.append({e.add(state, e.joined(step, 0)), e.reshapedTo(bits, type.getShape())});
    return success();
  }
};

} // namespace

void attachRandomCounterparts(MLIRContext *c) {
  stablehlo::RngBitGeneratorOp::attachInterface<ImportRngBitGenerator>(*c);
}

} // namespace dovetail

// Counterparts of generators of random bits.
#include "dialects/Random.h"
#include "Families.h"
#include "Importer.h"
#include "dialects/Create.h"
#include "dialects/Pointwise.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Words of 32 bits, in elements of 64.
struct Words {
  Importer &e;

  Value low(Value x) const { return e.make<AndOp>(x, e.full(x, 4294967295.0)); }
  Value high(Value x) const { return e.make<ShiftRightLogicalOp>(x, e.full(x, 32)); }
  /// Elements of 64 bits of two words.
  Value joined(Value low, Value high) const { return e.make<OrOp>(low, e.make<ShiftLeftOp>(high, e.full(high, 32))); }
};

/// Threefry-2x32 of keys and counters.
Algebra::Values threefry(Importer &e, Value keys, Value counters) {
  Words words{e};
  Type narrow = IntegerType::get(e.builder.getContext(), 32, IntegerType::Unsigned), wide = Algebra::elementOf(keys);
  auto low = [&](Value x) { return e.convert(x, narrow); };
  auto high = [&](Value x) { return e.convert(words.high(x), narrow); };
  auto hash = Threefry2x32Op::create(e.builder, e.loc, low(keys), high(keys), low(counters), high(counters));
  return {e.convert(hash.getFirst(), wide), e.convert(hash.getSecond(), wide)};
}

/// Philox-4x32 with 10 rounds (J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011), of counters of 128
/// bits whose upper half is that of the key where the lower one has not passed its end since the first.
Algebra::Values philox(Importer &e, Value keys, Value counters, Value first) {
  Words words{e};
  Value carry = e.convert(e.less(counters, first), Algebra::elementOf(keys)), upper = e.add(keys, carry);
  Value key[] = {words.low(keys), words.high(keys)};
  Algebra::Values x = {words.low(counters), words.high(counters), words.low(upper), words.high(upper)};
  for (int round = 0; round < 10; ++round) {
    Value first = e.mul(x[0], e.full(x[0], 0xD2511F53)), second = e.mul(x[2], e.full(x[2], 0xCD9E8D57));
    x = {e.make<XorOp>(e.make<XorOp>(words.high(second), x[1]), key[0]), words.low(second),
         e.make<XorOp>(e.make<XorOp>(words.high(first), x[3]), key[1]), words.low(first)};
    key[0] = words.low(e.add(key[0], e.full(key[0], 0x9E3779B9)));
    key[1] = words.low(e.add(key[1], e.full(key[1], 0xBB67AE85)));
  }
  return x;
}

/// Hashes of a key and consecutive counters, of 64 bits each: the state is the key and the next counter.
struct ImportRngBitGenerator
    : FromStablehloOpInterface::ExternalModel<ImportRngBitGenerator, stablehlo::RngBitGeneratorOp> {
  LogicalResult importTo(Operation *op, Importer &e, SmallVectorImpl<Value> &results) const {
    auto generator = cast<stablehlo::RngBitGeneratorOp>(op);
    Value state = generator.getInitialState();
    auto type = cast<RankedTensorType>(generator.getOutput().getType());
    Type wide = Algebra::elementOf(state), element = type.getElementType();
    if (!wide.isUnsignedInteger(64) || Algebra::sizeOf(state, 0) != 2 || !element.isUnsignedInteger())
      return op->emitError() << "rng_bit_generator: the state must be two ui64, and the bits unsigned integers, got: "
                             << state.getType() << " and " << type;
    bool isWide = element.isUnsignedInteger(64);
    bool isThreefry = generator.getRngAlgorithm() == stablehlo::Generator::THREE_FRY;
    int64_t perHash = (isThreefry ? 2 : 4) / (isWide ? 2 : 1);
    // The elements of a Threefry hash are adjacent along the first dimension of even size, or else along the longest;
    // those of a Philox hash, in the array's order.
    SmallVector<int64_t> shape(type.getShape());
    if (!isThreefry || shape.empty())
      shape = {type.getNumElements()};
    auto *across = llvm::find_if(shape, [](int64_t size) { return size % 2 == 0; });
    if (across == shape.end())
      across = llvm::max_element(shape);
    int64_t dim = isWide ? shape.size() - 1 : across - shape.begin(), size = shape[dim];
    shape[dim] = llvm::divideCeil(size, perHash);
    int64_t blocks = RankedTensorType::get(shape, wide).getNumElements();
    auto many = RankedTensorType::get({blocks}, wide);
    auto repeated = [&](int64_t i) { return e.broadcast(e.reshapedTo(e.slice(state, 0, i, 1), {}), {}, many, {}); };
    Value keys = repeated(0), first = repeated(1), counters = e.add(first, e.make<IotaOp>(many, 0, ValueRange()));
    Algebra::Values hash = isThreefry ? threefry(e, keys, counters) : philox(e, keys, counters, first), columns;
    auto columnShape = llvm::to_vector(shape);
    columnShape.insert(columnShape.begin() + dim + 1, 1);
    for (size_t i = 0; i < hash.size(); i += isWide ? 2 : 1) {
      Value column = isWide ? Words{e}.joined(hash[i], hash[i + 1]) : e.convert(hash[i], element);
      columns.push_back(e.reshapedTo(column, columnShape));
    }
    shape[dim] *= perHash;
    Value bits = e.slice(e.reshapedTo(e.joined(columns, dim + 1), shape), dim, 0, size);
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

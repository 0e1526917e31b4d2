// Lowering of the hash behind random numbers: one `linalg.generic` of integer arithmetic.
#include "dialects/Random.h"
#include "Lowering.h"
#include "cpp/scalar/Builder.h"

using namespace mlir;

namespace dovetail {

namespace {

using scalar::Int;

Int rotatedLeft(Int x, int64_t n) { return shl(x, n) | shr(x, 32 - n); }

/// Threefry-2x32 with 20 rounds: the key's words are added, in turn, before the first and after every fourth round.
std::pair<Int, Int> threefry2x32(Int k0, Int k1, Int x0, Int x1) {
  constexpr int64_t kParity = 0x1BD11BDA;
  constexpr int64_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Int keys[] = {k0, k1, k0 ^ k1 ^ kParity};
  x0 = x0 + keys[0];
  x1 = x1 + keys[1];
  for (int64_t group = 0; group < 5; ++group) {
    for (int64_t rotation : kRotations[group % 2]) {
      x0 = x0 + x1;
      x1 = rotatedLeft(x1, rotation) ^ x0;
    }
    x0 = x0 + keys[(group + 1) % 3];
    x1 = x1 + keys[(group + 2) % 3] + (group + 1);
  }
  return {x0, x1};
}

struct Threefry2x32Lowering : LowerOpInterface::ExternalModel<Threefry2x32Lowering, Threefry2x32Op> {
  LogicalResult lower(Operation *, ImplicitLocOpBuilder &b, ValueRange operands,
                      SmallVectorImpl<Value> &results) const {
    SmallVector<OpFoldResult> sizes = sizesOf(b, operands[0]);
    SmallVector<Value> inits(2, empty(b, sizes, b.getI32Type()));
    SmallVector<AffineMap> maps(6, b.getMultiDimIdentityMap(sizes.size()));
    SmallVector<utils::IteratorType> loops(sizes.size(), utils::IteratorType::parallel);
    auto generic = linalg::GenericOp::create(b, TypeRange(inits), operands, inits, maps, loops,
                                             [&](OpBuilder &inner, Location loc, ValueRange args) {
                                               scalar::ScalarBuilder s(loc, inner, inner.getI32Type());
                                               auto word = [&](unsigned i) { return Int{{&s, args[i]}}; };
                                               auto [first, second] = threefry2x32(word(0), word(1), word(2), word(3));
                                               linalg::YieldOp::create(s, ValueRange{first.v, second.v});
                                             });
    llvm::append_range(results, generic.getResults());
    return success();
  }
};

} // namespace

void attachRandomLowerings(MLIRContext *context) { Threefry2x32Op::attachInterface<Threefry2x32Lowering>(*context); }

} // namespace dovetail

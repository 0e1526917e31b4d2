// Radix sort of rows, least significant digit first.
#include "RadixSort.h"
#include "cpp/iree/Workgroups.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace dovetail {

/// Bits of a digit.
constexpr unsigned kDigit = 8;
constexpr int64_t kDigitValues = int64_t(1) << kDigit;

namespace {

/// The code for one row. `state` is everything that it writes, as a single array, which is therefore clearly used in
/// place: two orders of the elements, each computed from the other by one digit, and the histogram of each digit.
struct RadixSort {
  ImplicitLocOpBuilder &b;
  Value row, size, state;
  using Body = function_ref<SmallVector<Value>(Value, ValueRange)>;

  /// A digit of a key.
  struct Digit {
    Value key;
    unsigned shift;
  };

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value number(int64_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value select(Value p, Value x, Value y) { return arith::SelectOp::create(b, p, x, y); }
  Value toIndex(Value x) { return arith::IndexCastUIOp::create(b, b.getIndexType(), x); }
  Value get(Value from, Value place) { return tensor::ExtractOp::create(b, from, place); }
  Value set(Value into, Value place, Value x) { return tensor::InsertOp::create(b, x, into, place); }

  /// Counts from 0, with `state` as the first carry.
  SmallVector<Value> loop(Value count, ValueRange more, Body body) {
    SmallVector<Value> inits = {state};
    llvm::append_range(inits, more);
    auto result = scf::ForOp::create(b, index(0), count, index(1), inits,
                                     [&](OpBuilder &inner, Location, Value i, ValueRange carry) {
                                       OpBuilder::InsertionGuard guard(b);
                                       b.setInsertionPointToEnd(inner.getInsertionBlock());
                                       scf::YieldOp::create(b, body(i, carry));
                                     });
    state = result.getResult(0);
    return SmallVector<Value>(result.getResults().drop_front());
  }

  /// The position in `state` of the count of elements whose digit, the `place`th, is that of `element`.
  Value counter(const Digit &digit, size_t place, Value element) {
    Value key = tensor::ExtractOp::create(b, digit.key, ValueRange{row, element});
    Value shift = arith::ConstantOp::create(b, b.getIntegerAttr(key.getType(), digit.shift));
    Value mask = arith::ConstantOp::create(b, b.getIntegerAttr(key.getType(), kDigitValues - 1));
    Value value = arith::AndIOp::create(b, arith::ShRUIOp::create(b, key, shift), mask);
    return add(counters(place), toIndex(value));
  }

  /// The position in `state` at which the counts of a digit begin.
  Value counters(size_t place) { return add(add(size, size), index(place * kDigitValues)); }

  /// All elements in their order, and the histogram of each digit.
  void count(ArrayRef<Digit> digits) {
    loop(index(digits.size() * kDigitValues), {}, [&](Value i, ValueRange carry) -> SmallVector<Value> {
      return {set(carry[0], add(counters(0), i), number(0))};
    });
    loop(size, {}, [&](Value i, ValueRange carry) -> SmallVector<Value> {
      Value current = set(carry[0], i, arith::IndexCastOp::create(b, b.getI32Type(), i));
      for (auto [place, digit] : llvm::enumerate(digits)) {
        Value at = counter(digit, place, i);
        current = set(current, at, add(get(current, at), number(1)));
      }
      return {current};
    });
  }

  /// From the histogram of a digit, the positions at which the elements with each value begin. Returns whether all have
  /// the same value.
  Value accumulate(size_t place) {
    Value all = arith::IndexCastOp::create(b, b.getI32Type(), size), no = arith::ConstantIntOp::create(b, 0, 1);
    SmallVector<Value> sums = loop(index(kDigitValues), {number(0), no}, [&](Value i, ValueRange carry) {
      Value at = add(counters(place), i), here = get(carry[0], at);
      Value isAll = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, here, all);
      return SmallVector<Value>{set(carry[0], at, carry[1]), add(carry[1], here),
                                arith::OrIOp::create(b, carry[2], isAll)};
    });
    return sums[1];
  }

  /// Leaves the indices of the elements in increasing order in the first positions.
  void run(ArrayRef<Digit> digits) {
    count(digits);
    Value from = index(0), to = size;
    for (auto [place, digit] : llvm::enumerate(digits)) {
      Value isOrdered = accumulate(place);
      loop(select(isOrdered, index(0), size), {}, [&, place = place, digit = digit](Value i, ValueRange carry) {
        Value element = get(carry[0], add(from, i));
        Value at = counter(digit, place, toIndex(element)), target = get(carry[0], at);
        Value counted = set(carry[0], at, add(target, number(1)));
        return SmallVector<Value>{set(counted, add(to, toIndex(target)), element)};
      });
      Value next = select(isOrdered, from, to);
      to = select(isOrdered, to, from);
      from = next;
    }
    // Either the elements to move are in the second half, or there are none.
    loop(from, {}, [&](Value i, ValueRange carry) -> SmallVector<Value> {
      return {set(carry[0], i, get(carry[0], add(from, i)))};
    });
  }
};

} // namespace

Value orderByDigits(ImplicitLocOpBuilder &b, ArrayRef<SortKey> keys) {
  SmallVector<Value> arrays = llvm::map_to_vector(keys, [](const SortKey &key) { return key.array; });
  int64_t numDigits = 0;
  for (const SortKey &key : keys)
    numDigits += llvm::divideCeil(key.end - key.begin, kDigit);
  SmallVector<OpFoldResult> sizes = sizesOf(b, arrays[0]);
  int64_t numCounters = numDigits * kDigitValues;
  if (auto size = getConstantIntValue(sizes[1])) {
    sizes[1] = b.getIndexAttr(2 * *size + numCounters);
  } else {
    Value orders = arith::AddIOp::create(b, asValue(b, sizes[1]), asValue(b, sizes[1]));
    sizes[1] = arith::AddIOp::create(b, orders, arith::ConstantIndexOp::create(b, numCounters)).getResult();
  }
  return dispatchRows(b, arrays, sizes, b.getI32Type(),
                      [&](ImplicitLocOpBuilder &each, ValueRange arrays, Value row, Value state) {
                        SmallVector<RadixSort::Digit> digits;
                        for (auto [array, key] : llvm::reverse(llvm::zip_equal(arrays, keys)))
                          for (unsigned shift = key.begin; shift < key.end; shift += kDigit)
                            digits.push_back({array, shift});
                        RadixSort sort = {each, row, asValue(each, sizesOf(each, arrays[0])[1]), state};
                        sort.run(digits);
                        return sort.state;
                      });
}

} // namespace dovetail

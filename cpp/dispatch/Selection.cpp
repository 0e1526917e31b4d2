// Selection of the first elements of rows: one pass over a row, which keeps those selected so far in order.
#include "Selection.h"
#include "cpp/iree/Workgroups.h"
#include "cpp/tensors/Builders.h"

using namespace mlir;

namespace dovetail {

namespace {

/// The code for one row. The selected elements are the `count` numbers of an array, in order.
struct Selection {
  ImplicitLocOpBuilder &b;
  ValueRange keys;
  Value row, size;
  int64_t count;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value less(Value x, Value y) { return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(b, x, y); }
  Value truth(bool value) { return arith::ConstantOp::create(b, b.getBoolAttr(value)); }

  SmallVector<Value> keysOf(Value element) {
    return llvm::map_to_vector(
        keys, [&](Value key) -> Value { return tensor::ExtractOp::create(b, key, ValueRange{row, element}); });
  }
  Value selected(Value array, Value place) {
    return arith::IndexCastUIOp::create(b, b.getIndexType(), tensor::ExtractOp::create(b, array, place));
  }

  Value isBefore(ValueRange first, ValueRange second) {
    Value result = truth(false);
    for (auto [x, y] : llvm::reverse(llvm::zip_equal(first, second))) {
      Value isEqual = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
      result = arith::OrIOp::create(b, less(x, y), both(isEqual, result));
    }
    return result;
  }

  /// A `while` loop; `before` returns its condition and what it passes on, of the same types as `inits`.
  ValueRange loop(ValueRange inits, function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> before,
                  function_ref<SmallVector<Value>(ValueRange)> after) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::WhileOp::create(
        b, inits.getTypes(), inits,
        [&](OpBuilder &inner, Location, ValueRange args) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          auto [condition, passed] = before(args);
          scf::ConditionOp::create(b, condition, passed);
        },
        [&](OpBuilder &inner, Location, ValueRange args) {
          b.setInsertionPointToEnd(inner.getInsertionBlock());
          scf::YieldOp::create(b, after(args));
        });
    return loop.getResults();
  }

  /// Puts an element among the first `place` ones, which are in order, and moves those behind it.
  Value insert(Value array, Value element, Value place) {
    SmallVector<Value> own = keysOf(element);
    ValueRange moved = loop(
        {array, place},
        [&](ValueRange args) -> std::pair<Value, SmallVector<Value>> {
          Value one = index(1), hasOthers = less(index(0), args[1]);
          // Place 0 is read instead of one before it.
          Value previous = arith::SelectOp::create(b, hasOthers, sub(args[1], one), index(0));
          Value isEarlier = isBefore(own, keysOf(selected(args[0], previous)));
          return {both(hasOthers, isEarlier), {args[0], args[1]}};
        },
        [&](ValueRange args) -> SmallVector<Value> {
          Value previous = sub(args[1], index(1));
          Value number = tensor::ExtractOp::create(b, args[0], previous);
          return {tensor::InsertOp::create(b, number, args[0], args[1]), previous};
        });
    Value number = arith::IndexCastUIOp::create(b, b.getI32Type(), element);
    return tensor::InsertOp::create(b, number, moved[0], moved[1]);
  }

  Value run(Value array) {
    // The first number is read before it is written, though for nothing.
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    array = tensor::InsertOp::create(b, zero, array, index(0));
    ValueRange begun = loop(
        {array, index(0)},
        [&](ValueRange args) -> std::pair<Value, SmallVector<Value>> {
          return {less(args[1], index(count)), {args[0], args[1]}};
        },
        [&](ValueRange args) -> SmallVector<Value> {
          return {insert(args[0], args[1], args[1]), add(args[1], index(1))};
        });
    ValueRange all = loop(
        {begun[0], begun[1]},
        [&](ValueRange args) -> std::pair<Value, SmallVector<Value>> {
          SmallVector<Value> last = keysOf(selected(args[0], index(count - 1)));
          ValueRange found = loop(
              args[1],
              [&](ValueRange place) -> std::pair<Value, SmallVector<Value>> {
                Value isWithin = less(place[0], size);
                // The last element is read instead of one behind it.
                Value here = arith::SelectOp::create(b, isWithin, place[0], sub(size, index(1)));
                Value isNoEarlier = arith::XOrIOp::create(b, isBefore(keysOf(here), last), truth(true));
                return {both(isWithin, isNoEarlier), {place[0]}};
              },
              [&](ValueRange place) -> SmallVector<Value> { return {add(place[0], index(1))}; });
          return {less(found[0], size), {args[0], found[0]}};
        },
        [&](ValueRange args) -> SmallVector<Value> {
          // The last of those selected gives way.
          return {insert(args[0], args[1], index(count - 1)), add(args[1], index(1))};
        });
    return all[0];
  }
};

} // namespace

Value selectFirst(ImplicitLocOpBuilder &b, ArrayRef<SortKey> keys, int64_t count) {
  SmallVector<Value> arrays = llvm::map_to_vector(keys, [](const SortKey &key) { return key.array; });
  SmallVector<OpFoldResult> sizes = {sizesOf(b, arrays[0])[0], b.getIndexAttr(count)};
  return dispatchRows(b, arrays, sizes, b.getI32Type(),
                      [&](ImplicitLocOpBuilder &each, ValueRange arrays, Value row, Value array) {
                        Value size = asValue(each, sizesOf(each, arrays[0])[1]);
                        return Selection{each, arrays, row, size, count}.run(array);
                      });
}

} // namespace dovetail

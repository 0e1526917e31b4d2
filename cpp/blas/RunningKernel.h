// The code of running reductions of rows: see Variants.h. Each lane of a vector has another row.
#include "Running.h"
#include <algorithm>
#include <cstring>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// Reduces in `Wide`. Each element is combined with the same ones, in the same order, as by a loop over its row.
template <typename T, typename Wide, bool isReverse, typename Step>
void runSquares(const RunningRows &call, Wide neutral, Step step) {
  constexpr int64_t side = kSide<T>;
  typedef Wide Lanes __attribute__((vector_size(side * sizeof(Wide))));
  const int64_t length = call.length, whole = length / side * side;
  for (int64_t group = 0; group < call.rows; group += side) {
    // The last rows may be some of those before them, too.
    int64_t row = std::min(group, call.rows - side);
    const T *x = reinterpret_cast<const T *>(call.x) + row * length;
    T *result = reinterpret_cast<T *>(call.result) + row * length;
    Lanes sums = neutral - Lanes{};
    auto square = [&](int64_t column) {
      Row<T> columns[side];
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < side; ++i)
        std::memcpy(&columns[i], x + i * length + column, sizeof(Row<T>));
      transposeSquare<T>(columns);
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < side; ++i) {
        Row<T> &here = columns[isReverse ? side - 1 - i : i];
        sums = step(sums, __builtin_convertvector(here, Lanes));
        here = __builtin_convertvector(sums, Row<T>);
      }
      transposeSquare<T>(columns);
#pragma clang loop unroll(full)
      for (int64_t i = 0; i < side; ++i)
        std::memcpy(result + i * length + column, &columns[i], sizeof(Row<T>));
    };
    auto rest = [&] {
      for (int64_t lane = 0; lane < side; ++lane) {
        Wide sum = sums[lane];
        for (int64_t i = whole; i < length; ++i) {
          int64_t place = lane * length + (isReverse ? length - 1 - (i - whole) : i);
          sum = step(sum, Wide(x[place]));
          result[place] = T(sum);
        }
        sums[lane] = sum;
      }
    };
    if (isReverse) {
      rest();
      for (int64_t column = whole - side; column >= 0; column -= side)
        square(column);
    } else {
      for (int64_t column = 0; column < whole; column += side)
        square(column);
      rest();
    }
  }
}

template <typename T, typename Wide>
void runRowsOf(const RunningRows &call) {
  auto add = [](auto x, auto y) { return x + y; };
  auto multiply = [](auto x, auto y) { return x * y; };
  // The sum of -0 and x is x.
  if (call.isProduct)
    call.isReverse ? runSquares<T, Wide, true>(call, Wide(1), multiply)
                   : runSquares<T, Wide, false>(call, Wide(1), multiply);
  else
    call.isReverse ? runSquares<T, Wide, true>(call, Wide(-0.0), add)
                   : runSquares<T, Wide, false>(call, Wide(-0.0), add);
}

void runRows(const RunningRows &call) {
  switch (call.element) {
  case RunningElement::Float32:
    return call.isWide ? runRowsOf<float, double>(call) : runRowsOf<float, float>(call);
  case RunningElement::Float64:
    return runRowsOf<double, double>(call);
  case RunningElement::Int32:
    return runRowsOf<uint32_t, uint32_t>(call);
  case RunningElement::Int64:
    return runRowsOf<uint64_t, uint64_t>(call);
  }
}

} // namespace dovetail::blas::DOVETAIL_VARIANT

// The code of transposes: see Variants.h.
#include "Transpose.h"
#include <cstring>
#include <utility>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// The bytes of a vector of this processor.
#ifdef __AVX512F__
constexpr int64_t kRegisterBytes = 64;
#else
constexpr int64_t kRegisterBytes = 32;
#endif

/// A square of elements, a row of which is a vector.
template <typename T>
constexpr int64_t kSide = kRegisterBytes / sizeof(T) < 16 ? kRegisterBytes / sizeof(T) : 16;

template <typename T>
struct RowOf {
  typedef T Type __attribute__((vector_size(kSide<T> * sizeof(T))));
};
template <typename T>
using Row = typename RowOf<T>::Type;

/// The elements of the lower or upper halves of two vectors, by turns.
template <int64_t half, typename V, size_t... i>
inline V interleaved(V a, V b, std::index_sequence<i...>) {
  constexpr size_t side = sizeof...(i);
  return __builtin_shufflevector(a, b, (half * side / 2 + i / 2 + i % 2 * side)...);
}

/// Transposes a square: each step moves one bit of the numbers of rows into those of columns.
template <typename T>
[[gnu::always_inline]] inline void transposeSquare(Row<T> *rows) {
  constexpr int64_t side = kSide<T>;
  constexpr auto all = std::make_index_sequence<side>();
  Row<T> next[side];
#pragma clang loop unroll(full)
  for (int64_t step = 1; step < side; step *= 2) {
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < side / 2; ++i) {
      next[2 * i] = interleaved<0>(rows[i], rows[i + side / 2], all);
      next[2 * i + 1] = interleaved<1>(rows[i], rows[i + side / 2], all);
    }
#pragma clang loop unroll(full)
    for (int64_t i = 0; i < side; ++i)
      rows[i] = next[i];
  }
}

template <typename T, bool isStreamed>
inline void moveSquare(const T *x, int64_t from, T *result, int64_t to) {
  constexpr int64_t side = kSide<T>;
  Row<T> rows[side];
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < side; ++i)
    std::memcpy(&rows[i], x + i * from, sizeof(Row<T>));
  transposeSquare<T>(rows);
#pragma clang loop unroll(full)
  for (int64_t i = 0; i < side; ++i)
    if constexpr (isStreamed)
      __builtin_nontemporal_store(rows[i], reinterpret_cast<Row<T> *>(result + i * to));
    else
      std::memcpy(result + i * to, &rows[i], sizeof(Row<T>));
}

template <typename T>
inline void moveOneByOne(const T *x, int64_t from, T *result, int64_t to, int64_t rows, int64_t columns) {
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row)
      result[column * to + row] = x[row * from + column];
}

template <typename T, bool isStreamed>
void moveSquares(const Block &block) {
  constexpr int64_t side = kSide<T>;
  auto x = reinterpret_cast<const T *>(block.x);
  auto result = reinterpret_cast<T *>(block.result);
  int64_t rows = block.rows / side * side, columns = block.columns / side * side;
  for (int64_t column = 0; column < columns; column += side) {
    for (int64_t row = 0; row < rows; row += side)
      moveSquare<T, isStreamed>(x + row * block.from + column, block.from, result + column * block.to + row, block.to);
    moveOneByOne(x + rows * block.from + column, block.from, result + column * block.to + rows, block.to,
                 block.rows - rows, side);
  }
  moveOneByOne(x + columns, block.from, result + columns * block.to, block.to, block.rows, block.columns - columns);
}

template <typename T>
void moveBlock(const Block &block) {
  // Only whole lines are written past the caches.
  constexpr int64_t line = 64;
  bool hasLines = sizeof(Row<T>) == line && reinterpret_cast<uintptr_t>(block.result) % line == 0 &&
                  block.to * int64_t(sizeof(T)) % line == 0;
  if (block.isStreamed && hasLines)
    moveSquares<T, true>(block);
  else
    moveSquares<T, false>(block);
}

struct Pair {
  uint64_t parts[2];
};

void move(const Block &block) {
  switch (block.bytes) {
  case 1:
    return moveBlock<uint8_t>(block);
  case 2:
    return moveBlock<uint16_t>(block);
  case 4:
    return moveBlock<uint32_t>(block);
  case 8:
    return moveBlock<uint64_t>(block);
  default:
    return moveOneByOne(reinterpret_cast<const Pair *>(block.x), block.from, reinterpret_cast<Pair *>(block.result),
                        block.to, block.rows, block.columns);
  }
}

} // namespace dovetail::blas::DOVETAIL_VARIANT

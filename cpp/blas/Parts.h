// The parts of products of matrices that threads compute.
#ifndef DOVETAIL_BLAS_PARTS_H
#define DOVETAIL_BLAS_PARTS_H

#include <algorithm>
#include <cstdint>

namespace dovetail::blas {

struct Range {
  int64_t begin, end;

  int64_t size() const { return end - begin; }
};

/// Part i of `parts` equal ones, which begin at multiples of `unit`.
inline Range partOf(int64_t size, int64_t parts, int64_t i, int64_t unit = 1) {
  int64_t units = (size + unit - 1) / unit;
  auto begin = [&](int64_t part) { return std::min(size, units * part / parts * unit); };
  return {begin(i), begin(i + 1)};
}

/// What one of several threads computes of a batch of products.
struct Part {
  Range batch, rows, columns;

  bool isEmpty() const { return batch.size() <= 0 || rows.size() <= 0 || columns.size() <= 0; }
};

/// Part i of `parts`: whole products if there are enough, otherwise blocks of them, as square as possible, since each
/// thread reads the operands' parts for its own.
inline Part partOf(int64_t batch, int64_t rows, int64_t columns, int64_t parts, int64_t i) {
  // Routines compute blocks of about so many rows and columns at once.
  constexpr int64_t unit = 16;
  if (batch >= parts)
    return {partOf(batch, parts, i), {0, rows}, {0, columns}};
  int64_t blocks = parts / std::max<int64_t>(batch, 1), product = i / blocks, block = i % blocks;
  if (product >= batch)
    return {};
  int64_t best = 1;
  auto perimeter = [&](int64_t across) { return rows * across + columns * (blocks / across); };
  for (int64_t across = 1; across <= blocks; ++across)
    if (blocks % across == 0 && perimeter(across) < perimeter(best))
      best = across;
  // `best` blocks side by side.
  return {{product, product + 1},
          partOf(rows, blocks / best, block / best, unit),
          partOf(columns, best, block % best, unit)};
}

} // namespace dovetail::blas

#endif // DOVETAIL_BLAS_PARTS_H

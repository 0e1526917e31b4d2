// Transposes of arrays in memory, by the code for this processor, on all threads of the team.
#include "Transpose.h"
#include "Functions.h"
#include "Parts.h"
#include "Team.h"
#include "Variants.h"
#include <algorithm>

namespace dovetail::blas {

DOVETAIL_DECLARE_VARIANTS(void move(const Block &block))

namespace {

/// Bytes that are worth a thread.
constexpr int64_t kLeastBytes = 1 << 17;
/// Results of more bytes are written past the caches.
constexpr int64_t kMostInCache = 1 << 21;
/// Rows and columns of a block: its parts of lines stay in the nearest cache.
constexpr int64_t kBlock = 64;

} // namespace

void transpose(const TransposeCall &call) {
  static const auto code = DOVETAIL_VARIANT_HERE(move);
  const Moved &rows = call.rows, &columns = call.columns;
  int64_t down = (rows.size + kBlock - 1) / kBlock, across = (columns.size + kBlock - 1) / kBlock;
  int64_t blocks = call.outer[0].size * call.outer[1].size * across * down;
  int64_t bytes = call.outer[0].size * call.outer[1].size * rows.size * columns.size * call.bytes;
  int64_t parts = call.threads == 1 ? 1 : std::clamp<int64_t>(bytes / kLeastBytes, 1, std::min(blocks, 4 * teamSize()));
  forEachPart(parts, [&](int64_t part) {
    Range range = partOf(blocks, parts, part);
    for (int64_t i = range.begin; i < range.end; ++i) {
      int64_t row = i % down * kBlock, rest = i / down, column = rest % across * kBlock;
      int64_t inner = rest / across % call.outer[1].size, outer = rest / across / call.outer[1].size;
      int64_t from = row * rows.from + column + inner * call.outer[1].from + outer * call.outer[0].from;
      int64_t to = row + column * columns.to + inner * call.outer[1].to + outer * call.outer[0].to;
      code({call.x.get() + from * call.bytes, call.result.get() + to * call.bytes, call.bytes,
            std::min(kBlock, rows.size - row), std::min(kBlock, columns.size - column), rows.from, columns.to,
            bytes > kMostInCache});
    }
  });
}

} // namespace dovetail::blas

// The code of reads and updates of rows: see Variants.h.
#include "Call.h"
#include "Parts.h"
#include <cstring>

namespace dovetail::blas::DOVETAIL_VARIANT {

/// Calls below so many bytes are one workgroup's.
constexpr int64_t kLeastForGroups = 1 << 17;
/// The bytes of a row that a workgroup takes at least, a multiple of a cache line's: the processor fetches ahead within
/// a page, and reads parts of shorter rows at half its speed.
constexpr int64_t kLeastOfRow = 4096, kLine = 64;
/// If there are fewer rows for a workgroup, they take shorter parts, so that all have work.
constexpr int64_t kFewRows = 4, kLeastOfFewRows = 256;
/// How many rows ahead the next ones are fetched into the cache.
constexpr int64_t kAhead = 4;
/// How much of a row is fetched: the processor sees itself that the rest is read.
constexpr int64_t kMostAhead = 512;

//===- Updates ---------------------------------------------------------------------===//

/// The part of a workgroup: rows of the result, and bytes of each update. Updates may overlap, so that no two
/// workgroups may change one byte.
struct Part {
  Range rows, bytes;

  static Part of(const ScatterCall &call) {
    Range rows = {0, call.numRows}, bytes = {0, call.width};
    if (call.numUpdates * call.width < kLeastForGroups)
      return {call.group == 0 ? rows : Range{0, 0}, bytes};
    bool hasOneOfEach = call.width == call.rowBytes || call.numUpdates == 1;
    int64_t least = call.numRows < call.groups * kFewRows || call.numUpdates == 1 ? kLeastOfFewRows : kLeastOfRow;
    if (hasOneOfEach && call.width >= call.groups * least)
      return {rows, partOf(call.width, call.groups, call.group, kLine)};
    return {partOf(call.numRows, call.groups, call.group), bytes};
  }
};

/// Calls `change` with each part of an update that this workgroup makes, and its place.
template <typename Change>
void forEachRow(const ScatterCall &call, Change change) {
  Part part = Part::of(call);
  if (part.rows.size() <= 0 || part.bytes.size() <= 0)
    return;
  const int32_t *rows = call.rows.get();
  const char *updates = call.updates.get();
  char *result = call.result.get();
  Range here = {part.rows.begin * call.rowBytes, part.rows.end * call.rowBytes};
  for (int64_t i = 0; i < call.numUpdates; ++i) {
    if (int64_t next = i + kAhead;
        next < call.numUpdates && rows[next] >= part.rows.begin && rows[next] < part.rows.end)
      __builtin_prefetch(result + rows[next] * call.rowBytes + part.bytes.begin, 1);
    if (rows[i] < 0)
      continue;
    int64_t start = rows[i] * call.rowBytes;
    int64_t begin = std::max(start + part.bytes.begin, here.begin), end = std::min(start + part.bytes.end, here.end);
    if (begin < end)
      change(result + begin, updates + i * call.width + (begin - start), end - begin);
  }
}

/// Rows whose elements are added; arrays may begin at any element.
template <typename T>
void addRows(const ScatterCall &call) {
  forEachRow(call, [](char *row, const char *update, int64_t bytes) {
    T *__restrict x = reinterpret_cast<T *>(row);
    const T *__restrict y = reinterpret_cast<const T *>(update);
    for (int64_t i = 0, e = bytes / sizeof(T); i < e; ++i)
      x[i] += y[i];
  });
}

void updateRows(const ScatterCall &call) {
  switch (static_cast<Update>(call.update)) {
  case Update::Replace:
    return forEachRow(call, [](char *row, const char *update, int64_t bytes) { std::memcpy(row, update, bytes); });
  case Update::AddFloat32:
    return addRows<float>(call);
  case Update::AddFloat64:
    return addRows<double>(call);
  case Update::AddInt8:
    return addRows<uint8_t>(call);
  case Update::AddInt16:
    return addRows<uint16_t>(call);
  case Update::AddInt32:
    return addRows<uint32_t>(call);
  case Update::AddInt64:
    return addRows<uint64_t>(call);
  }
}

//===- Reads -----------------------------------------------------------------------===//

void readRows(const GatherCall &call) {
  Range range = {0, call.numResults};
  if (call.numResults * call.width >= kLeastForGroups)
    range = partOf(call.numResults, call.groups, call.group);
  else if (call.group != 0)
    return;
  const int32_t *rows = call.rows.get();
  auto isWithin = [&](int64_t i) { return rows[i] >= 0 && rows[i] < call.numRows; };
  for (int64_t i = range.begin; i < range.end; ++i) {
    if (i + kAhead < range.end && isWithin(i + kAhead))
      for (int64_t line = 0; line < std::min(call.width, kMostAhead); line += kLine)
        __builtin_prefetch(call.x.get() + rows[i + kAhead] * call.width + line);
    char *row = call.result.get() + i * call.width;
    if (isWithin(i))
      std::memcpy(row, call.x.get() + rows[i] * call.width, call.width);
    else
      std::memset(row, 0, call.width);
  }
}

} // namespace dovetail::blas::DOVETAIL_VARIANT

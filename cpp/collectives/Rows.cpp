// Copies of rows that lie apart in memory.
#include "Rows.h"
#include <cstdint>
#include <cstring>

namespace dovetail::collectives {

template <typename T>
static void copyElements(char *to, size_t toStride, const char *from, size_t fromStride, size_t count) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, sizeof(T));
}

namespace {
struct Wide {
  char bytes[16];
};
} // namespace

void copyRows(char *to, size_t toStride, const char *from, size_t fromStride, size_t bytes, size_t count) {
  bool isInPlace = to == from && (count == 1 || toStride == fromStride);
  if (count == 0 || bytes == 0 || isInPlace)
    return;
  if (toStride == bytes && fromStride == bytes) {
    std::memcpy(to, from, bytes * count);
    return;
  }
  switch (bytes) {
  case 1:
    return copyElements<uint8_t>(to, toStride, from, fromStride, count);
  case 2:
    return copyElements<uint16_t>(to, toStride, from, fromStride, count);
  case 4:
    return copyElements<uint32_t>(to, toStride, from, fromStride, count);
  case 8:
    return copyElements<uint64_t>(to, toStride, from, fromStride, count);
  case 16:
    return copyElements<Wide>(to, toStride, from, fromStride, count);
  default:
    for (size_t i = 0; i < count; ++i)
      std::memcpy(to + i * toStride, from + i * fromStride, bytes);
  }
}

} // namespace dovetail::collectives

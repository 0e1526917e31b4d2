// Copies of rows that lie apart in memory.
#ifndef DOVETAIL_COLLECTIVES_ROWS_H
#define DOVETAIL_COLLECTIVES_ROWS_H

#include <cstddef>

namespace dovetail::collectives {

/// Copies `count` rows of `bytes` bytes; strides are from the beginning of one row to that of the next. Rows that are
/// in place already are left alone.
void copyRows(char *to, size_t toStride, const char *from, size_t fromStride, size_t bytes, size_t count);

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_ROWS_H

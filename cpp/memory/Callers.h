// Recognizes the function of a library that asks for the memory of arrays.
#ifndef DOVETAIL_MEMORY_CALLERS_H
#define DOVETAIL_MEMORY_CALLERS_H

#include <cstddef>

namespace dovetail::memory {

/// Takes the next block that this thread asks for, if it is at least that large, for one of an array: what calls the
/// library's allocator then is the function that makes arrays.
void learnArray(size_t least);

/// Whether the function that makes arrays asks for a block. `frame` is that of the replacement of the C library's
/// function, which calls this, and `returns` is where it returns to. False before an array has been learnt.
bool isOfArray(size_t size, const void *frame, const void *returns);

} // namespace dovetail::memory

#endif // DOVETAIL_MEMORY_CALLERS_H

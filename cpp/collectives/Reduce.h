// Elementwise combination of arrays.
#ifndef DOVETAIL_COLLECTIVES_REDUCE_H
#define DOVETAIL_COLLECTIVES_REDUCE_H

#include "Call.h"
#include <cstddef>

namespace dovetail::collectives {

enum class Combination { Sum, Max, Min };

/// Combines elements of `count` arrays, at least one, in their order: equal arrays give equal bits.
using Reduce = void (*)(char *result, const char *const *sources, int count, size_t elements);

/// The function for a combination, null for elements that have none.
Reduce findReduce(Combination combination, Element element);

/// The size of an element in memory.
size_t bytesOf(Element element);

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_REDUCE_H

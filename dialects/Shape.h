// Ops that move elements.
#ifndef DOVETAIL_SHAPE_H
#define DOVETAIL_SHAPE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Shape.h.inc"

namespace dovetail {

/// Dimensions [from, fromEnd) of an array that a reshape turns into dimensions [to, toEnd) of another.
struct DimGroup {
  size_t from, fromEnd, to, toEnd;
};
/// The smallest groups with equal numbers of elements of two shapes with as many elements; none if a size is unknown or
/// 0. Dimensions of size 1 are in no group if the other shape lacks them.
llvm::SmallVector<DimGroup> dimGroups(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);

} // namespace dovetail

#endif // DOVETAIL_SHAPE_H

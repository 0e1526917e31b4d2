// Sums that are left to do, in types: which results are terms of them.
#ifndef DOVETAIL_SHARDING_TYPE_SUMS_H
#define DOVETAIL_SHARDING_TYPE_SUMS_H

#include "TypedOperands.h"

namespace dovetail {

/// The axes over which devices hold terms of results, and those over which they hold terms of cotangents.
struct Sums {
  Axes unreduced, reduced;
};

/// Those of an op's results. A result is a term of a sum if the op is linear in all operands that are; an error if it
/// is not, since the sum is then not that of results.
llvm::FailureOr<Sums> inferSums(const TypedOperands &operands);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TYPE_SUMS_H

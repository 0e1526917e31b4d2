// The rules of ops for shardings in types.
#ifndef DOVETAIL_SHARDING_TYPE_RULES_H
#define DOVETAIL_SHARDING_TYPE_RULES_H

#include "TypedOperands.h"
#include "cpp/sharding/TypeRules.h.inc"

namespace dovetail {

/// Attaches the rules to the ops that have them.
void attachTypeRules(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_SHARDING_TYPE_RULES_H

// Checks: the op, and the interface of ops that fail.
#ifndef DOVETAIL_CHECK_H
#define DOVETAIL_CHECK_H

#include "Dialect.h"

namespace dovetail {

/// Where an op fails, as bools of any shape; which of its failures it is, an i32 scalar, null for the only one; what
/// describes it further, a vector of i32, null for nothing.
struct Failure {
  mlir::Value where, number, data;
};

/// Removes checks that are only for debugging, and what functions with checks must know of loops, once none is made any
/// more.
void eraseCheckMarks(mlir::Operation *root);

} // namespace dovetail

#include "dialects/CheckInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Check.h.inc"

#endif // DOVETAIL_CHECK_H

// A body without calls as plain data, for the reference evaluator.
#ifndef DOVETAIL_BINDINGS_IR_FLATBODY_H
#define DOVETAIL_BINDINGS_IR_FLATBODY_H

#include "Function.h"

namespace dovetail {

/// The innermost location in a file of an MLIR location.
SourceLocation sourceLocationOf(mlir::Location location);

struct FlatBody {
  nanobind::typed<nanobind::list, unsigned> inputs, outputs;
  Types inputTypes;
  Instructions instructions;
  unsigned size = 0;

  explicit FlatBody(mlir::Region &body);
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_FLATBODY_H

// A body without calls as plain data, for the reference evaluator.
#ifndef DOVETAIL_BINDINGS_IR_PROGRAM_H
#define DOVETAIL_BINDINGS_IR_PROGRAM_H

#include "Function.h"

namespace dovetail {

/// The innermost place in a file that a location names.
Place placeOf(mlir::Location location);

struct Program {
  nanobind::typed<nanobind::list, unsigned> inputs, outputs;
  Instructions instructions;
  unsigned size = 0;

  explicit Program(mlir::Region &body);
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_PROGRAM_H

// Python's classes of functions, of their bodies as data, and of what linearization makes of them.
#ifndef DOVETAIL_BINDINGS_IR_BINDFUNCTION_H
#define DOVETAIL_BINDINGS_IR_BINDFUNCTION_H

#include "cpp/bindings/ir/Function.h"

namespace dovetail {

Types describeTypes(mlir::TypeRange types);

void bindFunction(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_BINDFUNCTION_H

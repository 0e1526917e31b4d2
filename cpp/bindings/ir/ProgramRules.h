// Rules that are Python functions.
#ifndef DOVETAIL_BINDINGS_IR_PROGRAMRULES_H
#define DOVETAIL_BINDINGS_IR_PROGRAMRULES_H

#include "dialects/ProgramRules.h"

namespace dovetail {

/// Calls `dovetail.transforms.program_rules`. An exception is kept for the next `Diagnostics::raise`.
llvm::FailureOr<RuleAnswer> askPython(const RuleQuestion &question);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_PROGRAMRULES_H

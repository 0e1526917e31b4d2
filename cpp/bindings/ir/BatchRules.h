// Batching rules that are Python functions.
#ifndef DOVETAIL_BINDINGS_IR_BATCHRULES_H
#define DOVETAIL_BINDINGS_IR_BATCHRULES_H

#include "dialects/CustomVmap.h"

namespace dovetail {

/// Calls `dovetail.transforms.custom_batching`. An exception is kept for the next `Diagnostics::raise`.
llvm::FailureOr<BatchedByRule> askPython(llvm::StringRef name, llvm::ArrayRef<bool> batched, int64_t size);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_BATCHRULES_H

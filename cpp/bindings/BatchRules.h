// Rules for batching that are Python functions.
#ifndef DOVETAIL_BINDINGS_BATCHRULES_H
#define DOVETAIL_BINDINGS_BATCHRULES_H

#include <nanobind/nanobind.h>

namespace dovetail {

/// Adds `set_batch_rule` to the extension module.
void bindBatchRules(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_BATCHRULES_H

// Loops of the reference evaluator for which NumPy has no function.
#ifndef DOVETAIL_BINDINGS_EAGER_EVALUATORLOOPS_H
#define DOVETAIL_BINDINGS_EAGER_EVALUATORLOOPS_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindLoops(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_EVALUATORLOOPS_H

// Combines functions of several modules into one, for other processes.
#ifndef DOVETAIL_BINDINGS_IR_EXPORT_H
#define DOVETAIL_BINDINGS_IR_EXPORT_H

#include <nanobind/nanobind.h>

namespace dovetail {

/// Binds the functions that merge functions of several modules into one and bind their arguments.
void bindExport(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_EXPORT_H

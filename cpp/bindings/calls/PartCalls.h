// Calls of a program that several devices run, each on its parts of the arguments.
#ifndef DOVETAIL_BINDINGS_CALLS_PARTCALLS_H
#define DOVETAIL_BINDINGS_CALLS_PARTCALLS_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindPartCalls(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_PARTCALLS_H

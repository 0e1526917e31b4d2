// Repeated calls of jitted functions, without running Dovetail's Python.
#ifndef DOVETAIL_BINDINGS_CALLS_COMPILEDCALLS_H
#define DOVETAIL_BINDINGS_CALLS_COMPILEDCALLS_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindCompiledCalls(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_COMPILEDCALLS_H

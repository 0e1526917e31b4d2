// Programs from and to StableHLO, from Python.
#ifndef DOVETAIL_BINDINGS_IR_STABLEHLO_H
#define DOVETAIL_BINDINGS_IR_STABLEHLO_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindStablehlo(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_STABLEHLO_H

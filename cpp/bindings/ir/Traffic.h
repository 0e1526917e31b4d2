// Python's view of what devices exchange.
#ifndef DOVETAIL_BINDINGS_IR_TRAFFIC_H
#define DOVETAIL_BINDINGS_IR_TRAFFIC_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindTraffic(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_TRAFFIC_H

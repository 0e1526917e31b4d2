// Python's view of a module as numbered lines, with what each op and value is.
#ifndef DOVETAIL_BINDINGS_IR_LISTING_H
#define DOVETAIL_BINDINGS_IR_LISTING_H

#include <nanobind/nanobind.h>

namespace dovetail {

void bindListing(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_LISTING_H

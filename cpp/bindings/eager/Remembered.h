// Functions whose eager calls are remembered.
#ifndef DOVETAIL_BINDINGS_EAGER_REMEMBERED_H
#define DOVETAIL_BINDINGS_EAGER_REMEMBERED_H

#include <nanobind/nanobind.h>

namespace dovetail {

/// Adds the type `Remembered` and what governs its memory to the extension module.
void bindRemembered(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_REMEMBERED_H

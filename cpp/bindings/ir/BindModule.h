// Python's class of modules.
#ifndef DOVETAIL_BINDINGS_IR_BINDMODULE_H
#define DOVETAIL_BINDINGS_IR_BINDMODULE_H

#include "cpp/bindings/ir/Function.h"

namespace dovetail {

/// The text of a module, with the places that its ops come from if asked for.
std::string textOf(const std::shared_ptr<Module> &module, bool locations, bool generic = false);

void bindModule(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_BINDMODULE_H

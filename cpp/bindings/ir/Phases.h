// The phases that a module runs through, from Python.
#ifndef DOVETAIL_BINDINGS_IR_PHASES_H
#define DOVETAIL_BINDINGS_IR_PHASES_H

#include "cpp/bindings/ir/Context.h"
#include "cpp/bindings/ir/Function.h"

namespace dovetail {

/// What passes remark on, with the place in the user's program.
using Remarks = std::vector<std::pair<std::string, SourceLocation>>;

/// Runs the phases after `from` up to `to` in place, for a target of which lowerings may ask, and for this process if
/// there are host functions. Returns remarks if they are wanted.
Remarks runPhases(const std::shared_ptr<Module> &module, const std::string &from, const std::string &to,
                  const std::string &target, bool hostFunctions, const std::string &formName, bool wantsRemarks);

/// A module with its places, as text or bytecode, marked as `runPhases` marks it.
nanobind::bytes marked(const std::shared_ptr<Module> &module, const std::string &target, bool hostFunctions,
                       bool isText);

/// Replaces the functions of a module by those of a bytecode that was produced from it by another process.
void become(const std::shared_ptr<Module> &module, nanobind::bytes bytecode);

void bindPhases(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_PHASES_H

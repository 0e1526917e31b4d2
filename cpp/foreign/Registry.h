// The functions that programs of this process can call, by name.
#ifndef DOVETAIL_FOREIGN_REGISTRY_H
#define DOVETAIL_FOREIGN_REGISTRY_H

#include <dovetail/ffi.h>
#include <dovetail/xla_ffi.h>
#include <memory>
#include <string>

namespace dovetail::foreign {

/// What a function is.
enum class Kind : int {
  /// A handler of XLA's FFI, with a function for each stage.
  Xla,
  /// A function of ffi.h.
  C,
};

/// A function under its name.
struct Target {
  std::string name;
  Kind kind;
  /// Of a handler; those of stages that it does not have are null.
  xffi_bundle bundle;
  dovetail_function *function;
};

/// Registers a function. False with a reason if the name has another one, or if it is a handler of a version that is
/// not known.
bool registerTarget(Target target, std::string &reason);

/// The function of that name, null with a reason if there is none. Those that the environment variable
/// DOVETAIL_FFI_TARGETS lists are loaded when the first one is missing.
std::shared_ptr<const Target> findTarget(const std::string &name, std::string &reason);

/// Loads functions from libraries: "name=kind:symbol:path", separated by newlines or semicolons. The kind is xla or c.
bool loadTargets(const std::string &list, std::string &reason);

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_REGISTRY_H

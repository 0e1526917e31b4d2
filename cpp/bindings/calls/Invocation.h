// A compiled program with everything that a call of it needs.
#ifndef DOVETAIL_BINDINGS_CALLS_INVOCATION_H
#define DOVETAIL_BINDINGS_CALLS_INVOCATION_H

#include "ResultTree.h"
#include <optional>

namespace dovetail {

/// An argument of a compiled program.
struct Input {
  nanobind::object dtype;
  /// IREE's name of the element type.
  nanobind::object element;
  /// True if a NumPy array is copied at each call instead of shared; unknown if its size varies between calls.
  std::optional<bool> isSmall;
  /// The data of a donated array after the call; null for other arguments.
  nanobind::object remains;
  /// True if results may alias it, so that no later call may overwrite it.
  bool isHandedBack;
};

/// A result of a compiled program.
struct Output {
  /// The shape is None if it differs between calls.
  nanobind::object dtype, shape;
  bool isWeak;
  /// True if its memory may have other users.
  bool isShared;
};

/// Calls go through the Python objects of IREE's runtime, whose library exports nothing else. Threads may use it
/// concurrently: it is immutable. A call takes donated arrays from their owners at once, all or none, right before the
/// program runs: of two calls with the same donated array, the second finds it deleted.
class Invocation {
public:
  /// Sets what Python passes as keywords.
  void set(PyObject *args, PyObject *kwargs);

  static constexpr const char *describedTwice = "an invocation is described once";
  bool isSet() const { return invoke.is_valid(); }
  size_t inputCount() const { return inputs.size(); }

  /// The result on arrays or numbers. Null with a Python error, or without one if it must take the slow path.
  PyObject *call(llvm::ArrayRef<PyObject *> leaves) const;

  template <typename Visit>
  int traverse(Visit visit) const {
    for (const auto *object : {&invoke, &function, &device, &space, &put, &list, &pushRef, &getRef, &argument, &copied,
                               &unshare, &failure, &place})
      if (int result = visit(object->ptr()))
        return result;
    for (const nanobind::object &reference : captured)
      if (int result = visit(reference.ptr()))
        return result;
    return structure.traverse(visit);
  }
  void clear();

private:
  class Call;

  std::vector<Input> inputs;
  std::vector<Output> outputs;
  ResultTree structure;
  /// References to the arrays that the program captures.
  std::vector<nanobind::object> captured;
  /// The numbers of arguments and results, as Python objects.
  nanobind::object argumentCount, resultCount;
  /// IREE's function, and its invoke method.
  nanobind::object invoke, function;
  /// The class of IREE's lists, and its accessors.
  nanobind::object list, pushRef, getRef;
  /// The device, the name of its memory, and the function that copies small arrays to it.
  nanobind::object device, space, put;
  /// The size in bytes from which NumPy arrays are shared instead of copied.
  Py_ssize_t shareBytes = 0;
  /// Callbacks to Python: conversion of any leaf to an argument and the array that it shares, copies of leaves, and
  /// results that share nothing.
  nanobind::object argument, copied, unshare;
  /// Makes the exception for a failed call, from the error and the leaves.
  nanobind::object failure;
  /// The place of the results, and whether they are committed to it; None for the default.
  nanobind::object place;
};

void bindInvocation(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_INVOCATION_H

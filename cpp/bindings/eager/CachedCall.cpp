// Replays recorded eager calls.
#include "CachedCall.h"
#include "Executor.h"
#include "cpp/bindings/calls/HeapType.h"
#include "cpp/bindings/calls/Package.h"

namespace nb = nanobind;

namespace dovetail {

namespace {

/// NumPy's floating-point errors are ignored while it lives.
class Quiet {
public:
  Quiet() : token(PyContextVar_Set(package->errors.ptr(), package->quiet.ptr())) {}
  ~Quiet() {
    if (!token)
      return;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyContextVar_Reset(package->errors.ptr(), token);
    PyErr_Restore(type, value, traceback);
    Py_DECREF(token);
  }
  bool isSet() const { return token; }

private:
  PyObject *token;
};

PyObject *valueOf(PyObject *leaf) {
  if (!isArray(leaf))
    return Py_NewRef(leaf);
  PyObject *host = arrayIn(leaf).host;
  return host && host != Py_None ? Py_NewRef(host) : PyObject_CallMethodNoArgs(leaf, package->valueName.ptr());
}

bool run(const Executor &executor, Slots &slots) {
  if (executor.steps.empty())
    return executor.run(slots, nullptr);
  Quiet quiet;
  return quiet.isSet() && executor.run(slots, nullptr);
}

PyObject *output(unsigned slot, bool weak, const Slots &slots, const Key &key) {
  if (slot < key.leaves.size()) {
    // An argument itself, unless it changes between weak and strong.
    PyObject *leaf = key.leaves[slot];
    if (isArray(leaf) && (arrayIn(leaf).weak == Py_True) == weak)
      return Py_NewRef(leaf);
  }
  return newArray(slots[slot], slots[slot], weak);
}

} // namespace

PyObject *CachedCall::replay(const Key &key) const {
  const auto &executor = valueIn<Executor>(this->executor.ptr());
  Slots slots(executor.size);
  // The inputs are the first slots, in order.
  for (unsigned i = 0; i < key.leaves.size(); ++i)
    if (!slots.set(i, valueOf(key.leaves[i])))
      return nullptr;
  if (!run(executor, slots))
    return nullptr;
  if (!structure.is_valid())
    return output(executor.outputs.front(), weak.front(), slots, key);
  auto results = nb::steal(PyList_New(executor.outputs.size()));
  if (!results.is_valid())
    return nullptr;
  for (size_t i = 0; i < executor.outputs.size(); ++i) {
    PyObject *result = output(executor.outputs[i], weak[i], slots, key);
    if (!result)
      return nullptr;
    PyList_SET_ITEM(results.ptr(), i, result);
  }
  return PyObject_CallOneArg(structure.ptr(), results.ptr());
}

} // namespace dovetail

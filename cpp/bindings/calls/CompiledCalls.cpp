// Repeated calls of jitted functions, without running Dovetail's Python.
#include "CompiledCalls.h"
#include "HeapType.h"
#include "Invocation.h"
#include "LruCache.h"
#include "Package.h"
#include "TreeKey.h"
#include "llvm/ADT/STLExtras.h"
#include <unordered_map>
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

namespace {

/// Longer keys are not worth the memory.
constexpr unsigned maxWords = 1 << 16;
/// The number of programs that a jitted function keeps.
constexpr size_t maxPrograms = 2048;

/// Set once, never released.
PyObject *invocationType, *slowPathName;

/// Whether calls are plain, for each snapshot of settings seen so far.
std::unordered_map<PyObject *, bool> *plainSettings = new std::unordered_map<PyObject *, bool>;
/// The number of changes of process-wide settings.
uint64_t settingsChanges = 0;

struct Compiled {
  nb::object invocation;
  /// How many more calls it answers; without a limit if negative.
  int64_t calls = -1;
  template <typename Visit>
  int traverse(Visit visit) const {
    return visit(invocation.ptr());
  }
};

struct CompiledCalls {
  Statics statics;
  LruCache<Compiled> programs;

  template <typename Visit>
  int traverse(Visit visit) const {
    int result = visit(statics.names.ptr());
    return result ? result : programs.traverse(visit);
  }
  void clear() {
    programs.clear();
    statics.names.reset();
  }
};

/// Returns true if, under the current settings, calls only run their programs. Also returns false with a Python error
/// set.
bool arePlain(PyObject *settings) {
  if (auto known = plainSettings->find(settings); known != plainSettings->end())
    return known->second;
  uint64_t changesBefore = settingsChanges;
  auto snapshot = nb::steal(PyObject_CallNoArgs(package->snapshot.ptr()));
  if (!snapshot.is_valid())
    return false;
  auto flag = nb::steal(PyObject_GetAttrString(snapshot.ptr(), "is_plain"));
  bool isPlain = flag.ptr() == Py_True;
  // Another thread may have changed them meanwhile.
  if (flag.is_valid() && changesBefore == settingsChanges)
    plainSettings->emplace(settings, isPlain);
  return isPlain;
}

bool makeKey(const CompiledCalls &calls, Key &key, PyObject *settings, PyObject *args, PyObject *kwargs) {
  return key.add(settingsChanges) && key.add(reinterpret_cast<uintptr_t>(settings)) &&
         TreeKeyMaker(key).add(args, kwargs, calls.statics);
}

/// The result of a Python function on a list of the leaves; null if that is NotImplemented.
PyObject *callFunction(const nb::object &function, llvm::ArrayRef<PyObject *> leaves) {
  auto list = nb::steal(PyList_New(leaves.size()));
  if (!list.is_valid())
    return nullptr;
  for (auto [i, leaf] : llvm::enumerate(leaves))
    PyList_SET_ITEM(list.ptr(), i, Py_NewRef(leaf));
  nb::object result = callPython(function, list.ptr());
  return result.ptr() == Py_NotImplemented ? nullptr : result.release().ptr();
}

/// The result if the call is like an earlier one. Null with a Python error, or without one if it must take the
/// slow path.
PyObject *callCached(CompiledCalls &calls, PyObject *args, PyObject *kwargs) {
  if (!calls.programs.size() || isTracing())
    return nullptr;
  PyObject *settings = currentSettings();
  if (!settings || !arePlain(settings))
    return nullptr;
  Key key(maxWords);
  if (!makeKey(calls, key, settings, args, kwargs))
    return nullptr;
  auto *entry = calls.programs.find(key, key.hash());
  if (!entry || entry->recipe.calls == 0)
    return nullptr;
  if (entry->recipe.calls > 0)
    --entry->recipe.calls;
  // Owned here: another thread may evict it from the cache.
  nb::object invocation = entry->recipe.invocation;
  if (Py_TYPE(invocation.ptr()) == reinterpret_cast<PyTypeObject *>(invocationType))
    return valueIn<Invocation>(invocation.ptr()).call(key.leaves);
  return callFunction(invocation, key.leaves);
}

PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *result = callCached(valueIn<CompiledCalls>(self), args, kwargs);
  if (result || PyErr_Occurred())
    return result;
  auto slowPath = nb::steal(PyObject_GetAttr(self, slowPathName));
  return slowPath.is_valid() ? PyObject_Call(slowPath.ptr(), args, kwargs) : nullptr;
}

PyObject *falseUnlessRaised() { return PyErr_Occurred() ? nullptr : Py_NewRef(Py_False); }

PyObject *cacheCall(PyObject *self, PyObject *args) {
  PyObject *positional, *keywords, *leaves, *invocation;
  long long count = -1;
  if (!PyArg_ParseTuple(args, "O!O!O!O|L", &PyTuple_Type, &positional, &PyDict_Type, &keywords, &PyList_Type, &leaves,
                        &invocation, &count))
    return nullptr;
  bool isInvocation = Py_TYPE(invocation) == reinterpret_cast<PyTypeObject *>(invocationType);
  if (!isInvocation && !PyCallable_Check(invocation)) {
    PyErr_Format(PyExc_TypeError, "invocation must be an Invocation or a function, got: %R", invocation);
    return nullptr;
  }
  auto &calls = valueIn<CompiledCalls>(self);
  PyObject *settings = currentSettings();
  if (!settings)
    return nullptr;
  Key key(maxWords);
  if (!makeKey(calls, key, settings, positional, keywords) ||
      (isInvocation && key.leaves.size() != valueIn<Invocation>(invocation).inputCount()) ||
      key.leaves.size() != size_t(PyList_GET_SIZE(leaves)))
    return falseUnlessRaised();
  // Trees that Python flattens differently are left to Python.
  for (size_t i = 0; i < key.leaves.size(); ++i)
    if (key.leaves[i] != PyList_GET_ITEM(leaves, i))
      Py_RETURN_FALSE;
  uint64_t hash = key.hash();
  auto *entry = calls.programs.find(key, hash);
  if (!entry && !PyErr_Occurred())
    entry = calls.programs.insert(key, hash);
  if (!entry)
    return falseUnlessRaised();
  // Released at the end: that may run Python code.
  nb::object former = std::exchange(entry->recipe.invocation, nb::borrow(invocation));
  entry->recipe.calls = count;
  Py_RETURN_TRUE;
}

PyObject *forget(PyObject *self, PyObject *) {
  valueIn<CompiledCalls>(self).programs.clear();
  Py_RETURN_NONE;
}

PyObject *count(PyObject *self, PyObject *) { return PyLong_FromSize_t(valueIn<CompiledCalls>(self).programs.size()); }

int initialize(PyObject *self, PyObject *args, PyObject *) {
  PyObject *numbers, *names;
  if (!PyArg_ParseTuple(args, "O!O!", &PyTuple_Type, &numbers, &PyTuple_Type, &names))
    return -1;
  Statics statics;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(numbers); ++i)
    statics.numbers.push_back(PyLong_AsSsize_t(PyTuple_GET_ITEM(numbers, i)));
  if (PyErr_Occurred())
    return -1;
  statics.names = nb::borrow(names);
  auto &calls = valueIn<CompiledCalls>(self);
  std::swap(calls.statics, statics);
  calls.programs.setLimit(maxPrograms);
  // The cached programs were keyed by other static arguments.
  calls.programs.clear();
  return 0;
}

/// Methods are bound as those of Python functions are.
PyObject *bindTo(PyObject *object, PyObject *instance, PyObject *) {
  return instance && instance != Py_None ? PyMethod_New(object, instance) : Py_NewRef(object);
}

PyMethodDef methods[] = {
    {"_cache_call", cacheCall, METH_VARARGS,
     "Cache an `Invocation`, or a function of a list of leaves, for calls like one with the given args, kwargs and "
     "leaves; returns false if it cannot be. A function may return NotImplemented. After `calls` of them, a next one "
     "takes the slow path; there is no limit if that is negative."},
    {"_forget", forget, METH_NOARGS, "Clear the cache."},
    {"_cached_count", count, METH_NOARGS, "The number of cached calls."},
    {nullptr, nullptr, 0, nullptr},
};

} // namespace

void bindCompiledCalls(nb::module_ &m) {
  invocationType = nb::object(m.attr("Invocation")).release().ptr();
  slowPathName = PyUnicode_InternFromString("_call");
  m.attr("CompiledCalls") =
      makeHeapType<CompiledCalls>("dovetail._core.CompiledCalls", {{Py_tp_init, reinterpret_cast<void *>(initialize)},
                                                                   {Py_tp_call, reinterpret_cast<void *>(call)},
                                                                   {Py_tp_descr_get, reinterpret_cast<void *>(bindTo)},
                                                                   {Py_tp_methods, methods}});
  m.def(
      "settings_changed",
      [] {
        plainSettings->clear();
        ++settingsChanges;
      },
      "Let calls of compiled programs ask again what the settings of the process are.");
}

} // namespace dovetail

// Executes straight-line programs of Python functions on numbered slots.
//
// Cached eager calls, first results of programs, derivatives outside of `jit`, and the bodies of loops are such
// programs.
#include "Executor.h"
#include "cpp/bindings/calls/HeapType.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

PyObject *executorType;

namespace {

/// `numpy.ndarray`, `numpy.asarray` and `functools.partial`; set once, never released.
PyObject *ndarrayType, *asarray, *partialType;

// Execution -----------------------------------------------------------------------------------------------------------

/// An array of NumPy: its functions give scalars in place of arrays of rank 0. Takes and returns a reference.
PyObject *asHost(PyObject *value) {
  if (!value || reinterpret_cast<PyObject *>(Py_TYPE(value)) == ndarrayType)
    return value;
  PyObject *array = PyObject_CallOneArg(asarray, value);
  Py_DECREF(value);
  return array;
}

/// A number of Python, not one of NumPy, whose classes may be of Python's.
bool isNumber(PyObject *value) {
  return PyLong_CheckExact(value) || PyFloat_CheckExact(value) || PyComplex_CheckExact(value) || PyBool_Check(value);
}

/// The bodies of an op, each of which tells `watch` of its steps.
nb::object watched(nb::handle regions, PyObject *watch) {
  nb::list bodies;
  for (nb::handle body : regions)
    bodies.append(nb::handle(partialType)(body, "watch"_a = nb::handle(watch)));
  return bodies;
}

nb::object call(const Step &step, const Slots &slots, PyObject **args, PyObject *watch) {
  size_t count = 0;
  for (unsigned operand : step.operands)
    args[count++] = slots[operand];
  for (const nb::object &value : step.values)
    args[count++] = value.ptr();
  nb::object regions;
  if (watch && step.regions >= 0) {
    regions = watched(step.values[step.regions], watch);
    args[step.operands.size() + step.regions] = regions.ptr();
  }
  return nb::steal(PyObject_Vectorcall(step.function.ptr(), args, step.operands.size() | PY_VECTORCALL_ARGUMENTS_OFFSET,
                                       step.names.ptr()));
}

/// Puts the answer of a step into the slots of its results.
bool store(const Step &step, nb::object answer, Slots &slots) {
  if (!PyTuple_Check(answer.ptr()) && step.results.size() == 1)
    return slots.set(step.results.front(), asHost(answer.release().ptr()));
  if (!PyTuple_Check(answer.ptr()) || size_t(PyTuple_GET_SIZE(answer.ptr())) != step.results.size()) {
    PyErr_Format(PyExc_ValueError, "a function must give %zu results, got: %R", step.results.size(), answer.ptr());
    return false;
  }
  for (auto [i, slot] : llvm::enumerate(step.results))
    if (!slots.set(slot, asHost(Py_NewRef(PyTuple_GET_ITEM(answer.ptr(), i)))))
      return false;
  return true;
}

/// Has a MemoryError say which instruction it is of.
void explainError(const Executor &executor, const Step &step) {
  if (executor.explain.is_none() || !PyErr_ExceptionMatches(PyExc_MemoryError))
    return;
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (traceback)
    PyException_SetTraceback(error, traceback);
  auto explained = nb::steal(PyObject_CallFunctionObjArgs(executor.explain.ptr(), step.source.ptr(), error, nullptr));
  if (explained.is_valid())
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(explained.ptr())), explained.ptr());
  for (PyObject *object : {type, error, traceback})
    Py_XDECREF(object);
}

} // namespace

bool Executor::run(Slots &slots, PyObject *watch) const try {
  for (const auto &[slot, value] : constants)
    slots.set(slot, Py_NewRef(value.ptr()));
  llvm::SmallVector<PyObject *, 16> storage(widest + 1);
  for (const Step &step : steps) {
    nb::object answer = call(step, slots, storage.data() + 1, watch);
    if (!answer.is_valid()) {
      explainError(*this, step);
      return false;
    }
    if (watch && step.isLast &&
        !nb::steal(PyObject_CallFunctionObjArgs(watch, step.source.ptr(), answer.ptr(), nullptr)).is_valid())
      return false;
    if (!store(step, std::move(answer), slots))
      return false;
    for (unsigned slot : step.dead)
      slots.drop(slot);
  }
  return true;
} catch (nb::python_error &error) {
  error.restore();
  return false;
}

// Construction --------------------------------------------------------------------------------------------------------

namespace {

template <typename Numbers>
void addNumbers(Numbers &numbers, nb::handle given, unsigned size) {
  for (nb::handle number : given) {
    numbers.push_back(nb::cast<unsigned>(number));
    if (numbers.back() >= size)
      throw nb::value_error("a slot must be less than the size of the executor");
  }
}

Step makeStep(nb::handle given, unsigned size) {
  auto [function, operands, keywords, results, source] =
      nb::cast<std::tuple<nb::object, nb::object, nb::dict, nb::object, nb::object>>(given);
  Step step;
  step.function = function;
  step.source = source;
  addNumbers(step.operands, operands, size);
  addNumbers(step.results, results, size);
  if (keywords.size())
    step.names = nb::tuple(keywords.keys());
  for (auto [name, value] : keywords) {
    if (PyUnicode_CompareWithASCIIString(name.ptr(), "regions") == 0)
      step.regions = step.values.size();
    step.values.push_back(nb::borrow(value));
  }
  return step;
}

/// Finds out after which steps slots are not used any more.
void findDead(Executor &executor) {
  llvm::BitVector live(executor.size);
  for (unsigned output : executor.outputs)
    live.set(output);
  for (Step &step : llvm::reverse(executor.steps)) {
    auto add = [&](unsigned slot) {
      if (live.test(slot))
        return;
      live.set(slot);
      step.dead.push_back(slot);
    };
    llvm::for_each(step.results, add);
    llvm::for_each(step.operands, add);
  }
}

/// NumPy is imported with the first executor, which needs it, and not with the compiler.
void importModules() {
  if (ndarrayType)
    return;
  nb::module_ numpy = nb::module_::import_("numpy");
  partialType = nb::object(nb::module_::import_("functools").attr("partial")).release().ptr();
  asarray = nb::object(numpy.attr("asarray")).release().ptr();
  ndarrayType = nb::object(numpy.attr("ndarray")).release().ptr();
}

int initialize(PyObject *self, PyObject *args, PyObject *kwargs) try {
  importModules();
  PyObject *inputs, *constants, *steps, *outputs, *explain = Py_None;
  unsigned size;
  static const char *names[] = {"inputs", "constants", "steps", "outputs", "size", "explain", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO!OOI|O", const_cast<char **>(names), &inputs, &PyDict_Type,
                                   &constants, &steps, &outputs, &size, &explain))
    return -1;
  Executor made;
  made.size = size;
  made.explain = nb::borrow(explain);
  addNumbers(made.inputs, inputs, size);
  addNumbers(made.outputs, outputs, size);
  for (auto [slot, value] : nb::borrow<nb::dict>(constants)) {
    std::vector<unsigned> slots;
    addNumbers(slots, nb::make_tuple(slot), size);
    made.constants.emplace_back(slots.front(), nb::borrow(value));
  }
  for (nb::handle step : nb::handle(steps)) {
    made.steps.push_back(makeStep(step, size));
    if (size_t count = made.steps.size(); count > 1)
      made.steps[count - 2].isLast = !made.steps[count - 2].source.is(made.steps.back().source);
    made.widest = std::max(made.widest, made.steps.back().operands.size() + made.steps.back().values.size());
  }
  findDead(made);
  // The former is released at the end: that may run Python code.
  std::swap(valueIn<Executor>(self), made);
  return 0;
} catch (nb::python_error &error) {
  error.restore();
  return -1;
} catch (std::exception &error) {
  PyErr_SetString(PyExc_ValueError, error.what());
  return -1;
}

// The class -----------------------------------------------------------------------------------------------------------

PyObject *callExecutor(PyObject *self, PyObject *args, PyObject *kwargs) {
  PyObject *arrays, *watch = nullptr;
  static const char *names[] = {"", "watch", nullptr};
  if (!kwargs && PyTuple_GET_SIZE(args) == 1)
    arrays = PyTuple_GET_ITEM(args, 0);
  else if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O", const_cast<char **>(names), &arrays, &watch))
    return nullptr;
  auto given = nb::steal(PySequence_Fast(arrays, "an executor needs a sequence of arrays"));
  if (!given.is_valid())
    return nullptr;
  const auto &executor = valueIn<Executor>(self);
  size_t count = PySequence_Fast_GET_SIZE(given.ptr());
  if (count != executor.inputs.size()) {
    PyErr_Format(PyExc_ValueError, "an executor needs %zu arrays, got: %zu", executor.inputs.size(), count);
    return nullptr;
  }
  Slots slots(executor.size);
  for (auto [i, slot] : llvm::enumerate(executor.inputs)) {
    PyObject *value = Py_NewRef(PySequence_Fast_GET_ITEM(given.ptr(), i));
    // A row of a vector, which a loop gives its body, is a scalar too. Numbers of Python have no type of their own.
    if (!slots.set(slot, isNumber(value) ? value : asHost(value)))
      return nullptr;
  }
  if (!executor.run(slots, watch == Py_None ? nullptr : watch))
    return nullptr;
  PyObject *results = PyList_New(executor.outputs.size());
  for (size_t i = 0; results && i < executor.outputs.size(); ++i)
    PyList_SET_ITEM(results, i, Py_NewRef(slots[executor.outputs[i]]));
  return results;
}

PyObject *functionsOf(PyObject *self, void *) {
  nb::list functions;
  for (const Step &step : valueIn<Executor>(self).steps)
    functions.append(step.function);
  return functions.release().ptr();
}

PyObject *constantsOf(PyObject *self, void *) {
  nb::list constants;
  for (const auto &[slot, value] : valueIn<Executor>(self).constants)
    constants.append(value);
  return constants.release().ptr();
}

PyGetSetDef properties[] = {
    {"functions", functionsOf, nullptr, "What the steps call, in order.", nullptr},
    {"constants", constantsOf, nullptr, "Arrays that are the same in each run.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

} // namespace

void Executor::clear() {
  // Released at the end: that may run Python code.
  Executor released;
  std::swap(*this, released);
}

void bindExecutor(nb::module_ &m) {
  nb::object type =
      makeHeapType<Executor>("dovetail._core.Executor", {{Py_tp_init, reinterpret_cast<void *>(initialize)},
                                                         {Py_tp_call, reinterpret_cast<void *>(callExecutor)},
                                                         {Py_tp_getset, properties}});
  m.attr("Executor") = type;
  executorType = type.release().ptr();
}

} // namespace dovetail

// Replay of tapes.
#include "Tape.h"
#include "cpp/bindings/calls/Package.h"
#include <cstring>

namespace nb = nanobind;

namespace dovetail {

namespace {

/// The largest number of slots that a tape and of operands that a step may have.
constexpr unsigned maxSlots = 256, maxOperands = 64;

/// The values of a tape's slots during one replay.
class Slots {
public:
  explicit Slots(unsigned size) : size(size) { std::memset(values, 0, size * sizeof *values); }
  ~Slots() {
    for (unsigned i = 0; i < size; ++i)
      Py_XDECREF(values[i]);
  }
  PyObject *operator[](unsigned i) const { return values[i]; }
  /// Takes a reference; false if it is none.
  bool set(unsigned i, PyObject *value) { return (values[i] = value) != nullptr; }
  void drop(unsigned i) { Py_CLEAR(values[i]); }

private:
  PyObject *values[maxSlots];
  unsigned size;
};

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

/// An array of NumPy: its functions give scalars in place of arrays of rank 0. Takes and returns a reference.
PyObject *asHost(PyObject *value) {
  if (!value || isHost(value))
    return value;
  PyObject *array = PyObject_CallOneArg(package->asarray.ptr(), value);
  Py_DECREF(value);
  return array;
}

PyObject *valueOf(PyObject *leaf) {
  if (!isArray(leaf))
    return Py_NewRef(leaf);
  PyObject *host = slotAt(leaf, package->host);
  return host && host != Py_None ? Py_NewRef(host) : PyObject_CallMethodNoArgs(leaf, package->valueName.ptr());
}

bool run(const Step &step, Slots &slots) {
  PyObject *storage[maxOperands + 1];
  PyObject **args = storage + 1;
  size_t count = 0;
  for (unsigned operand : step.operands)
    args[count++] = slots[operand];
  for (const nb::object &value : step.values)
    args[count++] = value.ptr();
  PyObject *result = PyObject_Vectorcall(step.function.ptr(), args,
                                         step.operands.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, step.names.ptr());
  if (!step.several)
    return slots.set(step.result, asHost(result));
  auto results = nb::steal(result);
  if (!result || !PyTuple_CheckExact(result) || PyTuple_GET_SIZE(result) != step.several)
    return false;
  for (unsigned i = 0; i < step.several; ++i)
    if (!slots.set(step.result + i, asHost(Py_NewRef(PyTuple_GET_ITEM(result, i)))))
      return false;
  return true;
}

PyObject *output(std::pair<unsigned, bool> what, const Slots &slots, const Key &key) {
  auto [slot, weak] = what;
  if (slot < key.leaves.size()) {
    // An argument itself, unless it changes between weak and strong.
    PyObject *leaf = key.leaves[slot];
    if (isArray(leaf) && (slotAt(leaf, package->weak) == Py_True) == weak)
      return Py_NewRef(leaf);
  }
  return newArray(slots[slot], slots[slot], weak);
}

std::vector<unsigned> numbers(nb::handle sequence) {
  std::vector<unsigned> result;
  for (nb::handle item : sequence)
    result.push_back(nb::cast<unsigned>(item));
  return result;
}

} // namespace

PyObject *replay(const Tape &tape, const Key &key) {
  Slots slots(tape.size);
  for (unsigned i = 0; i < key.leaves.size(); ++i)
    if (!slots.set(i, valueOf(key.leaves[i])))
      return nullptr;
  for (unsigned i = 0; i < tape.constants.size(); ++i)
    slots.set(key.leaves.size() + i, Py_NewRef(tape.constants[i].ptr()));
  if (!tape.steps.empty()) {
    Quiet quiet;
    if (!quiet.isSet())
      return nullptr;
    for (const Step &step : tape.steps) {
      if (!run(step, slots))
        return nullptr;
      for (unsigned slot : step.dead)
        slots.drop(slot);
    }
  }
  if (!tape.structure.is_valid())
    return output(tape.outputs.front(), slots, key);
  auto results = nb::steal(PyList_New(tape.outputs.size()));
  for (size_t i = 0; i < tape.outputs.size(); ++i) {
    PyObject *result = output(tape.outputs[i], slots, key);
    if (!result)
      return nullptr;
    PyList_SET_ITEM(results.ptr(), i, result);
  }
  return PyObject_CallOneArg(tape.structure.ptr(), results.ptr());
}

std::shared_ptr<Tape> toTape(nb::handle description) {
  auto tape = std::make_shared<Tape>();
  for (nb::handle constant : description["constants"])
    tape->constants.push_back(nb::borrow(constant));
  for (nb::handle output : description["outputs"])
    tape->outputs.emplace_back(nb::cast<unsigned>(output[0]), nb::cast<bool>(output[1]));
  if (!description["structure"].is_none())
    tape->structure = description["structure"];
  tape->size = nb::cast<unsigned>(description["size"]);
  for (nb::handle recorded : description["steps"]) {
    Step step;
    step.function = nb::borrow(recorded.attr("function"));
    step.operands = numbers(recorded.attr("operands"));
    nb::dict keywords = recorded.attr("keywords");
    if (keywords.size())
      step.names = nb::tuple(keywords.keys());
    for (nb::handle value : keywords.values())
      step.values.push_back(nb::borrow(value));
    std::vector<unsigned> results = numbers(recorded.attr("results"));
    step.result = results.front();
    step.several = nb::cast<bool>(recorded.attr("is_tuple")) ? results.size() : 0;
    step.dead = numbers(recorded.attr("dead"));
    if (step.operands.size() + step.values.size() > maxOperands)
      return nullptr;
    tape->steps.push_back(std::move(step));
  }
  return tape->size <= maxSlots ? tape : nullptr;
}

} // namespace dovetail

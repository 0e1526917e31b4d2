// Replays tapes of eager calls.
#include "Tape.h"
#include "cpp/bindings/calls/Package.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

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
  PyObject *host = arrayIn(leaf).host;
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
    if (isArray(leaf) && (arrayIn(leaf).weak == Py_True) == weak)
      return Py_NewRef(leaf);
  }
  return newArray(slots[slot], slots[slot], weak);
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

Step::Step(nb::object function, std::vector<unsigned> operands, nb::dict keywords, const std::vector<unsigned> &results,
           bool isTuple, std::vector<unsigned> dead)
    : function(std::move(function)), operands(std::move(operands)), result(results.at(0)),
      several(isTuple ? results.size() : 0), dead(std::move(dead)) {
  if (keywords.size())
    names = nb::tuple(keywords.keys());
  for (nb::handle value : keywords.values())
    values.push_back(nb::borrow(value));
}

bool Tape::fits() const {
  return size <= maxSlots &&
         llvm::all_of(steps, [](const Step &step) { return step.operands.size() + step.values.size() <= maxOperands; });
}

void bindTape(nb::module_ &m) {
  nb::class_<Step>(m, "Step", "A call of the reference evaluator on the values of slots.")
      .def(nb::init<nb::object, std::vector<unsigned>, nb::typed<nb::dict, nb::str, nb::any>,
                    const std::vector<unsigned> &, bool, std::vector<unsigned>>(),
           "function"_a, "operands"_a, "keywords"_a, "results"_a, "is_tuple"_a, "dead"_a,
           nb::sig("def __init__(self, function: collections.abc.Callable[..., typing.Any], operands: "
                   "collections.abc.Sequence[int], keywords: dict[str, typing.Any], results: "
                   "collections.abc.Sequence[int], is_tuple: bool, dead: collections.abc.Sequence[int]) -> None"),
           "Several results have consecutive slots; those in `dead` are not used later.")
      .def_ro("function", &Step::function,
              nb::for_getter(nb::sig("def function(self) -> collections.abc.Callable[..., typing.Any]")),
              "What is called.");
  nb::class_<Tape>(m, "Tape",
                   "An eager call as steps. The first slots are the arguments, then come constants, then "
                   "results.")
      .def(
          "__init__",
          [](Tape *tape, std::vector<nb::typed<nb::object, nb::any>> constants, std::vector<Step> steps,
             std::vector<std::pair<unsigned, bool>> outputs, nb::object structure, unsigned size) {
            new (tape) Tape{{constants.begin(), constants.end()},
                            std::move(steps),
                            std::move(outputs),
                            structure.is_none() ? nb::object() : std::move(structure),
                            size};
          },
          "constants"_a, "steps"_a, "outputs"_a, "structure"_a.none(), "size"_a,
          nb::sig(
              "def __init__(self, constants: collections.abc.Sequence[numpy.ndarray], steps: "
              "collections.abc.Sequence[Step], outputs: collections.abc.Sequence[tuple[int, bool]], structure: "
              "collections.abc.Callable[[list[dovetail.arrays.array.Array]], typing.Any] | None, size: int) -> None"),
          "`outputs` has slot and weakness of each result, of which `structure` makes the one that is returned.")
      .def_ro("constants", &Tape::constants, nb::for_getter(nb::sig("def constants(self) -> list[numpy.ndarray]")),
              "Values of slots.")
      .def_ro("steps", &Tape::steps, "In the order in which they run.");
}

} // namespace dovetail

// Executes straight-line programs of Python functions on numbered slots.
#ifndef DOVETAIL_BINDINGS_EAGER_EXECUTOR_H
#define DOVETAIL_BINDINGS_EAGER_EXECUTOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <nanobind/nanobind.h>
#include <vector>

namespace dovetail {

/// The values of an executor's slots during one run.
class Slots {
public:
  explicit Slots(unsigned size) : values(size) {}
  Slots(const Slots &) = delete;
  Slots &operator=(const Slots &) = delete;
  ~Slots() {
    for (PyObject *value : values)
      Py_XDECREF(value);
  }
  PyObject *operator[](unsigned i) const { return values[i]; }
  /// Takes a reference; false if it is null.
  bool set(unsigned i, PyObject *value) {
    PyObject *former = values[i];
    values[i] = value;
    Py_XDECREF(former);
    return value;
  }
  void drop(unsigned i) { Py_CLEAR(values[i]); }

private:
  llvm::SmallVector<PyObject *, 64> values;
};

/// One call of a function of the reference evaluator.
struct Step {
  nanobind::object function;
  llvm::SmallVector<unsigned, 3> operands;
  /// Keywords as vectorcall takes them: a tuple of names, or null, and the values.
  nanobind::object names;
  std::vector<nanobind::object> values;
  /// Which of the values are the bodies of a loop or a branch; -1 for other ops.
  int regions = -1;
  llvm::SmallVector<unsigned, 1> results;
  /// Slots that no later step and no output uses.
  llvm::SmallVector<unsigned, 2> dead;
  /// The instruction that it executes, or None.
  nanobind::object source;
  /// Whether it is the last one of its instruction.
  bool isLast = true;
};

/// A program that is run many times, by several threads at a time.
struct Executor {
  std::vector<unsigned> inputs, outputs;
  std::vector<std::pair<unsigned, nanobind::object>> constants;
  std::vector<Step> steps;
  unsigned size = 0;
  /// The largest number of arguments of a step.
  size_t widest = 0;
  /// Makes the error to raise of an instruction and the MemoryError that it ended with; None without instructions.
  nanobind::object explain;

  /// Runs the steps on slots that have the inputs; false with a Python error. A `watch` that is not null is called with
  /// each instruction and its answer, also of those in bodies.
  bool run(Slots &slots, PyObject *watch) const;

  template <typename Visit>
  int traverse(Visit visit) const {
    int result = visit(explain.ptr());
    for (const auto &constant : constants)
      result = result ? result : visit(constant.second.ptr());
    for (const Step &step : steps) {
      for (const nanobind::object *held : {&step.function, &step.names, &step.source})
        result = result ? result : visit(held->ptr());
      for (const nanobind::object &value : step.values)
        result = result ? result : visit(value.ptr());
    }
    return result;
  }
  void clear();
};

/// The class of Python's executors.
extern PyObject *executorType;

void bindExecutor(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_EXECUTOR_H

// Tape of an eager call: the calls of the reference evaluator that it made.
#ifndef DOVETAIL_BINDINGS_EAGER_TAPE_H
#define DOVETAIL_BINDINGS_EAGER_TAPE_H

#include "cpp/bindings/calls/LruCache.h"
#include <memory>

namespace dovetail {

/// One call of the reference evaluator: operands, results and constants are numbered slots.
struct Step {
  nanobind::object function;
  std::vector<unsigned> operands;
  /// Keywords as vectorcall takes them: a tuple of names, or null, and the values.
  nanobind::object names;
  std::vector<nanobind::object> values;
  unsigned result;
  /// How many results there are if the function returns several; they have consecutive slots.
  unsigned several;
  /// Slots that no later step and no output uses.
  std::vector<unsigned> dead;

  Step(nanobind::object function, std::vector<unsigned> operands, nanobind::dict keywords,
       const std::vector<unsigned> &results, bool isTuple, std::vector<unsigned> dead);
};

/// A call as a sequence of steps. The first slots are the leaves of the key, then come constants, then results.
struct Tape {
  /// Whether it is small enough to be replayed.
  bool fits() const;

  std::vector<nanobind::object> constants;
  std::vector<Step> steps;
  /// Slot and weakness of each result.
  std::vector<std::pair<unsigned, bool>> outputs;
  /// Makes the result from a list of outputs; null if the result is the one output.
  nanobind::object structure;
  unsigned size;
};

enum class Memo {
  /// Called once; a tape is recorded at the second call.
  Seen,
  Tape,
  /// Python scalars decide on more than their type does: the key must have their values.
  ByValue,
  /// What the function does depends on values.
  Plain,
};

/// What is known of calls with one key.
struct Remembrance {
  Memo memo = Memo::Seen;
  std::shared_ptr<Tape> tape;
};

using Tapes = LruCache<Remembrance>;

/// The result of a call like the one that was recorded, or null with or without a Python error.
PyObject *replay(const Tape &tape, const Key &key);

/// Adds the classes of which Python makes tapes.
void bindTape(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_EAGER_TAPE_H

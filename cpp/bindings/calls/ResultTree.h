// Builds the tree of a compiled program's results.
#ifndef DOVETAIL_BINDINGS_CALLS_RESULTTREE_H
#define DOVETAIL_BINDINGS_CALLS_RESULTTREE_H

#include "llvm/ADT/ArrayRef.h"
#include <nanobind/nanobind.h>
#include <vector>

namespace dovetail {

/// Makes a tree of leaves: in C++ if it consists of Python's own containers, otherwise by a Python function.
class ResultTree {
public:
  /// `example` is the tree with the index of each leaf in its place; `unflatten` makes the tree from a list.
  void set(nanobind::handle example, nanobind::object unflatten);
  /// Null with a Python error.
  PyObject *build(llvm::ArrayRef<PyObject *> leaves) const;

  template <typename Visit>
  int traverse(Visit visit) const {
    for (const Node &node : nodes)
      if (int result = visit(node.object.ptr()))
        return result;
    return visit(unflatten.ptr());
  }
  void clear() {
    nodes.clear();
    unflatten.reset();
  }

private:
  enum class Kind { Leaf, None, Tuple, List, Dict, NamedTuple };
  /// Children follow their parent.
  struct Node {
    Kind kind;
    /// A leaf's index, or the number of children.
    unsigned count;
    /// The keys of a dict as a tuple, or the class of a named tuple.
    nanobind::object object;
  };

  bool add(PyObject *example);
  bool addItems(Kind kind, PyObject *items, nanobind::object object = {});
  PyObject *build(unsigned &next, llvm::ArrayRef<PyObject *> leaves) const;
  PyObject *buildDict(const Node &node, unsigned &next, llvm::ArrayRef<PyObject *> leaves) const;

  std::vector<Node> nodes;
  nanobind::object unflatten;
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_RESULTTREE_H

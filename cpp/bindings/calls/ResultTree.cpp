// Builds the tree of a compiled program's results.
#include "ResultTree.h"
#include "Package.h"
#include "llvm/ADT/SmallVector.h"

namespace nb = nanobind;

namespace dovetail {

void ResultTree::set(nb::handle example, nb::object function) {
  clear();
  if (!add(example.ptr()))
    nodes.clear();
  unflatten = function;
}

bool ResultTree::add(PyObject *example) {
  if (PyLong_CheckExact(example)) {
    nodes.push_back({Kind::Leaf, unsigned(PyLong_AsUnsignedLong(example)), {}});
    return true;
  }
  if (example == Py_None) {
    nodes.push_back({Kind::None, 0, {}});
    return true;
  }
  if (PyTuple_CheckExact(example))
    return addItems(Kind::Tuple, example);
  if (PyList_CheckExact(example))
    return addItems(Kind::List, nb::steal(PyList_AsTuple(example)).ptr());
  if (PyDict_CheckExact(example)) {
    nb::dict dict = nb::borrow<nb::dict>(example);
    return addItems(Kind::Dict, nb::tuple(dict.values()).ptr(), nb::tuple(dict.keys()));
  }
  nb::handle type = reinterpret_cast<PyObject *>(Py_TYPE(example));
  if (PyTuple_Check(example) && nb::cast<bool>(package->isNamedTuple(type)))
    return addItems(Kind::NamedTuple, example, nb::borrow(type));
  return false;
}

bool ResultTree::addItems(Kind kind, PyObject *items, nb::object object) {
  // Held here: it may be the caller's temporary.
  nb::object held = nb::borrow(items);
  size_t count = PyTuple_GET_SIZE(items);
  nodes.push_back({kind, unsigned(count), std::move(object)});
  for (size_t i = 0; i < count; ++i)
    if (!add(PyTuple_GET_ITEM(items, i)))
      return false;
  return true;
}

PyObject *ResultTree::build(llvm::ArrayRef<PyObject *> leaves) const {
  if (!nodes.empty()) {
    unsigned next = 0;
    return build(next, leaves);
  }
  auto list = nb::steal(PyList_New(leaves.size()));
  if (!list.is_valid())
    return nullptr;
  for (size_t i = 0; i < leaves.size(); ++i)
    PyList_SET_ITEM(list.ptr(), i, Py_NewRef(leaves[i]));
  return PyObject_CallOneArg(unflatten.ptr(), list.ptr());
}

PyObject *ResultTree::build(unsigned &next, llvm::ArrayRef<PyObject *> leaves) const {
  const Node &node = nodes[next++];
  switch (node.kind) {
  case Kind::Leaf:
    return Py_NewRef(leaves[node.count]);
  case Kind::None:
    return Py_NewRef(Py_None);
  case Kind::Dict:
    return buildDict(node, next, leaves);
  case Kind::List: {
    auto list = nb::steal(PyList_New(node.count));
    for (unsigned i = 0; list.is_valid() && i < node.count; ++i) {
      PyObject *item = build(next, leaves);
      if (!item)
        return nullptr;
      PyList_SET_ITEM(list.ptr(), i, item);
    }
    return list.release().ptr();
  }
  case Kind::Tuple:
  case Kind::NamedTuple: {
    auto tuple = nb::steal(PyTuple_New(node.count));
    for (unsigned i = 0; tuple.is_valid() && i < node.count; ++i) {
      PyObject *item = build(next, leaves);
      if (!item)
        return nullptr;
      PyTuple_SET_ITEM(tuple.ptr(), i, item);
    }
    if (node.kind == Kind::Tuple || !tuple.is_valid())
      return tuple.release().ptr();
    return PyObject_Call(node.object.ptr(), tuple.ptr(), nullptr);
  }
  }
  return nullptr;
}

PyObject *ResultTree::buildDict(const Node &node, unsigned &next, llvm::ArrayRef<PyObject *> leaves) const {
  auto dict = nb::steal(PyDict_New());
  for (unsigned i = 0; dict.is_valid() && i < node.count; ++i) {
    auto item = nb::steal(build(next, leaves));
    if (!item.is_valid() || PyDict_SetItem(dict.ptr(), PyTuple_GET_ITEM(node.object.ptr(), i), item.ptr()) < 0)
      return nullptr;
  }
  return dict.release().ptr();
}

} // namespace dovetail

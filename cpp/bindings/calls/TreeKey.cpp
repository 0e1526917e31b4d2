// Cache keys of calls whose arguments are trees of arrays.
#include "TreeKey.h"
#include "Package.h"
#include <algorithm>

namespace nb = nanobind;

namespace dovetail {

namespace {

/// The entries of a dict whose keys are all strings, by key. They are held, as code that runs may change the dict.
class Entries {
public:
  ~Entries() {
    for (auto [key, value] : entries) {
      Py_DECREF(key);
      Py_DECREF(value);
    }
  }

  bool set(PyObject *dict);
  auto begin() const { return entries.begin(); }
  auto end() const { return entries.end(); }

private:
  llvm::SmallVector<std::pair<PyObject *, PyObject *>, 8> entries;
};

bool Entries::set(PyObject *dict) {
  PyObject *key, *value;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict, &position, &key, &value)) {
    if (!PyUnicode_CheckExact(key))
      return false;
    entries.emplace_back(Py_NewRef(key), Py_NewRef(value));
  }
  auto isLess = [](const auto &a, const auto &b) { return PyUnicode_Compare(a.first, b.first) < 0; };
  if (!std::is_sorted(entries.begin(), entries.end(), isLess))
    std::sort(entries.begin(), entries.end(), isLess);
  return true;
}

bool isScalar(PyObject *value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) || PyComplex_CheckExact(value);
}

} // namespace

bool Statics::hasNumber(Py_ssize_t number, Py_ssize_t count) const {
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](Py_ssize_t n) { return n == number || (n < 0 && n + count == number); });
}

bool Statics::hasName(PyObject *name) const {
  return names.is_valid() && PyTuple_GET_SIZE(names.ptr()) && PySequence_Contains(names.ptr(), name) == 1;
}

bool TreeKeyMaker::add(PyObject *args, PyObject *kwargs, const Statics &statics) {
  Py_ssize_t count = PyTuple_GET_SIZE(args);
  if (!key.add(count))
    return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *value = PyTuple_GET_ITEM(args, i);
    if (!(statics.hasNumber(i, count) ? key.addValue(value) : addTree(value)))
      return false;
  }
  return !kwargs || addKeywords(kwargs, statics);
}

bool TreeKeyMaker::addKeywords(PyObject *kwargs, const Statics &statics) {
  Entries entries;
  if (!entries.set(kwargs))
    return false;
  for (auto [name, value] : entries)
    if (!key.addText(Tag::Keyword, name) || !(statics.hasName(name) ? key.addValue(value) : addTree(value)))
      return false;
  return true;
}

bool TreeKeyMaker::addTree(PyObject *tree) {
  // A donated array counts as it was before.
  if (isArray(tree))
    return addArray(key, tree);
  if (isHost(tree))
    return addTyped(key, uint64_t(Tag::Host), tree, tree);
  if (isScalar(tree)) {
    key.addLeaf(tree);
    return key.add(Tag::Scalar, reinterpret_cast<uintptr_t>(Py_TYPE(tree)));
  }
  if (tree == Py_None)
    return key.addObject(Tag::Object, tree);
  if (isOf(tree, package->generic)) {
    key.addLeaf(tree);
    return key.addObject(Tag::Generic, reinterpret_cast<PyObject *>(Py_TYPE(tree)));
  }
  // A tree may contain itself.
  if (Py_EnterRecursiveCall(" in the arguments of a jitted function")) {
    dropException();
    return false;
  }
  bool isAdded = addContainer(tree);
  Py_LeaveRecursiveCall();
  return isAdded;
}

bool TreeKeyMaker::addContainer(PyObject *tree) {
  if (PyTuple_CheckExact(tree))
    return key.add(Tag::Tuple, PyTuple_GET_SIZE(tree)) &&
           addItems(reinterpret_cast<PyTupleObject *>(tree)->ob_item, PyTuple_GET_SIZE(tree));
  if (PyList_CheckExact(tree)) {
    // A copy: code that runs may change the list.
    auto items = nb::steal(PyList_AsTuple(tree));
    return items.is_valid() && key.add(Tag::List, PyTuple_GET_SIZE(items.ptr())) &&
           addItems(reinterpret_cast<PyTupleObject *>(items.ptr())->ob_item, PyTuple_GET_SIZE(items.ptr()));
  }
  if (PyDict_CheckExact(tree))
    return addDict(tree);
  if (PyTuple_Check(tree)) {
    nb::object isNamed =
        nb::steal(PyObject_CallOneArg(package->isNamedTuple.ptr(), reinterpret_cast<PyObject *>(Py_TYPE(tree))));
    if (!isNamed.is_valid()) {
      dropException();
      return false;
    }
    if (isNamed.ptr() == Py_True)
      return key.addObject(Tag::NamedTuple, reinterpret_cast<PyObject *>(Py_TYPE(tree))) &&
             addItems(reinterpret_cast<PyTupleObject *>(tree)->ob_item, PyTuple_GET_SIZE(tree));
  }
  return addNodes(tree);
}

bool TreeKeyMaker::addItems(PyObject *const *items, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!addTree(items[i]))
      return false;
  return true;
}

bool TreeKeyMaker::addDict(PyObject *dict) {
  Entries entries;
  if (!entries.set(dict))
    return addNodes(dict);
  if (!key.add(Tag::Dict, entries.end() - entries.begin()))
    return false;
  for (auto [name, value] : entries)
    if (!key.addText(Tag::Text, name) || !addTree(value))
      return false;
  return true;
}

/// A tree whose root is of a class that Python can flatten: by its structure as an object.
bool TreeKeyMaker::addNodes(PyObject *tree) {
  auto flat = nb::steal(PyObject_CallOneArg(package->flatten.ptr(), tree));
  PyObject *leaves, *structure;
  if (!flat.is_valid() || !PyArg_ParseTuple(flat.ptr(), "O!O", &PyList_Type, &leaves, &structure)) {
    dropException();
    return false;
  }
  // It may be a leaf of an unknown kind.
  if (PyList_GET_SIZE(leaves) == 1 && PyList_GET_ITEM(leaves, 0) == tree)
    return false;
  return key.add(uint64_t(Tag::Nodes)) && key.addValue(structure) &&
         addItems(reinterpret_cast<PyListObject *>(leaves)->ob_item, PyList_GET_SIZE(leaves));
}

} // namespace dovetail

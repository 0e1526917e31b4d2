// Cache key of a call.
#include "Key.h"
#include "Package.h"
#include <algorithm>
#include <cstring>

namespace nb = nanobind;

namespace dovetail {

Key::~Key() {
  for (auto *held : {&objects, &leaves})
    for (PyObject *object : *held)
      Py_DECREF(object);
  for (PyObject *value : values)
    Py_DECREF(value);
}

bool Key::addObject(Tag tag, PyObject *object) {
  objects.push_back(Py_NewRef(object));
  return add(tag, reinterpret_cast<uintptr_t>(object));
}

bool Key::addValue(PyObject *object) {
  Py_hash_t hash = PyObject_Hash(object);
  if (hash == -1) {
    dropException();
    return false;
  }
  values.push_back(Py_NewRef(object));
  // Equal values of different types, such as 1 and True, are different.
  return addObject(Tag::Value, reinterpret_cast<PyObject *>(Py_TYPE(object))) && add(hash);
}

bool Key::addText(Tag tag, PyObject *text) {
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) {
    dropException();
    return false;
  }
  if (!add(tag, size))
    return false;
  for (Py_ssize_t start = 0; start < size; start += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + start, std::min<Py_ssize_t>(8, size - start));
    if (!add(word))
      return false;
  }
  return true;
}

uint64_t Key::hash() const {
  uint64_t result = words.size();
  for (uint64_t word : words) {
    result = (result ^ word) * 0x9E3779B97F4A7C15u;
    result ^= result >> 32;
  }
  return result;
}

bool isPlaced(PyObject *array) { return arrayIn(array).place != Py_None; }

bool addArray(Key &key, PyObject *array) {
  PyObject *data = arrayIn(array).data, *place = arrayIn(array).place;
  // Attributes are null in objects that were never initialized.
  if (!data || !place)
    return false;
  uint64_t weak = arrayIn(array).weak == Py_True, placed = isPlaced(array);
  // Each place is a unique object.
  return addTyped(key, uint64_t(Tag::Array) | weak << 16 | placed << 17, array, data) &&
         (!placed || key.addObject(Tag::Object, place));
}

bool addTyped(Key &key, uint64_t tag, PyObject *leaf, PyObject *array) {
  nb::object shape, dtype;
  if (isBuffer(array)) {
    shape = runtime->shape.get(array);
    dtype = runtime->dtype.get(array);
  }
  if (!shape.is_valid() || shape.is_none()) {
    shape = nb::steal(PyObject_GetAttr(array, package->shapeName.ptr()));
    dtype = nb::steal(PyObject_GetAttr(array, package->dtypeName.ptr()));
  }
  if (!shape.is_valid() || !dtype.is_valid() || !PyTuple_CheckExact(shape.ptr())) {
    dropException();
    return false;
  }
  // Unpickled dtypes are distinct objects and would compare as other types.
  PyObject *known = PyDict_GetItemWithError(package->dtypes.ptr(), dtype.ptr());
  if (!known)
    dropException();
  size_t rank = PyTuple_GET_SIZE(shape.ptr());
  if (!key.add(tag | rank << 8))
    return false;
  for (size_t i = 0; i < rank; ++i)
    if (!key.add(PyLong_AsLongLong(PyTuple_GET_ITEM(shape.ptr(), i))))
      return false;
  key.addLeaf(leaf);
  return key.addObject(Tag::Object, known ? known : dtype.ptr());
}

} // namespace dovetail

// Keys of eager calls, and the memory of those used last.
#include "Memory.h"
#include <algorithm>
#include <cstring>

namespace nb = nanobind;

namespace dovetail {

bool Key::addObject(uint64_t tag, PyObject *object) {
  if (objectCount == objects.size())
    return false;
  objects[objectCount++] = object;
  return add(tag, reinterpret_cast<uintptr_t>(object));
}

bool Key::addText(uint64_t tag, PyObject *text) {
  Py_ssize_t size;
  const char *bytes = PyUnicode_AsUTF8AndSize(text, &size);
  if (!bytes) {
    PyErr_Clear();
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
  uint64_t result = count;
  for (unsigned i = 0; i < count; ++i) {
    result = (result ^ words[i]) * 0x9E3779B97F4A7C15u;
    result ^= result >> 32;
  }
  return result;
}

Memory::Entry *Memory::find(const Key &key, uint64_t hash) {
  auto [first, last] = places.equal_range(hash);
  for (; first != last; ++first) {
    Entry &entry = *first->second;
    if (entry.words.size() != key.count || !std::equal(entry.words.begin(), entry.words.end(), key.words.begin()))
      continue;
    entries.splice(entries.begin(), entries, first->second);
    return &entry;
  }
  return nullptr;
}

void Memory::insert(const Key &key, uint64_t hash) {
  if (!limit)
    return;
  shrink(limit - 1);
  Entry &entry = entries.emplace_front();
  entry.hash = hash;
  entry.words.assign(key.words.begin(), key.words.begin() + key.count);
  for (unsigned i = 0; i < key.objectCount; ++i)
    entry.objects.push_back(nb::borrow(key.objects[i]));
  places.emplace(hash, entries.begin());
}

void Memory::setLimit(size_t count) {
  limit = count;
  shrink(count);
}

void Memory::clear() { shrink(0); }

void Memory::shrink(size_t count) {
  // Releasing objects can run Python code, which may come back here: it must find the tables in order.
  std::list<Entry> released;
  while (entries.size() > count) {
    auto last = std::prev(entries.end());
    auto [place, end] = places.equal_range(last->hash);
    places.erase(std::find_if(place, end, [&](const auto &entry) { return entry.second == last; }));
    released.splice(released.end(), entries, last);
  }
}

} // namespace dovetail

// LRU cache of calls.
#ifndef DOVETAIL_BINDINGS_CALLS_LRUCACHE_H
#define DOVETAIL_BINDINGS_CALLS_LRUCACHE_H

#include "Key.h"
#include "Package.h"
#include <algorithm>
#include <iterator>
#include <list>
#include <unordered_map>
#include <vector>

namespace dovetail {

/// A cache of the `limit` most recently used calls.
template <typename Recipe>
class LruCache {
public:
  struct Entry {
    uint64_t hash;
    std::vector<uint64_t> words;
    std::vector<nanobind::object> objects, values;
    Recipe recipe;
  };

  /// The entry of a key, or null; marks it as the most recently used one. May run Python code if the key has values,
  /// which may raise an exception that must propagate.
  Entry *find(const Key &key, uint64_t hash) {
    auto [first, last] = places.equal_range(hash);
    for (; first != last; ++first) {
      auto entry = first->second;
      if (entry->words.size() != key.words.size() ||
          !std::equal(key.words.begin(), key.words.end(), entry->words.begin()))
        continue;
      uint64_t before = changes;
      bool isSame = sameValues(*entry, key);
      // A comparison with `==` has modified this cache.
      if (changes != before || (!isSame && PyErr_Occurred()))
        return nullptr;
      if (!isSame)
        continue;
      entries.splice(entries.begin(), entries, entry);
      return &*entry;
    }
    return nullptr;
  }

  /// Adds an entry for a key that has none.
  Entry *insert(const Key &key, uint64_t hash) {
    if (!limit)
      return nullptr;
    shrink(limit - 1);
    ++changes;
    Entry &entry = entries.emplace_front();
    entry.hash = hash;
    entry.words.assign(key.words.begin(), key.words.end());
    for (PyObject *object : key.objects)
      entry.objects.push_back(nanobind::borrow(object));
    for (PyObject *value : key.values)
      entry.values.push_back(nanobind::borrow(value));
    places.emplace(hash, entries.begin());
    return &entry;
  }

  void setLimit(size_t count) {
    limit = count;
    shrink(count);
  }
  size_t size() const { return entries.size(); }
  void clear() { shrink(0); }

  /// Calls a function on each Python object, until one is not 0.
  template <typename Visit>
  int traverse(Visit visit) const {
    for (const Entry &entry : entries) {
      for (const auto *held : {&entry.objects, &entry.values})
        for (const nanobind::object &object : *held)
          if (int result = visit(object.ptr()))
            return result;
      if (int result = entry.recipe.traverse(visit))
        return result;
    }
    return 0;
  }

private:
  static bool sameValues(const Entry &entry, const Key &key) {
    if (key.values.empty())
      return true;
    // Held: they are compared by code that may make the cache evict the entry.
    std::vector<nanobind::object> values = entry.values;
    for (size_t i = 0; i < values.size(); ++i)
      if (int same = PyObject_RichCompareBool(values[i].ptr(), key.values[i], Py_EQ); same != 1) {
        if (same < 0)
          dropException();
        return false;
      }
    return true;
  }

  void shrink(size_t count) {
    // Releasing objects can run Python code, which may come back here: it must find the tables in order.
    std::list<Entry> released;
    while (entries.size() > count) {
      ++changes;
      auto last = std::prev(entries.end());
      auto [place, end] = places.equal_range(last->hash);
      places.erase(std::find_if(place, end, [&](const auto &entry) { return entry.second == last; }));
      released.splice(released.end(), entries, last);
    }
  }

  std::list<Entry> entries;
  std::unordered_multimap<uint64_t, typename std::list<Entry>::iterator> places;
  size_t limit = 4096;
  uint64_t changes = 0;
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_CALLS_LRUCACHE_H

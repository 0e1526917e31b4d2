// What eager calls became: tapes of NumPy calls, found by the types of a call's arguments.
#ifndef DOVETAIL_BINDINGS_MEMORY_H
#define DOVETAIL_BINDINGS_MEMORY_H

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <nanobind/nanobind.h>
#include <unordered_map>
#include <vector>

namespace dovetail {

/// What decides on a call's tape, as words; objects among them by address. It lives as long as the call.
class Key {
public:
  /// Each is false if the key is full.
  bool add(uint64_t word) { return count < words.size() && (words[count++] = word, true); }
  bool add(uint64_t tag, uint64_t value) { return add(tag) && add(value); }
  /// An object that equals itself only.
  bool addObject(uint64_t tag, PyObject *object);
  bool addText(uint64_t tag, PyObject *text);
  bool addLeaf(PyObject *leaf) { return leafCount < leaves.size() && (leaves[leafCount++] = leaf, true); }

  uint64_t hash() const;

  std::array<uint64_t, 96> words;
  unsigned count = 0;
  std::array<PyObject *, 48> objects;
  unsigned objectCount = 0;
  /// The arguments, or parts of them, of which only the type is in the key.
  std::array<PyObject *, 24> leaves;
  unsigned leafCount = 0;
};

struct Tape;

enum class Memo {
  /// Called once; a tape is recorded at the second call.
  Seen,
  Tape,
  /// Python scalars decide on more than their type does: the key must have their values.
  ByValue,
  /// What the function does depends on values.
  Plain,
};

/// The calls that were used last, at most `limit`.
class Memory {
public:
  struct Entry {
    uint64_t hash;
    std::vector<uint64_t> words;
    std::vector<nanobind::object> objects;
    Memo memo = Memo::Seen;
    std::shared_ptr<Tape> tape;
  };

  /// The entry of a key, or null; it is now the one used last.
  Entry *find(const Key &key, uint64_t hash);
  /// Adds an entry for a key that has none.
  void insert(const Key &key, uint64_t hash);
  void setLimit(size_t count);
  size_t size() const { return entries.size(); }
  void clear();

private:
  void shrink(size_t count);

  std::list<Entry> entries;
  std::unordered_multimap<uint64_t, std::list<Entry>::iterator> places;
  size_t limit = 4096;
};

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_MEMORY_H

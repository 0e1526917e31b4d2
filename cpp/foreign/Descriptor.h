// What compiled programs pass to the library of foreign functions.
#ifndef DOVETAIL_FOREIGN_DESCRIPTOR_H
#define DOVETAIL_FOREIGN_DESCRIPTOR_H

#include <cstdint>

namespace dovetail::foreign {

/// How the names begin of the functions that programs import; executables with different arguments import different
/// ones. Arguments are 64-bit words: base and offset, in elements, of the descriptor and of each array that has
/// elements, then the sizes that the descriptor leaves open, in order.
constexpr const char *kImportPrefix = "dovetail_ffi_call_";

/// An array of a call; its sizes follow, of which -1 is one that the call states.
struct ArrayDescriptor {
  /// A number of XLA's.
  int64_t type;
  int64_t rank;

  const int64_t *sizes() const { return reinterpret_cast<const int64_t *>(this + 1); }
  const ArrayDescriptor *next() const { return reinterpret_cast<const ArrayDescriptor *>(sizes() + rank); }
};

/// A constant of the program that says what a call is to do. The arrays follow it, arguments before results.
struct Descriptor {
  /// Which call of the program it is.
  int64_t site;
  int64_t numArguments, numResults;
  /// In bytes from the beginning: the target's name, which ends with a zero, and the attributes.
  int64_t name, attributes;
  /// Of the attributes, in bytes.
  int64_t attributesSize;

  const ArrayDescriptor *arrays() const { return reinterpret_cast<const ArrayDescriptor *>(this + 1); }
  const char *at(int64_t offset) const { return reinterpret_cast<const char *>(this) + offset; }
};

/// An attribute. Offsets are in bytes from the beginning of all attributes; data begin at multiples of 16.
struct AttributeEntry {
  /// A number of XLA's, which ffi.h lists, as is the type.
  int64_t kind, type;
  int64_t count;
  /// A name that ends with a zero; its length; and elements, characters with a zero at their end, or a dictionary.
  int64_t name, nameSize, data;
};

/// Attributes by name, sorted: all of a call, or one of them. The entries follow.
struct DictionaryEntry {
  int64_t count;
  const AttributeEntry *entries() const { return reinterpret_cast<const AttributeEntry *>(this + 1); }
};

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_DESCRIPTOR_H

// What compiled programs pass to the library of collectives.
#ifndef DOVETAIL_COLLECTIVES_CALL_H
#define DOVETAIL_COLLECTIVES_CALL_H

#include "cpp/plugin/Plugin.h"
#include <cstdint>

namespace dovetail::collectives {

/// The function of the library that programs import.
inline constexpr const char *kImport = "dovetail_collective";

/// What members of a group compute together. Sizes are those of a `Call`, g is the size of the group.
enum class Kind : int64_t {
  /// [outer, inner] of all members, combined elementwise.
  AllReduceSum,
  AllReduceMax,
  AllReduceMin,
  /// [outer, inner] of all members as [outer, g, inner].
  AllGather,
  /// [outer, g, inner] of all members summed, of which each gets its [outer, inner].
  ReduceScatter,
  /// [outer, g, middle, inner] becomes [outer, middle, g, inner]: part j of member i is part i of member j's result.
  AllToAllInward,
  /// [outer, middle, g, inner] becomes [outer, g, middle, inner], likewise.
  AllToAllOutward,
  /// [outer, inner] of another member, or zeros.
  Permute,
};

/// Element types. Integers and floats of less than 8 bits are bytes, which have them in their low bits.
enum class Element : int64_t {
  Bool,
  Int2,
  Int4,
  Int8,
  Int16,
  Int32,
  Int64,
  UInt2,
  UInt4,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Float4E2M1FN,
  Float6E2M3FN,
  Float6E3M2FN,
  Float8E3M4,
  Float8E4M3,
  Float8E4M3FN,
  Float8E4M3FNUZ,
  Float8E4M3B11FNUZ,
  Float8E5M2,
  Float8E5M2FNUZ,
  Float8E8M0FNU,
  BFloat16,
  Float16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

/// A constant of the program that says what a call is to do. The lists and the text follow it.
struct Descriptor {
  /// An axis of the mesh: its size, and the distance between the numbers of neighbours along it.
  struct Axis {
    int64_t size, stride;
  };
  /// Numbers of members, of which the second gets the operand of the first.
  struct Pair {
    int64_t source, target;
  };

  /// Which call of the program it is.
  int64_t site;
  Kind kind;
  Element element;
  /// Of the whole program.
  int64_t participants;
  int64_t numAxes, numPairs;

  /// The axes over which a group extends, major to minor.
  const Axis *axes() const { return reinterpret_cast<const Axis *>(this + 1); }
  /// Of a permutation.
  const Pair *pairs() const { return reinterpret_cast<const Pair *>(axes() + numAxes); }
  /// The op and its axes, for messages.
  const char *text() const { return reinterpret_cast<const char *>(pairs() + numPairs); }
};

/// The arguments of a call.
struct Call {
  plugin::Place<const int64_t> numbers;
  plugin::Place<const int32_t> participant;
  plugin::Place<const char> operand;
  plugin::Place<char> result;
  /// In elements; 1 for what the kind does not have.
  int64_t outer, middle, inner;

  const Descriptor &descriptor() const { return *reinterpret_cast<const Descriptor *>(numbers.get()); }
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_CALL_H

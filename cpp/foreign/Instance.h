// A foreign function at one place of a program.
#ifndef DOVETAIL_FOREIGN_INSTANCE_H
#define DOVETAIL_FOREIGN_INSTANCE_H

#include "Attributes.h"
#include "Registry.h"
#include "XlaApi.h"
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dovetail::foreign {

/// A function with the attributes of one call, and the state that a handler keeps for it. Threads may call it at the
/// same time.
class Instance {
public:
  /// Null with a reason if there is no such function, or if its handler cannot be instantiated.
  static std::unique_ptr<Instance> create(const std::string &target, std::string_view attributes, std::string &reason);

  /// Calls the function on arguments and memory for results, which are aligned. False with a reason if it failed.
  bool call(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason);

  const std::string &name() const { return target->name; }

private:
  Instance(std::shared_ptr<const Target> target, std::string_view attributes)
      : target(std::move(target)), attributes(attributes.data(), attributes.size()) {}

  bool instantiate(std::string &reason);
  bool callXla(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason);
  bool callC(const std::vector<dovetail_array> &arrays, int numArguments, std::string &reason);
  xffi_frame frame(xffi_context &context, int stage);

  std::shared_ptr<const Target> target;
  Attributes attributes;
  State state;
};

/// Memory that the function gets in the place of arrays that are not aligned, or have no memory.
class AlignedArrays {
public:
  /// The arrays, copied where they must be.
  explicit AlignedArrays(std::vector<dovetail_array> arrays);
  ~AlignedArrays();
  AlignedArrays(const AlignedArrays &) = delete;
  AlignedArrays &operator=(const AlignedArrays &) = delete;

  const std::vector<dovetail_array> &get() const { return arrays; }
  /// Copies results, the arrays from this number on, to where they belong.
  void finish(int firstResult);

private:
  struct Copy {
    void *original;
    void *copy;
    size_t bytes;
  };

  std::vector<dovetail_array> arrays;
  /// By array; the copy is null where there is none. Empty if all are aligned.
  std::vector<Copy> copies;
};

/// The bytes of an element of a type, by XLA's number.
size_t bytesOfType(int type);

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_INSTANCE_H

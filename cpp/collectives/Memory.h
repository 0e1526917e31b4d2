// Memory that is used again.
#ifndef DOVETAIL_COLLECTIVES_MEMORY_H
#define DOVETAIL_COLLECTIVES_MEMORY_H

#include <cstddef>
#include <memory>

namespace dovetail::collectives {

/// Memory that grows as needed and is kept: the operating system takes as long to give new memory as a message takes.
class Memory {
public:
  /// At least so many bytes, whose values are undefined: pages that nobody touches cost nothing.
  char *get(size_t bytes) {
    if (bytes > size) {
      data.reset();
      data.reset(new char[bytes]);
      size = bytes;
    }
    return data.get();
  }

private:
  std::unique_ptr<char[]> data;
  size_t size = 0;
};

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_MEMORY_H

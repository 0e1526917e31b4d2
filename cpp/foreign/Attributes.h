// Attributes of a call as XLA's handlers and as functions of ffi.h get them.
#ifndef DOVETAIL_FOREIGN_ATTRIBUTES_H
#define DOVETAIL_FOREIGN_ATTRIBUTES_H

#include "Descriptor.h"
#include <deque>
#include <dovetail/ffi.h>
#include <dovetail/xla_ffi.h>
#include <memory>
#include <vector>

namespace dovetail::foreign {

/// A copy of encoded attributes, with views of it in both forms. It does not move.
class Attributes {
public:
  Attributes(const char *encoded, size_t size);
  Attributes(const Attributes &) = delete;
  Attributes &operator=(const Attributes &) = delete;

  xffi_attributes forXla() const { return views.back()->forXla; }
  const std::vector<dovetail_attribute> &forC() const { return views.back()->forC; }

private:
  /// A dictionary.
  struct View {
    std::vector<int> kinds;
    std::deque<xffi_bytes> nameTexts;
    std::vector<xffi_bytes *> names;
    std::vector<void *> values;
    std::vector<dovetail_attribute> forC;
    xffi_attributes forXla;
  };

  View &view(int64_t offset);

  std::unique_ptr<char, void (*)(void *)> memory;
  std::deque<xffi_scalar> scalars;
  std::deque<xffi_array> arrays;
  std::deque<xffi_bytes> texts;
  /// Those within others come before them.
  std::vector<std::unique_ptr<View>> views;
};

} // namespace dovetail::foreign

#endif // DOVETAIL_FOREIGN_ATTRIBUTES_H

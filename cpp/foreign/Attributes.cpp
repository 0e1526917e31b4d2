// Attributes of a call as XLA's handlers and as functions of ffi.h get them.
#include "Attributes.h"
#include <cstdlib>
#include <cstring>

namespace dovetail::foreign {

static char *copied(const char *encoded, size_t size) {
  auto *memory = static_cast<char *>(std::aligned_alloc(64, (size + 63) / 64 * 64));
  std::memcpy(memory, encoded, size);
  return memory;
}

Attributes::Attributes(const char *encoded, size_t size) : memory(copied(encoded, size), std::free) { view(0); }

Attributes::View &Attributes::view(int64_t offset) {
  char *base = memory.get();
  auto *dictionary = reinterpret_cast<const DictionaryEntry *>(base + offset);
  auto made = std::make_unique<View>();
  for (int64_t i = 0; i < dictionary->count; ++i) {
    const AttributeEntry &entry = dictionary->entries()[i];
    auto type = static_cast<int>(entry.type);
    auto count = static_cast<size_t>(entry.count);
    void *data = base + entry.data, *value = nullptr;
    const void *forC = data;
    switch (entry.kind) {
    case XFFI_ATTRIBUTE_ARRAY:
      value = &arrays.emplace_back(xffi_array{type, count, data});
      break;
    case XFFI_ATTRIBUTE_SCALAR:
      value = &scalars.emplace_back(xffi_scalar{type, data});
      break;
    case XFFI_ATTRIBUTE_STRING:
      value = &texts.emplace_back(xffi_bytes{static_cast<char *>(data), count});
      break;
    default: {
      View &inner = view(entry.data);
      value = &inner.forXla;
      forC = inner.forC.data();
    }
    }
    const char *name = base + entry.name;
    made->kinds.push_back(static_cast<int>(entry.kind));
    made->names.push_back(&made->nameTexts.emplace_back(xffi_bytes{name, static_cast<size_t>(entry.nameSize)}));
    made->values.push_back(value);
    made->forC.push_back({name, static_cast<int32_t>(entry.kind), type, entry.count, forC});
  }
  made->forXla = {sizeof(xffi_attributes), nullptr, dictionary->count, made->kinds.data(), made->names.data(),
                  made->values.data()};
  return *views.emplace_back(std::move(made));
}

} // namespace dovetail::foreign

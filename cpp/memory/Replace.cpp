// Functions that a loaded library imports, replaced in its global offset table (System V ABI, "Dynamic Linking").
#include "Replace.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))

#include <cstring>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace dovetail::memory {

#ifdef __x86_64__
constexpr unsigned kCalled = R_X86_64_JUMP_SLOT, kTaken = R_X86_64_GLOB_DAT;
#else
constexpr unsigned kCalled = R_AARCH64_JUMP_SLOT, kTaken = R_AARCH64_GLOB_DAT;
#endif

namespace {

/// What a library's dynamic section says of its imports.
struct Imports {
  ElfW(Addr) base = 0;
  const ElfW(Sym) *symbols = nullptr;
  const char *names = nullptr;
  struct Relocations {
    const ElfW(Rela) *begin = nullptr;
    size_t bytes = 0;
  } calls, others;

  explicit Imports(const dl_phdr_info &library);

  /// The entries of the table for a function.
  std::vector<void **> slotsOf(const char *name) const;
};

struct Search {
  std::string path;
  const Replacement *replacements;
  size_t count;
  bool isDone = false;
};

} // namespace

Imports::Imports(const dl_phdr_info &library) : base(library.dlpi_addr) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    if (library.dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    auto *entry = reinterpret_cast<const ElfW(Dyn) *>(base + library.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // Some dynamic linkers leave addresses in the section relative to the library's.
      ElfW(Addr) address = entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr;
      switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym) *>(address);
        break;
      case DT_STRTAB:
        names = reinterpret_cast<const char *>(address);
        break;
      case DT_JMPREL:
        calls.begin = reinterpret_cast<const ElfW(Rela) *>(address);
        break;
      case DT_PLTRELSZ:
        calls.bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        others.begin = reinterpret_cast<const ElfW(Rela) *>(address);
        break;
      case DT_RELASZ:
        others.bytes = entry->d_un.d_val;
        break;
      }
    }
  }
}

std::vector<void **> Imports::slotsOf(const char *name) const {
  std::vector<void **> slots;
  if (!symbols || !names)
    return slots;
  for (const Relocations *table : {&calls, &others})
    for (size_t i = 0; table->begin && i < table->bytes / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela) &entry = table->begin[i];
      unsigned type = ELF64_R_TYPE(entry.r_info);
      if ((type == kCalled || type == kTaken) &&
          std::strcmp(names + symbols[ELF64_R_SYM(entry.r_info)].st_name, name) == 0)
        slots.push_back(reinterpret_cast<void **>(base + entry.r_offset));
    }
  return slots;
}

/// Writes an entry of a table that the dynamic linker may have protected.
static bool write(const dl_phdr_info &library, void **slot, void *function) {
  auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)), at = reinterpret_cast<uintptr_t>(slot);
  void *begin = reinterpret_cast<void *>(at & ~(page - 1));
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    return false;
  __atomic_store_n(slot, function, __ATOMIC_RELEASE);
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto &segment = library.dlpi_phdr[i];
    uintptr_t first = library.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_RELRO && at >= first && at < ((first + segment.p_memsz) & ~(page - 1)))
      mprotect(begin, page, PROT_READ);
  }
  return true;
}

static int visit(dl_phdr_info *library, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  char resolved[PATH_MAX];
  if (!realpath(library->dlpi_name, resolved) || search.path != resolved)
    return 0;
  Imports imports(*library);
  std::vector<std::vector<void **>> slots;
  for (size_t i = 0; i < search.count; ++i) {
    slots.push_back(imports.slotsOf(search.replacements[i].name));
    if (slots.back().empty())
      return 1;
  }
  for (size_t i = 0; i < search.count; ++i)
    for (void **slot : slots[i])
      if (!write(*library, slot, search.replacements[i].function))
        return 1;
  search.isDone = true;
  return 1;
}

bool replaceImports(const char *path, const Replacement *replacements, size_t count) {
  char resolved[PATH_MAX];
  if (!realpath(path, resolved))
    return false;
  Search search = {resolved, replacements, count};
  dl_iterate_phdr(visit, &search);
  return search.isDone;
}

} // namespace dovetail::memory

#else

namespace dovetail::memory {

bool replaceImports(const char *, const Replacement *, size_t) { return false; }

} // namespace dovetail::memory

#endif

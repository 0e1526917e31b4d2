// Rejects IR text that would crash MLIR's parser, which is recursive and trusts some numbers.
#ifndef DOVETAIL_PIPELINE_TEXTLIMITS_H
#define DOVETAIL_PIPELINE_TEXTLIMITS_H

#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dovetail {

/// The error, and its position.
struct TextFault {
  size_t offset;
  std::string message;
};

/// The first error for which MLIR's parser would end the process instead of reporting it.
std::optional<TextFault> findFault(llvm::StringRef text);

} // namespace dovetail

#endif // DOVETAIL_PIPELINE_TEXTLIMITS_H

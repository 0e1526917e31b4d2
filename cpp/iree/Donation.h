// Attributes that say which memory calls may reuse.
#ifndef DOVETAIL_IREE_DONATION_H
#define DOVETAIL_IREE_DONATION_H

#include "llvm/ADT/StringRef.h"

namespace dovetail {

/// Marks an argument of a function whose memory results may take, and, in its reflection, results that share memory.
constexpr llvm::StringLiteral kDonated = "dovetail.donated", kSharing = "dovetail.sharing",
                              kHandedBack = "dovetail.handed_back";

} // namespace dovetail

#endif // DOVETAIL_IREE_DONATION_H

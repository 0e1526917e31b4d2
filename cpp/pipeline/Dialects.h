// The dialects that programs go through.
#ifndef DOVETAIL_PIPELINE_DIALECTS_H
#define DOVETAIL_PIPELINE_DIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace dovetail {

/// All dialects that programs go through, with the lowerings of our ops attached.
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace dovetail

#endif // DOVETAIL_PIPELINE_DIALECTS_H

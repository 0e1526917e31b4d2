// Algebra of gathers and scatters: of an array that repeats one element, and of sums.
#ifndef DOVETAIL_INDEXFOLDS_H
#define DOVETAIL_INDEXFOLDS_H

#include "mlir/IR/PatternMatch.h"

namespace dovetail {

void addIndexFolds(mlir::RewritePatternSet &patterns);

} // namespace dovetail

#endif // DOVETAIL_INDEXFOLDS_H

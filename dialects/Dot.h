// Contractions.
#ifndef DOVETAIL_DOT_H
#define DOVETAIL_DOT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Dot.h.inc"

namespace dovetail {

/// Lets contractions in an op read what transpositions read, where that keeps the order of their results' dimensions.
void absorbTranspositions(mlir::Operation *root);

} // namespace dovetail

#endif // DOVETAIL_DOT_H

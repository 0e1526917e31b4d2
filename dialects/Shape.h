// Ops that move elements.
#ifndef DOVETAIL_SHAPE_H
#define DOVETAIL_SHAPE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Shape.h.inc"

#endif // DOVETAIL_SHAPE_H

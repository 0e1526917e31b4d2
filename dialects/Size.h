// Sizes of dynamic shapes.
#ifndef DOVETAIL_SIZE_H
#define DOVETAIL_SIZE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Size.h.inc"

#endif // DOVETAIL_SIZE_H

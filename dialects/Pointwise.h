// Pointwise ops.
#ifndef DOVETAIL_POINTWISE_H
#define DOVETAIL_POINTWISE_H

#include "Alone.h"
#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Pointwise.h.inc"

#endif // DOVETAIL_POINTWISE_H

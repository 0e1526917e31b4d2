// Reductions.
#ifndef DOVETAIL_REDUCE_H
#define DOVETAIL_REDUCE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Reduce.h.inc"

#endif // DOVETAIL_REDUCE_H

// Functions whose derivatives recompute values instead of keeping them.
#ifndef DOVETAIL_CHECKPOINT_H
#define DOVETAIL_CHECKPOINT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Checkpoint.h.inc"

#endif // DOVETAIL_CHECKPOINT_H

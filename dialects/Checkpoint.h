// Functions of which derivatives keep little and compute the rest again.
#ifndef DOVETAIL_CHECKPOINT_H
#define DOVETAIL_CHECKPOINT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Checkpoint.h.inc"

#endif // DOVETAIL_CHECKPOINT_H

// Running reductions.
#ifndef DOVETAIL_CUMULATIVE_H
#define DOVETAIL_CUMULATIVE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Cumulative.h.inc"

#endif // DOVETAIL_CUMULATIVE_H

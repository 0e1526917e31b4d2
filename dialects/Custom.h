// Functions with custom derivative and batching rules.
#ifndef DOVETAIL_CUSTOM_H
#define DOVETAIL_CUSTOM_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Custom.h.inc"

#endif // DOVETAIL_CUSTOM_H

// Special functions.
#ifndef DOVETAIL_SPECIAL_H
#define DOVETAIL_SPECIAL_H

#include "Alone.h"
#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Special.h.inc"

#endif // DOVETAIL_SPECIAL_H

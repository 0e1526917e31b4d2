// Contractions.
#ifndef DOVETAIL_DOT_H
#define DOVETAIL_DOT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Dot.h.inc"

#endif // DOVETAIL_DOT_H

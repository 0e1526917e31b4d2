// Ops that create arrays, and the size of a dimension.
#ifndef DOVETAIL_CREATE_H
#define DOVETAIL_CREATE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Create.h.inc"

#endif // DOVETAIL_CREATE_H

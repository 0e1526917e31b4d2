// Sorting.
#ifndef DOVETAIL_SORT_H
#define DOVETAIL_SORT_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Sort.h.inc"

#endif // DOVETAIL_SORT_H

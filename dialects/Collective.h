// Collectives.
#ifndef DOVETAIL_COLLECTIVE_H
#define DOVETAIL_COLLECTIVE_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Collective.h.inc"

#endif // DOVETAIL_COLLECTIVE_H

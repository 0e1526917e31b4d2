// Hashes from which random numbers are made.
#ifndef DOVETAIL_RANDOM_H
#define DOVETAIL_RANDOM_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Random.h.inc"

#endif // DOVETAIL_RANDOM_H

// Convolutions.
#ifndef DOVETAIL_CONV_H
#define DOVETAIL_CONV_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Conv.h.inc"

#endif // DOVETAIL_CONV_H

// Calls, and requests for transformed functions.
#ifndef DOVETAIL_CALL_H
#define DOVETAIL_CALL_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Call.h.inc"

#endif // DOVETAIL_CALL_H

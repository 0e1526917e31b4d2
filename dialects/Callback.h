// Calls of functions of the program that made a module.
#ifndef DOVETAIL_CALLBACK_H
#define DOVETAIL_CALLBACK_H

#include "Dialect.h"
#include "HostFunction.h"

#define GET_OP_CLASSES
#include "dialects/Callback.h.inc"

#endif // DOVETAIL_CALLBACK_H

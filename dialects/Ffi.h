// Calls of functions of native libraries.
#ifndef DOVETAIL_FFI_H
#define DOVETAIL_FFI_H

#include "Dialect.h"
#include "HostFunction.h"

#define GET_OP_CLASSES
#include "dialects/Ffi.h.inc"

#endif // DOVETAIL_FFI_H

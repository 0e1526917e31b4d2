// References, which hold arrays that a program reads and writes.
#ifndef DOVETAIL_REF_H
#define DOVETAIL_REF_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/Ref.h.inc"

#endif // DOVETAIL_REF_H

// References, which hold arrays that a program reads and writes.
#ifndef DOVETAIL_REF_H
#define DOVETAIL_REF_H

#include "Dialect.h"

#include "dialects/RefInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/Ref.h.inc"

namespace dovetail {
/// The type of the echo of a reference that holds arrays of this type.
mlir::RankedTensorType echoType(mlir::RankedTensorType array);
} // namespace dovetail

#endif // DOVETAIL_REF_H

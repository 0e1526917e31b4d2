// Collectives between devices that IREE connects by channels.
#ifndef DOVETAIL_LOWERING_CHANNEL_H
#define DOVETAIL_LOWERING_CHANNEL_H

#include "cpp/dispatch/CollectiveCall.h"

namespace dovetail {

/// A collective as IREE's ops compute it on GPUs, with one process for each device. Only kind, element type, axes and
/// pairs of the call count; dimension `from` of the operand is divided among the group, or `to` of the result is its.
mlir::Value overChannel(mlir::ImplicitLocOpBuilder &b, const CollectiveCall &call, mlir::Value x, int64_t from,
                        int64_t to);

} // namespace dovetail

#endif // DOVETAIL_LOWERING_CHANNEL_H

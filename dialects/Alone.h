// Ops that do not divide what they compute if they are applied by themselves.
#ifndef DOVETAIL_DIALECTS_ALONE_H
#define DOVETAIL_DIALECTS_ALONE_H

#include "mlir/IR/OpDefinition.h"

namespace dovetail {

/// Marks an op that, applied by itself and not in a program, is divided among devices along the factors that all its
/// operands have only: as by JAX, which calls a library for what remains.
template <typename ConcreteType>
class WholeAlone : public mlir::OpTrait::TraitBase<ConcreteType, WholeAlone> {};

/// Marks an op that, applied by itself, is not divided at all: as by JAX, whose partitioner has no rule for it.
template <typename ConcreteType>
class ReplicatedAlone : public mlir::OpTrait::TraitBase<ConcreteType, ReplicatedAlone> {};

} // namespace dovetail

#endif // DOVETAIL_DIALECTS_ALONE_H

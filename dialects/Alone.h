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

/// Marks an op that, applied by itself, is divided as its operand of this number is along each dimension that others
/// divide over other axes: as by JAX, which composes it of ops that take this one first.
template <unsigned Number>
struct DecidesDimsAlone {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {};
};

/// The same, and an axis over which operands divide several dimensions divides that of this operand.
template <unsigned Number>
struct DecidesAlone {
  template <typename ConcreteType>
  class Impl : public mlir::OpTrait::TraitBase<ConcreteType, Impl> {};
};

} // namespace dovetail

#endif // DOVETAIL_DIALECTS_ALONE_H

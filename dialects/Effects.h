// Side effects of ops: declared by ops, queried by all code that drops, repeats or moves ops.
#ifndef DOVETAIL_EFFECTS_H
#define DOVETAIL_EFFECTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dovetail {

/// The world outside the program, which callbacks read and write: one resource, so that their order is kept.
struct OutsideResource : mlir::SideEffects::Resource::Base<OutsideResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutsideResource)
  llvm::StringRef getName() final { return "outside of the program"; }
};

/// The number of executions, which callbacks for debugging do not guarantee.
struct CountResource : mlir::SideEffects::Resource::Base<CountResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountResource)
  llvm::StringRef getName() final { return "number of calls"; }
};

/// All effects, or only those whose number of executions matters.
enum class EffectKind { Any, Counted };

using MemoryEffectList = llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// Adds reads and writes of external state to an op's effects; `kind` says whether the number of executions matters.
void addOutsideEffects(MemoryEffectList &effects, EffectKind kind);

/// Finds the function of a name; null if there is none.
using FindFunction = llvm::function_ref<mlir::func::FuncOp(mlir::FlatSymbolRefAttr)>;
/// Known effects of functions, by name and kind.
using KnownEffects = llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, bool>;

/// Returns true if an op, an op in its regions, or a function that any of them names has effects of the kind.
bool hasEffects(mlir::Operation *op, EffectKind kind, FindFunction find, KnownEffects &known);

/// The effects of the functions that an op names; all effects if these functions cannot be found.
void addEffectsOfCallees(mlir::Operation *op, MemoryEffectList &effects);

/// Trait of ops that have the effects of the functions they name.
template <typename ConcreteType>
class CalleeEffects : public mlir::OpTrait::TraitBase<ConcreteType, CalleeEffects> {
public:
  void getEffects(MemoryEffectList &effects) { addEffectsOfCallees(this->getOperation(), effects); }
};

} // namespace dovetail

#endif // DOVETAIL_EFFECTS_H

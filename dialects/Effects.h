// What ops do beside computing values: said by the ops, asked by all that drops, repeats or moves ops.
#ifndef DOVETAIL_EFFECTS_H
#define DOVETAIL_EFFECTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dovetail {

/// All that is no value of the program, and that callbacks read and write: one thing, so that their order is kept.
struct OutsideResource : mlir::SideEffects::Resource::Base<OutsideResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutsideResource)
  llvm::StringRef getName() final { return "outside of the program"; }
};

/// How often it is: what callbacks for debugging alone leave open.
struct CountResource : mlir::SideEffects::Resource::Base<CountResource> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CountResource)
  llvm::StringRef getName() final { return "number of calls"; }
};

/// All effects, or those alone of which the number counts.
enum class EffectKind { Any, Counted };

using MemoryEffectList = llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>;

/// Says that an op reads and writes what is outside, and whether it counts how often.
void addOutsideEffects(MemoryEffectList &effects, EffectKind kind);

/// Finds the function of a name; null if there is none.
using FindFunction = llvm::function_ref<mlir::func::FuncOp(mlir::FlatSymbolRefAttr)>;
/// Whether functions, by their names, have effects of a kind.
using KnownEffects = llvm::DenseMap<std::pair<mlir::Attribute, unsigned>, bool>;

/// Whether an op, those in its regions, or a function that any of them names has effects of the kind.
bool hasEffects(mlir::Operation *op, EffectKind kind, FindFunction find, KnownEffects &known);

/// The effects of the functions that an op names; of all there are where these cannot be found.
void addEffectsOfCallees(mlir::Operation *op, MemoryEffectList &effects);

/// Marks an op that does what the functions do that it names.
template <typename ConcreteType>
class CalleeEffects : public mlir::OpTrait::TraitBase<ConcreteType, CalleeEffects> {
public:
  void getEffects(MemoryEffectList &effects) { addEffectsOfCallees(this->getOperation(), effects); }
};

} // namespace dovetail

#endif // DOVETAIL_EFFECTS_H

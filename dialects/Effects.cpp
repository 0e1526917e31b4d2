// Side effects of ops.
#include "Effects.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace dovetail {

void addOutsideEffects(MemoryEffectList &effects, EffectKind kind) {
  effects.emplace_back(MemoryEffects::Read::get(), OutsideResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), OutsideResource::get());
  if (kind == EffectKind::Counted)
    effects.emplace_back(MemoryEffects::Write::get(), CountResource::get());
}

/// Returns true if a function that the op itself names has effects of the kind.
static bool hasEffectsInCallees(Operation *op, EffectKind kind, FindFunction find, KnownEffects &known) {
  bool found = false;
  op->getAttrDictionary().walk([&](FlatSymbolRefAttr name) {
    std::pair<Attribute, unsigned> key(name, unsigned(kind));
    // A function that calls itself, which is rejected elsewhere, has the effects of the rest of its body.
    if (known.insert({key, false}).second)
      if (func::FuncOp function = find(name))
        known[key] = hasEffects(function, kind, find, known);
    found |= known[key];
  });
  return found;
}

/// Returns true if the op declares effects of the kind.
static bool hasOwnEffects(MemoryEffectOpInterface op, EffectKind kind) {
  if (kind == EffectKind::Any)
    return !op.hasNoEffect();
  SmallVector<MemoryEffects::EffectInstance> effects;
  op.getEffectsOnResource(CountResource::get(), effects);
  return !effects.empty();
}

bool hasEffects(Operation *op, EffectKind kind, FindFunction find, KnownEffects &known) {
  return op
      ->walk([&](Operation *inner) {
        bool does = false;
        if (inner->hasTrait<CalleeEffects>())
          does = hasEffectsInCallees(inner, kind, find, known);
        else if (auto stated = dyn_cast<MemoryEffectOpInterface>(inner))
          does = hasOwnEffects(stated, kind);
        return does ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

void addEffectsOfCallees(Operation *op, MemoryEffectList &effects) {
  Operation *table = SymbolTable::getNearestSymbolTable(op);
  auto find = [&](FlatSymbolRefAttr name) {
    return dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(table, name));
  };
  KnownEffects known;
  for (EffectKind kind : {EffectKind::Counted, EffectKind::Any})
    if (!table || hasEffectsInCallees(op, kind, find, known))
      return addOutsideEffects(effects, kind);
}

} // namespace dovetail

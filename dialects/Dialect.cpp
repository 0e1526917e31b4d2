// Registration of the dialect: its attributes and the families of its ops.
#include "Create.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/Dialect.cpp.inc"
#include "dialects/Enums.cpp.inc"
#include "dialects/Interfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Attributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/Types.cpp.inc"

namespace dovetail {

// Each family registers its ops in its own file: their definitions are large, and build in parallel.
void registerCallOps(DovetailDialect &);
void registerCallbackOps(DovetailDialect &);
void registerCheckOps(DovetailDialect &);
void registerCheckpointOps(DovetailDialect &);
void registerCollectiveOps(DovetailDialect &);
void registerControlOps(DovetailDialect &);
void registerConvOps(DovetailDialect &);
void registerCreateOps(DovetailDialect &);
void registerCumulativeOps(DovetailDialect &);
void registerCustomOps(DovetailDialect &);
void registerDotOps(DovetailDialect &);
void registerFfiOps(DovetailDialect &);
void registerFftOps(DovetailDialect &);
void registerIndexOps(DovetailDialect &);
void registerLinalgOps(DovetailDialect &);
void registerPointwiseOps(DovetailDialect &);
void registerRandomOps(DovetailDialect &);
void registerReduceOps(DovetailDialect &);
void registerRefOps(DovetailDialect &);
void registerShapeOps(DovetailDialect &);
void registerShardMapOps(DovetailDialect &);
void registerSizeOps(DovetailDialect &);
void registerSortOps(DovetailDialect &);
void registerSpecialOps(DovetailDialect &);
void registerWindowOps(DovetailDialect &);

/// Says of ops where they fail.
void attachFailures(MLIRContext *context);

namespace {
/// Names for attributes that many ops of a module have.
struct Aliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<MeshAttr>(attribute))
      return AliasResult::NoAlias;
    os << "mesh";
    return AliasResult::FinalAlias;
  }
};
} // namespace

void DovetailDialect::initialize() {
  addInterfaces<Aliases>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Attributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/Types.cpp.inc"
      >();
  registerCallOps(*this);
  registerCallbackOps(*this);
  registerCheckOps(*this);
  registerCheckpointOps(*this);
  registerCollectiveOps(*this);
  registerControlOps(*this);
  registerConvOps(*this);
  registerCreateOps(*this);
  registerCumulativeOps(*this);
  registerCustomOps(*this);
  registerDotOps(*this);
  registerFfiOps(*this);
  registerFftOps(*this);
  registerIndexOps(*this);
  registerLinalgOps(*this);
  registerPointwiseOps(*this);
  registerRandomOps(*this);
  registerReduceOps(*this);
  registerRefOps(*this);
  registerShapeOps(*this);
  registerShardMapOps(*this);
  registerSizeOps(*this);
  registerSortOps(*this);
  registerSpecialOps(*this);
  registerWindowOps(*this);
  attachFailures(getContext());
}

Operation *DovetailDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

} // namespace dovetail

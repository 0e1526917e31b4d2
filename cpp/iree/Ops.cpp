// Builds ops of IREE's dialects by name.
#include "Ops.h"
#include "Aliases.h"
#include "dialects/Dialect.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace dovetail {

namespace {
#define DOVETAIL_IREE_DIALECT(NAME, NAMESPACE)                                                                         \
  struct NAME : Dialect {                                                                                              \
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NAME)                                                                 \
    static StringRef getDialectNamespace() { return NAMESPACE; }                                                       \
    explicit NAME(MLIRContext *context) : Dialect(getDialectNamespace(), context, TypeID::get<NAME>()) {               \
      allowUnknownOperations();                                                                                        \
      allowUnknownTypes();                                                                                             \
    }                                                                                                                  \
    Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {                                     \
      return OpaqueAttr::get(StringAttr::get(getContext(), NAMESPACE), parser.getFullSymbolSpec(),                     \
                             type ? type : NoneType::get(getContext()));                                               \
    }                                                                                                                  \
  };
DOVETAIL_IREE_DIALECT(FlowDialect, "flow")
DOVETAIL_IREE_DIALECT(HalDialect, "hal")
DOVETAIL_IREE_DIALECT(TensorExtDialect, "iree_tensor_ext")
DOVETAIL_IREE_DIALECT(LinalgExtDialect, "iree_linalg_ext")
DOVETAIL_IREE_DIALECT(LlvmDialect, "llvm")
DOVETAIL_IREE_DIALECT(SpirvDialect, "spirv")
DOVETAIL_IREE_DIALECT(UtilDialect, "util")
#undef DOVETAIL_IREE_DIALECT

/// Maps an `scf.forall` to workgroups.
struct WorkgroupMappingAttr
    : Attribute::AttrBase<WorkgroupMappingAttr, Attribute, AttributeStorage, DeviceMappingAttrInterface::Trait> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WorkgroupMappingAttr)
  using Base::Base;
  static constexpr StringLiteral name = "iree_codegen.workgroup_mapping";
  int64_t getMappingId() const { return 0; }
  bool isLinearMapping() const { return false; }
  int64_t getRelativeIndex() const { return 0; }
};

/// The memory that the threads of a workgroup share.
struct WorkgroupMemoryAttr : Attribute::AttrBase<WorkgroupMemoryAttr, Attribute, AttributeStorage> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WorkgroupMemoryAttr)
  using Base::Base;
  static constexpr StringLiteral name = "gpu.address_space";
};

/// A dialect with one attribute that is more than its text, as memory spaces of types must be.
template <typename KnownAttr>
struct PartlyKnownDialect : Dialect {
  using Dialect::Dialect;
  virtual StringRef textOfKnown() const = 0;
  void printAttribute(Attribute, DialectAsmPrinter &printer) const override { printer << textOfKnown(); }
  Attribute parseAttribute(DialectAsmParser &parser, Type) const override {
    if (parser.getFullSymbolSpec() == textOfKnown())
      return KnownAttr::get(getContext());
    return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                           NoneType::get(getContext()));
  }
};

struct GpuDialect : PartlyKnownDialect<WorkgroupMemoryAttr> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GpuDialect)
  static StringRef getDialectNamespace() { return "gpu"; }
  explicit GpuDialect(MLIRContext *context)
      : PartlyKnownDialect(getDialectNamespace(), context, TypeID::get<GpuDialect>()) {
    addAttributes<WorkgroupMemoryAttr>();
    allowUnknownOperations();
    allowUnknownTypes();
  }
  StringRef textOfKnown() const override { return "address_space<workgroup>"; }
};

struct CodegenDialect : PartlyKnownDialect<WorkgroupMappingAttr> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CodegenDialect)
  static StringRef getDialectNamespace() { return "iree_codegen"; }
  explicit CodegenDialect(MLIRContext *context)
      : PartlyKnownDialect(getDialectNamespace(), context, TypeID::get<CodegenDialect>()) {
    addAttributes<WorkgroupMappingAttr>();
  }
  StringRef textOfKnown() const override { return "workgroup_mapping<x>"; }
};
} // namespace

void registerIreeDialects(DialectRegistry &registry) {
  registry.insert<CodegenDialect, FlowDialect, GpuDialect, HalDialect, LinalgExtDialect, LlvmDialect, SpirvDialect,
                  TensorExtDialect, UtilDialect>();
  // The lowering creates ops by name, which does not load their dialects.
  registry.addExtension(+[](MLIRContext *context, DovetailDialect *) {
    context->getOrLoadDialect<CodegenDialect>();
    context->getOrLoadDialect<FlowDialect>();
    context->getOrLoadDialect<GpuDialect>();
    context->getOrLoadDialect<HalDialect>();
    context->getOrLoadDialect<LinalgExtDialect>();
    context->getOrLoadDialect<LlvmDialect>();
    context->getOrLoadDialect<SpirvDialect>();
    context->getOrLoadDialect<TensorExtDialect>();
    context->getOrLoadDialect<UtilDialect>();
  });
}

void setTiles(Operation *op, ArrayRef<int64_t> threads, ArrayRef<int64_t> parallel, ArrayRef<int64_t> reduced) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto sizes = [&](StringRef name, ArrayRef<int64_t> tiles) {
    stream << name << " = [";
    llvm::interleaveComma(tiles, stream);
    stream << "]";
  };
  stream << "compilation_info<lowering_config = #iree_cpu.lowering_config<";
  sizes("distribution", threads);
  sizes(", vector_common_parallel", parallel);
  sizes(", vector_reduction", reduced);
  stream << ">, translation_info = #iree_codegen.translation_info<pipeline = #iree_cpu.pipeline<DoubleTilingExpert>, "
            "{enable_loop_peeling}>>";
  op->setAttr("compilation_info", ireeAttr(op->getContext(), "iree_codegen", text));
}

Attribute workgroupMapping(MLIRContext *context) { return WorkgroupMappingAttr::get(context); }

Attribute workgroupMemory(MLIRContext *context) { return WorkgroupMemoryAttr::get(context); }

SmallVector<Value> dynamicSizes(ImplicitLocOpBuilder &b, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<Value> sizes;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      sizes.push_back(tensor::DimOp::create(b, x, d));
  return sizes;
}

Value tieShape(ImplicitLocOpBuilder &b, Value x, ValueRange sizes) {
  if (sizes.empty())
    return x;
  SmallVector<Value> operands = {x};
  llvm::append_range(operands, sizes);
  return b.create(OperationState(b.getLoc(), "flow.tensor.tie_shape", operands, x.getType()))->getResult(0);
}

Value assumed(ImplicitLocOpBuilder &b, Value size, int64_t min, int64_t max, int64_t multiple) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "int.assumption<umin = " << min << ", umax = " << max;
  if (multiple > 1)
    stream << ", udiv = " << multiple;
  stream << ">";
  Attribute assumption = ireeAttr(b.getContext(), "util", text);
  OperationState state(b.getLoc(), "util.assume.int", size, size.getType());
  state.addAttribute("assumptions", b.getArrayAttr(b.getArrayAttr(assumption)));
  return b.create(state)->getResult(0);
}

static Value barrier(ImplicitLocOpBuilder &b, Value x, StringRef name) {
  SmallVector<Value> operands = {x};
  llvm::append_range(operands, dynamicSizes(b, x));
  OperationState state(b.getLoc(), name, operands, x.getType());
  return b.create(state)->getResult(0);
}

Value computeBarrier(ImplicitLocOpBuilder &b, Value x) {
  // See Quirks.h: it may become a slice that gets more dimensions.
  auto type = cast<RankedTensorType>(x.getType());
  if (type.getRank() > 1 && type.hasStaticShape() && type.getNumElements() == 1)
    return optimizationBarrier(b, x).front();
  return barrier(b, x, "iree_tensor_ext.compute_barrier.start");
}

Value reshapeBarrier(ImplicitLocOpBuilder &b, Value x) { return barrier(b, x, "iree_tensor_ext.compute_barrier.end"); }

SmallVector<Value> optimizationBarrier(ImplicitLocOpBuilder &b, ValueRange xs) {
  OperationState state(b.getLoc(), "util.optimization_barrier", xs, xs.getTypes());
  SmallVector<Value> results = llvm::to_vector_of<Value>(b.create(state)->getResults());
  // IREE knows nothing of a barrier's result, so its sizes are stated again.
  for (auto [x, result] : llvm::zip_equal(xs, results))
    if (isa<RankedTensorType>(x.getType()))
      result = tieShape(b, result, dynamicSizes(b, x));
  return results;
}

Attribute ireeAttr(MLIRContext *context, StringRef dialect, const Twine &text) {
  SmallString<64> storage;
  return OpaqueAttr::get(StringAttr::get(context, dialect), text.toStringRef(storage), NoneType::get(context));
}

Operation *createGrouped(ImplicitLocOpBuilder &b, StringRef name, ArrayRef<ValueRange> groups, TypeRange results,
                         ArrayRef<NamedAttribute> attributes, unsigned numRegions) {
  OperationState state(b.getLoc(), name);
  SmallVector<int32_t> segments;
  for (ValueRange group : groups) {
    state.addOperands(group);
    segments.push_back(group.size());
  }
  state.addTypes(results);
  state.addAttributes(attributes);
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr(segments));
  for (unsigned i = 0; i < numRegions; ++i)
    state.addRegion();
  return b.create(state);
}

Type bufferType(MLIRContext *context) { return OpaqueType::get(StringAttr::get(context, "hal"), "buffer"); }

Value allocatedBuffer(ImplicitLocOpBuilder &b, RankedTensorType type, ValueRange sizes) {
  OperationState state(b.getLoc(), "flow.tensor.alloca", sizes, type);
  return exportedBuffer(b, b.create(state)->getResult(0), sizes);
}

Value importedArray(ImplicitLocOpBuilder &b, Value buffer, RankedTensorType type, ValueRange sizes) {
  NamedAttribute encoding = b.getNamedAttr("target_encoding", TypeAttr::get(type));
  return createGrouped(b, "hal.tensor.import", {buffer, sizes, ValueRange(), ValueRange()}, type, encoding)
      ->getResult(0);
}

bool isArrayImport(Operation *op) { return op && op->getName().getStringRef() == "hal.tensor.import"; }

Value exportedBuffer(ImplicitLocOpBuilder &b, Value array, ValueRange sizes) {
  SmallVector<Value> operands = {array};
  llvm::append_range(operands, sizes);
  OperationState state(b.getLoc(), "hal.tensor.export", operands, bufferType(b.getContext()));
  state.addAttribute("source_encoding", TypeAttr::get(array.getType()));
  return b.create(state)->getResult(0);
}

Value writtenTo(ImplicitLocOpBuilder &b, Value array, ValueRange sizes, Value buffer) {
  return createGrouped(b, "hal.tensor.alias", {array, sizes, buffer, ValueRange()}, array.getType())->getResult(0);
}

int64_t bytesOfElement(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * bytesOfElement(complex.getElementType());
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

std::pair<Value, Value> runningScan(ImplicitLocOpBuilder &b, Value x, Value neutral, int64_t dimension, bool inclusive,
                                    function_ref<Value(ImplicitLocOpBuilder &, Value, Value)> step) {
  auto type = cast<RankedTensorType>(x.getType());
  Value out = tensor::EmptyOp::create(b, tensor::getMixedSizes(b, b.getLoc(), x), type.getElementType());
  OperationState state(b.getLoc(), "iree_linalg_ext.scan", {x, out, neutral}, {out.getType(), neutral.getType()});
  state.addAttribute("dimension", b.getI64IntegerAttr(dimension));
  state.addAttribute("inclusive", b.getBoolAttr(inclusive));
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({1, 2}));
  Block &block = state.addRegion()->emplaceBlock();
  block.addArguments({type.getElementType(), type.getElementType()}, {b.getLoc(), b.getLoc()});
  Operation *scan = b.create(state);
  ImplicitLocOpBuilder body = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), &block);
  Value next = step(body, block.getArgument(0), block.getArgument(1));
  body.create(OperationState(b.getLoc(), "iree_linalg_ext.yield", next, {}));
  return {scan->getResult(0), scan->getResult(1)};
}

/// An operand of a scatter, from behind a barrier if IREE might compute it within the scatter's dispatch and it is too
/// large for the stack, where it would be, or of unknown size.
static Value apartUnlessSmall(ImplicitLocOpBuilder &b, Value operand) {
  constexpr int64_t kMostBytes = int64_t(1) << 15;
  auto type = cast<RankedTensorType>(operand.getType());
  bool isSmall = type.hasStaticShape() && type.getNumElements() * bytesOfElement(type.getElementType()) <= kMostBytes;
  if (isSmall || isa<BlockArgument>(withoutReshapes(operand)))
    return operand;
  return computeBarrier(b, operand);
}

Value scatterWindows(ImplicitLocOpBuilder &b, Value x, Value places, Value mask, Value updates, bool isUnique,
                     function_ref<Value(OpBuilder &, Location, Value, Value)> step) {
  // Within a dispatch, IREE would copy a slice that is updated, to where no workgroup may write.
  if (withoutReshapes(x).getDefiningOp<tensor::ExtractSliceOp>())
    x = computeBarrier(b, x);
  for (Value *operand : {&places, &mask, &updates})
    *operand = apartUnlessSmall(b, *operand);
  OperationState state(b.getLoc(), "iree_linalg_ext.scatter", {updates, places, mask, x}, x.getType());
  auto numIndexed = cast<RankedTensorType>(places.getType()).getDimSize(1);
  state.addAttribute("dimension_map", b.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq<int64_t>(0, numIndexed))));
  state.addAttribute("unique_indices", b.getBoolAttr(isUnique));
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({3, 1}));
  Type element = getElementTypeOrSelf(x);
  Block &block = state.addRegion()->emplaceBlock();
  block.addArguments({element, element}, {b.getLoc(), b.getLoc()});
  Operation *scatter = b.create(state);
  OpBuilder body = OpBuilder::atBlockEnd(&block);
  Value combined = step(body, b.getLoc(), block.getArgument(1), block.getArgument(0));
  body.create(OperationState(b.getLoc(), "iree_linalg_ext.yield", combined, TypeRange()));
  return scatter->getResult(0);
}

} // namespace dovetail

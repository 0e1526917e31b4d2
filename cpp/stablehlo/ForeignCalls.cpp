// Calls of functions of native libraries, as XLA's typed interface has them, in both directions.
#include "ForeignCalls.h"
#include "Exporter.h"
#include "Families.h"
#include "dialects/Ffi.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"

using namespace mlir;

namespace dovetail {

/// The version of the interface whose attributes have types.
constexpr int64_t kTyped = 4;
/// Exporters put attributes there which the op's own attribute, a text in earlier versions, does not take.
constexpr StringLiteral kConfig = "mhlo.backend_config";

namespace {

/// The dimensions of each array from minor to major, as StableHLO has them.
ArrayAttr layoutsOf(OpBuilder &b, FfiCallOp op, bool isResult, TypeRange types) {
  SmallVector<Attribute> layouts;
  for (auto [i, type] : llvm::enumerate(types)) {
    SmallVector<int64_t> dims(op.layoutOf(isResult, i));
    if (dims.empty())
      llvm::append_range(dims, llvm::seq<int64_t>(0, cast<RankedTensorType>(type).getRank()));
    std::reverse(dims.begin(), dims.end());
    layouts.push_back(DenseIntElementsAttr::get(RankedTensorType::get(dims.size(), b.getIndexType()), dims));
  }
  return b.getArrayAttr(layouts);
}

struct ExportFfiCall : ToStablehloOpInterface::ExternalModel<ExportFfiCall, FfiCallOp> {
  LogicalResult exportTo(Operation *op, Exporter &e, SmallVectorImpl<Value> &results) const {
    auto call = cast<FfiCallOp>(op);
    if (failed(requireSizes(op)))
      return failure();
    OpBuilder &b = e.builder;
    auto made = stablehlo::CustomCallOp::create(b, e.loc, op->getResultTypes(), call.getArgs(), call.getTarget());
    made->setAttr("api_version", b.getI32IntegerAttr(kTyped));
    if (call.getHasSideEffect())
      made->setAttr("has_side_effect", b.getBoolAttr(true));
    made->setAttr(kConfig, call.getConfig().value_or(b.getDictionaryAttr({})));
    made->setAttr("operand_layouts", layoutsOf(b, call, false, call.getArgs().getTypes()));
    made->setAttr("result_layouts", layoutsOf(b, call, true, op->getResultTypes()));
    SmallVector<Attribute> aliases;
    for (unsigned i = 0; i < op->getNumResults(); ++i)
      if (int64_t argument = call.aliasOf(i); argument >= 0) {
        std::string place = op->getNumResults() > 1 ? std::to_string(i) : "";
        std::string text = llvm::formatv("output_operand_alias<output_tuple_indices = [{0}], operand_index = {1}, "
                                         "operand_tuple_indices = []>",
                                         place, argument);
        aliases.push_back(OpaqueAttr::get(b.getStringAttr("stablehlo"), text, b.getNoneType()));
      }
    if (!aliases.empty())
      made->setAttr("output_operand_aliases", b.getArrayAttr(aliases));
    llvm::append_range(results, made->getResults());
    return success();
  }
};

/// The layouts that a call states, as this dialect has them; null if it states none.
FailureOr<ArrayAttr> layoutsFrom(Operation *op, StringRef name, size_t count) {
  auto stated = op->getAttrOfType<ArrayAttr>(name);
  if (!stated)
    return ArrayAttr();
  SmallVector<Attribute> layouts;
  for (Attribute each : stated) {
    auto dims = dyn_cast<DenseIntElementsAttr>(each);
    if (!dims || stated.size() != count)
      return op->emitError() << "custom_call: " << name << " must list the dimensions of " << count
                             << " arrays, got: " << stated;
    SmallVector<int64_t> order;
    for (APInt dim : dims)
      order.push_back(dim.getSExtValue());
    std::reverse(order.begin(), order.end());
    layouts.push_back(DenseI64ArrayAttr::get(op->getContext(), order));
  }
  return ArrayAttr::get(op->getContext(), layouts);
}

/// The argument in whose memory each result is written, or -1; empty if there is none.
FailureOr<SmallVector<int64_t>> aliasesFrom(Operation *op) {
  auto stated = op->getAttrOfType<ArrayAttr>("output_operand_aliases");
  SmallVector<int64_t> aliases;
  if (!stated || stated.empty())
    return aliases;
  aliases.assign(op->getNumResults(), -1);
  for (Attribute each : stated) {
    std::string text;
    llvm::raw_string_ostream(text) << each;
    SmallVector<StringRef> found;
    size_t result = 0, argument = 0;
    if (!llvm::Regex("output_tuple_indices = \\[([0-9]*)\\], operand_index = ([0-9]+)").match(text, &found) ||
        found[2].getAsInteger(10, argument) || (!found[1].empty() && found[1].getAsInteger(10, result)) ||
        result >= aliases.size())
      return op->emitError() << "custom_call: output_operand_aliases must name a result and an operand each, got: "
                             << each;
    aliases[result] = argument;
  }
  return aliases;
}

} // namespace

std::optional<LogicalResult> importForeign(stablehlo::CustomCallOp op, Importer &e, SmallVectorImpl<Value> &results) {
  auto version = op->getAttrOfType<IntegerAttr>("api_version");
  if (!version || version.getInt() != kTyped)
    return std::nullopt;
  OpBuilder &b = e.builder;
  auto config = op->getAttrOfType<DictionaryAttr>(kConfig);
  if (!config)
    config = op->getAttrOfType<DictionaryAttr>("backend_config");
  if (config && config.empty())
    config = {};
  auto effect = op->getAttrOfType<BoolAttr>("has_side_effect");
  FailureOr<ArrayAttr> inputs = layoutsFrom(op, "operand_layouts", op->getNumOperands()),
                       outputs = layoutsFrom(op, "result_layouts", op->getNumResults());
  FailureOr<SmallVector<int64_t>> aliases = aliasesFrom(op);
  if (failed(inputs) || failed(outputs) || failed(aliases))
    return failure();
  auto call = FfiCallOp::create(
      b, e.loc, op->getResultTypes(), b.getStringAttr(op.getCallTargetName()),
      b.getBoolAttr(effect && effect.getValue()), /*vmap_method=*/StringAttr(),
      /*mesh_axes=*/ArrayAttr(), config, aliases->empty() ? DenseI64ArrayAttr() : b.getDenseI64ArrayAttr(*aliases),
      *inputs, *outputs, /*batch_dims=*/IntegerAttr(), /*factors=*/ArrayAttr(), op->getOperands(), ValueRange());
  llvm::append_range(results, call->getResults());
  return success();
}

void attachForeignCalls(MLIRContext *c) { FfiCallOp::attachInterface<ExportFfiCall>(*c); }

} // namespace dovetail

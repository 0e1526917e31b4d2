// Programs from and to StableHLO, from Python.
#include "Stablehlo.h"
#include "Context.h"
#include "Function.h"
#include "Shardings.h"
#include "cpp/linalg/Passes.h"
#include "cpp/pipeline/TextLimits.h"
#include "cpp/sharding/Shardings.h"
#include "cpp/stablehlo/Passes.h"
#include "dialects/ShardMap.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

/// Runs one pass.
static void run(ModuleOp module, std::unique_ptr<Pass> pass, Diagnostics &diagnostics) {
  PassManager manager(&context());
  manager.addPass(std::move(pass));
  if (failed(manager.run(module)))
    diagnostics.raise("the program cannot be translated");
}

/// The module that a text is.
static OwningOpRef<ModuleOp> parse(const std::string &text, const std::string &file, Diagnostics &diagnostics) {
  if (std::optional<TextFault> fault = findFault(text))
    throw CompilerError(fault->message, file, StringRef(text).take_front(fault->offset).count('\n') + 1);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context(), file);
  if (!module)
    diagnostics.raise("the text is not a module");
  return module;
}

/// The function that a module is for: `main`, or the only one that is public.
static func::FuncOp mainOf(ModuleOp module) {
  if (auto main = module.lookupSymbol<func::FuncOp>("main"))
    return main;
  auto functions = llvm::make_filter_range(module.getOps<func::FuncOp>(), [](func::FuncOp f) { return f.isPublic(); });
  return llvm::hasSingleElement(functions) ? *functions.begin() : func::FuncOp();
}

/// The sizes of the arguments of a program; -1 for those that are not known.
static std::vector<std::vector<int64_t>> argumentShapes(const std::string &text, const std::string &file) {
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module = parse(text, file, diagnostics);
  std::vector<std::vector<int64_t>> shapes;
  if (func::FuncOp main = mainOf(*module))
    for (Type type : main.getArgumentTypes()) {
      auto array = dyn_cast<RankedTensorType>(type);
      auto &shape = shapes.emplace_back();
      for (int64_t size : array ? array.getShape() : ArrayRef<int64_t>())
        shape.push_back(ShapedType::isDynamic(size) ? -1 : size);
    }
  return shapes;
}

using ShardingsOfEach = std::vector<std::optional<ShardingAxes>>;
/// The axes of a mesh, their sizes, and the shardings over it that a program states of its arguments and results.
using StatedShardings = std::tuple<NamesOfAxes, std::vector<int64_t>, ShardingsOfEach, ShardingsOfEach>;

/// The shardings that attributes of the function `main` state, which become ops: whoever calls the function may be part
/// of another program. None without a mesh.
static std::optional<StatedShardings> takeShardings(ModuleOp module) {
  auto mesh = module->getAttrOfType<MeshAttr>(kPartition);
  auto main = mainOf(module);
  if (!mesh || !main)
    return std::nullopt;
  OpBuilder builder(&main.front(), main.front().begin());
  auto constrained = [&](Value x, ShardingAttr sharding) {
    return ReshardOp::create(builder, main.getLoc(), x, sharding, ArrayAttr(), StringAttr()).getResult();
  };
  // Parts of axes have no names.
  auto axesOf = [&](ShardingAttr sharding) -> std::optional<ShardingAxes> {
    bool areWhole = sharding && sharding.getMesh() == mesh;
    for (DimShardingAttr dim : sharding ? sharding.getDims() : ArrayRef<DimShardingAttr>())
      areWhole &= llvm::all_of(dim.getAxes(), [](AxisRefAttr axis) { return axis.isWhole(); });
    return areWhole ? std::optional(shardingAxes(sharding)) : std::nullopt;
  };
  ShardingsOfEach arguments, results;
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto sharding = main.getArgAttrOfType<ShardingAttr>(i, kSharding);
    arguments.push_back(axesOf(sharding));
    if (!sharding)
      continue;
    main.removeArgAttr(i, StringAttr::get(&context(), kSharding));
    Value made = constrained(argument, sharding);
    argument.replaceAllUsesExcept(made, made.getDefiningOp());
  }
  Operation *end = main.front().getTerminator();
  builder.setInsertionPoint(end);
  for (OpOperand &result : end->getOpOperands()) {
    unsigned i = result.getOperandNumber();
    auto sharding = main.getResultAttrOfType<ShardingAttr>(i, kSharding);
    results.push_back(axesOf(sharding));
    if (!sharding)
      continue;
    main.removeResultAttr(i, StringAttr::get(&context(), kSharding));
    result.set(constrained(result.get(), sharding));
  }
  module->removeAttr(kPartition);
  NamesOfAxes names;
  for (StringAttr axis : mesh.getAxes())
    names.push_back(axis.str());
  return StatedShardings(names, std::vector<int64_t>(mesh.getSizes()), arguments, results);
}

/// The program of this dialect with a function `main` that computes what that function of a StableHLO program does, for
/// arguments of these shapes, if they are given; and the shardings that it states.
static std::pair<std::shared_ptr<Module>, std::optional<StatedShardings>>
fromStablehlo(const std::string &text, const std::string &file,
              const std::optional<std::vector<std::vector<int64_t>>> &shapes) {
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module = parse(text, file, diagnostics);
  if (func::FuncOp main = mainOf(*module); main && shapes) {
    // Calls in which the types differ are inlined.
    for (auto [argument, shape] : llvm::zip_equal(main.getArguments(), *shapes))
      argument.setType(cast<RankedTensorType>(argument.getType()).clone(shape));
  }
  run(*module, createFromStablehloPass(), diagnostics);
  std::optional<StatedShardings> stated = takeShardings(*module);
  return {std::make_shared<Module>(std::move(module)), stated};
}

/// The text in StableHLO of a program after the phase `check`.
static std::string toStablehlo(const std::shared_ptr<Module> &module, bool locations) {
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> copy = module->op->clone();
  // Without the mark that this process has host functions, every op on matrices is decomposed.
  run(*copy, createDecomposePass(), diagnostics);
  run(*copy, createToStablehloPass(), diagnostics);
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, false);
  copy->print(stream, flags);
  return text;
}

void bindStablehlo(nb::module_ &m) {
  m.def("from_stablehlo", &fromStablehlo, "text"_a, "file"_a, "shapes"_a = nb::none(),
        "The program of this dialect for the text of one of StableHLO, read from that file, for arguments of the "
        "shapes; and the shardings that it states: axes of the mesh, their sizes, those of arguments, of results.");
  m.def("stablehlo_argument_shapes", &argumentShapes, "text"_a, "file"_a,
        "The shapes of the arguments of a program in StableHLO; -1 for sizes that are not known.");
  m.def("to_stablehlo", &toStablehlo, "module"_a, "locations"_a, "The text in StableHLO of a simplified program.");
}

} // namespace dovetail

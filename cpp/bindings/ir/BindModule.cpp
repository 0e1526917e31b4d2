// Python's class of modules.
#include "BindModule.h"
#include "cpp/bindings/ir/Attributes.h"
#include "cpp/bindings/ir/BindFunction.h"
#include "cpp/bindings/ir/Context.h"
#include "cpp/bindings/ir/FlatBody.h"
#include "cpp/bindings/ir/Function.h"
#include "cpp/bindings/ir/Phases.h"
#include "cpp/bindings/ir/Shardings.h"
#include "cpp/cost/Ahead.h"
#include "cpp/cost/Cost.h"
#include "cpp/cost/Threads.h"
#include "cpp/dispatch/CollectiveCall.h"
#include "cpp/dispatch/ForeignCall.h"
#include "cpp/iree/Constants.h"
#include "cpp/iree/Donation.h"
#include "cpp/iree/HostCall.h"
#include "cpp/iree/Passes.h"
#include "cpp/linalg/Algorithms.h"
#include "cpp/linalg/Passes.h"
#include "cpp/pipeline/TextLimits.h"
#include "cpp/sharding/Memories.h"
#include "cpp/sharding/Passes.h"
#include "cpp/sharding/ResultShardings.h"
#include "cpp/sharding/Shardings.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/CheckFinite.h"
#include "cpp/transforms/Expand.h"
#include "cpp/transforms/Passes.h"
#include "dialects/Collective.h"
#include "dialects/Create.h"
#include "dialects/Dialect.h"
#include "dialects/ShardMap.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
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

using Shared = std::shared_ptr<Module>;

static Shared newModule() { return std::make_shared<Module>(ModuleOp::create(UnknownLoc::get(&context()))); }

static Shared parseModule(const std::string &text) {
  if (std::optional<TextFault> fault = findFault(text))
    throw CompilerError("line " + std::to_string(StringRef(text).take_front(fault->offset).count('\n') + 1) +
                            " of the text: " + fault->message,
                        "", 0);
  Diagnostics diagnostics;
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context());
  if (!module)
    diagnostics.raise("the text is not a module");
  return std::make_shared<Module>(std::move(module));
}

std::string textOf(const Shared &module, bool locations, bool generic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  if (locations)
    flags.enableDebugInfo(true, false);
  if (generic)
    flags.printGenericOpForm();
  module->op->print(stream, flags);
  return text;
}

/// The first place in the user's program that a module names.
static SourceLocation firstLocation(const Shared &module) {
  SourceLocation place;
  module->op->walk<WalkOrder::PreOrder>([&](Operation *op) {
    place = sourceLocationOf(op->getLoc());
    return std::get<0>(place).empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return place;
}

static Function findIn(const Shared &module, const std::string &name) {
  auto function = module->op->lookupSymbol<func::FuncOp>(name);
  if (!function)
    throw CompilerError("the module has no function called '" + name + "'", "", 0);
  return Function(module, function);
}

/// A module with a public `main` that only applies the op `name`, and the functions that its attributes name.
static Shared wrap(const std::string &name, Attributes attributes,
                   const std::vector<std::pair<std::vector<int64_t>, std::string>> &operands, GivenTypes results) {
  Shared module = newModule();
  std::vector<Function> named = regionsOf(attributes);
  for (nb::handle value : attributes.values())
    if (nb::isinstance<Function>(value))
      named.push_back(nb::cast<Function &>(value));
  llvm::SetVector<Operation *> needed;
  for (const Function &function : named) {
    // In another module the same names, and those of callees, may refer to other functions.
    if (function.module != named.front().module)
      throw CompilerError("the functions of an op must be of one module", "", 0);
    FailureOr<SmallVector<func::FuncOp>> callees = calleesFirst(function.op());
    if (failed(callees))
      throw CompilerError("a function must not call itself", "", 0);
    needed.insert(callees->begin(), callees->end());
  }
  for (Operation *function : needed)
    module->op->push_back(function->clone());
  if (!named.empty())
    module->kept = named.front().module->kept;
  module->symbols = std::make_unique<SymbolTable>(*module->op);
  Function main(module, "main", true, SourceLocation());
  std::vector<unsigned> arguments, outs;
  for (const auto &[shape, element] : operands)
    arguments.push_back(main.addArgument(shape, element, SourceLocation()));
  for (nb::handle out : main.emit(name, arguments, attributes, results, SourceLocation()))
    outs.push_back(nb::cast<unsigned>(out[0]));
  main.finish(outs);
  return module;
}

/// Makes one function public under the name `main`, and removes all that it does not use.
static void keepAsMain(const Shared &module, const std::string &name) {
  func::FuncOp function = findIn(module, name).op();
  for (func::FuncOp other : module->op->getOps<func::FuncOp>())
    other.setPrivate();
  function.setPublic();
  eraseUncalled(*module->op);
  if (failed(module->symbols->rename(function, "main")))
    throw CompilerError("the module has another function called 'main'", "", 0);
  module->symbols = std::make_unique<SymbolTable>(*module->op);
}

/// Sets a reflection attribute of the function `main`.
static void setReflection(const Shared &module, const std::string &key, const std::string &text) {
  func::FuncOp function = findIn(module, "main").op();
  Builder b(&context());
  auto entries = b.getDictionaryAttr(b.getNamedAttr(key, b.getStringAttr(text)));
  function->setAttr("iree.reflection", entries);
}

/// Gives arguments of `main` to the program, which may write results over them.
static void donateArguments(const Shared &module, const std::vector<unsigned> &numbers) {
  func::FuncOp function = findIn(module, "main").op();
  for (unsigned number : numbers)
    function.setArgAttr(number, kDonated, UnitAttr::get(&context()));
}

/// Asks for `main` on memory instead of views of it.
static void passMemory(const Shared &module) {
  findIn(module, "main").op()->setAttr(kPassesMemory, UnitAttr::get(&context()));
}

/// Asks for what `dovetail-check-finite` adds, by the names of values.
static void checkFinite(const Shared &module, const std::vector<std::string> &unwanted) {
  SmallVector<StringRef> names(unwanted.begin(), unwanted.end());
  module->op.get()->setAttr(kUnwanted, Builder(&context()).getStrArrayAttr(names));
}

/// Asks for the program of one device of a mesh; arguments without a sharding may get any.
static void partitionOver(const Shared &module, const MeshHandle &mesh,
                          const std::vector<std::optional<ShardingHandle>> &arguments) {
  func::FuncOp function = findIn(module, "main").op();
  module->op.get()->setAttr(kPartition, mesh.attribute);
  for (auto [i, sharding] : llvm::enumerate(arguments))
    if (sharding)
      function.setArgAttr(i, kSharding, sharding->attribute);
}

/// Reshards the results of `main`, whose dimensions may be sharded further, but not over the closed axes.
static void reshardResults(const Shared &module, const std::vector<ShardingHandle> &shardings,
                           const std::vector<std::string> &closed) {
  Operation *end = findIn(module, "main").op().front().getTerminator();
  OpBuilder builder(end);
  ArrayAttr axes = builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(closed));
  for (auto [result, sharding] : llvm::zip_equal(end->getOpOperands(), shardings))
    result.set(ReshardOp::create(builder, end->getLoc(), result.get(), sharding.attribute, axes, StringAttr()));
}

/// The shardings of the arguments and results of the program of one device; none if it is that of all.
static std::optional<std::pair<std::vector<ShardingAxes>, std::vector<ShardingAxes>>>
shardingsOf(const Shared &module) {
  if (!module->op.get()->hasAttr(kMesh))
    return std::nullopt;
  func::FuncOp function = findIn(module, "main").op();
  // A module may state the mesh without shardings.
  std::vector<ShardingAxes> arguments, results;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto sharding = function.getArgAttrOfType<ShardingAttr>(i, kSharding))
      arguments.push_back(shardingAxes(sharding));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto sharding = function.getResultAttrOfType<ShardingAttr>(i, kSharding))
      results.push_back(shardingAxes(sharding));
  bool areAllStated = arguments.size() == function.getNumArguments() && results.size() == function.getNumResults();
  return areAllStated ? std::optional(std::pair(arguments, results)) : std::nullopt;
}

/// The shardings that the results of ops get that are applied by themselves, of a module without requests; none for a
/// result that needs no argument with a sharding, nor an op that states one. None at all if the module runs on one
/// device.
static std::optional<std::vector<std::optional<ShardingAxes>>> eagerShardings(const Shared &module, bool isForward) {
  func::FuncOp function = findIn(module, "main").op();
  auto stated = llvm::filter_to_vector(function.getArguments(), [&](BlockArgument argument) {
    return function.getArgAttr(argument.getArgNumber(), kSharding) != nullptr;
  });
  Diagnostics diagnostics;
  PassManager manager(&context());
  manager.addPass(createPropagateShardingsPass({/*eager=*/true, isForward}));
  if (failed(manager.run(*module->op)))
    diagnostics.raise("the shardings of results cannot be found");
  if (!module->op.get()->hasAttr(kPartition))
    return std::nullopt;
  std::vector<std::optional<ShardingAxes>> results;
  for (ShardingAttr sharding : shardingsOfResults(function, stated))
    results.push_back(sharding ? std::optional(shardingAxes(sharding)) : std::nullopt);
  return results;
}

/// The memories of values; none for those in no particular one.
using MemoryNames = std::vector<std::optional<std::string>>;

/// The memory of each result of `main`.
static MemoryNames memoriesOf(const Shared &module, const MemoryNames &arguments, const std::string &common) {
  Builder b(&context());
  auto memories = llvm::map_to_vector(arguments, [&](const std::optional<std::string> &memory) {
    return memory ? b.getStringAttr(*memory) : StringAttr();
  });
  MemoryNames results;
  for (StringAttr memory : memoriesOfResults(findIn(module, "main").op(), memories, b.getStringAttr(common)))
    results.push_back(memory ? std::optional(memory.str()) : std::nullopt);
  return results;
}

/// Whether an op states another memory.
static bool hasMemories(const Shared &module, const std::string &common) {
  WalkResult found = module->op.get()->walk([&](ReshardOp op) {
    return op.getMemory().value_or(common) == common ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found.wasInterrupted();
}

/// Whether an op, or an argument of a function, has a sharding by which devices hold terms of a sum.
static bool hasTerms(const Shared &module) {
  WalkResult found = module->op.get()->walk([](Operation *op) {
    AttrTypeWalker shardings;
    shardings.addWalk([](ShardingAttr sharding) {
      return sharding.getUnreduced().empty() ? WalkResult::advance() : WalkResult::interrupt();
    });
    return shardings.walk(op->getAttrDictionary()).wasInterrupted() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found.wasInterrupted();
}

/// Where the collectives of a lowered module come from, in their order.
static std::vector<SourceLocation> collectivePlaces(const Shared &module) {
  std::vector<SourceLocation> places;
  for (Location location : collectiveLocations(*module->op))
    places.push_back(sourceLocationOf(location));
  return places;
}

/// Where the calls of foreign functions of a lowered module come from, by number.
static std::vector<SourceLocation> foreignPlaces(const Shared &module) {
  std::vector<SourceLocation> places;
  for (Location location : foreignLocations(*module->op))
    places.push_back(sourceLocationOf(location));
  return places;
}

/// (name, place) of the op to which that pass would give a number in `main`.
static nb::typed<nb::tuple, nb::str, SourceLocation> describeNumbered(const Shared &module, int64_t number) {
  Operation *op = opNumbered(findIn(module, "main").op(), number);
  if (!op)
    throw CompilerError("'main' has no op with the number " + std::to_string(number), "", 0);
  return nb::make_tuple(op->getName().stripDialect().str(), sourceLocationOf(op->getLoc()));
}

/// Makes the last arguments of `main` constants.
static void bindArguments(const Shared &module, nb::typed<nb::list, EncodedArray> values) {
  func::FuncOp function = findIn(module, "main").op();
  unsigned first = function.getNumArguments() - nb::len(values);
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  for (size_t i = 0; i < nb::len(values); ++i) {
    nb::dict attributes;
    attributes["value"] = values[i];
    auto elements = cast<ElementsAttr>(toAttributes(attributes).get("value"));
    Value constant = ConstantOp::create(builder, function.getLoc(), elements.getType(), elements);
    function.getArgument(first + i).replaceAllUsesWith(constant);
  }
  llvm::BitVector bound(function.getNumArguments());
  bound.set(first, bound.size());
  if (failed(function.eraseArguments(bound)))
    throw CompilerError("the last arguments of 'main' cannot be bound", "", 0);
}

static std::optional<Shared> takeComputedAheadOf(const Shared &module) {
  OwningOpRef<ModuleOp> ahead = takeComputedAhead(*module->op);
  return ahead ? std::optional(std::make_shared<Module>(std::move(ahead))) : std::nullopt;
}

/// Number of multiplications of the largest contraction of a lowered module; a `?` counts as large.
static int64_t largestContraction(const Shared &module) {
  constexpr int64_t large = int64_t(1) << 40;
  int64_t largest = 0;
  module->op->walk([&](linalg::LinalgOp op) {
    if (!linalg::isaContractionOpInterface(op))
      return;
    int64_t size = 1;
    for (int64_t range : op.getStaticLoopRanges())
      size = ShapedType::isDynamic(range) ? large : std::min(large, size * range);
    largest = std::max(largest, size);
  });
  return largest;
}

/// A host function that a lowered module imports, as data.
struct DescribedImport {
  std::string name, op;
  Attributes attributes;
  Types operands, results;
  bool hasEffects;
};

static std::vector<DescribedImport> takeHostImportsOf(const Shared &module) {
  std::vector<DescribedImport> imports;
  for (const HostImport &import : takeHostImports(*module->op))
    imports.push_back({import.name.str(), import.op.str(), fromAttributes(import.attributes.getValue()),
                       describeTypes(import.type.getInputs()), describeTypes(import.type.getResults()),
                       import.hasEffects});
  return imports;
}

static void runOn(const Shared &module, std::unique_ptr<Pass> pass) {
  Diagnostics diagnostics;
  PassManager manager(&context());
  std::string argument = pass->getArgument().str();
  manager.addPass(std::move(pass));
  if (failed(manager.run(*module->op)))
    diagnostics.raise("the pass " + argument + " failed");
}

/// A method that runs one pass.
template <std::unique_ptr<Pass> (*kCreate)()>
static void runPass(const Shared &module) {
  runOn(module, kCreate());
}

/// Returns true if ops of that name are such that the pass `dovetail-decompose` can be asked to replace them.
static bool isDecomposable(const std::string &name) {
  auto op = RegisteredOperationName::lookup("dovetail." + name, &context());
  return op && (op->hasInterface<DecomposeOpInterface>() || op->hasInterface<PointwiseOpInterface>());
}

static void decompose(const Shared &module, const std::vector<std::string> &ops) {
  DecomposePassOptions options;
  options.ops.assign(ops.begin(), ops.end());
  runOn(module, createDecomposePass(options));
}

/// Returns true if the program has side effects, so that it must not run twice.
static bool moduleHasEffects(const Shared &module) {
  KnownEffects known;
  auto find = [&](FlatSymbolRefAttr name) { return module->symbols->lookup<func::FuncOp>(name.getAttr()); };
  return hasEffects(*module->op, EffectKind::Any, find, known);
}

/// Replaces the requests in a function and in all that it refers to.
static void expandRequestsOf(const Shared &module, const std::string &name) {
  Diagnostics diagnostics;
  Functions functions(*module->op);
  if (failed(expandCalleesOf(findIn(module, name).op(), functions)))
    diagnostics.raise("the requests cannot be expanded");
  module->symbols = std::make_unique<SymbolTable>(*module->op);
}

// Objects that a module keeps alive may refer to it: a callback may capture the jitted function that calls it.
static int traverseModule(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (nb::inst_ready(self))
    for (const nb::object &object : nb::inst_ptr<Module>(self)->kept)
      Py_VISIT(object.ptr());
  return 0;
}

static int clearModule(PyObject *self) {
  std::vector<nb::object> kept = std::exchange(nb::inst_ptr<Module>(self)->kept, {});
  return 0;
}

static PyType_Slot moduleSlots[] = {{Py_tp_traverse, reinterpret_cast<void *>(traverseModule)},
                                    {Py_tp_clear, reinterpret_cast<void *>(clearModule)},
                                    {0, nullptr}};

void bindModule(nb::module_ &m) {
  nb::class_<Module>(m, "Module", "A module of functions.", nb::type_slots(moduleSlots))
      .def_static("parse", &parseModule, "text"_a, "Parse the text of a module.")
      .def(
          "clone",
          [](const Shared &module) {
            return std::make_shared<Module>(OwningOpRef<ModuleOp>(cast<ModuleOp>(module->op->getOperation()->clone())),
                                            module->kept);
          },
          "A copy, which keeps the same objects.")
      .def(
          "keep", [](const Shared &module, nb::object object) { module->kept.push_back(object); }, "object"_a,
          "Keep an object alive as long as the module, and those made of it.")
      .def("text", &textOf, "locations"_a = false, "generic"_a = false, "The module as MLIR prints it.")
      .def(
          "run", &runPhases, "start"_a, "to"_a, "target"_a = "cpu", "host_functions"_a = false, "form"_a = "",
          "remarks"_a = false,
          "Run the phases after `start` up to `to`, in place; the last ones make a form, by default the first. Returns "
          "remarks, if wanted, each with its place.")
      .def("marked", &marked, "target"_a, "host_functions"_a, "text"_a,
           "The module with its locations, as text or bytecode, with the attributes that phases read.")
      .def("become", &become, "bytecode"_a, "Replace the functions by those of a bytecode.")
      .def("place", &firstLocation, "The first location in the user's program that the module names.")
      .def("take_host_imports", &takeHostImportsOf,
           "Describe the host functions that a lowered module imports, and remove the descriptions from it.")
      .def("collective_places", &collectivePlaces,
           "Where in the user's program the collectives of a lowered module are, in their order.")
      .def("foreign_places", &foreignPlaces,
           "Where in the user's program the calls of foreign functions of a lowered module are, by their numbers.")
      .def(
          "foreign_targets", [](const Shared &module) { return foreignTargets(*module->op); },
          "The names of the foreign functions that a lowered module calls.")
      .def("function", &findIn, "name"_a, "The function of that name.")
      .def("expand_requests", &expandRequestsOf, "name"_a,
           "Replace the requests in a function, and in all that it refers to, by transformed functions.")
      .def("has_effects", &moduleHasEffects, "True if the program has side effects.")
      .def("has_terms", &hasTerms, "True if it states that devices hold terms of a sum that is left to do.")
      .def(
          "memories", &memoriesOf, "arguments"_a, "common"_a,
          "The memory of each result of `main`, given those of its arguments: that of what it is computed of, `common` "
          "if that is in several, and None if it is in none in particular, as constants are.")
      .def("has_memories", &hasMemories, "common"_a,
           "True if it states that values be in another memory than `common`.")
      .def(
          "cost", [](const Shared &module) { return costOf(*module->op); },
          "The work of one run, of a module without requests; a `?` counts as `ASSUMED_SIZE`.")
      .def(
          "saved_by_threads", [](const Shared &module) { return savedByThreads(*module->op); },
          "Seconds that a run saves if two threads share it, by estimate; of a module without requests.")
      .def("keep_as_main", &keepAsMain, "name"_a, "Rename a function to `main`, and remove all that it does not call.")
      .def("set_reflection", &setReflection, "key"_a, "text"_a, "Set a reflection attribute of `main`.")
      .def("largest_contraction", &largestContraction,
           "The number of multiplications of a lowered module's largest contraction.")
      .def(
          "computes_ahead", [](const Shared &module) { return (*module->op)->hasAttr(kComputesAhead); },
          "Whether the code generator is to compute ahead what depends on constants alone in a lowered module.")
      .def("inline_calls", &runPass<createInlinePass>, "Inline all calls.")
      .def("decompose", &decompose, "ops"_a, "Replace the ops of these names by their algorithms in other ops.")
      .def("partition_over", &partitionOver, "mesh"_a, "arguments"_a,
           "Ask the phase `shard` for the program of one device; an argument without a sharding may get any.")
      .def("reshard_results", &reshardResults, "shardings"_a, "closed"_a,
           "Have the results of `main` sharded so: open dimensions further, but not over the closed axes.")
      .def("propagate_shardings", &runPass<createPropagateShardingsPass>,
           "Find the shardings of all values of a module that is to be partitioned, for its listing.")
      .def("eager_shardings", &eagerShardings, "forward"_a,
           "How the results of ops are sharded that are applied by themselves; one after the other, if `forward`.")
      .def("shardings", &shardingsOf,
           "The axes over which each dimension of each argument and result of one device's program is sharded.")
      .def("donate_arguments", &donateArguments, "numbers"_a, "Allow `main` to write results over these arguments.")
      .def("pass_memory", &passMemory, "Have the compiled `main` take and return memory instead of views of it.")
      .def("check_finite", &checkFinite, "unwanted"_a,
           "Request the checks of `dovetail-check-finite` for the named kinds of values.")
      .def("op_numbered", &describeNumbered, "number"_a,
           "(name, place) of the op of `main` with that number in `dovetail-check-finite`.")
      .def(
          "take_computed_ahead", &takeComputedAheadOf,
          "Move what is computed of constants alone, and takes much to compute, to the `main` of another module, whose "
          "results are further arguments of this one's; None if there is none.")
      .def("bind_arguments", &bindArguments, "values"_a, "Make the last arguments of `main` constants.")
      .def(
          "program",
          [](const Shared &module, const std::string &name) { return FlatBody(findIn(module, name).op().getBody()); },
          "name"_a, "The body of a function without calls, for the reference evaluator.");
  m.def("module", &newModule, "An empty module.");
  m.def(
      "encode_foreign", &encodeForeign, "attributes"_a,
      "The attributes of a foreign function as its library reads them: str or bytes, (bytes, dtype name) for a number, "
      "(bytes, dtype name, shape) for an array, and dicts of these.");
  m.def("is_decomposable", &isDecomposable, "name"_a, "Whether an op has an algorithm in other ops.");
  m.def("wrap", &wrap, "name"_a, "attributes"_a, "operands"_a, "results"_a.none(),
        "A module whose `main` applies one op.");

  nb::class_<Cost>(m, "Cost", "Amounts of work.")
      .def_ro("flops", &Cost::flops, "Operations of arithmetic.")
      .def_ro("transcendentals", &Cost::transcendentals, "Elements of elementary functions.")
      .def_ro("bytes", &Cost::bytes, "Bytes read and written.");

  nb::class_<DescribedImport>(m, "HostImport", "A host function that a lowered module imports.")
      .def_ro("name", &DescribedImport::name, "The symbol's name.")
      .def_ro("op", &DescribedImport::op, "The op that it computes.")
      .def_ro("attributes", &DescribedImport::attributes, "The op's attributes.")
      .def_ro("operands", &DescribedImport::operands, "Shape and element type of each operand.")
      .def_ro("results", &DescribedImport::results, "Shape and element type of each result.")
      .def_ro("has_effects", &DescribedImport::hasEffects, "True if it has side effects.");
}

} // namespace dovetail

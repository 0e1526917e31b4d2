// A function under construction: every op is inferred and verified when it is appended.
#include "Function.h"
#include "Attributes.h"
#include "Context.h"
#include "FlatBody.h"
#include "cpp/sharding/TypeShardings.h"
#include "cpp/transforms/Discharge.h"
#include "dialects/Control.h"
#include "dialects/Create.h"
#include "dialects/Shape.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

static Location locationOf(const SourceLocation &location) {
  const auto &[file, line, name] = location;
  if (file.empty())
    return UnknownLoc::get(&context());
  Location inFile = FileLineColLoc::get(&context(), file, line, 0);
  return name.empty() ? inFile : Location(NameLoc::get(StringAttr::get(&context(), name), inFile));
}

Function::Function(std::shared_ptr<Module> owner, const std::string &name, bool isPublic,
                   const SourceLocation &location)
    : module(std::move(owner)) {
  function = func::FuncOp::create(locationOf(location), name, FunctionType::get(&context(), {}, {}));
  if (!isPublic)
    function.setPrivate();
  module->symbols->insert(function);
  function.addEntryBlock();
}

unsigned Function::number(Value value) {
  auto [it, isNew] = numbers.try_emplace(value, values.size());
  if (isNew)
    values.push_back(value);
  return it->second;
}

unsigned Function::addArgument(const std::vector<int64_t> &shape, const std::string &element,
                               const SourceLocation &location) {
  return number(function.front().addArgument(arrayType(shape, element), locationOf(location)));
}

/// Result types of an op that infers them.
static LogicalResult inferTypes(OperationState &state) {
  std::optional<RegisteredOperationName> info = state.name.getRegisteredInfo();
  if (!info)
    return emitError(state.location) << "no op is called '" << state.name << "'";
  auto *inference = info->getInterface<InferTypeOpInterface>();
  if (!inference)
    return emitError(state.location) << "'" << state.name << "' does not infer its result types";
  DictionaryAttr attributes = state.attributes.getDictionary(&context());
  std::unique_ptr<char[]> storage;
  OpaqueProperties properties(nullptr);
  if (info->getOpPropertyByteSize() > 0) {
    storage.reset(new char[info->getOpPropertyByteSize()]);
    properties = OpaqueProperties(storage.get());
    info->initOpProperties(properties, OpaqueProperties(nullptr));
    auto report = [&] { return emitError(state.location); };
    if (failed(info->setOpPropertiesFromAttribute(state.name, properties, attributes, report))) {
      info->destroyOpProperties(properties);
      return failure();
    }
  }
  LogicalResult inferred = inference->inferReturnTypes(&context(), state.location, state.operands, attributes,
                                                       properties, state.regions, state.types);
  if (properties)
    info->destroyOpProperties(properties);
  return inferred;
}

static Shape shapeOf(Type type) {
  nb::list shape;
  for (int64_t size : sizesOf(type))
    shape.append(ShapedType::isDynamic(size) ? -1 : size);
  return Shape(nb::tuple(shape));
}

Emitted Function::emit(const std::string &name, const std::vector<unsigned> &operands, Attributes attributes,
                       GivenTypes results, const SourceLocation &location) {
  Diagnostics diagnostics;
  OperationState state(locationOf(location), "dovetail." + name);
  for (unsigned operand : operands)
    state.operands.push_back(values[operand]);
  state.attributes = toAttributes(attributes);
  std::vector<Function> regions = regionsOf(attributes);
  for (Function &body : regions)
    fill(*state.addRegion(), copyOf(body.op().getBody()));
  if (!results.is_none()) {
    for (nb::handle result : results)
      state.types.push_back(arrayType(nb::cast<std::vector<int64_t>>(result[0]), nb::cast<std::string>(result[1])));
  } else if (failed(inferTypes(state))) {
    diagnostics.raise("'" + name + "' does not apply to these operands");
  }
  Operation *op = Operation::create(state);
  function.front().push_back(op);
  if (failed(op->getName().verifyInvariants(op)) || failed(op->getName().verifyRegionInvariants(op))) {
    op->erase();
    diagnostics.raise("'" + name + "' does not apply to these operands");
  }
  nb::list described;
  for (Value result : op->getResults())
    described.append(nb::make_tuple(number(result), shapeOf(result.getType()), elementOf(result.getType())));
  return described;
}

unsigned Function::emitSize(const std::string &name, const std::vector<unsigned> &operands, int64_t constant,
                            const SourceLocation &location) {
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  Emitter e(builder, locationOf(location));
  if (name == "constant")
    return number(e.make<arith::ConstantIndexOp>(constant));
  Value x = values[operands[0]];
  if (name == "dim")
    return number(e.size(x, constant));
  Value y = values[operands[1]];
  if (name == "add")
    return number(e.make<arith::AddIOp>(x, y));
  if (name == "mul")
    return number(e.make<arith::MulIOp>(x, y));
  if (name == "max")
    return number(e.make<arith::MaxSIOp>(x, y));
  if (name == "min")
    return number(e.make<arith::MinSIOp>(x, y));
  if (name == "div")
    return number(e.make<arith::DivUIOp>(x, y));
  if (name == "floor_div")
    return number(e.make<arith::FloorDivSIOp>(x, y));
  throw CompilerError("sizes have no operation '" + name + "'", "", 0);
}

SizeSource Function::sizeSource(unsigned numbered, int64_t dimension) {
  auto result = dyn_cast<OpResult>(values[numbered]);
  if (!result)
    return nb::none();
  if (DimSource source = dovetail::sizeSource(result, dimension); source.value)
    return nb::make_tuple(number(source.value), source.dimension.value_or(-1));
  Operation *op = result.getOwner();
  auto stated = dyn_cast<ResultSizeOpInterface>(op);
  if (!stated)
    return nb::none();
  Diagnostics diagnostics;
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  Emitter e(builder, op->getLoc());
  Value size = stated.resultSize(e, op->getOperands(), result.getResultNumber(), dimension);
  if (!size)
    diagnostics.raise("the size of a result is not known");
  return nb::make_tuple(number(size), -1);
}

/// An array as one of a type with sizes that are known only when the program runs, which a function was traced with.
static Value fitted(OpBuilder &builder, Value x, Type wanted) {
  if (x.getType() == wanted)
    return x;
  auto type = cast<RankedTensorType>(wanted), own = cast<RankedTensorType>(x.getType());
  SmallVector<Value> sizes;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(own.isDynamicDim(d)
                          ? DimOp::create(builder, x.getLoc(), x, d).getResult()
                          : arith::ConstantIndexOp::create(builder, x.getLoc(), own.getDimSize(d)).getResult());
  return ReshapeOp::create(builder, x.getLoc(), type, x, sizes);
}

std::vector<unsigned> Function::splice(const Function &flat, const std::vector<unsigned> &arguments) {
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  SmallVector<Value> operands;
  func::FuncOp source = flat.function;
  for (auto [argument, type] : llvm::zip_equal(arguments, source.getArgumentTypes()))
    operands.push_back(fitted(builder, values[argument], type));
  std::vector<unsigned> results;
  module->keepWhatIsKeptBy(*flat.module);
  for (Value result : inlineBody(builder, source.getBody(), operands))
    results.push_back(number(result));
  return results;
}

void Function::rearrange(const std::vector<unsigned> &positions,
                         const std::vector<std::pair<std::vector<int64_t>, std::string>> &types) {
  SmallVector<Type> arguments;
  for (const auto &[shape, element] : types)
    arguments.push_back(arrayType(shape, element));
  Body body(function.getLoc());
  body.region->takeBody(function.getBody());
  body.arrange(ArrayRef<unsigned>(positions), arguments);
  function.getBody().takeBody(*body.region);
  function.setFunctionType(FunctionType::get(&context(), arguments, function.getResultTypes()));
}

void Function::inferShardings(const std::vector<unsigned> &results) {
  Diagnostics diagnostics;
  Operation *op = results.empty() ? nullptr : values[results.front()].getDefiningOp();
  if (!op)
    return;
  auto operands = llvm::map_to_vector(op->getOperands(), [&](Value operand) { return shardings.lookup(operand); });
  FailureOr<SmallVector<ShardingAttr>> inferred = typeShardings(op, operands);
  if (failed(inferred))
    diagnostics.raise("the shardings of the results are not known");
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), *inferred))
    shardings[result] = sharding;
}

void Function::finish(const std::vector<unsigned> &results) {
  OpBuilder builder = OpBuilder::atBlockEnd(&function.front());
  SmallVector<Value> returned;
  for (unsigned result : results)
    returned.push_back(values[result]);
  func::ReturnOp::create(builder, function.getLoc(), returned);
  function.setFunctionType(
      FunctionType::get(&context(), function.front().getArgumentTypes(), ValueRange(returned).getTypes()));
}

Function::OfReferences Function::discharge() {
  Diagnostics diagnostics;
  FailureOr<Discharged> result = dovetail::discharge(function);
  if (failed(result))
    diagnostics.raise("the references of the function cannot be discharged");
  OfReferences found{{result->written.begin(), result->written.end()}, {}};
  for (auto [argument, depth, isRead] : result->echoed)
    found.second.emplace_back(argument, depth, isRead);
  return found;
}

std::vector<unsigned> Function::argumentsOf(unsigned target) {
  DenseSet<Value> seen;
  SmallVector<Value> worklist = {values[target]};
  llvm::BitVector found(function.front().getNumArguments());
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      found.set(argument.getArgNumber());
    else
      llvm::append_range(worklist, value.getDefiningOp()->getOperands());
  }
  std::vector<unsigned> arguments;
  for (unsigned i : found.set_bits())
    arguments.push_back(number(function.front().getArgument(i)));
  return arguments;
}

Instructions Function::slice(const std::vector<unsigned> &targets, const std::vector<unsigned> &known) {
  DenseSet<Value> available;
  for (unsigned value : known)
    available.insert(values[value]);
  DenseSet<Operation *> needed;
  SmallVector<Value> worklist;
  for (unsigned target : targets)
    worklist.push_back(values[target]);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (available.contains(value) || !op || !needed.insert(op).second)
      continue;
    llvm::append_range(worklist, op->getOperands());
  }
  auto ops = llvm::to_vector(needed);
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Instructions described;
  for (Operation *op : ops)
    described.append(nb::cast(describe(op, [&](Value value) { return number(value); })));
  return described;
}

Instruction describe(Operation *op, llvm::function_ref<unsigned(Value)> number) {
  nb::list operands, results, shapes, elements;
  for (Value operand : op->getOperands())
    operands.append(number(operand));
  for (Value result : op->getResults()) {
    results.append(number(result));
    shapes.append(shapeOf(result.getType()));
    elements.append(elementOf(result.getType()));
  }
  StringRef name = op->getName().getStringRef();
  name.consume_front("dovetail.");
  Attributes attributes = fromAttributes(op);
  if (op->getNumRegions() != 0) {
    nb::list regions;
    for (Region &region : op->getRegions())
      regions.append(nb::cast(FlatBody(region)));
    attributes["regions"] = nb::tuple(regions);
  }
  return {nb::str(name.data(), name.size()),
          nb::tuple(operands),
          nb::tuple(results),
          attributes,
          nb::tuple(shapes),
          nb::tuple(elements),
          sourceLocationOf(op->getLoc())};
}

} // namespace dovetail

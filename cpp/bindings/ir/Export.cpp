// Combines functions of several modules into one, for other processes.
#include "Export.h"
#include "Attributes.h"
#include "Context.h"
#include "Function.h"
#include "cpp/transforms/CallGraph.h"
#include "cpp/transforms/Expand.h"
#include "dialects/Call.h"
#include "dialects/Create.h"
#include "dialects/Custom.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringSet.h"
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

/// Adds `function` of another module to `module`, with the functions that it needs; conflicting names are changed.
static Function adopt(const Shared &module, const Function &function) {
  FailureOr<SmallVector<func::FuncOp>> needed = calleesFirst(function.op());
  if (failed(needed))
    throw CompilerError("a function must not call itself", "", 0);
  // A module's own main function keeps its name.
  auto isTaken = [&](StringRef name) { return name == "main" || module->symbols->lookup(name); };
  llvm::StringSet<> own;
  for (func::FuncOp callee : *needed)
    own.insert(callee.getSymName());
  llvm::StringMap<StringAttr> names;
  unsigned uniquing = 0;
  for (func::FuncOp callee : *needed) {
    StringRef name = callee.getSymName();
    if (isTaken(name))
      names[name] =
          StringAttr::get(callee.getContext(),
                          SymbolTable::generateSymbolName<64>(
                              name, [&](StringRef each) { return isTaken(each) || own.contains(each); }, uniquing));
  }
  // All at once: each renaming of one symbol would look through all functions for its uses.
  AttrTypeReplacer renamed;
  renamed.addReplacement([&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
    auto found = names.find(symbol.getValue());
    return found == names.end() ? symbol : FlatSymbolRefAttr::get(found->second);
  });
  func::FuncOp last;
  for (func::FuncOp callee : *needed) {
    last = callee.clone();
    renamed.recursivelyReplaceElementsIn(last);
    if (auto found = names.find(callee.getSymName()); found != names.end())
      last.setSymNameAttr(found->second);
    last.setPrivate();
    module->symbols->insert(last);
  }
  module->keepWhatIsKeptBy(*function.module);
  return Function(module, last);
}

/// Whether transforms of a function ask this process for rules.
static bool asksForRules(const Function &function) {
  FailureOr<SmallVector<func::FuncOp>> needed = calleesFirst(function.op());
  return succeeded(needed) && llvm::any_of(*needed, [](func::FuncOp callee) {
           return callee
               .walk([](Operation *op) {
                 auto vjp = dyn_cast<CustomVjpOp>(op);
                 bool asks = isa<ResolveOpInterface, CustomVmapOp>(op) || (vjp && isa<StringAttr>(vjp.getBwd()));
                 return asks ? WalkResult::interrupt() : WalkResult::advance();
               })
               .wasInterrupted();
         });
}

/// Makes a function public under a name. A private one that has it gets another.
static void publish(const Function &function, const std::string &name) {
  func::FuncOp op = function.op();
  op.setPublic();
  if (op.getSymName() == name)
    return;
  SymbolTable &symbols = *function.module->symbols;
  auto *other = symbols.lookup(name);
  if (other && SymbolTable::getSymbolVisibility(other) != SymbolTable::Visibility::Private)
    throw CompilerError("the module has another function called '" + name + "'", "", 0);
  if ((other && failed(symbols.renameToUnique(other, {}))) || failed(symbols.rename(op, name)))
    throw CompilerError("the functions' names cannot be changed", "", 0);
}

/// Adds reflection attributes to those of a function.
static void reflect(const Function &function, nb::typed<nb::dict, nb::str, nb::str> texts) {
  Builder b(&context());
  NamedAttrList entries(function.op()->getAttrOfType<DictionaryAttr>("iree.reflection"));
  for (auto [key, text] : texts)
    entries.set(nb::cast<std::string>(key), b.getStringAttr(nb::cast<std::string>(text)));
  function.op()->setAttr("iree.reflection", entries.getDictionary(&context()));
}

/// Replaces arguments by the values that `make` creates for each, and removes them.
template <typename Make>
static void replaceArguments(func::FuncOp function, ArrayRef<unsigned> positions, Make make) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  llvm::BitVector replaced(function.getNumArguments());
  for (auto [i, position] : llvm::enumerate(positions)) {
    replaced.set(position);
    function.getArgument(position).replaceAllUsesWith(make(builder, i, function.getArgument(position)));
  }
  if (failed(function.eraseArguments(replaced)))
    throw CompilerError("arguments of '" + function.getSymName().str() + "' cannot be removed", "", 0);
}

/// Makes arguments constants.
static void bindConstants(const Function &function, const std::vector<unsigned> &positions,
                          nb::typed<nb::list, EncodedArray> values) {
  replaceArguments(function.op(), positions, [&](OpBuilder &builder, size_t i, BlockArgument argument) -> Value {
    nb::dict attributes;
    attributes["value"] = values[i];
    auto elements = cast<ElementsAttr>(toAttributes(attributes).get("value"));
    return ConstantOp::create(builder, argument.getLoc(), elements.getType(), elements);
  });
}

/// Turns arguments of a lowered function into parameters, read from a file under these keys.
static void bindParameters(const Function &function, const std::vector<unsigned> &positions,
                           const std::vector<std::string> &keys, const std::string &scope) {
  Builder b(&context());
  ModuleOp module = *function.module->op;
  replaceArguments(function.op(), positions, [&](OpBuilder &builder, size_t i, BlockArgument argument) -> Value {
    StringAttr name = b.getStringAttr(scope + "." + keys[i]);
    if (!module.lookupSymbol(name)) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << "parameter.named<" << b.getStringAttr(scope) << "::" << b.getStringAttr(keys[i]) << '>';
      OperationState global(argument.getLoc(), "util.global");
      global.addAttribute("sym_name", name);
      global.addAttribute("sym_visibility", b.getStringAttr("private"));
      global.addAttribute("type", TypeAttr::get(argument.getType()));
      global.addAttribute("initial_value", OpaqueAttr::get(b.getStringAttr("flow"), text, argument.getType()));
      module.getBody()->push_front(Operation::create(global));
    }
    OperationState load(argument.getLoc(), "util.global.load", ValueRange(), argument.getType());
    load.addAttribute("global", FlatSymbolRefAttr::get(name));
    return builder.create(load)->getResult(0);
  });
}

/// Turns ops with rules of this process into plain calls.
static void forgetRules(const Shared &module) {
  Diagnostics diagnostics;
  Functions functions(*module->op);
  if (failed(resolveAll(*module->op, functions)))
    diagnostics.raise("an operation of the program cannot be lowered");
  SmallVector<CustomVmapOp> ops;
  module->op->walk([&](CustomVmapOp op) { ops.push_back(op); });
  for (CustomVmapOp op : ops) {
    OpBuilder builder(op);
    SmallVector<Value> operands(op.getArgs());
    llvm::append_range(operands, op.getCaptured());
    auto call = CallOp::create(builder, op.getLoc(), op.getResultTypes(), op.getCalleeAttr(), operands);
    op->replaceAllUsesWith(call->getResults());
    op->erase();
  }
  module->kept.clear();
}

void bindExport(nb::module_ &m) {
  m.def("adopt", &adopt, "module"_a, "function"_a, "Add a function of another module to a module.");
  m.def("asks_for_rules", &asksForRules, "function"_a, "Whether transforms of a function ask this process for rules.");
  m.def("publish", &publish, "function"_a, "name"_a, "Make a function public under a name.");
  m.def("reflect", &reflect, "function"_a, "texts"_a, "Set what a loaded module says of a function.");
  m.def("bind_constants", &bindConstants, "function"_a, "positions"_a, "values"_a, "Make arguments constants.");
  m.def("bind_parameters", &bindParameters, "function"_a, "positions"_a, "keys"_a, "scope"_a,
        "Make arguments of a lowered function parameters.");
  m.def("forget_rules", &forgetRules, "module"_a, "Make calls of what rules of this process batch plain calls.");
}

} // namespace dovetail

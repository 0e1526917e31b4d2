// Python's view of a module as numbered lines, with what each op and value is.
#include "Listing.h"
#include "BindModule.h"
#include "FlatBody.h"
#include "cpp/cost/Cost.h"
#include "cpp/sharding/Shardings.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/SetVector.h"
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

namespace {

/// A value of a module.
struct ListedValue {
  std::string name, type, sharding;
  double bytes;
};

/// An op of a module; values and ops are named by their numbers.
struct ListedOp {
  std::string name;
  unsigned line;
  int parent;
  std::vector<unsigned> operands, results, arguments;
  std::vector<std::string> callees;
  std::vector<unsigned> origins;
  SourceLocation place;
  std::optional<Cost> cost;
};

struct Listing {
  std::string text;
  std::vector<ListedOp> ops;
  std::vector<ListedValue> values;
};

} // namespace

// Elements that no reader looks at.
constexpr int64_t kLongest = 32;

/// Numbers ops from 1 in the column of their location, which phases keep.
static void numberOps(const std::shared_ptr<Module> &module) {
  unsigned number = 0;
  MLIRContext *context = module->op->getContext();
  module->op->walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto [file, line, name] = sourceLocationOf(op->getLoc());
    Location place = FileLineColLoc::get(context, file, line, ++number);
    op->setLoc(name.empty() ? place : NameLoc::get(StringAttr::get(context, name), place));
  });
}

/// The numbers that `numberOps` gave to the ops from which an op was made.
static std::vector<unsigned> originsOf(Operation *op) {
  llvm::SmallSetVector<unsigned, 4> origins;
  op->getLoc()->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner); file && file.getColumn())
      origins.insert(file.getColumn());
    return WalkResult::advance();
  });
  return std::vector<unsigned>(origins.begin(), origins.end());
}

static std::vector<std::string> calleesOf(Operation *op) {
  std::vector<std::string> callees;
  if (!isa<ModuleOp>(op))
    for (NamedAttribute attribute : op->getAttrs())
      attribute.getValue().walk([&](FlatSymbolRefAttr callee) { callees.push_back(callee.getValue().str()); });
  return callees;
}

/// The cost of an op that is no request, nor made of other ops that are listed.
static std::optional<Cost> costOfListed(Operation *op) {
  if (!isa_and_nonnull<DovetailDialect>(op->getDialect()) || isa<RequestOpInterface>(op))
    return std::nullopt;
  return costOf(op);
}

static std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

namespace {

class Lister {
public:
  Lister(ModuleOp module, Listing &listing) : listing(listing) {
    OpPrintingFlags flags;
    flags.elideLargeElementsAttrs(kLongest).elideLargeResourceString(kLongest);
    readShardings(module);
    AsmState state(module, flags, &lines);
    llvm::raw_string_ostream stream(listing.text);
    module->print(stream, state);
    add(module, -1, state);
  }

private:
  /// Remembers the shardings that `dovetail-propagate-shardings` found, which are no part of the text.
  void readShardings(ModuleOp module) {
    module->walk([&](Operation *op) {
      if (auto found = op->getAttrOfType<ArrayAttr>(kShardings))
        for (auto [value, sharding] : llvm::zip(op->getResults(), found))
          shardings[value] = sharding;
      if (auto found = op->getAttrOfType<ArrayAttr>(kArgumentShardings))
        for (auto [region, ofRegion] : llvm::zip(op->getRegions(), found.getAsRange<ArrayAttr>()))
          for (auto [value, sharding] : llvm::zip(region.getArguments(), ofRegion))
            shardings[value] = sharding;
      op->removeAttr(kShardings);
      op->removeAttr(kArgumentShardings);
    });
    for (auto function : module.getOps<func::FuncOp>())
      for (BlockArgument argument : function.getBody().getArguments())
        if (Attribute sharding = function.getArgAttr(argument.getArgNumber(), kSharding))
          shardings[argument] = sharding;
  }

  unsigned numberOf(Value value, AsmState &state) {
    auto [it, isNew] = numbers.try_emplace(value, listing.values.size());
    if (isNew) {
      std::string name, type;
      llvm::raw_string_ostream nameStream(name), typeStream(type);
      value.printAsOperand(nameStream, state);
      typeStream << value.getType();
      Attribute sharding = shardings.lookup(value);
      if (auto tensor = dyn_cast<RankedTensorType>(value.getType()); tensor && !sharding)
        sharding = dyn_cast_or_null<ShardingAttr>(tensor.getEncoding());
      listing.values.push_back(
          {name, type, sharding ? textOf(sharding) : "", isa<RankedTensorType>(value.getType()) ? bytesOf(value) : 0});
    }
    return it->second;
  }

  void add(Operation *op, int parent, AsmState &state) {
    unsigned line = lines.lookup(op).first;
    // A terminator without operands may not be printed.
    if (!line)
      return;
    unsigned number = listing.ops.size();
    auto numbersOf = [&](ValueRange values) {
      return llvm::map_to_vector(values, [&](Value value) { return numberOf(value, state); });
    };
    auto toVector = [](ArrayRef<unsigned> from) { return std::vector<unsigned>(from.begin(), from.end()); };
    ListedOp &listed = listing.ops.emplace_back();
    listed = {op->getName().getStringRef().str(),
              line,
              parent,
              toVector(numbersOf(op->getOperands())),
              toVector(numbersOf(op->getResults())),
              {},
              calleesOf(op),
              originsOf(op),
              sourceLocationOf(op->getLoc()),
              costOfListed(op)};
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (unsigned argument : numbersOf(block.getArguments()))
          listing.ops[number].arguments.push_back(argument);
        for (Operation &inner : block)
          add(&inner, number, state);
      }
  }

  Listing &listing;
  AsmState::LocationMap lines;
  DenseMap<Value, unsigned> numbers;
  DenseMap<Value, Attribute> shardings;
};

} // namespace

static Listing listingOf(const std::shared_ptr<Module> &module) {
  OwningOpRef<ModuleOp> copy(cast<ModuleOp>(module->op->getOperation()->clone()));
  Listing listing;
  Lister(*copy, listing);
  return listing;
}

void bindListing(nb::module_ &m) {
  nb::class_<ListedValue>(m, "ListedValue", "A value of a listing.")
      .def_ro("name", &ListedValue::name, "Its name in the text.")
      .def_ro("type", &ListedValue::type, "Its type.")
      .def_ro("sharding", &ListedValue::sharding, "Its sharding; empty if it has none.")
      .def_ro("bytes", &ListedValue::bytes, "Its size, if it is an array.");
  nb::class_<ListedOp>(m, "ListedOp", "An op of a listing; values and ops are named by their numbers.")
      .def_ro("name", &ListedOp::name, "Its name.")
      .def_ro("line", &ListedOp::line, "Its first line in the text, counted from 1.")
      .def_ro("parent", &ListedOp::parent, "The op in whose body it is; -1 for the module.")
      .def_ro("operands", &ListedOp::operands, "Its operands.")
      .def_ro("results", &ListedOp::results, "Its results.")
      .def_ro("arguments", &ListedOp::arguments, "The arguments of its bodies.")
      .def_ro("callees", &ListedOp::callees, "The functions that it names.")
      .def_ro("origins", &ListedOp::origins, "The numbers, by `number_ops`, of the ops from which it was made.")
      .def_ro("place", &ListedOp::place, "Where it is in the user's program.")
      .def_ro("cost", &ListedOp::cost, "The work of one run; None for requests and the ops of other dialects.");
  nb::class_<Listing>(m, "Listing", "A module as text, with what each op and value is.")
      .def_ro("text", &Listing::text, "The text, in which long constants are left out.")
      .def_ro("ops", &Listing::ops, "The ops, in the order of the text.")
      .def_ro("values", &Listing::values, "The values.");
  m.def("listing", &listingOf, "module"_a, "The listing of a module.");
  m.def("number_ops", &numberOps, "module"_a,
        "Number ops from 1, in the order of the text; the numbers stay with what phases make of them.");
}

} // namespace dovetail

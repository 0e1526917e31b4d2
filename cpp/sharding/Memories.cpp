// The kinds of memory that the results of a program are in.
#include "Memories.h"
#include "dialects/Control.h"
#include "dialects/ShardMap.h"

using namespace mlir;

namespace dovetail {

namespace {

class Memories {
public:
  explicit Memories(StringAttr common) : common(common) {}

  void run(Region &body);
  StringAttr of(Value value) const { return known.lookup(value); }
  void add(Value value, StringAttr memory);

private:
  void visit(Operation *op);

  StringAttr common;
  DenseMap<Value, StringAttr> known;
  /// Whether anything was added since the last round: a value only goes from none to one, and from one to `common`.
  bool isChanged = false;
};

} // namespace

void Memories::add(Value value, StringAttr memory) {
  if (!memory)
    return;
  StringAttr &has = known[value];
  StringAttr joined = !has || has == memory ? memory : common;
  isChanged |= joined != has;
  has = joined;
}

void Memories::visit(Operation *op) {
  if (auto flow = dyn_cast<FlowOpInterface>(op)) {
    forEachSource(op, [&](OpOperand &source) {
      flow.forEachTarget(source, [&](Value target, Flow) { add(target, of(source.get())); });
    });
    return;
  }
  auto reshard = dyn_cast<ReshardOp>(op);
  for (Value result : op->getResults()) {
    if (reshard && reshard.getMemoryAttr()) {
      add(result, reshard.getMemoryAttr());
      continue;
    }
    for (Value operand : op->getOperands())
      add(result, of(operand));
  }
}

void Memories::run(Region &body) {
  // Values flow back only in loops, and then the rounds are few: each changes the memory of a value at most twice.
  do {
    isChanged = false;
    body.walk<WalkOrder::PreOrder>([&](Operation *op) { visit(op); });
  } while (isChanged);
}

SmallVector<StringAttr> memoriesOfResults(func::FuncOp function, ArrayRef<StringAttr> arguments, StringAttr common) {
  Memories memories(common);
  for (auto [argument, memory] : llvm::zip_equal(function.getArguments(), arguments))
    memories.add(argument, memory);
  memories.run(function.getBody());
  return llvm::map_to_vector(function.getBody().front().getTerminator()->getOperands(),
                             [&](Value result) { return memories.of(result); });
}

} // namespace dovetail

// Rules that live in the program that builds a module; the dialect calls back for them.
#include "ProgramRules.h"
#include "Dialect.h"
#include "mlir/IR/DialectInterface.h"

using namespace mlir;

namespace dovetail {

namespace {

struct ProgramInterface : DialectInterface::Base<ProgramInterface> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProgramInterface)
  explicit ProgramInterface(Dialect *dialect) : Base(dialect) {}
  AskProgram ask;
};

} // namespace

void setProgram(MLIRContext &context, AskProgram ask) {
  auto *dialect = context.getLoadedDialect<DovetailDialect>();
  if (!dialect->getRegisteredInterface<ProgramInterface>())
    dialect->addInterfaces<ProgramInterface>();
  const_cast<ProgramInterface *>(dialect->getRegisteredInterface<ProgramInterface>())->ask = std::move(ask);
}

SmallVector<bool> marks(const llvm::SmallBitVector &mask) {
  SmallVector<bool> result;
  for (unsigned i = 0; i < mask.size(); ++i)
    result.push_back(mask.test(i));
  return result;
}

llvm::SmallBitVector maskOf(ArrayRef<bool> marks) {
  llvm::SmallBitVector mask(marks.size());
  for (auto [i, isMarked] : llvm::enumerate(marks))
    mask[i] = isMarked;
  return mask;
}

static StringRef participle(RuleKind kind) {
  switch (kind) {
  case RuleKind::Batch:
    return "batched";
  case RuleKind::Jvp:
    return "differentiated";
  case RuleKind::Transpose:
  case RuleKind::Backward:
    return "transposed";
  case RuleKind::Lower:
    return "lowered";
  case RuleKind::Partition:
    return "partitioned";
  }
  llvm_unreachable("a kind of rule");
}

/// Inserts the functions of an answer into the module under construction; returns its `main`.
static func::FuncOp takeOver(Emitter &e, ModuleOp module) {
  llvm::DenseMap<StringAttr, FlatSymbolRefAttr> names;
  SmallVector<func::FuncOp> functions;
  func::FuncOp main;
  for (auto function : module.getOps<func::FuncOp>()) {
    Body body(function.getLoc());
    SmallVector<Value> results(function.front().getTerminator()->getOperands());
    function.front().getTerminator()->erase();
    body.region->takeBody(function.getBody());
    body.results = results;
    func::FuncOp made = e.transforms().add(e.loc, "rule", std::move(body));
    names[function.getSymNameAttr()] = FlatSymbolRefAttr::get(made.getSymNameAttr());
    functions.push_back(made);
    if (function.getSymName() == "main")
      main = made;
  }
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FlatSymbolRefAttr name) {
    auto it = names.find(name.getAttr());
    return std::pair(it == names.end() ? name : it->second, WalkResult::skip());
  });
  for (func::FuncOp function : functions)
    function.getBody().walk([&](Operation *op) { replacer.replaceElementsIn(op); });
  return main;
}

FailureOr<MadeByRule> askProgram(Operation *op, StringRef what, Emitter &e, const RuleQuestion &question) {
  const auto *program = op->getDialect()->getRegisteredInterface<ProgramInterface>();
  if (!program || !program->ask)
    return op->emitError() << "'" << what << "' must be " << participle(question.kind)
                           << " by the program that has its rule, \"" << question.rules
                           << "\", got: a program that has none";
  if (question.kind == RuleKind::Batch && ShapedType::isDynamic(question.batch))
    return op->emitError() << "the rule of '" << what << "' needs a batch of static size, got: one of unknown size";
  FailureOr<RuleAnswer> answer = program->ask(question);
  if (failed(answer))
    return failure();
  return MadeByRule{takeOver(e, *answer->module), answer->marks, answer->shardings};
}

} // namespace dovetail

// The vocabulary for algorithms on one matrix: loops whose bodies capture outer values.
#include "Algebra.h"
#include "dialects/Control.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Turns captured outer values into additional arguments of all bodies. Ops without operands, such as constants, are
/// cloned into the bodies, where they fold.
class Capture {
public:
  explicit Capture(MutableArrayRef<Body *> bodies) : bodies(bodies) {
    for (Body *body : bodies) {
      body->region->walk([&](Operation *op) {
        for (OpOperand &operand : op->getOpOperands())
          if (isOutside(*body, operand.get()))
            operand.set(inside(*body, operand.get()));
      });
      for (Value &result : body->results)
        if (isOutside(*body, result))
          result = inside(*body, result);
    }
  }

  SmallVector<Value> consts;

private:
  /// Values of loops within a body belong to it. Regions under construction have no op.
  static bool isOutside(Body &body, Value value) {
    Region *region = value.getParentRegion();
    while (region && region != body.region.get())
      region = region->getParentOp() ? region->getParentRegion() : nullptr;
    return !region;
  }

  Value inside(Body &body, Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getNumOperands() == 0 && op->getNumRegions() == 0 && isPure(op)) {
      Value &copy = copies[{&body, value}];
      if (!copy) {
        OpBuilder begin = body.builder();
        begin.setInsertionPointToStart(&body.block());
        copy = begin.clone(*op)->getResult(cast<OpResult>(value).getResultNumber());
      }
      return copy;
    }
    const auto *known = llvm::find(consts, value);
    size_t number = known - consts.begin();
    if (known == consts.end()) {
      consts.push_back(value);
      for (Body *each : bodies)
        each->block().addArgument(value.getType(), value.getLoc());
    }
    return body.block().getArgument(body.block().getNumArguments() - consts.size() + number);
  }

  MutableArrayRef<Body *> bodies;
  DenseMap<std::pair<Body *, Value>, Value> copies;
};

} // namespace

Algebra::Values Algebra::scan(ValueRange inits, ValueRange xs, Step step, bool reverse) {
  Loop loop;
  loop.inits = inits;
  loop.xs = xs;
  loop.length = typeOf(xs[0]).isDynamicDim(0) ? -1 : sizeOf(xs[0], 0);
  loop.reverse = reverse;
  SmallVector<Type> types(inits.getTypes());
  for (Value x : xs)
    types.push_back(withShape(x.getType(), typeOf(x).getShape().drop_front()));
  Body body(loc, types);
  OpBuilder inner = body.builder();
  Algebra e(inner, loc);
  ValueRange arguments = body.arguments();
  body.results = step(e, arguments.take_front(inits.size()), arguments.drop_front(inits.size()));
  body.prune();
  Body *bodies[] = {&body};
  loop.consts = Capture(bodies).consts;
  return llvm::to_vector_of<Value>(loop.emit(*this, std::move(body)));
}

Algebra::Values Algebra::repeat(ValueRange inits, Predicate predicate, Update update) {
  Body cond(loc, inits.getTypes()), body(loc, inits.getTypes());
  OpBuilder inCond = cond.builder(), inBody = body.builder();
  Algebra condition(inCond, loc), step(inBody, loc);
  cond.results = {predicate(condition, cond.arguments())};
  body.results = update(step, body.arguments());
  cond.prune();
  body.prune();
  Body *bodies[] = {&cond, &body};
  SmallVector<Value> consts = Capture(bodies).consts;
  auto loop = WhileOp::create(builder, loc, inits.getTypes(), inits, consts, IntegerAttr());
  fill(loop.getCond(), std::move(cond));
  fill(loop.getBody(), std::move(body));
  return llvm::to_vector_of<Value>(loop->getResults());
}

Algebra::Values Algebra::branch(Value index, TypeRange types, unsigned count,
                                function_ref<Values(Algebra &, unsigned)> emit) {
  SmallVector<Body> made;
  for (unsigned i = 0; i < count; ++i) {
    Body &body = made.emplace_back(loc);
    OpBuilder inner = body.builder();
    Algebra e(inner, loc);
    body.results = emit(e, i);
    body.prune();
  }
  auto bodies = llvm::map_to_vector(made, [](Body &body) { return &body; });
  SmallVector<Value> consts = Capture(bodies).consts;
  auto choice = CaseOp::create(builder, loc, types, index, consts, count);
  for (auto [region, body] : llvm::zip_equal(choice.getBranches(), made))
    fill(region, std::move(body));
  return llvm::to_vector_of<Value>(choice->getResults());
}

Algebra::Values Algebra::capture(Body &body) {
  Body *bodies[] = {&body};
  return Capture(bodies).consts;
}

} // namespace dovetail

// The programs of a grid at once: loops and branches within them.
#include "Vectorizing.h"

using namespace mlir;

namespace dovetail {

SmallVector<unsigned> Vectorizing::countedArguments(Block &block) {
  SmallVector<unsigned> counted;
  for (BlockArgument argument : block.getArguments())
    if (Value passed = passedAs(argument); passed && lanes.lookup(passed))
      if (auto indices = affineIndices(passed); indices && indices->size() == 1)
        if (strideOf(indices->front()))
          counted.push_back(argument.getArgNumber());
  return counted;
}

/// Where `counted` arguments have their first values: after the others.
static Value firstValue(Emitter &e, Value passed, function_ref<Value(Value)> firstOf) {
  auto indices = affineIndices(passed);
  Type element = getElementTypeOrSelf(passed);
  return e.reshape(emitIndices(e, *indices, element, firstOf), RankedTensorType::get({}, element), {});
}

LogicalResult Vectorizing::visitLoop(Emitter &e, ScanOp op) {
  unsigned numInits = op.getInits().size(), numXs = op.getXs().size();
  Block &block = op.getBody().front();
  SmallVector<unsigned> counted = countedArguments(block);
  Loop all;
  all.length = op.getLength();
  all.reverse = op.getReverse();
  all.count = op.getCount() ? made.lookup(op.getCount()) : Value();
  // The lanes of the body's arguments; those of carries grow.
  SmallVector<Lanes> taken;
  for (auto [i, argument] : llvm::enumerate(block.getArguments())) {
    Lanes is = lanes.lookup(op->getOperand(i));
    bool isX = i >= numInits && i < numInits + numXs;
    if (isX && is)
      is = is.dim == 0 ? Lanes{0, false} : Lanes{is.dim - 1, is.isJoined};
    else if (is && !is.isJoined && i < numInits)
      is.dim = 0;
    taken.push_back(is);
  }
  for (unsigned i = numInits; i < numInits + numXs; ++i) {
    Lanes is = taken[i];
    all.xs.push_back(valueAs(e, op->getOperand(i), is ? Lanes{is.dim + 1, is.isJoined} : is));
  }
  for (unsigned i = numInits + numXs; i < block.getNumArguments(); ++i)
    all.consts.push_back(made.lookup(op->getOperand(i)));
  for (unsigned i : counted)
    all.consts.push_back(firstValue(e, op->getOperand(i), [&](Value symbol) { return firstOf(e, symbol); }));

  while (true) {
    SmallVector<Type> types;
    for (auto [argument, is] : llvm::zip_equal(block.getArguments(), taken))
      types.push_back(is ? Type(typeAs(argument.getType(), is)) : argument.getType());
    for (unsigned i : counted)
      types.push_back(RankedTensorType::get({}, getElementTypeOrSelf(block.getArgument(i))));
    Body body(e.loc, types);
    for (auto [argument, to, is] : llvm::zip(block.getArguments(), body.arguments(), taken))
      set(argument, to, is);
    for (auto [n, i] : llvm::enumerate(counted))
      firsts[block.getArgument(i)] = body.arguments()[block.getNumArguments() + n];
    BodyEmitter inner(e, body);
    if (failed(visit(inner, block)))
      return failure();
    bool isGrown = false;
    ValueRange values = returned(op.getBody());
    for (unsigned i = 0; i < numInits; ++i)
      if (Lanes is = lanes.lookup(values[i]); is && !taken[i]) {
        taken[i] = is.isJoined ? is : Lanes{0, false};
        isGrown = true;
      }
    if (isGrown)
      continue;
    SmallVector<Lanes> given(ArrayRef(taken).take_front(numInits));
    for (Value value : values.drop_front(numInits)) {
      Lanes is = lanes.lookup(value);
      given.push_back(is ? Lanes{is.dim + 1, is.isJoined} : is);
    }
    for (auto [i, value] : llvm::enumerate(values))
      body.results.push_back(valueAs(inner, value, i < numInits ? given[i] : lanes.lookup(value)));
    for (unsigned i = 0; i < numInits; ++i)
      all.inits.push_back(valueAs(e, op.getInits()[i], taken[i]));
    ValueRange outs = all.emit(e, std::move(body));
    for (auto [result, out, is] : llvm::zip_equal(op->getResults(), outs, given))
      set(result, out, is);
    return success();
  }
}

LogicalResult Vectorizing::visitBranches(Emitter &e, CaseOp op) {
  SmallVector<unsigned> counted = countedArguments(op.getBranches().front().front());
  SmallVector<Value> arguments;
  for (Value argument : op.getArgs())
    arguments.push_back(made.lookup(argument));
  for (unsigned i : counted)
    arguments.push_back(firstValue(e, op.getArgs()[i], [&](Value symbol) { return firstOf(e, symbol); }));
  SmallVector<Body> bodies;
  SmallVector<Lanes> given(op->getNumResults());
  for (Region &branch : op.getBranches()) {
    Body &body = bodies.emplace_back(e.loc, ValueRange(arguments).getTypes());
    for (auto [argument, operand, to] : llvm::zip(branch.getArguments(), op.getArgs(), body.arguments()))
      set(argument, to, lanes.lookup(operand));
    for (auto [n, i] : llvm::enumerate(counted))
      firsts[branch.getArgument(i)] = body.arguments()[op.getArgs().size() + n];
    BodyEmitter inner(e, body);
    if (failed(visit(inner, branch.front())))
      return failure();
    for (auto [value, is] : llvm::zip_equal(returned(branch), given))
      if (Lanes own = lanes.lookup(value); own && !is.isJoined)
        is = own.isJoined ? own : Lanes{0, false};
  }
  SmallVector<Type> types;
  for (auto [result, is] : llvm::zip_equal(op->getResults(), given))
    types.push_back(typeAs(result.getType(), is));
  auto all = CaseOp::create(e.builder, e.loc, types, made.lookup(op.getIndex()), arguments, op.getBranches().size());
  for (auto [branch, body, to] : llvm::zip_equal(op.getBranches(), bodies, all.getBranches())) {
    BodyEmitter inner(e, body);
    for (auto [value, is] : llvm::zip_equal(returned(branch), given))
      body.results.push_back(valueAs(inner, value, is));
    fill(to, std::move(body));
  }
  for (auto [result, out, is] : llvm::zip_equal(op->getResults(), all->getResults(), given))
    set(result, out, is);
  return success();
}

} // namespace dovetail

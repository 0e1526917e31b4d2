// A flat function as plain data, for the reference evaluator.
#include "Program.h"

using namespace mlir;

namespace dovetail {

Program::Program(func::FuncOp function) {
  DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) {
    auto [it, isNew] = numbers.try_emplace(value, size);
    size += isNew;
    return it->second;
  };
  for (BlockArgument argument : function.getArguments())
    inputs.append(number(argument));
  for (Operation &op : function.front().without_terminator())
    instructions.append(describe(&op, number));
  for (Value result : function.front().getTerminator()->getOperands())
    outputs.append(number(result));
}

} // namespace dovetail

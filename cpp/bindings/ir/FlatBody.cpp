// A body without calls as plain data, for the reference evaluator.
#include "FlatBody.h"
#include "BindFunction.h"
#include "dialects/Body.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

using namespace mlir;
namespace nb = nanobind;

namespace dovetail {

SourceLocation sourceLocationOf(Location location) {
  SourceLocation place;
  location->walk([&](Location inner) {
    auto name = dyn_cast<NameLoc>(inner);
    auto file = dyn_cast<FileLineColLoc>(name ? name.getChildLoc() : inner);
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), name ? name.getName().str() : ""};
    return WalkResult::interrupt();
  });
  return place;
}

FlatBody::FlatBody(Region &body) : inputTypes(describeTypes(body.getArgumentTypes())) {
  DenseMap<Value, unsigned> numbers;
  auto number = [&](Value value) {
    auto [it, isNew] = numbers.try_emplace(value, size);
    size += isNew;
    return it->second;
  };
  for (BlockArgument argument : body.getArguments())
    inputs.append(number(argument));
  for (Operation &op : opsOf(body))
    instructions.append(nb::cast(describe(&op, number)));
  for (Value result : returned(body))
    outputs.append(number(result));
}

} // namespace dovetail

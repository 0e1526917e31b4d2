// Python's classes of meshes and shardings as attributes.
#ifndef DOVETAIL_BINDINGS_IR_SHARDINGS_H
#define DOVETAIL_BINDINGS_IR_SHARDINGS_H

#include "dialects/Dialect.h"
#include <nanobind/nanobind.h>
#include <string>
#include <tuple>
#include <vector>

namespace dovetail {

/// A mesh of the dialect: `_core.MeshAttribute`.
struct MeshHandle {
  MeshAttr attribute;
};
/// A sharding of the dialect: `_core.ShardingAttribute`.
struct ShardingHandle {
  ShardingAttr attribute;
};

using NamesOfAxes = std::vector<std::string>;
/// The axes of each dimension; those over which sums are left to do; those over which sums of cotangents are.
using ShardingAxes = std::tuple<std::vector<NamesOfAxes>, NamesOfAxes, NamesOfAxes>;
ShardingAxes shardingAxes(ShardingAttr sharding);

void bindShardings(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_SHARDINGS_H

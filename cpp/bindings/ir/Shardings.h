// Python's classes of meshes and shardings as attributes.
#ifndef DOVETAIL_BINDINGS_IR_SHARDINGS_H
#define DOVETAIL_BINDINGS_IR_SHARDINGS_H

#include "dialects/Dialect.h"
#include <nanobind/nanobind.h>
#include <string>
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

/// The axes of each dimension.
using AxesOfDims = std::vector<std::vector<std::string>>;
AxesOfDims axesOfDims(ShardingAttr sharding);

void bindShardings(nanobind::module_ &m);

} // namespace dovetail

#endif // DOVETAIL_BINDINGS_IR_SHARDINGS_H

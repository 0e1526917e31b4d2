// Python's classes of meshes and shardings as attributes.
#include "Shardings.h"
#include "Context.h"
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

static StringAttr textOf(const std::string &name) { return StringAttr::get(&context(), name); }

/// Raises the verifier's error about an attribute that cannot be made.
template <typename Attr, typename... Args>
static Attr checked(Args &&...args) {
  Diagnostics diagnostics;
  auto attribute = Attr::getChecked([] { return emitError(UnknownLoc::get(&context())); }, &context(), args...);
  if (!attribute)
    diagnostics.raise("the attribute is not valid");
  return attribute;
}

static MeshHandle makeMesh(const std::vector<std::string> &axes, const std::vector<int64_t> &sizes) {
  SmallVector<StringAttr> names = llvm::map_to_vector(axes, textOf);
  return {checked<MeshAttr>(ArrayRef(names), ArrayRef(sizes))};
}

using Names = std::vector<std::string>;

static SmallVector<AxisRefAttr> axesOf(const Names &names) {
  return llvm::map_to_vector(names,
                             [](const std::string &name) { return AxisRefAttr::get(&context(), textOf(name), 0, 0); });
}

static ShardingHandle makeSharding(const MeshHandle &mesh, const std::vector<Names> &dims,
                                   const std::vector<bool> &open, const Names &unreduced) {
  SmallVector<DimShardingAttr> parts;
  for (auto [axes, isOpen] : llvm::zip(dims, open))
    parts.push_back(DimShardingAttr::get(&context(), axesOf(axes), isOpen, 0));
  SmallVector<AxisRefAttr> none, sums = axesOf(unreduced);
  return {checked<ShardingAttr>(mesh.attribute, ArrayRef(parts), ArrayRef(none), ArrayRef(sums))};
}

AxesOfDims axesOfDims(ShardingAttr sharding) {
  AxesOfDims dims;
  for (DimShardingAttr dim : sharding.getDims()) {
    dims.emplace_back();
    for (AxisRefAttr axis : dim.getAxes())
      dims.back().push_back(axis.getName().str());
  }
  return dims;
}

template <typename Handle>
static std::string print(const Handle &handle) {
  std::string text;
  llvm::raw_string_ostream(text) << handle.attribute;
  return text;
}

void bindShardings(nb::module_ &m) {
  nb::class_<MeshHandle>(m, "MeshAttribute", "Devices arranged along named axes.")
      .def(
          "__init__",
          [](MeshHandle *self, const Names &axes, const std::vector<int64_t> &sizes) {
            new (self) MeshHandle(makeMesh(axes, sizes));
          },
          "axes"_a, "sizes"_a)
      .def("__str__", &print<MeshHandle>);
  nb::class_<ShardingHandle>(m, "ShardingAttribute", "The axes of a mesh over which each dimension is sharded.")
      .def(
          "__init__",
          [](ShardingHandle *self, const MeshHandle &mesh, const std::vector<Names> &dims,
             const std::vector<bool> &open,
             const Names &unreduced) { new (self) ShardingHandle(makeSharding(mesh, dims, open, unreduced)); },
          "mesh"_a, "dims"_a, "open"_a, "unreduced"_a = Names())
      .def("__str__", &print<ShardingHandle>);
}

} // namespace dovetail

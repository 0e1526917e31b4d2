// Python's classes of meshes and shardings as attributes.
#include "Shardings.h"
#include "Context.h"
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
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

static SmallVector<AxisRefAttr> axesOf(const NamesOfAxes &names) {
  return llvm::map_to_vector(names,
                             [](const std::string &name) { return AxisRefAttr::get(&context(), textOf(name), 0, 0); });
}

static ShardingHandle makeSharding(const MeshHandle &mesh, const std::vector<NamesOfAxes> &dims,
                                   const std::vector<bool> &open, const NamesOfAxes &unreduced,
                                   const NamesOfAxes &replicated) {
  SmallVector<DimShardingAttr> parts;
  for (auto [axes, isOpen] : llvm::zip(dims, open))
    parts.push_back(DimShardingAttr::get(&context(), axesOf(axes), isOpen, 0));
  SmallVector<AxisRefAttr> terms = axesOf(unreduced), same = axesOf(replicated);
  return {checked<ShardingAttr>(mesh.attribute, ArrayRef(parts), ArrayRef(same), ArrayRef(terms))};
}

ShardingAxes shardingAxes(ShardingAttr sharding) {
  auto namesOf = [](ArrayRef<AxisRefAttr> axes) {
    NamesOfAxes names;
    for (AxisRefAttr axis : axes)
      names.push_back(axis.getName().str());
    return names;
  };
  std::vector<NamesOfAxes> dims;
  for (DimShardingAttr dim : sharding.getDims())
    dims.push_back(namesOf(dim.getAxes()));
  return {dims, namesOf(sharding.getUnreduced()), namesOf(sharding.getReplicated())};
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
          [](MeshHandle *self, const NamesOfAxes &axes, const std::vector<int64_t> &sizes) {
            new (self) MeshHandle(makeMesh(axes, sizes));
          },
          "axes"_a, "sizes"_a)
      .def_prop_ro(
          "axes",
          [](const MeshHandle &self) {
            NamesOfAxes names;
            for (StringAttr name : self.attribute.getAxes())
              names.push_back(name.str());
            return std::pair(names, self.attribute.getSizes().vec());
          },
          "Their names and sizes.")
      .def("__str__", &print<MeshHandle>);
  nb::class_<ShardingHandle>(m, "ShardingAttribute", "The axes of a mesh over which each dimension is sharded.")
      .def(
          "__init__",
          [](ShardingHandle *self, const MeshHandle &mesh, const std::vector<NamesOfAxes> &dims,
             const std::vector<bool> &open, const NamesOfAxes &unreduced, const NamesOfAxes &replicated) {
            new (self) ShardingHandle(makeSharding(mesh, dims, open, unreduced, replicated));
          },
          "mesh"_a, "dims"_a, "open"_a, "unreduced"_a = NamesOfAxes(), "replicated"_a = NamesOfAxes())
      .def_prop_ro(
          "mesh",
          [](const ShardingHandle &self) {
            NamesOfAxes names;
            for (StringAttr name : self.attribute.getMesh().getAxes())
              names.push_back(name.str());
            return std::pair(names, self.attribute.getMesh().getSizes().vec());
          },
          "The names and the sizes of the mesh's axes.")
      .def_prop_ro(
          "axes", [](const ShardingHandle &self) { return shardingAxes(self.attribute); },
          "The axes over which each dimension is sharded, those over which sums are left to do, and those over which "
          "sums of cotangents are.")
      .def("__str__", &print<ShardingHandle>);
}

} // namespace dovetail

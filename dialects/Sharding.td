// Attributes: the distribution of arrays over the devices of a mesh.
#ifndef DOVETAIL_SHARDING_TD
#define DOVETAIL_SHARDING_TD

include "Dovetail.td"

def Mesh : AttrDef<Dovetail_Dialect, "Mesh"> {
  let mnemonic = "mesh";
  let summary = "devices arranged along named axes";
  let description = "Devices are numbered in row-major order of the axes. Text has one alias for each mesh, `#mesh`.";
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$axes, ArrayRefParameter<"int64_t">:$sizes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The size of an axis; 0 if the mesh has none of that name.
    int64_t sizeOf(::mlir::StringAttr axis) const;
    /// The size of an axis or sub-axis.
    int64_t sizeOf(::dovetail::AxisRefAttr axis) const;
    /// The product of the sizes of axes.
    int64_t sizeOf(::llvm::ArrayRef<::dovetail::AxisRefAttr> axes) const;
    int64_t getNumDevices() const;
  }];
}

def AxisRef : AttrDef<Dovetail_Dialect, "AxisRef"> {
  let mnemonic = "axis";
  let summary = "an axis of a mesh, or a part of one";
  let description = [{
    `"x"` is the whole axis. `"x":(m)k` is a sub-axis of size `k`: with the axis of size `n` seen as three axes of sizes
    `m`, `k` and `n / (m * k)`, from major to minor, it is the second.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, DefaultValuedParameter<"int64_t", "0">:$major,
                        DefaultValuedParameter<"int64_t", "0">:$size);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    bool isWhole() const { return getSize() == 0; }
  }];
}

def DimSharding : AttrDef<Dovetail_Dialect, "DimSharding"> {
  let mnemonic = "dim";
  let summary = "the axes over which a dimension is sharded, from major to minor";
  let description = [{
    An open dimension, `{"x", ?}`, may be sharded over more axes by propagation. `{"x"}p1` has priority 1: dimensions are
    propagated in increasing order of this number, which is 0 by default.
  }];
  let parameters = (ins OptionalArrayRefParameter<"::dovetail::AxisRefAttr">:$axes,
                        DefaultValuedParameter<"bool", "false">:$open,
                        DefaultValuedParameter<"int64_t", "0">:$priority);
  let hasCustomAssemblyFormat = 1;
}

def Sharding : AttrDef<Dovetail_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "the distribution of an array over the devices of a mesh";
  let description = "`<#mesh, [{\"x\"}, {}, {\"y\", ?}], replicated = {\"z\"}, unreduced = {\"w\"}>`: one entry for each dimension; "
                    "axes over which the array must stay replicated, and its "
                    "cotangent is still to be summed; axes over which the devices hold terms of a sum that is "
                    "still to be computed. The devices along all other axes hold the same elements.";
  let parameters = (ins "::dovetail::MeshAttr":$mesh, OptionalArrayRefParameter<"::dovetail::DimShardingAttr">:$dims,
                        OptionalArrayRefParameter<"::dovetail::AxisRefAttr">:$replicated,
                        OptionalArrayRefParameter<"::dovetail::AxisRefAttr">:$unreduced);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// No dimension is sharded.
    static ShardingAttr replicated(::dovetail::MeshAttr mesh, int64_t rank);
    /// The same with another entry, at `position`.
    ShardingAttr withDim(int64_t position, ::dovetail::DimShardingAttr dim) const;
    /// The shape of the largest part of an array: sizes that do not divide are rounded up.
    ::mlir::RankedTensorType localType(::mlir::RankedTensorType type) const;
    /// The shape of the array whose parts are all of shape `type`.
    ::mlir::RankedTensorType globalType(::mlir::RankedTensorType type) const;
  }];
}

def Shardings : TypedArrayAttrBase<Sharding, "shardings">;

#endif // DOVETAIL_SHARDING_TD

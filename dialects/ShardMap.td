// Functions of the parts of arrays that devices hold.
#ifndef DOVETAIL_SHARD_MAP_TD
#define DOVETAIL_SHARD_MAP_TD

include "Dovetail.td"
include "Sharding.td"

def ShardMapOp : ApplyOp<"shard_map", [DeclareOpInterfaceMethods<GlobalOpInterface, ["partsFunction", "manualAxes", "closedAxes"]>]> {
  let summary = "a function of parts of arrays, on each device along the manual axes of a mesh";
  let description = [{
    Argument i of the function is the device's part of operand i under `in[i]`, result i that of the op's result i under
    `out[i]`. Shardings name only manual axes. Along an axis over which an operand is not sharded, all devices get the same;
    along an axis over which a result is not sharded, all must return the same. The function's collectives name the
    manual axes. Along the mesh's other axes, arrays in the function are divided among devices as is best.

    Its meaning is the function batched over the manual axes. If it is `checked`, values that are the same along an axis
    are distinguished from values that vary: `vary` converts the former to the latter, `invariant` reductions the reverse,
    and a cotangent varies along the same axes as its primal. Along an axis over which a sharding is `unreduced`, devices
    have terms; its cotangent is `replicated` there, and the reverse. If the op is not checked, a cotangent of a value that is not sharded over
    an axis is the sum along it.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Mesh:$mesh, StrArrayAttr:$axes, Shardings:$in,
                       Shardings:$out, UnitAttr:$checked, Variadic<AnyArray>:$args);
  let assemblyFormat = [{
    $callee `on` $mesh `manual` $axes `in` $in `out` $out (`checked` $checked^)? `(` $args `)` attr-dict
    `:` functional-type($args, $outs)
  }];
}

def ReshardOp : DovetailOp<"reshard", [Pure, AllTypesMatch<["x", "ans"]>,
                                       DeclareOpInterfaceMethods<GlobalOpInterface, ["closeSharding", "closedAxes"]>,
                                       DeclareOpInterfaceMethods<LinearOpInterface>,
                                       DeclareOpInterfaceMethods<BatchOpInterface>,
                                       DeclareOpInterfaceMethods<DimsOpInterface>]> {
  let summary = "the operand, distributed in a stated way";
  let description = [{
    Open dimensions of the sharding may be sharded further, but not over `closed` axes, those that types state. The cotangent
    has the same sharding, with its `replicated` and `unreduced` axes exchanged. `memory` is the kind of memory that results which are computed of it are in; without it,
    they are in the operand's.
  }];
  let arguments = (ins AnyArray:$x, Sharding:$sharding, OptionalAttr<StrArrayAttr>:$closed, OptionalAttr<StrAttr>:$memory);
  let results = (outs AnyArray:$ans);
  let assemblyFormat = "$x `as` $sharding (`closed` $closed^)? (`in` $memory^)? attr-dict `:` type($x)";
  let hasVerifier = 1;
}

#endif // DOVETAIL_SHARD_MAP_TD

// Passes that make the program of one device from a program on whole arrays.
#ifndef DOVETAIL_SHARDING_PASSES_TD
#define DOVETAIL_SHARDING_PASSES_TD

include "cpp/PassBase.td"

def PropagateShardingsPass : ModulePass<"dovetail-propagate-shardings"> {
  let summary = "shardings of all arrays in `main`, from those that are stated";
  let description = [{
    For modules with the attribute `dovetail.partition`. Arguments and results of `main` may state their shardings in the
    attribute `dovetail.sharding`; ops on parts of arrays, and `reshard`, state those of their operands and results. From
    there axes are propagated along the factors of ops, in both directions, until nothing changes: a dimension that runs
    over the same factor as another gets the axes of that one, unless another dimension of the same array has them, or its size
    is no multiple. First come ops that reduce nothing, then all. Where dimensions disagree, each keeps its own axes. The
    result is the attribute `dovetail.shardings` of each op, and `dovetail.sharding` of each argument.
  }];
}

def PartitionPass : ModulePass<"dovetail-partition"> {
  let summary = "`main` becomes a function of the parts of arrays that one device holds";
  let description = [{
    For modules with the attribute `dovetail.partition`, after `dovetail-propagate-shardings`. `main` becomes a `shard_map` over
    all axes, whose function has the former body on parts. For each op, the axes along which its factors are divided are
    those for which the fewest bytes move: operands with other shardings are resharded, and parts of a reduced factor
    are combined by an all-reduce, or by a reduce-scatter where the result is wanted sharded. An op without a factor map,
    or with bodies, is computed by every device as a whole. A program with effects, callbacks, unknown sizes or several meshes is not
    partitioned: it loses the attribute.
  }];
}

def LocalizePass : ModulePass<"dovetail-localize"> {
  let summary = "the function of parts that `main` applies becomes `main`";
  let description = [{
    For modules with the attribute `dovetail.partition`, after `dovetail-partition`; its mesh becomes `dovetail.mesh`, for which
    collectives are lowered. The shardings of arguments and results are in their attributes `dovetail.sharding`.
  }];
}

#endif // DOVETAIL_SHARDING_PASSES_TD

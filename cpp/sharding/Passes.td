// Passes that make the program of one device from a program on whole arrays.
#ifndef DOVETAIL_SHARDING_PASSES_TD
#define DOVETAIL_SHARDING_PASSES_TD

include "cpp/PassBase.td"

def SplitAxesPass : ModulePass<"dovetail-split-axes"> {
  let summary = "axes of the mesh in parts, for dimensions that are divided over less than one";
  let description = [{
    For modules with the attribute `dovetail.partition`, before `dovetail-propagate-shardings`. Where a dimension that a whole axis
    may divide is split into several, such as one of two heads on four devices, and parts of the axis would divide these, the axis becomes as
    many axes, from major to minor: of `"x"` of size 4, `"x:0"` and `"x:1"` of size 2. Shardings are over these from then on, also
    those that state parts of axes, and the attribute `dovetail.whole_mesh` has the former mesh. Axes that ops name are not split,
    and none if ops apply functions to parts.
  }];
}

def JoinAxesPass : ModulePass<"dovetail-join-axes"> {
  let summary = "shardings of arguments and results over whole axes again";
  let description = [{
    For modules with the attribute `dovetail.whole_mesh`, which it removes, after `dovetail-localize`. Collectives remain over parts
    of axes, which are those of `dovetail.mesh`.
  }];
}

def PropagateShardingsPass : ModulePass<"dovetail-propagate-shardings"> {
  let summary = "shardings of all arrays in `main`, from those that are stated";
  let description = [{
    For modules with the attribute `dovetail.partition`. Arguments and results of `main` may state their shardings in the
    attribute `dovetail.sharding`; ops on parts of arrays, and `reshard`, state those of their operands and results. From
    there axes are propagated along the factors of ops, in both directions, until nothing changes: a dimension that runs
    over the same factor as another gets the axes of that one, unless another dimension of the same array has them, or its size
    is no multiple. Between a loop or a branch and its bodies, they follow what flows there; values that the same one flows to
    have one sharding. Into functions that ops apply to parts along some axes of the mesh, and out of them, they follow along the
    other axes. First come dimensions of priority 0, then those of 1, and so on; of one priority, first through ops that
    reduce nothing, then through all. Where dimensions disagree, each keeps its own axes. The
    result is the attribute `dovetail.shardings` of each op, `dovetail.argument_shardings` of each op with bodies, and
    `dovetail.sharding` of each argument.
  }];
  let options = [
    Option<"eager", "eager", "bool", "false", "what is found are the results of ops that are applied by themselves">,
    Option<"forward", "forward", "bool", "false", "and of each op of `main` after the other, from its operands alone">];
}

def PartitionPass : ModulePass<"dovetail-partition"> {
  let summary = "`main` becomes a function of the parts of arrays that one device holds";
  let description = [{
    For modules with the attribute `dovetail.partition`, after `dovetail-propagate-shardings`. `main` becomes a `shard_map` over
    all axes, whose function has the former body on parts. For each op, the axes along which its factors are divided are
    those for which the fewest bytes move: operands with other shardings are resharded, and parts of a reduced factor
    are combined by an all-reduce, or by a reduce-scatter where the result is wanted sharded. Bodies of loops and branches
    compute on parts, too, and so do functions that ops apply to parts along some axes only, along the others; all devices compute the same predicates and indices. An op without a factor map is computed by every
    device as a whole, and so are dimensions of unknown size. A function of the host is called once, by the first device, with
    whole arrays, and all get its results; in a function of parts each device calls it. A program with arguments or results of
    unknown shapes, or with several meshes, is not partitioned: it loses the attribute.
  }];
}

def LocalizePass : ModulePass<"dovetail-localize"> {
  let summary = "the function of parts that `main` applies becomes `main`";
  let description = [{
    For modules with the attribute `dovetail.partition`, after `dovetail-partition`; its mesh becomes `dovetail.mesh`, for which
    collectives are lowered. The shardings of arguments and results are in their attributes `dovetail.sharding`.
  }];
}

def CheckCollectivesPass : ModulePass<"dovetail-check-collectives"> {
  let summary = "no collective is in a branch that only some of its devices take";
  let description = [{
    For the program of one device, with the attribute `dovetail.mesh`. Where the branch that is taken follows from the device's
    position on the mesh alone, it is known of each device. It is an error if a device of a collective's group takes the
    branch with the collective and another takes one without it, which would wait forever. In other cases devices notice
    when they run.
  }];
  // For the scalar code of pointwise ops.
  let dependentDialects = ["::dovetail::DovetailDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def HoistCollectivesPass : ModulePass<"dovetail-hoist-collectives"> {
  let summary = "what a loop adds up is summed over devices once, after the loop";
  let description = [{
    If a loop starts from zeros and each iteration adds sums over devices to a carry, which it uses for nothing else, then each
    device adds up its own terms, and one sum over devices follows the loop. So it is with gradients that are accumulated over
    parts of a batch, or over the steps of a recurrent network. The terms are then added in another order. This holds for all
    collectives that are linear and exchange elements alike, and for sums that are themselves hoisted out of an inner loop.
  }];
}

def MergeCollectivesPass : ModulePass<"dovetail-merge-collectives"> {
  let summary = "small collectives that do not depend on each other become one";
  let description = [{
    Collectives that compute each element of the result of those at the same place in the operands of all devices, such as
    sums, are one on the elements of several operands: the same op over the same axes, on operands of one element type,
    of at most 32 KiB each. Devices then wait for each other once. Operands are flattened and concatenated; ops between the
    first and the last of the collectives may move behind it.
  }];
}

def StartCollectivesPass : ModulePass<"dovetail-start-collectives"> {
  let summary = "collectives start as soon as their operands are there";
  let description = [{
    Each collective moves up to the op that makes the last of its operands, unless its results are larger than its operands: a
    gather stays before its first use, so that one layer's weights are whole at a time. The code generator orders work that
    does not depend on each other as the program does. Sums of gradients, which otherwise follow all of the backward pass,
    then overlap with the rest of it. This is part of the pipeline for GPUs; on the CPU collectives are calls that wait,
    and devices wait for each other least if these come last.
  }];
}

#endif // DOVETAIL_SHARDING_PASSES_TD

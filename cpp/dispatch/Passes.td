// Passes that form dispatches.
#ifndef DOVETAIL_DISPATCH_PASSES_TD
#define DOVETAIL_DISPATCH_PASSES_TD

include "cpp/PassBase.td"

def MergeSmallPass : ModulePass<"dovetail-merge-small"> {
  let summary = "groups of small ops as one dispatch each";
  let description = [{
    What takes less time than a dispatch takes to start, such as a softmax of a few hundred numbers, is merged with its likes into
    one dispatch that one thread runs, of a lowered program for the CPU. That saves most of the time to compile them, too, which
    goes by the number of dispatches.

    A group begins with the small ops that would each start a dispatch, such as reductions, and has all that is between them, what
    only they use, and what uses only them. Between no two of its ops is one that is not small: the ops of a block are put in
    levels, by how many times a path to them changes from large to small. Elementwise ops that follow or precede large ops alone stay,
    since they are fused with those.
  }];
}

def LimitFusionPass : ModulePass<"dovetail-limit-fusion"> {
  let summary = "barriers where the code generator would fuse too many ops";
  let description = [{
    IREE 3.13 fuses elementwise ops without limit, in time quadratic in their number. So an op that would be the 513th scalar
    op, or later, of those that it can be fused with reads its operand from behind a barrier
    (`iree_tensor_ext.compute_barrier.start`). Parts of a chain that are alike are compiled once.
  }];
}

#endif // DOVETAIL_DISPATCH_PASSES_TD

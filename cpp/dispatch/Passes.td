// Passes that form dispatches.
#ifndef DOVETAIL_DISPATCH_PASSES_TD
#define DOVETAIL_DISPATCH_PASSES_TD

include "cpp/PassBase.td"

def MergeSmallPass : ModulePass<"dovetail-merge-small"> {
  let summary = "groups of small ops as one dispatch each";
  let description = [{
    In a lowered program for the CPU, ops that take less time than it takes to start a dispatch, such as a softmax of a
    few hundred numbers, are merged into dispatches that run on one thread. This also saves most of the time to compile
    them, which depends on the number of dispatches.

    A group begins with the small ops that would each start a dispatch, such as reductions, and includes everything
    between them, the ops that only they use, and those that use only them. No op that is not small may be between two
    ops of a group: the ops of a block are put in levels, by how often a path to them changes from large to small.
    Elementwise ops that only follow or precede large ops are not included, since they are fused with those.
  }];
}

def LimitFusionPass : ModulePass<"dovetail-limit-fusion"> {
  let summary = "barriers where the code generator would fuse too many ops";
  let description = [{
    IREE 3.13 fuses elementwise ops without limit, in time quadratic in their number. An op that would be the 513th scalar
    op, or later, of a fusion therefore reads its operand from behind a barrier (`iree_tensor_ext.compute_barrier.start`).
    Identical parts of a chain are compiled once.
  }];
}

#endif // DOVETAIL_DISPATCH_PASSES_TD

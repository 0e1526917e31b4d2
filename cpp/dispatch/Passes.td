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

    A loop that is one dispatch already is also an op of a group, whatever its length: its code and that of the ops before
    and after it run in order. Loops that are long are in one group only if one needs the other.

    A sum of few terms is a group of its own, so that its order does not depend on what it is fused with. The blocks of
    loops and branches that the host runs are treated like that of the function.

    What adds the terms that each workgroup of a dispatch has is run by the last of these, which a counter tells. This is
    also done for GPUs with fences of the device: all threads of the last workgroup add them.
  }];
}

def LimitFusionPass : ModulePass<"dovetail-limit-fusion"> {
  let summary = "barriers where the code generator would fuse or repeat too many ops";
  let description = [{
    IREE 3.13 fuses elementwise ops without limit, in time quadratic in their number. An op that would be the 513th scalar
    op, or later, of a fusion therefore reads its operand from behind a barrier (`iree_tensor_ext.compute_barrier.start`).
    Identical parts of a chain are compiled once.

    Ops on a small array, such as a table of sines, that are fused with an op on a much larger one run once for each of its
    elements. Where that takes longer than a dispatch, the small array is read from behind a barrier, too. So is a large
    product of arrays that is transposed, if other dimensions than its last two become the last: IREE would compute it in
    blocks of these, at a third of the speed.
  }];
}

def FuseSharedPass : ModulePass<"dovetail-fuse-shared"> {
  let summary = "one loop for elementwise ops between which arrays have several readers";
  let description = [{
    IREE 3.13 keeps an array with several readers in memory (the option with which it does not also computes wrong sums). On
    a CPU, elementwise ops over the same elements become one `linalg.generic`, with a result for each array that others
    read, if there is such an array between them. What only reductions read stays on its own: it is fused into these. Of
    arrays with several readers that are left, those that take no more than 8 scalar ops on each element of one array are
    computed anew for each reader.
  }];
}

def MaskPadsPass : ModulePass<"dovetail-mask-pads"> {
  let summary = "padded arrays computed element by element instead of copied";
  let description = [{
    IREE 3.13 fills a padded array and copies its source to it. The derivative of a slice is a pad, so the gradient of
    differences adds several padded arrays, each of a cheap computation on slices. Here such an array becomes a choice
    between the constant and the same computation on windows of what it reads, which fuses with what reads it. Windows that reach
    beyond the ends of an array are slices of a copy that has room for them, one for all pads that read the array. This is
    done where the copies have fewer elements than the padded arrays.
  }];
}

def ShareShiftsPass : ModulePass<"dovetail-share-shifts"> {
  let summary = "shifted copies of one array become slices of one extended copy";
  let description = [{
    A concatenation of slices of one array is a shifted copy of it if what reaches beyond one end continues elsewhere in
    the array: a rotation, or a shift that repeats an element at the edge. Each would be written to memory. Several
    of them, along any dimensions, are slices of one copy with these elements around it, and slices are fused with what reads
    them.
  }];
}

#endif // DOVETAIL_DISPATCH_PASSES_TD

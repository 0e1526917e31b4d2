// Passes that fit lowered programs to IREE.
#ifndef DOVETAIL_IREE_PASSES_TD
#define DOVETAIL_IREE_PASSES_TD

include "cpp/PassBase.td"

def BytesPass : ModulePass<"dovetail-bytes"> {
  let summary = "arrays of bytes instead of arrays of elements that the code generator does not store";
  let description = [{
    Integers of 2 and 4 bits, and floats that IREE does not know, become bytes, in arrays and in scalar code. An op that looks
    at the bits above an integer's own, such as a comparison, first gets them as zeros or as the sign; before it goes into an
    array they are zeros. The floats are only ever taken apart and put together, which now happens to their bytes.
  }];
}

def GuardReductionsPass : ModulePass<"dovetail-guard-reductions"> {
  let summary = "barriers before reductions of what may fold to one number";
  let description = [{
    When an op that is fused into a reduction folds to a constant, such as `x | -1` or a choice by a mask that is false everywhere,
    IREE 3.13 counts the constant once for each vector instead of once for each element: MLIR's vectorizer reduces no scalar. So
    what may fold that way is read from behind a barrier (`iree_tensor_ext.compute_barrier.start`). Integers that bounds, masks or
    others of the same origin may cancel count as such, arithmetic on floats does not; what may be zero everywhere does not matter
    to a sum.
  }];
}

def SeparateReadsPass : ModulePass<"dovetail-separate-reads"> {
  let summary = "barriers behind results of reductions that one op reads along several of its loops";
  let description = [{
    IREE 3.13 fuses `y[:, None] * y[None, :]` into the reduction that gives `y`, where that has as many loops, and then computes
    the diagonal alone: it merges the two ways in which the op reads the dispatch's rows, `(d0, 0)` and `(0, d0)`, into one,
    `(d0, d0)`. So what a reduction, product or other structured op gives is read from behind a barrier
    (`iree_tensor_ext.compute_barrier.start`) if an elementwise op, of this array or of others computed of it by such ops,
    has one of its dimensions along two loops.
  }];
}

def ReuseArgumentsPass : ModulePass<"dovetail-reuse-arguments"> {
  let summary = "results in the memory of donated arguments";
  let description = [{
    An argument with `dovetail.donated` is the program's to use up (`iree.abi.consume`). A large result of its type that a
    pointwise op computes last is written over it, by a dispatch of its own that has the pointwise ops before it fused in.
    Where the argument is used later, IREE copies it first.
  }];
}

def StateSharingPass : ModulePass<"dovetail-state-sharing"> {
  let summary = "results and arguments that may share memory, in the reflection of functions";
  let description = [{
    Results that may share memory with an argument, a constant or another result are listed, by number, in the function's
    reflection as `dovetail.sharing`: they must not be donated to another call as they are. Arguments that may be handed back
    as results are listed as `dovetail.handed_back`.

    After `dovetail-reuse-arguments`, which says what is donated.
  }];
}

def SeparateGeneratedPass : ModulePass<"dovetail-separate-generated"> {
  let summary = "generated arrays that are written over depend on an opaque number";
  let description = [{
    IREE 3.13 repeats a dispatch that reads no array in place of a copy of its result, and then merges it with others that
    compute the same: two ops that write over the array then write over one. So such an array of dynamic sizes is computed
    with a number that comes from behind an optimization barrier. Those of static sizes are constants, which IREE copies.
  }];
}

def KeepAlivePass : ModulePass<"dovetail-keep-alive"> {
  let summary = "keep-alive uses of arrays whose live ranges IREE misses";
  let description = [{
    An argument that is not donated is the caller's. IREE 3.13 takes it for its own where it sees no later use, and then lets
    scatters and updates of slices write over it. So an argument that may share memory with the destination of an op has a
    keep-alive use: a barrier at the end of the function, which has IREE write over a copy. Nor does it see that what comes out
    of an optimization barrier is in the memory of what went in: where an op may write over one of the two and something may
    read the other, or the same behind another barrier, what is written over has a keep-alive use at the end of its block. So
    has an array from outside of a loop that an op in the loop may write over: IREE takes the one use for the last, though each
    iteration has it.

    After `dovetail-reuse-arguments`, which says what is donated.
  }];
}

def CarryReferencesPass : ModulePass<"dovetail-carry-references"> {
  let summary = "references to buffers instead of the arrays that host loops carry, and choices give";
  let description = [{
    IREE 3.13 copies, in every step of a loop on the host, each array that the loop carries, and allocates memory for the next
    one. A reference to a buffer it only passes on, and an array that is read from one it takes for its own, to be written over
    where nothing in the step needs the old one later. So each array that an `scf.for` or `scf.while` carries becomes a buffer:
    - A new version of an array, such as a stack with one more slice, is written over the old one.
    - Another array is computed in a second buffer, and the two are exchanged.
    - An array that is only passed on, to the same position or another, keeps its buffer.

    - What something writes over although the step still needs it is copied first, into the second buffer if the copy becomes the
      next array.

    Each buffer has one owner. What is carried first is copied once, unless a loop made it for this one alone: it may be the
    caller's. An op that writes over an array must come after all that read it, by what it needs of them: IREE sees one memory in
    two arrays nowhere. A `while` that begins a step with other arrays than its condition was given stays as it is.

    The arrays that an `scf.if` gives are such buffers too, each branch's own.
  }];
}

def KeepReadPass : ModulePass<"dovetail-keep-read"> {
  let summary = "copies of arrays that an op writes over, where others read them without its waiting for these";
  let description = [{
    IREE 3.13 has an op write over an array that nothing behind it uses. Then it puts dispatches that may run at the same time
    into one group, right behind what the group needs, and so moves the op before others that read the array. It orders by
    the arrays that dispatches pass on and looks for no others. So an array in memory that an op writes over has a use at
    the end of its block, which has IREE write over a copy, if something else reads it of which neither needs the other.

    After `dovetail-merge-small`: ops in one dispatch have their order.
  }];
}

def SeparateBarriersPass : ModulePass<"dovetail-separate-barriers"> {
  let summary = "a barrier for each array of the optimization barriers in a lowered program";
  let description = [{
    For programs of which IREE 3.13 says that operands and results of a barrier must have the same type: it wants the memory of
    all of them to be of one kind, and does not always come to one. Not for others: what is recomputed behind a barrier
    need no longer wait for the cotangent.
  }];
}

def SeparateLoopsPass : ModulePass<"dovetail-separate-loops"> {
  let summary = "barriers behind host loops in a lowered program";
  let description = [{
    For programs of which IREE 3.13 says that they have a circular dependency: it puts what comes before a loop and what comes
    behind it into one piece of its schedule, within which the loop would have to run. Not for others, since barriers keep
    it from finding out how some of them use memory.
  }];
}

#endif // DOVETAIL_IREE_PASSES_TD

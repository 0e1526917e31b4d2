// Passes that adapt lowered programs to IREE.
#ifndef DOVETAIL_IREE_PASSES_TD
#define DOVETAIL_IREE_PASSES_TD

include "cpp/PassBase.td"

def BytesPass : ModulePass<"dovetail-bytes"> {
  let summary = "arrays of bytes instead of arrays of elements that the code generator does not store";
  let description = [{
    Integers of 2 and 4 bits, and floats that IREE does not know, become bytes, in arrays and in scalar code. The bits
    above an integer's own are zero in arrays; they are set to zero or to the sign before an op that depends on them,
    such as a comparison. The only ops on these floats are bitcasts, which now apply to their bytes.
  }];
}

def GuardReductionsPass : ModulePass<"dovetail-guard-reductions"> {
  let summary = "barriers before reductions of values that may fold to one number";
  let description = [{
    If an op that is fused into a reduction folds to a constant, such as `x | -1` or a select by a mask that is false
    everywhere, IREE 3.13 counts the constant once per vector instead of once per element, because MLIR's vectorizer
    does not reduce scalars. Operands that may fold in this way are therefore read from behind a barrier
    (`iree_tensor_ext.compute_barrier.start`). These include integers that bounds, masks or values of the same origin
    may cancel, but no arithmetic on floats; values that may be zero everywhere do not matter to a sum.
  }];
}

def SeparateReadsPass : ModulePass<"dovetail-separate-reads"> {
  let summary = "barriers after results of reductions that one op reads along several of its loops";
  let description = [{
    IREE 3.13 fuses `y[:, None] * y[None, :]` into the reduction that computes `y` if both have the same number of
    loops, and then computes only the diagonal: it merges the two maps by which the op reads the dispatch's rows, `(d0,
    0)` and `(0, d0)`, into one, `(d0, d0)`. The result of a reduction, contraction or other structured op is therefore
    read from behind a barrier (`iree_tensor_ext.compute_barrier.start`) if an elementwise op on it, or on values
    computed from it by such ops, has one of its dimensions along two loops.

    On GPUs, that result is also read from behind a barrier if the loops of the elementwise op that are along those of the
    reduction do not come first, in their order, as in `x - y[None, :]`: the threads that IREE 3.13 gives to the other
    loops read `y` before it is computed.
    For Vulkan, so it is by an op that reads elements at places that its loops have a part in (`tensor.extract` and
    `linalg.index`): vectors of the reduction stay too long for SPIR-V.
  }];
}

def SeparateTransposedPass : ModulePass<"dovetail-separate-transposed"> {
  let summary = "barriers between ops with several results and transpositions of these";
  let description = [{
    IREE 3.13 moves the transposition of a result into the loops of the op that computes it, also from behind elementwise
    ops and reshapes, and forgets the op's other results. What is transposed is therefore read from behind a barrier
    (`iree_tensor_ext.compute_barrier.start`). The pass comes after those that join ops to ones with several results.
  }];
}

def SeparateReshapesPass : ModulePass<"dovetail-separate-reshapes"> {
  let summary = "barriers between reshapes and what is computed from slices";
  let description = [{
    IREE 3.13 moves a reshape to the operands of the elementwise ops before it, and copies a slice, which would be read
    in place, to reshape it. Where an array is computed from slices by elementwise ops, its reshapes therefore read it
    from behind a barrier (`iree_tensor_ext.compute_barrier.end`). Small arrays are left as they are.

    It also moves one that adds dimensions to the parts of a concatenation, and rejects it for slices of one element,
    which are therefore read from behind a barrier (`util.optimization_barrier`).
  }];
}

def HideConstantsPass : ModulePass<"dovetail-hide-constants"> {
  let summary = "what is computed from complex arrays alone that are constant is computed when the program runs";
  let description = [{
    IREE 3.13 computes ahead what depends on constants alone, except from complex arrays, and fails where it computes
    another array from such a result. An op that depends on constants alone therefore gets complex arrays from behind a
    barrier (`util.optimization_barrier`).
  }];
}

def OutlineFunctionsPass : ModulePass<"dovetail-outline-functions"> {
  let summary = "long scalar computations that ops repeat become functions";
  let description = [{
    The scalar code of an elementary function has up to a hundred and seventy ops, which each pass of the code generator
    visits in each of the ops that apply the function. In programs with many of them, bodies of `linalg.generic` that
    are functions of up to three floats become calls of private functions, one for all equal bodies. IREE inlines
    them first; `dovetail.compiler` puts them in after dispatches are formed.
  }];
  let dependentDialects = ["mlir::func::FuncDialect"];
}

def HideWidthsPass : ModulePass<"dovetail-hide-widths"> {
  let summary = "on Vulkan and Metal, slices that begin between vectors read arrays of unknown width";
  let description = [{
    IREE 3.13 reads an array of known width there in vectors of up to 16 bytes, also where a slice does not begin with one:
    it then reads from the vector's beginning. Such slices, and those whose beginning is not known, read the array
    from behind a reshape to a width that the code generator does not know (`flow.tensor.reshape`), one number at a time.
  }];
}

def ReadWholePass : ModulePass<"dovetail-read-whole"> {
  let summary = "on CUDA and ROCm, ops read elements at computed places from whole arrays, not from slices";
  let description = [{
    IREE 3.13 moves slices, also those of transpositions, into the dispatches that read them. Where such a dispatch reads
    elements at places that it computes (`tensor.extract`), vectorized code for these targets takes the slice's rows to
    follow each other in memory, as only a whole array's do. A transposition of a slice is computed before
    (`iree_tensor_ext.compute_barrier.start`).
  }];
}

def ReuseArgumentsPass : ModulePass<"dovetail-reuse-arguments"> {
  let summary = "results in the memory of donated arguments";
  let description = [{
    An argument with `dovetail.donated` may be consumed by the program (`iree.abi.consume`). A large result of its type
    that a pointwise op computes overwrites it, in a separate dispatch with the preceding pointwise ops fused in. If the
    argument is used later, IREE copies it first. It does not see that a result is the argument itself: such an argument
    is not consumed. A result that is a small slice of it, or of another large result, is copied (by a barrier).
  }];
}

def StateSharingPass : ModulePass<"dovetail-state-sharing"> {
  let summary = "results and arguments that may share memory, in the reflection of functions";
  let description = [{
    Results that may share memory with an argument, a constant or another result are listed, by number, in the
    function's reflection as `dovetail.sharing`: they must be copied before they are donated to another call. Arguments
    that may be returned as results are listed as `dovetail.handed_back`.

    Runs after `dovetail-reuse-arguments`, which determines what is donated.
  }];
}

def SeparateGeneratedPass : ModulePass<"dovetail-separate-generated"> {
  let summary = "makes generated arrays that are overwritten depend on an opaque number";
  let description = [{
    Instead of copying the result of a dispatch that reads no array, IREE 3.13 repeats the dispatch, and then merges it
    with others that compute the same: two ops that overwrite the array then overwrite the same one. Such an array is
    therefore computed with a number from behind an optimization barrier.

    The pass also decides whether IREE is to compute ahead what depends on constants alone (`dovetail.computes_ahead`):
    where elements of it take many instructions, and for GPUs. Arrays of static sizes, of at most 1 MiB and of numbers
    that are not complex, are constants then, which IREE copies.

    With `all`, all generated arrays depend on that number, for programs that IREE 3.13 rejects otherwise: it takes a
    dispatch that reads no array for one that each of its readers may repeat, and does not schedule it at all if it is
    read before a host loop, in it, and behind it.
  }];
  let options = [Option<"all", "all", "bool", "false", "whether also generated arrays that are not overwritten">];
}

def KeepAlivePass : ModulePass<"dovetail-keep-alive"> {
  let summary = "keep-alive uses of arrays whose live ranges IREE misses";
  let description = [{
    An argument that is not donated belongs to the caller. IREE 3.13 treats it as its own if it sees no later use, and
    then lets scatters and updates of slices overwrite it. An argument that may share memory with the destination of an
    op therefore gets a keep-alive use: a barrier at the end of the function, which makes IREE overwrite a copy. IREE
    also does not see that the result of an optimization barrier shares the memory of its operand. If an op may
    overwrite one of the two while something may read the other, or the same value behind another barrier, the
    overwritten value gets a keep-alive use at the end of its block. So does an array from outside a loop that an op in
    the loop may overwrite: IREE takes its one use for the last, although each iteration has it.

    Runs after `dovetail-reuse-arguments`, which determines what is donated.
  }];
}

def CarryReferencesPass : ModulePass<"dovetail-carry-references"> {
  let summary = "references to buffers instead of the arrays that host loops carry and branches return";
  let description = [{
    In every iteration of a host loop, IREE 3.13 copies each array that the loop carries, and allocates memory for the
    next one. A reference to a buffer is only passed on, however, and IREE owns an array that it imports from one, and
    may overwrite it if nothing in the iteration needs the old one later. Each array that an `scf.for` or `scf.while`
    carries therefore becomes a buffer:
    - A new version of an array, such as a stack with one more slice, overwrites the old one.
    - Any other array is computed in a second buffer, and the two are swapped.
    - An array that is only passed on, to the same position or another, keeps its buffer.
    - An array that is overwritten although the iteration still needs it is copied first, into the second buffer if the
      copy becomes the next array.

    Each buffer has one owner. An initial value is copied once, since it may belong to the caller, unless a loop made it
    for this one alone. An op that overwrites an array must come after all that read it, by data dependence: IREE never
    notices that two arrays share memory. A `while` whose body starts with arrays other than those of its condition
    stays as it is.

    The arrays that an `scf.if` returns are such buffers too; each branch has its own.
  }];
}

def KeepWaitsPass : ModulePass<"dovetail-keep-waits"> {
  let summary = "an array of a byte for host loops and branches that pass on references only";
  let description = [{
    IREE 3.13 states what an execution waits for in the bodies of loops and branches only if these pass on arrays.
    Elsewhere, an execution that reads an array from memory that was initialized before, such as a large constant, or
    numbers that depend on no argument, waits for that alone, and no longer for what computes its other operands; what
    nothing waits for does not run. In a program with such arrays, each loop or branch without an array therefore gets
    one, of one byte, which an optimization barrier keeps.

    Runs after `dovetail-carry-references`.
  }];
}

def KeepReadPass : ModulePass<"dovetail-keep-read"> {
  let summary = "copies of arrays that an op overwrites while other ops, for which it does not wait, read them";
  let description = [{
    IREE 3.13 lets an op overwrite an array that nothing after it uses. It then puts dispatches that may run
    concurrently into one group, directly after the values that the group needs, and so moves the op before others that
    read the array. It orders dispatches only by the arrays that they pass on. An array in memory that an op overwrites
    therefore gets a use at the end of its block, which makes IREE overwrite a copy, if another op reads it and neither
    depends on the other.

    IREE also computes a slice that is inserted into an array directly into it. If what computes the slice reads the array,
    other than by elementwise ops of the elements that the slice replaces, the array gets such a use, too. Elements that
    are known to stay, and what is computed before a barrier, may be read in any way.

    Where the array is large, and what is read or inserted a small part of it, the write waits for that behind a barrier
    instead: a copy of a slice is then read, and not the array. Reads that come after the write, but do not wait for it,
    are moved before it; and a write of constants waits by a copy of these that depends on an opaque number.
    A slice that the function returns is copied before, too: IREE copies it at the end. And what
    an elementwise op reads, and others need after the write, passes a barrier, since IREE would read it again for these.

    Runs after `dovetail-merge-small`: ops within one dispatch keep their order.
  }];
}

def SeparateBarriersPass : ModulePass<"dovetail-separate-barriers"> {
  let summary = "optimization barriers of arrays in memory of one kind";
  let description = [{
    IREE 3.13 takes the first array of an optimization barrier for all of its arrays when it decides in which kind of memory
    they are, and rejects the program if one of them is in another kind. Arguments and results of the function therefore come
    first, whose kind all others may have, and what goes to or comes from another barrier of such arrays; then what may
    share their memory. Each constant has a barrier of its own.

    With `all`, each array has one, for programs that IREE rejects nevertheless. Not for others: recomputation behind
    separate barriers no longer has to wait for the cotangent.
  }];
  let options = [Option<"all", "all", "bool", "false", "separate all arrays">];
}

def SeparateResultsPass : ModulePass<"dovetail-separate-results"> {
  let summary = "keep-alive uses of results of one op that are written to places in larger arrays";
  let description = [{
    IREE 3.13 lets a dispatch write to the place where its result goes, in a padded array or a concatenation. Several
    results of one dispatch may go to arrays that begin alike, such as two arrays of zeros: IREE makes one array for
    them, and takes it for all of these results. All but the first of them therefore have a second use, which keeps
    them apart from that place.
  }];
}

def SeparateLoopsPass : ModulePass<"dovetail-separate-loops"> {
  let summary = "barriers after host loops in a lowered program";
  let description = [{
    For programs that IREE 3.13 rejects because of a circular dependency: it schedules ops before a loop and ops after
    it in one partition, within which the loop would have to run. Not for others, since barriers hide from it how some
    of them use memory.
  }];
}

def PassMemoryPass : ModulePass<"dovetail-pass-memory"> {
  let summary = "memory instead of views as arguments and results of functions that ask for it";
  let description = [{
    A function with the attribute `dovetail.passes_memory` takes and returns buffers: its caller knows the types of the
    arrays in them. IREE 3.13 otherwise compares each argument's shape and type with what it expects, and makes a view of
    each result, in every call; on several devices, on each of them.
  }];
}

#endif // DOVETAIL_IREE_PASSES_TD

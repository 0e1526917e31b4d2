// The passes and their algorithms.
#ifndef DOVETAIL_PASSES_TD
#define DOVETAIL_PASSES_TD

include "mlir/Pass/PassBase.td"

class ModulePass<string flag> : Pass<flag, "::mlir::ModuleOp"> {
  let dependentDialects = ["::dovetail::DovetailDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"];
}

/// A transform of one function, for use on its own; `expand` applies the same transforms where requests ask for them.
class FunctionPass<string flag> : ModulePass<flag> {
  list<Option> functionOption = [Option<"function", "function", "std::string", "\"main\"", "the function to transform">];
}

def JvpPass : FunctionPass<"dovetail-jvp"> {
  let summary = "forward-mode derivative of a function";
  let description = [{
    Adds `@f.jvp`: (primals, tangents of the arguments in `wrt`) to (results, tangents of the results that depend on them).
    The body is walked once. An op none of whose operands has a tangent is copied. Otherwise its rule gives the tangents of
    its results: the stated one, the sum of the tangent formulas of a pointwise op, or the op itself on the tangents where
    it is linear. A missing tangent is zero, and nothing is emitted for it.
  }];
  let options = functionOption # [ListOption<"wrt", "wrt", "int64_t", "the arguments that get tangents">];
}

def SplitPass : FunctionPass<"dovetail-split"> {
  let summary = "what a function can compute before some of its arguments are known";
  let description = [{
    Adds `@f.known`: (known arguments) to (known results, residuals), and `@f.rest`: (residuals, unknown arguments) to
    (unknown results). Every op whose operands are known is known; an op with a body is first split itself. Residuals are
    those known values of the fewest bytes from which cheap ops compute all that the rest needs (a minimal cut); these ops, and
    those without operands, are repeated there. Applied to a jvp with unknown
    tangents this is linearization.
  }];
  let options = functionOption # [ListOption<"unknown", "unknown", "int64_t", "the arguments that are unknown">];
}

def TransposePass : FunctionPass<"dovetail-transpose"> {
  let summary = "transpose of a function that is linear in some of its arguments";
  let description = [{
    Adds `@f.transpose`: (other arguments, sizes of the `?`s of the linear arguments, cotangents of the results) to
    (cotangents of the linear arguments). Ops that do not depend on the linear arguments are copied; the others are visited
    in reverse order, and each adds its share to the cotangents of its operands.
  }];
  let options = functionOption # [ListOption<"linear", "linear", "int64_t", "the arguments in which it is linear">];
}

def BatchPass : FunctionPass<"dovetail-batch"> {
  let summary = "a function over a batch";
  let description = [{
    Adds `@f.batch`, whose argument i carries the batch as dimension `dims[i]`, or none for -1. An op none of whose operands
    carries the batch is copied, unless it, its bodies or its callees name the axis of the batch; else its batching rule
    decides where the batch goes in its results, or, for pointwise ops, all operands get it where the first has it.
  }];
  let options = functionOption # [
    ListOption<"dims", "dims", "int64_t", "position of the batch in each argument">,
    Option<"size", "size", "int64_t", "-1", "size of the batch, -1 for '?'">,
    Option<"axis", "axis", "std::string", "", "name of the batch's axis, for collectives">];
}

def ExpandPass : ModulePass<"dovetail-expand"> {
  let summary = "transform requests become calls of transformed functions";
  let description = [{
    Visits functions callees first, so that requests are expanded innermost first and every transform sees only calls. A
    transform is made once for each pair of function and request. Functions that nobody calls any more are removed.
  }];
}

def InlinePass : ModulePass<"dovetail-inline"> {
  let summary = "calls are replaced by the bodies of their callees";
}

def CheckFinitePass : ModulePass<"dovetail-check-finite"> {
  let summary = "the first op that makes a NaN or an infinity, as one more result";
  let description = [{
    For modules whose attribute `dovetail.unwanted` lists `nan`, `inf` or both; others stay as they are, and it is removed.
    The functions get one more result, an `i32`: twice the number of the first op, in the order of execution, that made such a
    value, and 1 more if it is an infinity; the largest number if none did. Ops are numbered in the order of the text of the
    module before, those in bodies included, whether or not they are asked.

    A pointwise op makes a value where none of its operands has it; other ops make what they have, unless they only move
    elements, or are constants. Codes of ops that are pointwise on each other's results are combined elementwise, and reduced a
    few at once, between two ops with bodies. Through bodies the code found so far goes as one more value
    (`ThreadOpInterface`). Predicates of loops are not asked: what they compute reaches no result.
  }];
}

def PrintFactorsPass : ModulePass<"dovetail-print-factors"> {
  let summary = "a remark with the factor map of each op that has one, for tests";
  let description = [{
    `([i,k],[k,j])->([i,j]) {reduced k}` stands for a product of matrices; a dimension that is no loop of its own is `_`.
  }];
}

def DecomposePass : ModulePass<"dovetail-decompose"> {
  let summary = "algorithms in other ops instead of ops on matrices";
  let description = [{
    Each op that is an algorithm in other ops (`DecomposeOpInterface`) is replaced by it: loops whose bodies are products of
    matrices, reductions and pointwise ops. The algorithm is emitted for one matrix, and then batched by the rules of its ops, all
    leading dimensions as one. Algorithms and their sources are named at the functions in `cpp/linalg`; convergence is a loop with
    a bounded number of steps, which input that is not finite does not enter. What a module does this way needs no library.

    With the module's attribute `dovetail.host_functions`, only small matrices in loops and branches are decomposed: a loop
    of which all is in plain ops can be one dispatch.
  }];
}

def LowerPass : ModulePass<"dovetail-lower"> {
  let summary = "linalg, tensor, arith, math and complex instead of dovetail ops";
  let description = [{
    Pointwise ops become one `linalg.generic` with their scalar code, reductions one with a reduction loop; other ops lower as
    their families state. Integers lose their sign. The result suits every target, unless the module's attribute
    `dovetail.target` names one for which a family knows better. With the module's attribute `dovetail.host_loops` no loop becomes
    one dispatch; with `dovetail.host_functions` an op that the evaluator computes well is a call of a function that the module
    imports, whose declaration says which.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

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

def LimitFusionPass : ModulePass<"dovetail-limit-fusion"> {
  let summary = "barriers where the code generator would fuse too many ops";
  let description = [{
    IREE 3.13 fuses elementwise ops without limit, and takes the square of the time for a chain that is twice as long. So an op that
    would be the 513th scalar op, or later, of those that it can be fused with reads its operand from behind a barrier
    (`iree_tensor_ext.compute_barrier.start`). Parts of a chain that are alike are compiled once.
  }];
}

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

def ReuseArgumentsPass : ModulePass<"dovetail-reuse-arguments"> {
  let summary = "results in the memory of donated arguments; other arguments stay as they are";
  let description = [{
    An argument with `dovetail.donated` is the program's to use up (`iree.abi.consume`). A large result of its type that a
    pointwise op computes last is written over it, by a dispatch of its own that has the pointwise ops before it fused in.
    Where the argument is used later, IREE copies it first.

    An argument that is not donated is the caller's. IREE 3.13 takes it for its own where it sees no later use, and then lets
    scatters and updates of slices write over it. So an argument that may share memory with the destination of an op has a use
    at the end of the function, which has IREE copy it before. Nor does it see that what comes out of an optimization barrier
    is in the memory of what went in: where an op may write over one of the two and something may read the other, or the same
    behind another barrier, what is written over has a use at the end of its block. So has an array from outside of a loop that
    an op in the loop may write over: IREE takes the one use for the last, though each step has it.

    Results that may share memory with an argument, a constant or another result are listed, by number, in the function's
    reflection as `dovetail.sharing`: they must not be donated to another call as they are.
  }];
}

def CarryReferencesPass : ModulePass<"dovetail-carry-references"> {
  let summary = "references to buffers instead of the arrays that loops of the host carry, and choices give";
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
  let summary = "barriers behind the loops of the host in a lowered program";
  let description = [{
    For programs of which IREE 3.13 says that they have a circular dependency: it puts what comes before a loop and what comes
    behind it into one piece of its schedule, within which the loop would have to run. Not for others, since barriers keep
    it from finding out how some of them use memory.
  }];
}

#endif // DOVETAIL_PASSES_TD

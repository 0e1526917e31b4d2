// The pass that decomposes ops on matrices.
#ifndef DOVETAIL_LINALG_PASSES_TD
#define DOVETAIL_LINALG_PASSES_TD

include "cpp/PassBase.td"

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

#endif // DOVETAIL_LINALG_PASSES_TD

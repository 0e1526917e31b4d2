// The pass that decomposes ops on matrices.
#ifndef DOVETAIL_LINALG_PASSES_TD
#define DOVETAIL_LINALG_PASSES_TD

include "cpp/PassBase.td"

def DecomposePass : ModulePass<"dovetail-decompose"> {
  let summary = "algorithms in other ops instead of ops on matrices";
  let description = [{
    Each op with an algorithm in other ops (`DecomposeOpInterface`) is replaced by it: loops whose bodies are matrix
    products, reductions and pointwise ops. The algorithm is emitted for one matrix, and then batched by the rules of
    its ops, all leading dimensions as one. The functions in `cpp/linalg` name the algorithms and their sources.
    Iterations to convergence are loops of bounded length, and are skipped for input that is not finite. The resulting
    module needs no library.

    For a CPU, so are large convolutions of arrays with zeros between their elements: a convolution for each residue of
    positions, without the zeros.

    With the module's attribute `dovetail.host_functions`, only ops on small matrices in loops and branches are
    decomposed: a loop that consists of plain ops can be one dispatch. For a CPU, batches of small matrices are left to
    the lowering, if an op states that it computes them in the lanes of vectors.
  }];
}

#endif // DOVETAIL_LINALG_PASSES_TD

// Faults of IREE: what it does, and what exists here because of it.
//
// All were seen with IREE 3.13, the only version that this compiler is used with. The programs in
// tests/lit/iree/quirks run without the workaround, and those tests fail once IREE is mended: the workaround and its
// entry then go. Of the others, take the workaround out and run the tests that the entry names.
#ifndef DOVETAIL_IREE_QUIRKS_H
#define DOVETAIL_IREE_QUIRKS_H

#include "cpp/tensors/Builders.h"

namespace dovetail {

//===- Builders ----------------------------------------------------------------===//

/// Whether this is complex<f64>, whose 128 bits IREE neither stores as a constant nor fills with, unless the fill is
/// fused into an op that writes over it (quirks/wide_complex.mlir).
bool isWideComplex(mlir::Type element);

/// What `filled` gives, where it is a result of its own. IREE loses the size of a fill that is summed
/// (quirks/filled_sum.mlir), and forgets that a bool in `tensor.from_elements` is stored as a byte. For the same reason
/// `lowerPointwise` has at least one input that is no constant.
mlir::Value filledAlone(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// `x`, which is to get more dimensions. IREE moves these up to the slices that a single element is computed of, and
/// crashes on what becomes of them (tests/python/compiler/test_compile.py).
mlir::Value expandable(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The element of `x` at that index; of a slice, that of the array it is part of: IREE loads a slice that lies apart in
/// memory as a vector, which does not compile (tests/lit/lowering/reverse.mlir). For the same reason slices with
/// strides are read by index (cpp/lowering/Shape.cpp).
mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, llvm::ArrayRef<mlir::Value> place);

/// Whether IREE carries arrays of this type through loops: it loses where in its buffer a dynamic array begins that is
/// reshaped there.
bool canLoopsCarry(mlir::RankedTensorType type);

//===- Fusion ------------------------------------------------------------------===//
//
// A reduction counts a folded constant once for each vector instead of once for each element: `sum(x | -1)`.
//   GuardReductions.cpp, --dovetail-guard-reductions; quirks/folded_reduction.mlir
//
// `y[:, None] * y[None, :]` is fused into the reduction that gives y, which then computes the diagonal alone.
//   SeparateReads.cpp, --dovetail-separate-reads; quirks/repeated_read.mlir
//
// A chain of elementwise ops is fused without limit, in quadratic time.
//   cpp/dispatch/LimitFusion.cpp, --dovetail-limit-fusion; tests/lit/dispatch/limit_fusion.mlir
//
// A transposition of the indices that an argmax gives is moved into its loops, which have another result.
//   cpp/lowering/Reduce.cpp, ArgReduceLowering: a barrier behind the indices
//
// The four real products of a complex one are not vectorized where they are fused, and not compiled for Vulkan.
//   cpp/lowering/Contraction.cpp, complexContraction: a barrier behind each
//
// For GPUs no reduction compiles with which a `linalg.index`, or a slice at a dynamic index, is fused.
//   cpp/lowering/Create.cpp and Sort.cpp (numbersFor): tables; Gather.cpp: a barrier
//
// For Vulkan an update of an array is wrong that is fused with a product of the same array.
//   cpp/linalg/Algebra.cpp, Algebra::with: an optimization barrier
//
// Of an indexing map such as (d0 + d1), a loop of one iteration is dropped, and the operand's size taken for how far
// the other loop goes.
//   cpp/lowering/Window.cpp, withoutRest
//
// Padding that is computed beside the padded array does not compile; padded complex arrays crash in some fusions.
//   Bytes.cpp, PackedUse::extend; cpp/lowering/Shape.cpp, padOrCrop

//===- Memory ------------------------------------------------------------------===//
//
// A loop on the host copies every array that it carries in each iteration, and allocates the next one. Arrays that
// branches give have no owner where one computes what another passes on. An scf.while is taken to have the same
// arguments in both regions, of which one that is not used is lost.
//   CarryReferences.cpp, --dovetail-carry-references; tests/python/lowering/test_carried_references.py
//
// An argument without a later use is taken for the program's own and written over, donated or not.
//   KeepAlive.cpp, --dovetail-keep-alive; tests/python/lowering/test_kept_arguments.py
//
// An optimization barrier gives the memory that it takes, and each iteration of a loop uses what it takes from outside:
// liveness analysis sees neither.
//   KeepAlive.cpp, --dovetail-keep-alive; quirks/shared_barrier.mlir, tests/python/lowering/test_barriers.py
//
// A dispatch that reads no array is repeated instead of its result copied, and then merged with its likes.
//   SeparateGenerated.cpp, --dovetail-separate-generated
//
// An op that writes over an array is moved, with dispatches that may run at the same time, before others that read it.
//   KeepRead.cpp, --dovetail-keep-read; tests/python/lowering/test_repeated_reads.py
//
// A scatter into a slice copies the slice within its dispatch, where no workgroup may write. One that reads the array
// that it changes reads what it has changed.
//   Ops.cpp, scatterWindows; cpp/lowering/Scatter.cpp: barriers
//
// An offset behind an array whose size has no bounds, rounded up to lines of memory, becomes 0.
//   cpp/lowering/Size.cpp (assumed), Control.cpp (sizeOf); tests/lit/lowering/size.mlir

//===- Host code ---------------------------------------------------------------===//
//
// Some programs are refused for an optimization barrier of several arrays, whose memory is to be of one kind; others,
// with loops, for a circular dependency of what lies before and behind a loop. Only those are compiled again with:
//   SeparateBarriers.cpp, --dovetail-separate-barriers; SeparateLoops.cpp, --dovetail-separate-loops
//
// Calls of imported functions are moved past loops.
//   OrderCalls.cpp, orderHostCalls; tests/lit/lowering/callbacks.mlir
//
// Dynamic sizes of what branches in loops give are not found.
//   cpp/lowering/Control.cpp, CaseLowering: the sizes are results, too
//
// A dispatch takes 32 buffers and 32 KiB of stack; Mesa's Vulkan driver for CPUs ends loops after 65,535 iterations.
//   cpp/dispatch/OneDispatch.cpp, kMaxBuffers, kMaxStack, kMostIterationsOnVulkan; cpp/transforms/CheckFinite.cpp

//===- Element types -----------------------------------------------------------===//
//
// Floats of 8 bits and less are missing or converted wrongly (the negative NaN of f8E4M3FN to -480); integers of 2 and
// 4 bits are not stored.
//   cpp/scalar/Narrow.cpp, widen and narrow; Bytes.cpp, --dovetail-bytes; tests/lit/iree/bytes.mlir
//
// Regions of bf16 arithmetic are computed in f32 without the roundings between.
//   cpp/scalar/Narrow.cpp, narrowHalf; tests/lit/lowering/rounding.mlir
//
// The maximum of f16 crashes in vectors.
//   cpp/scalar/Rounding.cpp, extremum

} // namespace dovetail

#endif // DOVETAIL_IREE_QUIRKS_H

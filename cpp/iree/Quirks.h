// Faults of IREE: what it does, and what exists here because of it.
//
// All were seen with IREE 3.13, the only version that this compiler is used with. An entry states the fault, the
// workaround (files, and what in them is there for it), and a test. One in tests/lit/iree/quirks runs the smallest
// program without the workaround, and fails once IREE is mended: the workaround, the entry and the test then go. Any
// other test fails without the workaround.
//
// tests/python/package/test_quirks.py compares the entries with the tree.
#ifndef DOVETAIL_IREE_QUIRKS_H
#define DOVETAIL_IREE_QUIRKS_H

#include "cpp/tensors/Builders.h"

namespace dovetail {

//===- Constants and fills -----------------------------------------------------===//
//
// The 128 bits of complex<f64> are neither stored as a constant nor filled with, unless the fill is fused into an op
// that writes over it.
//   Workaround: cpp/iree/Quirks.cpp (isWideComplex, filledAlone); cpp/lowering/Create.cpp (complexConstant)
//   Test: tests/lit/iree/quirks/wide_complex.mlir
//
// What depends on constants alone is computed ahead, but not from complex ones; where a result of such an op is used in
// another, the compiler ends with "jit global source initialization order invalid".
//   Workaround: cpp/iree/HideConstants.cpp (--dovetail-hide-constants)
//   Test: tests/lit/iree/quirks/complex_constants.mlir
//
// A fill that is summed loses its size.
//   Workaround: cpp/iree/Quirks.cpp (filledAlone); cpp/lowering/Pointwise.cpp (lowerPointwise)
//   Test: tests/lit/iree/quirks/filled_sum.mlir
//
// An array of constants is written once for all buffers that get it, which are then one: of two arrays that a loop
// carries, and that begin alike, one overwrites the other.
//   Workaround: cpp/iree/CarryReferences.cpp (copiedTo); cpp/iree/Opaque.cpp (dependent)
//   Test: tests/python/lowering/test_carried_fills.py
//
// `tensor.from_elements` of a bool, which is stored as a byte, does not compile.
//   Workaround: cpp/iree/Quirks.cpp (filledAlone)
//   Test: tests/lit/iree/quirks/bool_element.mlir
//
// A dispatch of constants that returns bools, which it stores as bytes, is run by the compiler, which reads them as
// bits.
//   Workaround: cpp/dispatch/MergeSmall.cpp (constantsOf)
//   Test: tests/python/lowering/test_merged_ops.py

//===- Fusion ------------------------------------------------------------------===//
//
// A reduction counts a folded constant once for each vector instead of once for each element: `sum(x | -1)`.
//   Workaround: cpp/iree/GuardReductions.cpp (--dovetail-guard-reductions)
//   Test: tests/lit/iree/quirks/folded_reduction.mlir
//
// `y[:, None] * y[None, :]` is fused into the reduction that gives y, which then computes the diagonal alone.
//   Workaround: cpp/iree/SeparateReads.cpp (--dovetail-separate-reads)
//   Test: tests/lit/iree/quirks/repeated_read.mlir
//
// A chain of elementwise ops is fused without limit, in quadratic time.
//   Workaround: cpp/dispatch/LimitFusion.cpp (--dovetail-limit-fusion)
//   Test: tests/lit/iree/quirks/unlimited_fusion.mlir
//
// More scalars are fused than the 32 arrays that the runtime passes to a dispatch.
//   Workaround: cpp/dispatch/LimitFusion.cpp (kMostArrays); cpp/dispatch/OneDispatch.cpp (kMaxBuffers);
//     cpp/transforms/FirstCode.cpp (kTogether)
//   Test: tests/lit/iree/quirks/many_bindings.mlir
//
// A reshape is moved to the slices that an array is computed from, which are copied for it.
//   Workaround: cpp/iree/SeparateReshapes.cpp (--dovetail-separate-reshapes)
//   Test: tests/lit/iree/quirks/reshaped_slices.mlir
//
// A slice of one element in a concatenation that gets another dimension becomes a slice of a higher rank than its
// source, which is rejected.
//   Workaround: cpp/iree/SeparateReshapes.cpp (separateElements)
//   Test: tests/lit/iree/quirks/reshaped_elements.mlir
//
// So does a slice of one element that gets another dimension before a compute barrier, or a dispatch.
//   Workaround: cpp/iree/Ops.cpp (computeBarrier); cpp/dispatch/Executable.cpp (cutOut)
//   Test: tests/lit/iree/quirks/barred_element.mlir
//
// A transposition of one of an op's results is moved into its loops, which have another result.
//   Workaround: cpp/iree/SeparateTransposed.cpp (--dovetail-separate-transposed)
//   Test: tests/lit/iree/quirks/transposed_argmax.mlir
//
// For Vulkan, real products do not compile that are fused with the op that joins them to complex numbers. For CPUs,
// they are not vectorized there.
//   Workaround: cpp/lowering/Contraction.cpp (complexContraction)
//   Test: tests/lit/iree/quirks/complex_products.mlir
//
// For Vulkan, no reduction to one number compiles with which a `linalg.index` is fused.
//   Workaround: cpp/lowering/Create.cpp (IotaLowering); cpp/lowering/Sort.cpp (numbersFor)
//   Test: tests/lit/iree/quirks/index_in_reduction.mlir
//
// Of an indexing map such as (d0 + d1), a loop of one iteration is dropped, and the operand's size taken for how far
// the other loop goes.
//   Workaround: cpp/lowering/Window.cpp (withoutRest)
//   Test: tests/lit/iree/quirks/window_rest.mlir
//
// A pad of a constant complex array, which an update of a slice of it becomes, crashes.
//   Workaround: cpp/lowering/Scatter.cpp (sliceToUpdate)
//   Test: tests/python/lowering/test_rows.py
//
// A pad does not compile whose padding is computed in its region, or that is fused behind a scatter. One of complex
// numbers crashes in some fusions.
//   Workaround: cpp/iree/Bytes.cpp (extend); cpp/lowering/Scatter.cpp (emit); cpp/lowering/Shape.cpp (padOrCrop)
//   Test: tests/lit/iree/quirks/computed_padding.mlir, tests/lit/iree/quirks/padded_scatter.mlir,
//     tests/lit/iree/quirks/padded_complex.mlir
//
// New dimensions of an array are moved to the slices that its single element is computed of, which crashes.
//   Workaround: cpp/iree/Quirks.cpp (expandable)
//   Test: tests/lit/iree/quirks/expanded_slice.mlir
//
// An array that a dispatch overwrites and also reads, by another operand, is copied; then both are the copy.
//   Workaround: cpp/dispatch/Executable.cpp (isReadElsewhere); cpp/lowering/Scatter.cpp (areOfOneArray)
//   Test: tests/lit/iree/quirks/overwritten_and_read.mlir, tests/python/pipeline/test_random_overwrites.py
//
// For CUDA and ROCm, a view of a buffer (`hal.interface.binding.subspan`) of known shape begins where the buffer does.
//   Workaround: cpp/dispatch/Executable.cpp (viewOfBytes)
//   Test: tests/python/lowering/test_gpu_matrices.py
//
// For CUDA and ROCm, the compiler dies of complex numbers and indices in the memory that a workgroup shares.
//   Workaround: cpp/dispatch/GpuMemory.cpp (GpuMemory::find); cpp/dispatch/SharedLoops.cpp (chooseLanes)
//   Test: tests/python/lowering/test_kernels_on_gpus.py
//
// For CUDA and ROCm, the rows of a slice from which elements are read at computed places are taken to follow each
// other.
//   Workaround: cpp/iree/ReadWhole.cpp (--dovetail-read-whole)
//   Test: tests/python/lowering/test_gpu_matrices.py
//
// For Vulkan and Metal, a slice that begins in the middle of a vector of an array is read from the vector's beginning.
//   Workaround: cpp/iree/HideWidths.cpp (--dovetail-hide-widths)
//   Test: tests/lit/iree/quirks/slice_between_vectors.mlir
//
// A slice that is read by index is loaded as a vector where its elements lie apart in memory, which does not compile.
//   Workaround: cpp/iree/Quirks.cpp (elementAt); cpp/lowering/Slices.cpp (lookedUp); cpp/lowering/Gather.cpp
//     (readAt)
//   Test: tests/lit/iree/quirks/strided_read.mlir
//
// A look-up in a loop nest without dimensions that is fused with others becomes a vector, but not the select that its
// result goes to: what IREE makes of the program is malformed, and it crashes.
//   Workaround: python/dovetail/compiler/module_files.py (_CHANGES)
//   Test: tests/python/pipeline/test_random_control.py
//
// Where a dispatch runs in several places, the alignment of an array that it gets is the least of those that are known,
// and unknown ones are left out: stores of vectors fault.
//   Workaround: python/dovetail/compiler/iree_compiler/alignments.py (correct)
//   Test: tests/python/compiler/test_alignments.py
//
// An array that is repeated along a batch, and multiplied by its transpose, is not laid out in tiles.
//   Workaround: python/dovetail/compiler/module_files.py (_CHANGES)
//   Test: tests/lit/iree/quirks/tiled_broadcast.mlir
//
// A loop that only reads elements by its own indices becomes a slice, which has more dimensions than the array if that
// loses one of size 1.
//   Workaround: cpp/lowering/Shape.cpp (reversed)
//   Test: tests/lit/iree/quirks/unit_read.mlir
//
// For GPUs, no reduction compiles with which a slice at a dynamic index is fused.
//   Workaround: cpp/lowering/Gather.cpp (isOnGpu)
//   Test: tests/lit/iree/quirks/reduced_window.mlir
//
// For Vulkan, some reductions do not compile with which a read of elements at the op's own indices is fused: their
// vectors are too long.
//   Workaround: cpp/iree/SeparateReads.cpp (readsByLoops)
//   Test: tests/lit/iree/quirks/looked_up_sum.mlir
//
// For Vulkan, an update of an array is wrong that is fused with a product of the same array, such as in `eigh`.
//   Workaround: cpp/linalg/Algebra.cpp (with)
//   Test: tests/python/lowering/test_portable_linalg.py

//===- Memory ------------------------------------------------------------------===//
//
// A loop on the host copies every array that it carries in each iteration, and allocates the next one.
//   Workaround: cpp/iree/CarryReferences.cpp (--dovetail-carry-references)
//   Test: tests/lit/iree/quirks/copied_carry.mlir
//
// An array has no owner that one branch computes and another passes on: an update of it changes the array passed on.
//   Workaround: cpp/iree/CarryReferences.cpp (rewriteChoice)
//   Test: tests/lit/iree/quirks/branch_owner.mlir
//
// In a loop or branch that passes on no array, an execution that reads a large constant waits for nothing else.
//   Workaround: cpp/iree/KeepWaits.cpp (--dovetail-keep-waits)
//   Test: tests/lit/iree/quirks/lost_wait.mlir
//
// An scf.while is taken to have the same arguments in both regions, of which one is lost that is not used, or no longer
// once the loop was simplified.
//   Workaround: cpp/iree/CarryReferences.cpp (--dovetail-carry-references, leave)
//   Test: tests/lit/iree/quirks/while_regions.mlir
//
// Of several arrays of unknown sizes that a loop carries, one is taken for another.
//   Workaround: cpp/iree/Quirks.cpp (canLoopsCarry); cpp/pipeline/Forms.cpp (carriesUnknownSizes)
//   Test: tests/lit/iree/quirks/dynamic_carries.mlir
//
// An argument without a later use is taken for the program's own and written over, donated or not.
//   Workaround: cpp/iree/KeepAlive.cpp (--dovetail-keep-alive)
//   Test: tests/lit/iree/quirks/overwritten_argument.mlir
//
// That an optimization barrier gives the memory that it takes is not seen.
//   Workaround: cpp/iree/KeepAlive.cpp (--dovetail-keep-alive)
//   Test: tests/lit/iree/quirks/shared_barrier.mlir
//
// A use in a loop of an array from outside is taken for the last, although each iteration has it.
//   Workaround: cpp/iree/KeepAlive.cpp (--dovetail-keep-alive)
//   Test: tests/lit/iree/quirks/array_outside_loop.mlir
//
// A dispatch that reads no array is repeated instead of its result copied, and then merged with its likes.
//   Workaround: cpp/iree/SeparateGenerated.cpp (--dovetail-separate-generated)
//   Test: tests/lit/iree/quirks/repeated_dispatch.mlir, tests/python/lowering/test_generated_updates.py
//
// An op that writes over an array is moved, with dispatches that may run at the same time, before others that read it.
//   Workaround: cpp/iree/KeepRead.cpp (--dovetail-keep-read)
//   Test: tests/lit/iree/quirks/early_update.mlir
//
// A slice that a scatter updates is copied within the scatter's dispatch, on the stack, of which there is little. So
// are the indices and updates that are computed there.
//   Workaround: cpp/iree/Ops.cpp (scatterWindows); cpp/dispatch/OneDispatch.cpp (kMaxStack)
//   Test: tests/lit/iree/quirks/updated_slice.mlir, tests/lit/iree/quirks/scattered_indices.mlir
//
// A slice that is moved within its array is copied in place, which fails when the program runs where the two overlap.
//   Workaround: cpp/lowering/Scatter.cpp (areSliceOf)
//   Test: tests/python/lowering/test_rows.py
//
// Several results of one dispatch are written to their places in one array, if the arrays that they go to begin alike.
//   Workaround: cpp/iree/SeparateResults.cpp (--dovetail-separate-results)
//   Test: tests/lit/iree/quirks/placed_results.mlir
//
// A constant that is scattered and the array that it is scattered into, if they fold to the same, are taken for one.
//   Workaround: cpp/lowering/Scatter.cpp (changesConstant)
//   Test: tests/lit/iree/quirks/scattered_constant.mlir
//
// A scatter that reads the array that it changes reads what it has changed.
//   Workaround: cpp/lowering/Scatter.cpp (mayBeComputedFrom)
//   Test: tests/lit/iree/quirks/scatter_of_itself.mlir
//
// An offset behind an array whose size has no bounds, rounded up to lines of memory, becomes 0.
//   Workaround: cpp/lowering/Size.cpp (assumed); cpp/lowering/Control.cpp (sizeOf)
//   Test: tests/lit/iree/quirks/unbounded_size.mlir

//===- Host code ---------------------------------------------------------------===//
//
// An optimization barrier of several arrays is refused whose memory is not all of one kind.
//   Workaround: cpp/iree/SeparateBarriers.cpp (--dovetail-separate-barriers); cpp/pipeline/Forms.cpp (kBarrierRefused)
//   Test: tests/lit/iree/quirks/barrier_of_several.mlir
//
// What lies before and behind a loop may be scheduled together, which is then refused for a circular dependency.
//   Workaround: cpp/iree/SeparateLoops.cpp (--dovetail-separate-loops)
//   Test: tests/lit/iree/quirks/circular_loop.mlir
//
// A dispatch that reads no array is not scheduled if its result is read before a loop, in it, and behind it.
//   Workaround: cpp/iree/SeparateGenerated.cpp (computed); cpp/pipeline/Forms.cpp (kUnscheduled)
//   Test: tests/lit/iree/quirks/unscheduled_dispatch.mlir
//
// Calls of imported functions are moved past loops.
//   Workaround: cpp/iree/OrderCalls.cpp (orderHostCalls)
//   Test: tests/lit/iree/quirks/moved_call.mlir
//
// Dynamic sizes of what branches in loops give are not found.
//   Workaround: cpp/lowering/Control.cpp (CaseLowering)
//   Test: tests/lit/iree/quirks/branch_sizes.mlir
//
// Mesa's Vulkan driver for CPUs, not IREE, ends the loops of a dispatch after 65,535 iterations.
//   Workaround: cpp/dispatch/OneDispatch.h (kMostIterationsOnVulkan)
//   Test: tests/lit/iree/quirks/mesa_iterations.mlir
//
// For Vulkan, buffers are not coherent, so that only atomic instructions see what other workgroups wrote.
//   Workaround: cpp/dispatch/GpuThreads.h (hasDeviceFence)
//   Test: tests/lit/iree/quirks/incoherent_buffers.mlir
//
// For Vulkan, no instruction exchanges numbers, compares and exchanges them, or adds floats.
//   Workaround: cpp/dispatch/RowUpdates.cpp (mayUpdateInThreads)
//   Test: tests/lit/iree/quirks/missing_exchange.mlir
//
// For Metal, fences of the device become those of a threadgroup.
//   Workaround: cpp/dispatch/GpuThreads.h (hasDeviceFence)
//   Test: tests/lit/iree/quirks/metal_fences.mlir

//===- The runtime -------------------------------------------------------------===//
//
// On Vulkan, a program's commands are replayed on the buffers of an earlier call.
//   Workaround: python/dovetail/runtime/drivers.py (vulkan_cached_bda_replay_instances)
//   Test: tests/python/runtime/test_vulkan.py
//
// On Vulkan, two threads wake a queue's thread by signals that may come in the wrong order; the device is then lost.
//   Workaround: cpp/vulkan/Loader.cpp (signalInOrder)
//   Test: tests/python/runtime/test_vulkan.py
//
//===- Element types -----------------------------------------------------------===//
//
// Floats of 4 and 6 bits, and some of 8, are not known.
//   Workaround: cpp/iree/Bytes.cpp (isForeign); cpp/scalar/Narrow.cpp (widen, narrow)
//   Test: tests/lit/iree/quirks/missing_floats.mlir
//
// Other floats of 8 bits are converted wrongly: the negative NaN of f8E4M3FN to -480.
//   Workaround: cpp/scalar/Narrow.cpp (widen, narrow)
//   Test: tests/lit/iree/quirks/f8_nan.mlir
//
// Integers of 2 and 4 bits are not stored unless they fill whole bytes.
//   Workaround: cpp/iree/Bytes.cpp (--dovetail-bytes, isPacked)
//   Test: tests/lit/iree/quirks/narrow_integers.mlir
//
// Regions of bf16 arithmetic are computed in f32 without the roundings between.
//   Workaround: cpp/scalar/Narrow.cpp (narrowHalf)
//   Test: tests/lit/iree/quirks/bf16_rounding.mlir
//
// The maximum of f16 is computed in f32 by a pass that takes vectors for scalars.
//   Workaround: cpp/scalar/Rounding.cpp (extremum)
//   Test: tests/lit/iree/quirks/f16_maximum.mlir

//===- Builders ----------------------------------------------------------------===//

/// Whether this is complex<f64>.
bool isWideComplex(mlir::Type element);

/// What `filled` gives, where it is a result of its own: an op on an array of one element.
mlir::Value filledAlone(mlir::ImplicitLocOpBuilder &b, llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Value scalar);

/// `x`, which is to get more dimensions, behind a barrier if it is one element of slices.
mlir::Value expandable(mlir::ImplicitLocOpBuilder &b, mlir::Value x);

/// The element of `x` at that index; of a slice, that of the array it is part of.
mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, llvm::ArrayRef<mlir::Value> place);

/// Whether IREE carries arrays of this type through loops.
bool canLoopsCarry(mlir::RankedTensorType type);

} // namespace dovetail

#endif // DOVETAIL_IREE_QUIRKS_H

// Vocabulary of the rules by which ops describe themselves, and the rules derived for whole kinds of ops.
#ifndef DOVETAIL_RULES_H
#define DOVETAIL_RULES_H

#include "Body.h"
#include "Effects.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallBitVector.h"

namespace dovetail {

class Emitter;
class VaryingAnalysis;

/// A set of manual axes of a mesh, by the numbers that a VaryingAnalysis gives them.
using AxisSet = uint64_t;

/// The batch position of a value that has no batch dimension.
constexpr int64_t kUnbatched = -1;

/// The size of a batch; the name of its axis, null if it has none; the axes of a mesh, as strings, over which ops that
/// state shardings divide it, null if there are none.
struct BatchSize {
  int64_t size;
  mlir::StringAttr axis;
  mlir::ArrayAttr meshAxes;

  BatchSize(int64_t size = 0, mlir::StringAttr axis = {}, mlir::ArrayAttr meshAxes = {})
      : size(size), axis(axis), meshAxes(meshAxes) {}
  operator int64_t() const { return size; }
};

/// Sets of operand indices; an op is jointly linear in the operands of a set.
using OperandSets = llvm::SmallVector<llvm::SmallVector<unsigned, 3>, 2>;

/// The loops ("factors") of an op's computation: which factor each dimension of each operand and result runs over.
/// Dimensions that are not loops (a padded or concatenated dimension) have kNone. All dimensions of a factor have the
/// same size, except for leading ones of regrouped dimensions: a part of one is that part of the other only if both are
/// divided into equal parts.
struct FactorMap {
  static constexpr int64_t kNone = -1;
  /// How results for parts of the reduced factors are combined to the result for all.
  enum class Combiner { None, Sum, Prod, Max, Min, And, Or, Xor };

  llvm::SmallVector<llvm::SmallVector<int64_t>> operands;
  llvm::SmallVector<llvm::SmallVector<int64_t>> results;
  llvm::SmallVector<int64_t> reduced;
  Combiner combiner = Combiner::None;
  /// Factors whose iterations depend on their position, or on each other: the op on a part of one does not compute that
  /// part of the results.
  llvm::SmallVector<int64_t> indivisible;
  /// Factors of which indices select iterations: the results for parts of one, outside of which there are neutral
  /// elements, are combined as well. The op must know which part it has.
  llvm::SmallVector<int64_t> selected;

  /// A dimension of a result that has elements of an operand's, at other places or changed together: no part of one is
  /// computed from that of the other, but what is wanted in parts of one is of the other as well.
  struct Carried {
    unsigned operand;
    int64_t dim;
    unsigned result;
    int64_t resultDim;
  };
  llvm::SmallVector<Carried> carried;
  /// Notes that of all operands that have it, and of all results.
  void carry(int64_t dim);

  /// Whether devices can compute parts of the factor.
  bool isDivisible(int64_t factor) const;
};

/// A factor of which each device computes a part, for ops that must know which: the part's first iteration, an i32; the
/// axes of the mesh over which the factor is divided, and their sizes, from major to minor; the number of iterations of
/// all parts, of which the last may be shorter than the others. `first` is null if the factor is not divided.
struct DividedFactor {
  mlir::Value first;
  mlir::ArrayAttr axes;
  llvm::SmallVector<int64_t> sizes;
  int64_t size = 0;
};

//===- Types ---------------------------------------------------------------===//

/// Returns true if values of this type have tangents: arrays of floats or complex numbers.
bool isDifferentiable(mlir::Type type);
/// The element type of |x|.
mlir::Type realElement(mlir::Type element);
mlir::Type boolElement(mlir::Type element);
mlir::RankedTensorType withElement(mlir::Type type, mlir::Type element);
mlir::RankedTensorType withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);
/// The type with an additional dimension of size `size` at `position`.
mlir::RankedTensorType withDim(mlir::Type type, int64_t position, int64_t size);
/// The type with dimension `permutation[i]` as its dimension i; and `sizes`, one for each `?`, in the order it then
/// has.
mlir::RankedTensorType permuted(mlir::Type type, llvm::ArrayRef<int64_t> permutation);
llvm::SmallVector<mlir::Value> permutedSizes(mlir::RankedTensorType type, mlir::ValueRange sizes,
                                             llvm::ArrayRef<int64_t> permutation);

//===- Lists of dimensions -----------------------------------------------------===//

llvm::SmallVector<int64_t> range(int64_t begin, int64_t end);
/// The positions of dimensions after one was inserted at `position`, if that is not kUnbatched.
llvm::SmallVector<int64_t> shifted(llvm::ArrayRef<int64_t> dims, int64_t position);
/// A list with one value for each dimension, after one was inserted at `position`.
llvm::SmallVector<int64_t> inserted(llvm::ArrayRef<int64_t> values, int64_t position, int64_t value);

//===- Inference and verification --------------------------------------------===//

llvm::LogicalResult inferPointwise(std::optional<mlir::Location> loc, llvm::StringRef name, mlir::ValueRange operands,
                                   unsigned from, llvm::function_ref<mlir::Type(mlir::Type)> element,
                                   llvm::SmallVectorImpl<mlir::Type> &types);
/// Checks that `dims` are distinct and in [0, rank), and increasing where `increasing`.
llvm::LogicalResult verifyDims(std::optional<mlir::Location> loc, llvm::StringRef name, llvm::StringRef what,
                               llvm::ArrayRef<int64_t> dims, int64_t rank, bool increasing);
/// Checks that there is one size operand for each `?` of the type.
llvm::LogicalResult verifySizes(mlir::Operation *op, mlir::Type result, mlir::ValueRange sizes);
/// Returns true if two sizes may be equal; `?` may equal any.
bool canBeEqual(int64_t a, int64_t b);

//===- Derived rules ----------------------------------------------------------===//

/// Factor map of an op whose operands and results all have the same shape.
FactorMap pointwiseFactorMap(mlir::Operation *op);

/// The factor map of any op that has one, stated or derived.
std::optional<FactorMap> factorMap(mlir::Operation *op);

/// The source of a `?` of an array: a value of type `index`, or the same size of another array, at `dimension`.
struct DimSource {
  mlir::Value value;
  std::optional<int64_t> dimension;

  bool isSize() const { return !dimension; }
};

/// The source of a `?` at that dimension for the op that creates an array: an operand that is the size, or, by its
/// factor map, an operand's dimension. A null value if only the op's own rule determines it (`ResultSizeOpInterface`),
/// or nothing.
DimSource sizeSource(mlir::Value array, int64_t dimension);

/// Emits `op` on `primals` and appends its results and their tangents. Null tangents are zero; some are not.
llvm::LogicalResult applyJvp(mlir::Operation *op, Emitter &e, mlir::ValueRange primals,
                             llvm::ArrayRef<mlir::Value> tangents, llvm::SmallVectorImpl<mlir::Value> &results,
                             llvm::SmallVectorImpl<mlir::Value> &resultTangents);

/// Emits the transpose of `op`; see LinearOpInterface.
llvm::LogicalResult applyTranspose(mlir::Operation *op, Emitter &e, mlir::ValueRange operands,
                                   llvm::ArrayRef<mlir::Value> cotangents,
                                   llvm::MutableArrayRef<mlir::Value> operandCotangents);

/// Emits `op` over a batch; see BatchOpInterface.
llvm::LogicalResult applyBatch(mlir::Operation *op, Emitter &e, mlir::ValueRange operands, llvm::ArrayRef<int64_t> dims,
                               llvm::SmallVectorImpl<mlir::Value> &results, llvm::SmallVectorImpl<int64_t> &resultDims);

/// The same op (name, attributes) on other operands, with other result types.
mlir::Operation *cloneWith(Emitter &e, mlir::Operation *op, mlir::ValueRange operands, mlir::TypeRange types);

/// Returns true if `active` is a subset of one of `sets`.
bool isWithinOne(const llvm::SmallBitVector &active, const OperandSets &sets);

//===- Transforms of bodies and functions ---------------------------------------===//

/// The values of a body that a split may save for later.
struct Keeping {
  /// Arguments that cost nothing to keep.
  llvm::SmallBitVector free;
  /// Loop-invariant arguments. Arrays are kept only if nothing else states their sizes.
  llvm::SmallBitVector loopInvariant;

  Keeping(const llvm::SmallBitVector &free) : free(free), loopInvariant(free.size(), true) {}
};

/// The transforms, as used by the rules of ops with bodies or callees. Transforms of functions are memoized by callee
/// and request; those of bodies return a body to which the rule may add.
class FunctionTransforms {
public:
  virtual ~FunctionTransforms() = default;

  /// (primals, tangents of active arguments) -> (results, tangents of active results).
  template <typename Made>
  struct Jvp {
    Made function;
    llvm::SmallBitVector activeResults;
  };
  virtual llvm::FailureOr<Jvp<Body>> jvp(mlir::Region &body, const llvm::SmallBitVector &active) = 0;
  virtual llvm::FailureOr<Jvp<mlir::func::FuncOp>> jvp(mlir::func::FuncOp function,
                                                       const llvm::SmallBitVector &active) = 0;

  /// known: (known arguments) -> (known results, residuals);
  /// rest: (residuals, unknown arguments) -> (unknown results).
  template <typename Made>
  struct Split {
    Made known, rest;
    llvm::SmallBitVector unknownResults;
  };
  /// The cheapest of several sets of residuals is saved.
  virtual llvm::FailureOr<Split<Body>> split(mlir::Region &body, const llvm::SmallBitVector &unknown,
                                             const Keeping &keeping) = 0;
  virtual llvm::FailureOr<Split<mlir::func::FuncOp>> split(mlir::func::FuncOp function,
                                                           const llvm::SmallBitVector &unknown) = 0;

  /// (other arguments, sizes of the `?` dimensions of linear arguments, cotangents of the results marked in `results`)
  /// -> (cotangents of the linear arguments marked in `nonzero`, which counts linear arguments only).
  template <typename Made>
  struct Transpose {
    Made function;
    llvm::SmallBitVector nonzero;
  };
  virtual llvm::FailureOr<Transpose<Body>> transpose(mlir::Region &body, const llvm::SmallBitVector &linear,
                                                     const llvm::SmallBitVector &results) = 0;
  virtual llvm::FailureOr<Transpose<mlir::func::FuncOp>>
  transpose(mlir::func::FuncOp function, const llvm::SmallBitVector &linear, const llvm::SmallBitVector &results) = 0;

  /// (other arguments, sizes of the `?` dimensions of linear arguments) -> sizes of the `?`s of the results, or these.
  virtual llvm::FailureOr<Body> sizes(mlir::Region &body, const llvm::SmallBitVector &linear) = 0;
  virtual llvm::FailureOr<mlir::func::FuncOp> sizes(mlir::func::FuncOp function,
                                                    const llvm::SmallBitVector &linear) = 0;

  /// The same over a batch of `size` elements (`?` is dynamic) at the given positions of the arguments.
  template <typename Made>
  struct Batch {
    Made function;
    llvm::SmallVector<int64_t> resultDims;
  };
  virtual llvm::FailureOr<Batch<Body>> batch(mlir::Region &body, llvm::ArrayRef<int64_t> dims, BatchSize size) = 0;
  virtual llvm::FailureOr<Batch<mlir::func::FuncOp>> batch(mlir::func::FuncOp function, llvm::ArrayRef<int64_t> dims,
                                                           BatchSize size) = 0;

  /// The function of parts over manual axes with `vary` where values that are the same along one meet others, given the
  /// axes along which each argument varies and, at least, each result.
  using AxesOfEach = llvm::ArrayRef<llvm::SmallVector<mlir::StringAttr>>;
  virtual llvm::FailureOr<mlir::func::FuncOp> vary(mlir::func::FuncOp function, llvm::ArrayRef<mlir::StringAttr> axes,
                                                   AxesOfEach arguments, AxesOfEach results) = 0;

  /// Returns true if an op, its bodies or its callees refer to the named axis.
  virtual bool names(mlir::Operation *op, mlir::StringAttr axis) = 0;

  /// Returns true if an op, its bodies or its callees have side effects; such an op is neither dropped nor repeated.
  virtual bool hasEffects(mlir::Operation *op, EffectKind kind = EffectKind::Any) = 0;
  /// The same for a body.
  bool hasEffects(mlir::Block &block, EffectKind kind = EffectKind::Any) {
    return llvm::any_of(block, [&](mlir::Operation &op) { return hasEffects(&op, kind); });
  }

  virtual mlir::func::FuncOp lookup(mlir::FlatSymbolRefAttr callee) = 0;
  /// A private function next to `source`, built from a body.
  virtual mlir::func::FuncOp add(mlir::func::FuncOp source, llvm::StringRef suffix, Body body) = 0;
  /// A private function at the end of the module, built from a body.
  virtual mlir::func::FuncOp add(mlir::Location loc, llvm::StringRef name, Body body) = 0;
};

} // namespace dovetail

#endif // DOVETAIL_RULES_H

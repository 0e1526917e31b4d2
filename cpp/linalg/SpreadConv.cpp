// Convolutions of arrays with zeros between their elements, such as transposed ones and gradients of strided ones.
#include "Algorithms.h"
#include "cpp/cost/Cost.h"
#include "cpp/tensors/Target.h"
#include "dialects/Conv.h"
#include "dialects/Folding.h"
#include "dialects/Shape.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dovetail {

namespace {

using Dims = SmallVector<int64_t>;

int64_t placeOf(ArrayRef<int64_t> labels, int64_t label) { return llvm::find(labels, label) - labels.begin(); }

/// An array with a label for each dimension, as a convolution's operands have.
struct Labelled {
  Value value;
  Dims labels;

  RankedTensorType type() const { return Algebra::typeOf(value); }
  bool has(int64_t label) const { return llvm::is_contained(labels, label); }
  int64_t size(int64_t label) const { return type().getDimSize(placeOf(labels, label)); }
};

/// Residues of positions of the kernel, by the distance of the elements, from the last one on, and how many positions
/// have each of them.
struct Residues {
  int64_t begin, end, taps;
};

/// How a kernel slides along a dimension with a distance of `distance` between elements. Position p + k of it, for p of
/// the result and k of the kernel, has element i if p + k = low + i distance. With k = j distance + (distance - 1 - r),
/// that is i = q + j for p = q distance + r + low - distance + 1: for each r, a convolution without zeros, of which q
/// is the position.
struct Sliding {
  int64_t label, residue, distance, low, kernel, size;

  bool isSpread() const { return distance > 1; }
  int64_t base() const { return low - distance + 1; }
  int64_t first() const { return llvm::divideFloorSigned(-base(), distance); }
  int64_t count() const { return llvm::divideFloorSigned(size - 1 - base(), distance) - first() + 1; }
  /// The results that `first` has before position 0.
  int64_t dropped() const { return -(first() * distance + base()); }
  int64_t taps() const { return llvm::divideCeil(kernel, distance); }
  double zeros() const { return double(taps() * distance) / kernel; }

  /// All residues together, with zeros after the kernel, or those with one position more apart.
  SmallVector<Residues> residues(bool areTogether) const {
    int64_t rest = kernel % distance;
    if (areTogether || rest == 0)
      return {{0, distance, taps()}};
    return {{0, distance - rest, taps() - 1}, {distance - rest, distance, taps()}};
  }
};

class SpreadConv {
public:
  SpreadConv(Emitter &e, ConvOp op) : e(e), op(op), pad(op.getLhs().getDefiningOp<PadOp>()) {
    int64_t next = 0;
    for (ArrayRef<int64_t> labels : {op.getLhsDims(), op.getRhsDims()})
      for (int64_t label : labels)
        next = std::max(next, label + 1);
    for (int64_t label : op.getWindows()) {
      int64_t d = placeOf(op.getLhsDims(), label);
      windows.push_back({label, next++, pad.getInterior()[d] + 1, pad.getLow()[d],
                         Labelled{op.getRhs(), Dims(op.getRhsDims())}.size(label),
                         Labelled{op.getAns(), Dims(op.getAnsDims())}.size(label)});
    }
  }

  /// Returns true if the convolution reads such an array, and can do without the zeros.
  static bool isOf(ConvOp op) {
    auto pad = op.getLhs().getDefiningOp<PadOp>();
    Attribute value;
    if (!pad || !matchPattern(pad.getValue(), m_Constant(&value)) || !isSplat(value, 0))
      return false;
    bool isSpread = false;
    for (int64_t label : op.getLhsDims()) {
      int64_t d = placeOf(op.getLhsDims(), label), w = placeOf(op.getWindows(), label);
      bool isWindow = w < int64_t(op.getWindows().size()), hasZeros = pad.getInterior()[d] != 0;
      auto isStatic = [&](Value x, ArrayRef<int64_t> labels) {
        return !ShapedType::isDynamic(Algebra::sizeOf(x, placeOf(labels, label)));
      };
      if (!isWindow &&
          (hasZeros || pad.getLow()[d] != 0 || Algebra::sizeOf(pad.getX(), d) != Algebra::sizeOf(pad.getAns(), d)))
        return false;
      if (isWindow && !(isStatic(pad.getX(), op.getLhsDims()) && isStatic(op.getLhs(), op.getLhsDims()) &&
                        isStatic(op.getRhs(), op.getRhsDims())))
        return false;
      if (hasZeros && (op.getStrides()[w] != 1 || op.getDilations()[w] != 1))
        return false;
      isSpread |= hasZeros;
    }
    return isSpread;
  }

  Value run() {
    auto [lhs, rhs] = operands();
    double zeros = 1;
    for (const Sliding &window : windows)
      zeros *= window.zeros();
    // More dispatches, and with fewer channels, take longer than so many zeros.
    constexpr double few = 1.4;
    SmallVector<SmallVector<Residues>> groups = {{}};
    for (const Sliding &window : windows) {
      SmallVector<SmallVector<Residues>> more;
      for (const auto &group : groups)
        for (Residues each : window.residues(zeros <= few)) {
          more.push_back(group);
          more.back().push_back(each);
        }
      groups = more;
    }
    SmallVector<Labelled> parts;
    for (const auto &group : groups)
      parts.push_back(part(lhs, rhs, group));
    return inPlace(joined(parts, groups));
  }

private:
  Emitter &e;
  ConvOp op;
  PadOp pad;
  SmallVector<Sliding> windows;

  bool isWindow(int64_t label) { return llvm::is_contained(op.getWindows(), label); }
  bool isInAns(int64_t label) { return llvm::is_contained(op.getAnsDims(), label); }

  Value nothing(Value x) { return e.full(RankedTensorType::get({}, Algebra::elementOf(x)), {}, 0.0); }

  Value padded(Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> shape) {
    if (shape == Algebra::typeOf(x).getShape() && llvm::all_of(low, [](int64_t each) { return each == 0; }))
      return x;
    return e.make<PadOp>(withShape(x.getType(), shape), x, nothing(x), low, Dims(low.size(), 0), e.sizes(x));
  }

  Labelled cut(const Labelled &x, int64_t label, int64_t begin, int64_t size) {
    if (begin == 0 && x.size(label) == size)
      return x;
    Dims starts(x.labels.size(), 0), strides(x.labels.size(), 1), shape(x.type().getShape());
    starts[placeOf(x.labels, label)] = begin;
    shape[placeOf(x.labels, label)] = size;
    return {e.make<SliceOp>(withShape(x.type(), shape), x.value, starts, strides, e.sizes(x.value)), x.labels};
  }

  template <typename Rank>
  Labelled ordered(const Labelled &x, Rank rank) {
    Dims order = range(0, x.labels.size());
    llvm::stable_sort(order, [&](int64_t i, int64_t j) { return rank(x.labels[i]) < rank(x.labels[j]); });
    if (llvm::is_sorted(order))
      return x;
    return {e.transpose(x.value, order), llvm::map_to_vector(order, [&](int64_t d) { return x.labels[d]; })};
  }

  /// The array without zeros between its elements, and the kernel with dimensions for residues, which parts have in
  /// common; with channels last, as parts have them.
  std::pair<Labelled, Labelled> operands() {
    Labelled lhs = {pad.getX(), Dims(op.getLhsDims())}, rhs = {op.getRhs(), Dims(op.getRhsDims())};
    Dims low(lhs.labels.size(), 0), shape(lhs.type().getShape()), whole(rhs.type().getShape()), reversed;
    Labelled apart = {nullptr, {}};
    Dims split;
    for (const Sliding &window : windows) {
      int64_t d = placeOf(lhs.labels, window.label);
      low[d] = window.isSpread() ? -window.first() : window.low;
      shape[d] = window.isSpread() ? window.count() + window.taps() - 1 : Algebra::sizeOf(op.getLhs(), d);
      whole[placeOf(rhs.labels, window.label)] = window.taps() * window.distance;
    }
    lhs.value = padded(lhs.value, low, shape);
    rhs.value = padded(rhs.value, Dims(whole.size(), 0), whole);
    for (size_t d = 0; d < whole.size(); ++d) {
      int64_t label = rhs.labels[d], size = whole[d];
      const auto *window = llvm::find_if(windows, [&](const Sliding &each) { return each.label == label; });
      bool isSplit = window != windows.end() && window->isSpread();
      apart.labels.push_back(label);
      split.push_back(isSplit ? window->taps() : size);
      if (!isSplit)
        continue;
      reversed.push_back(split.size());
      apart.labels.push_back(window->residue);
      split.push_back(window->distance);
    }
    Value kernel = e.reshape(rhs.value, withShape(rhs.type(), split), e.sizes(rhs.value));
    apart.value = e.make<ReverseOp>(kernel, reversed);
    if (!hasFewTaps())
      return {lhs, apart};
    auto isBatch = [&](int64_t label) {
      return lhs.has(label) && rhs.has(label) && isInAns(label) && !isWindow(label);
    };
    return {ordered(lhs,
                    [&](int64_t label) {
                      return isBatch(label) ? 0 : isWindow(label) ? 2 : isInAns(label) ? 1 : 3;
                    }),
            ordered(apart, [&](int64_t label) {
              return isBatch(label) ? 0 : isWindow(label) ? 1 : lhs.has(label) ? 2 : isInAns(label) ? 4 : 3;
            })};
  }

  bool hasFewTaps() const {
    double taps = 1, places = 1;
    for (const Sliding &window : windows) {
      taps *= window.kernel;
      places *= window.size;
    }
    return taps <= places;
  }

  /// The results with some residues.
  Labelled part(Labelled lhs, Labelled rhs, ArrayRef<Residues> group) {
    Dims labels, shape;
    bool isNothing = false;
    for (auto [window, residues] : llvm::zip_equal(windows, group)) {
      if (!window.isSpread())
        continue;
      isNothing |= residues.taps == 0;
      lhs = cut(lhs, window.label, 0, window.count() + std::max<int64_t>(residues.taps, 1) - 1);
      rhs = cut(cut(rhs, window.label, 0, std::max<int64_t>(residues.taps, 1)), window.residue, residues.begin,
                residues.end - residues.begin);
    }
    for (int64_t label : lhs.labels)
      if (isInAns(label))
        labels.push_back(label);
    for (int64_t label : rhs.labels)
      if (!lhs.has(label))
        labels.push_back(label);
    Value ans = e.make<ConvOp>(lhs.value, rhs.value, lhs.labels, rhs.labels, labels, op.getWindows(), op.getStrides(),
                               op.getDilations(), op.getElementAttr());
    return {isNothing ? e.zerosLike(ans) : ans, labels};
  }

  /// All residues, of parts in the order of groups.
  Labelled joined(SmallVector<Labelled> parts, ArrayRef<SmallVector<Residues>> groups) {
    if (parts.size() == 1)
      return parts.front();
    // Single residues are stored one after the other: that needs no copy.
    bool areSingle = llvm::all_of(groups, [&](ArrayRef<Residues> group) {
      return llvm::all_of(llvm::zip_equal(windows, group), [](auto each) {
        auto [window, residues] = each;
        return !window.isSpread() || residues.end - residues.begin == 1;
      });
    });
    if (areSingle)
      return stacked(parts);
    for (size_t w = windows.size(); w-- > 0;) {
      if (!windows[w].isSpread())
        continue;
      size_t count = groups.size() == 1 ? 1 : windows[w].residues(false).size();
      SmallVector<Labelled> fewer;
      for (size_t i = 0; i < parts.size(); i += count) {
        auto values = llvm::map_to_vector(ArrayRef(parts).slice(i, count), [](const Labelled &x) { return x.value; });
        int64_t dimension = placeOf(parts[i].labels, windows[w].residue);
        fewer.push_back({e.make<ConcatenateOp>(values, dimension), parts[i].labels});
      }
      parts = fewer;
    }
    return parts.front();
  }

  Labelled stacked(ArrayRef<Labelled> parts) {
    Dims labels, shape, rest, one = {1};
    for (const Sliding &window : windows)
      if (window.isSpread()) {
        labels.push_back(window.residue);
        shape.push_back(window.distance);
      }
    auto isResidue = [leading = Dims(labels)](int64_t label) { return llvm::is_contained(leading, label); };
    const Labelled &first = parts.front();
    for (auto [label, size] : llvm::zip_equal(first.labels, first.type().getShape()))
      if (!isResidue(label)) {
        labels.push_back(label);
        rest.push_back(size);
      }
    llvm::append_range(one, rest);
    llvm::append_range(shape, rest);
    auto values = llvm::map_to_vector(
        parts, [&](const Labelled &x) { return e.reshape(x.value, withShape(x.type(), one), e.sizes(x.value)); });
    Value all = e.make<ConcatenateOp>(values, int64_t(0));
    return {e.reshape(all, withShape(all.getType(), shape), e.sizes(all)), labels};
  }

  /// The results at their places: first with channels last, since rows of channels are moved faster than elements.
  Value inPlace(Labelled x) {
    Dims labels, whole, shape;
    for (int64_t label : x.labels)
      if (isInAns(label))
        labels.push_back(label);
    for (int64_t label : labels) {
      whole.push_back(label);
      shape.push_back(x.size(label));
      for (const Sliding &window : windows)
        if (window.label == label && window.isSpread()) {
          whole.push_back(window.residue);
          shape.back() *= window.distance;
        }
    }
    x = ordered(x, [&](int64_t label) { return placeOf(whole, label); });
    x = {e.reshape(x.value, withShape(x.type(), shape), e.sizes(x.value)), labels};
    Dims starts(shape.size(), 0), kept(shape);
    for (const Sliding &window : windows)
      if (window.isSpread()) {
        starts[placeOf(labels, window.label)] = window.dropped();
        kept[placeOf(labels, window.label)] = window.size;
      }
    x.value = e.make<SliceOp>(withShape(x.type(), kept), x.value, starts, Dims(shape.size(), 1), e.sizes(x.value));
    if (labels == op.getAnsDims())
      return x.value;
    x.value = OptimizationBarrierOp::create(e.builder, e.loc, x.value).getResult(0);
    return ordered(x, [&](int64_t label) { return placeOf(op.getAnsDims(), label); }).value;
  }
};

/// A convolution for each residue of the results' positions, by the distance of the elements: their kernels are parts
/// of the kernel, and they compute nothing with zeros. Residues with as many positions of the kernel are channels of
/// one convolution.
struct SpreadConvModel : DecomposeOpInterface::ExternalModel<SpreadConvModel, ConvOp> {
  static unsigned numBatchDims(Operation *) { return 0; }

  static bool isDecomposed(Operation *op) {
    // Smaller ones take less than the additional dispatches.
    constexpr double least = 1 << 24;
    return Target(op).isCpu() && SpreadConv::isOf(cast<ConvOp>(op)) && costOf(op).flops >= least;
  }

  static LogicalResult decompose(Operation *op, Emitter &e, ValueRange, SmallVectorImpl<Value> &results) {
    results.push_back(SpreadConv(e, cast<ConvOp>(op)).run());
    return success();
  }
};

} // namespace

void attachSpreadConvDecompositions(MLIRContext *context) { ConvOp::attachInterface<SpreadConvModel>(*context); }

} // namespace dovetail

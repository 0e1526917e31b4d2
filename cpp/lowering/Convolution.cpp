// A convolution of two values, and the order of dimensions in which the code generator tiles it.
#include "Convolution.h"
#include "Window.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Target.h"

using namespace mlir;

namespace dovetail {

using Dims = Convolution::Dims;

OpFoldResult Convolution::sizeOf(Value x, ArrayRef<int64_t> labels, int64_t label) const {
  return sizesOf(b, x)[placeOf(labels, label)];
}

OpFoldResult Convolution::ansSize(int64_t label) const {
  if (!isWindow(label))
    return isIn(lhsDims, label) ? sizeOf(lhs, lhsDims, label) : sizeOf(rhs, rhsDims, label);
  int64_t w = placeOf(windows, label);
  return windowCount(b, sizeOf(lhs, lhsDims, label), kernelSize(label), strides[w], dilations[w]);
}

SmallVector<OpFoldResult> Convolution::ansSizes() const {
  return llvm::map_to_vector(ansDims, [&](int64_t label) { return ansSize(label); });
}

Dims Convolution::contracting() const {
  return llvm::to_vector(llvm::make_filter_range(lhsDims, [&](int64_t label) { return !isIn(ansDims, label); }));
}

bool Convolution::sumsChannels() const {
  return llvm::any_of(contracting(), [&](int64_t label) {
    return getConstantIntValue(sizeOf(lhs, lhsDims, label)) != std::optional<int64_t>(1);
  });
}

std::optional<int64_t> Convolution::places(function_ref<OpFoldResult(int64_t)> size, int64_t most) const {
  int64_t count = 1;
  for (int64_t label : windows) {
    auto known = getConstantIntValue(size(label));
    if (!known || *known > most)
      return std::nullopt;
    count *= *known;
  }
  return count <= most ? std::optional(count) : std::nullopt;
}

ChannelsLast::ChannelsLast(const Convolution &given) : conv(given), original(given.ansDims) {
  auto isBatch = [&](int64_t label) {
    return Convolution::isIn(given.lhsDims, label) && Convolution::isIn(given.rhsDims, label) &&
           Convolution::isIn(given.ansDims, label) && !given.isWindow(label);
  };
  auto sort = [&](Value &x, Dims &labels, auto rank) {
    Dims order = range(0, labels.size());
    llvm::stable_sort(order, [&](int64_t i, int64_t j) { return rank(labels[i]) < rank(labels[j]); });
    // Fused with the contraction, a transposition would restore the slow order.
    if (!llvm::is_sorted(order) || x.getDefiningOp<linalg::TransposeOp>())
      x = computeBarrier(given.b, transposed(given.b, x, order));
    labels = llvm::map_to_vector(order, [&](int64_t d) { return labels[d]; });
  };
  sort(conv.lhs, conv.lhsDims, [&](int64_t label) {
    return isBatch(label) ? 0 : given.isWindow(label) ? 2 : Convolution::isIn(given.ansDims, label) ? 1 : 3;
  });
  sort(conv.rhs, conv.rhsDims, [&](int64_t label) {
    return isBatch(label) ? 0 : given.isWindow(label) ? 1 : Convolution::isIn(given.ansDims, label) ? 3 : 2;
  });
  conv.ansDims.clear();
  for (int64_t label : conv.lhsDims)
    if (Convolution::isIn(given.ansDims, label))
      conv.ansDims.push_back(label);
  for (int64_t label : conv.rhsDims)
    if (!Convolution::isIn(conv.lhsDims, label))
      conv.ansDims.push_back(label);
  ordered = conv.ansDims;
  sizes = conv.ansSizes();
  for (size_t d = 0; d < ordered.size(); ++d)
    groups.push_back({int64_t(d)});
  if (!Target(given.b.getInsertionBlock()->getParentOp()).isCpu())
    return;
  // With several dimensions of a kind, the code generator does not recognize a convolution.
  for (auto [isInLhs, isInRhs, isInAns] : {std::tuple(true, true, true), std::tuple(true, false, true),
                                           std::tuple(false, true, true), std::tuple(true, true, false)}) {
    Dims labels;
    for (int64_t label : isInLhs ? given.lhsDims : given.rhsDims)
      if (!given.isWindow(label) && Convolution::isIn(given.lhsDims, label) == isInLhs &&
          Convolution::isIn(given.rhsDims, label) == isInRhs && Convolution::isIn(given.ansDims, label) == isInAns)
        labels.push_back(label);
    merge(labels);
  }
}

/// Makes the first of some labels that of all of them, if they follow each other everywhere.
void ChannelsLast::merge(ArrayRef<int64_t> labels) {
  if (labels.size() < 2)
    return;
  auto find = [&](ArrayRef<int64_t> all) -> std::optional<int64_t> {
    int64_t d = placeOf(all, labels.front());
    if (all.drop_front(d).take_front(labels.size()) != labels)
      return std::nullopt;
    return d;
  };
  auto groupsAt = [&](int64_t rank, int64_t d) {
    SmallVector<ReassociationIndices> all;
    for (int64_t i = 0; i < rank; ++i) {
      if (i <= d || i >= d + int64_t(labels.size()))
        all.emplace_back();
      all.back().push_back(i);
    }
    return all;
  };
  Convolution merged = conv;
  for (auto [x, dims] : {std::pair(&merged.lhs, &merged.lhsDims), std::pair(&merged.rhs, &merged.rhsDims)}) {
    if (!Convolution::isIn(*dims, labels.front()))
      continue;
    auto shape = cast<RankedTensorType>(x->getType()).getShape();
    auto d = find(*dims);
    if (!d || llvm::any_of(shape.slice(*d, labels.size()), ShapedType::isDynamic))
      return;
    *x = tensor::CollapseShapeOp::create(conv.b, *x, groupsAt(shape.size(), *d));
    dims->erase(dims->begin() + *d + 1, dims->begin() + *d + labels.size());
  }
  if (Convolution::isIn(merged.ansDims, labels.front())) {
    auto d = find(merged.ansDims);
    if (!d)
      return;
    merged.ansDims.erase(merged.ansDims.begin() + *d + 1, merged.ansDims.begin() + *d + labels.size());
    int64_t begin = placeOf(ordered, labels.front()), g = 0;
    while (groups[g].front() != begin)
      ++g;
    for (size_t i = 1; i < labels.size(); ++i)
      groups[g].push_back(begin + i);
    groups.erase(groups.begin() + g + 1, groups.begin() + g + labels.size());
  }
  conv.lhs = merged.lhs;
  conv.rhs = merged.rhs;
  conv.lhsDims = merged.lhsDims;
  conv.rhsDims = merged.rhsDims;
  conv.ansDims = merged.ansDims;
}

Value ChannelsLast::restored(Value ans) const {
  if (groups.size() != ordered.size()) {
    auto [shape, dynamic] = decomposeMixedValues(sizes);
    ans = tensor::ExpandShapeOp::create(conv.b, withShape(ans.getType(), shape), ans, groups, sizes);
  }
  if (ordered != original)
    ans = computeBarrier(conv.b, ans);
  return transposed(conv.b, ans, llvm::map_to_vector(original, [&](int64_t label) { return placeOf(ordered, label); }));
}

} // namespace dovetail

// Collectives between devices that IREE connects by channels. Its ops divide the leading dimension, and do not know all
// element types.
#include "Channel.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"

using namespace mlir;

namespace dovetail {

using collectives::Kind;

namespace {

/// Numbers of IREE's element types and reductions.
enum ChannelElement {
  kSigned8,
  kUnsigned8,
  kSigned32 = 4,
  kUnsigned32,
  kSigned64,
  kUnsigned64,
  kHalf,
  kSingle,
  kDouble,
  kBFloat16
};
enum ChannelReduction { kSum = 1, kMinimum = 3, kMaximum = 4 };

std::optional<ChannelReduction> reductionOf(Kind kind) {
  switch (kind) {
  case Kind::AllReduceSum:
  case Kind::ReduceScatter:
    return kSum;
  case Kind::AllReduceMax:
    return kMaximum;
  case Kind::AllReduceMin:
    return kMinimum;
  default:
    return std::nullopt;
  }
}

/// The number of a type that is reduced; none if it must be converted to another one first.
std::optional<ChannelElement> reducedElement(Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    if (real.isF64())
      return kDouble;
    if (real.isF32())
      return kSingle;
    if (real.isF16())
      return kHalf;
    return real.isBF16() ? std::optional(kBFloat16) : std::nullopt;
  }
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return kUnsigned8;
  case 8:
    return isUnsigned ? kUnsigned8 : kSigned8;
  case 32:
    return isUnsigned ? kUnsigned32 : kSigned32;
  case 64:
    return isUnsigned ? kUnsigned64 : kSigned64;
  default:
    return std::nullopt;
  }
}

/// The number of a type of that size, of elements that are only moved.
ChannelElement movedElement(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width <= 8 ? kUnsigned8 : width == 16 ? kHalf : width == 32 ? kUnsigned32 : kUnsigned64;
}

/// A type that has all values of another one, and that IREE reduces.
Type widerType(Type type) {
  if (isa<FloatType>(type))
    return Float32Type::get(type.getContext());
  return IntegerType::get(type.getContext(), 32,
                          type.isUnsignedInteger() ? IntegerType::Unsigned : IntegerType::Signless);
}

class ChannelBuilder {
public:
  ChannelBuilder(ImplicitLocOpBuilder &b, const CollectiveCall &call, int64_t from, int64_t to)
      : b(b), call(call), from(from), to(to) {}

  Value run(Value x, Type element) {
    if (auto complex = dyn_cast<ComplexType>(element)) {
      Type real = complex.getElementType();
      return joined(b, complex, [&](bool isImaginary) {
        return run(mapElements(b, x, real,
                               [&](OpBuilder &inner, Location loc, Value value) -> Value {
                                 if (isImaginary)
                                   return complex::ImOp::create(inner, loc, value);
                                 return complex::ReOp::create(inner, loc, value);
                               }),
                   real);
      });
    }
    std::optional<ChannelReduction> reduction = reductionOf(call.kind);
    if (!reduction)
      return exchange(x, movedElement(element), {});
    if (std::optional<ChannelElement> known = reducedElement(element))
      return exchange(x, *known, reduction);
    Type wide = widerType(element);
    return converted(b, run(converted(b, x, element, wide), wide), wide, element);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

  Value make(StringRef name, ValueRange operands, Type type, ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(b.getLoc(), name, operands, type, attributes);
    return b.create(state)->getResult(0);
  }

  /// The members of this device's group, and the device's place among them.
  std::pair<Value, Value> channel() {
    Type type = OpaqueType::get(b.getStringAttr("flow"), "channel");
    Value all = make("flow.channel.default", {}, type), rank = make("flow.channel.rank", all, b.getIndexType());
    Value place = index(0), others = rank;
    for (auto axis : call.axes) {
      Value along = arith::RemUIOp::create(b, arith::DivUIOp::create(b, rank, index(axis.stride)), index(axis.size));
      place = arith::AddIOp::create(b, arith::MulIOp::create(b, place, index(axis.size)), along);
      others = arith::SubIOp::create(b, others, arith::MulIOp::create(b, along, index(axis.stride)));
    }
    // Groups are told apart by their first member.
    return {make("flow.channel.split", {all, others, place}, type), place};
  }

  /// One of IREE's ops, with a result of that shape.
  Value collective(StringRef name, Value x, ArrayRef<OpFoldResult> sizes, ChannelElement element,
                   std::optional<ChannelReduction> reduction, Value channel, ValueRange more = {}) {
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr("element_type", b.getI32IntegerAttr(element)),
        b.getNamedAttr("tied_operands", b.getArrayAttr(b.getIndexAttr(0))),
    };
    if (reduction)
      attributes.push_back(b.getNamedAttr("reduction_op", b.getI32IntegerAttr(*reduction)));
    Value target = empty(b, sizes, getElementTypeOrSelf(x));
    SmallVector<Value> operands = {target};
    llvm::append_range(operands, dynamicSizes(b, target));
    operands.append({x, channel});
    llvm::append_range(operands, more);
    return make(name, operands, target.getType(), attributes);
  }

  Value moved(Value x, int64_t source, int64_t target) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(cast<RankedTensorType>(x.getType()).getRank()));
    order.erase(order.begin() + source);
    order.insert(order.begin() + target, source);
    return source == target ? x : transposed(b, x, order);
  }

  /// With a leading dimension of size 1, or without it.
  Value reshaped(Value x, bool isLonger) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(type.getShape());
    SmallVector<ReassociationIndices> groups;
    int64_t longer = type.getRank() + (isLonger ? 1 : 0);
    for (int64_t d = 1; d < longer; ++d)
      groups.push_back(d == 1 ? ReassociationIndices{0, 1} : ReassociationIndices{d});
    if (isLonger) {
      shape.insert(shape.begin(), 1);
      return tensor::ExpandShapeOp::create(b, RankedTensorType::get(shape, type.getElementType()), x, groups);
    }
    return tensor::CollapseShapeOp::create(b, x, groups);
  }

  Value exchange(Value x, ChannelElement element, std::optional<ChannelReduction> reduction) {
    auto [group, place] = channel();
    switch (call.kind) {
    case Kind::AllReduceSum:
    case Kind::AllReduceMax:
    case Kind::AllReduceMin:
      return collective("flow.collective.all_reduce", x, sizesOf(b, x), element, reduction, group);
    case Kind::AllGather: {
      SmallVector<OpFoldResult> sizes = sizesOf(b, x);
      sizes.insert(sizes.begin(), b.getIndexAttr(call.groupSize()));
      Value parts = reshaped(x, true);
      return moved(collective("flow.collective.all_gather", parts, sizes, element, {}, group), 0, to);
    }
    case Kind::ReduceScatter: {
      Value parts = moved(x, from, 0);
      SmallVector<OpFoldResult> sizes = sizesOf(b, parts);
      sizes[0] = b.getIndexAttr(1);
      return reshaped(collective("flow.collective.reduce_scatter", parts, sizes, element, reduction, group), false);
    }
    case Kind::AllToAllInward:
    case Kind::AllToAllOutward: {
      Value parts = moved(x, from, 0);
      return moved(collective("flow.collective.all_to_all", parts, sizesOf(b, parts), element, {}, group), 0, to);
    }
    case Kind::Permute:
      return collective("flow.collective.send_recv", x, sizesOf(b, x), element, {}, group,
                        {partner(place, /*isSource=*/false), partner(place, /*isSource=*/true)});
    }
    llvm_unreachable("all kinds are above");
  }

  /// To whom the member at `place` sends, or from whom it receives; -1 if there is none.
  Value partner(Value place, bool isSource) {
    Value found = index(-1);
    for (auto pair : call.pairs) {
      Value own = index(isSource ? pair.target : pair.source), other = index(isSource ? pair.source : pair.target);
      Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, place, own);
      found = arith::SelectOp::create(b, isOwn, other, found);
    }
    return found;
  }

  ImplicitLocOpBuilder &b;
  const CollectiveCall &call;
  const int64_t from, to;
};

} // namespace

Value overChannel(ImplicitLocOpBuilder &b, const CollectiveCall &call, Value x, int64_t from, int64_t to) {
  return ChannelBuilder(b, call, from, to).run(x, call.element);
}

} // namespace dovetail

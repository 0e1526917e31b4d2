// Scalar code on whole arrays.
#include "ScalarCode.h"
#include "cpp/scalar/Scalar.h"
#include "dialects/Pointwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace dovetail {

namespace {

/// Emits scalar code on arrays of one shape; `env` has the arrays of the scalars so far.
class Arrays {
public:
  Arrays(Algebra &e, Value like, IRMapping env) : e(e), like(like), env(std::move(env)) {}

  /// The arrays of what ends the block.
  FailureOr<Algebra::Values> run(Block &block) {
    for (Operation &op : block.without_terminator())
      if (failed(emit(op)))
        return failure();
    return at(block.getTerminator()->getOperands());
  }
  LogicalResult emit(Operation &op);
  Value at(Value scalar) { return env.lookup(scalar); }
  Algebra::Values at(ValueRange scalars) {
    return llvm::map_to_vector<4>(scalars, [&](Value scalar) { return at(scalar); });
  }

private:
  RankedTensorType typeOf(Type element) { return Algebra::typeOf(like).clone(element); }
  Value convertTo(Operation &op, Value x) { return e.convert(x, op.getResult(0).getType()); }
  Value asUnsigned(Value x) {
    auto width = Algebra::elementOf(x).getIntOrFloatBitWidth();
    return e.make<BitcastOp>(typeOf(IntegerType::get(e.builder.getContext(), width, IntegerType::Unsigned)), x);
  }
  Value valueOf(Operation &op, ArrayRef<Value> x);
  Value compared(arith::CmpFPredicate predicate, Value x, Value y);
  Value compared(arith::CmpIPredicate predicate, Value x, Value y);
  LogicalResult loop(scf::WhileOp op);

  Algebra &e;
  Value like;
  IRMapping env;
};

} // namespace

Value Arrays::compared(arith::CmpFPredicate predicate, Value x, Value y) {
  using P = arith::CmpFPredicate;
  static constexpr std::pair<P, CompareDirection> directions[] = {
      {P::OEQ, CompareDirection::EQ}, {P::UNE, CompareDirection::NE}, {P::OLT, CompareDirection::LT},
      {P::OLE, CompareDirection::LE}, {P::OGT, CompareDirection::GT}, {P::OGE, CompareDirection::GE}};
  for (auto [known, direction] : directions)
    if (known == predicate)
      return e.make<CompareOp>(direction, x, y);
  auto isNan = [&](Value z) { return e.make<CompareOp>(CompareDirection::NE, z, z); };
  if (predicate == P::UNO)
    return x == y ? isNan(x) : e.either(isNan(x), isNan(y));
  return nullptr;
}

Value Arrays::compared(arith::CmpIPredicate predicate, Value x, Value y) {
  using P = arith::CmpIPredicate;
  static constexpr std::pair<P, CompareDirection> directions[] = {
      {P::eq, CompareDirection::EQ},  {P::ne, CompareDirection::NE},  {P::slt, CompareDirection::LT},
      {P::sle, CompareDirection::LE}, {P::sgt, CompareDirection::GT}, {P::sge, CompareDirection::GE}};
  if (predicate == P::ult)
    return e.make<CompareOp>(CompareDirection::LT, asUnsigned(x), asUnsigned(y));
  for (auto [known, direction] : directions)
    if (known == predicate)
      return e.make<CompareOp>(direction, x, y);
  return nullptr;
}

/// Null if there is no counterpart.
Value Arrays::valueOf(Operation &op, ArrayRef<Value> x) {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](arith::ConstantOp of) {
        return e.full(typeOf(of.getType()), e.sizes(like), cast<TypedAttr>(of.getValue()));
      })
      .Case<arith::AddFOp, arith::AddIOp>([&](auto) { return e.add(x[0], x[1]); })
      .Case<arith::SubFOp, arith::SubIOp>([&](auto) { return e.sub(x[0], x[1]); })
      .Case<arith::MulFOp, arith::MulIOp>([&](auto) { return e.mul(x[0], x[1]); })
      .Case([&](arith::DivFOp) { return e.div(x[0], x[1]); })
      .Case([&](arith::NegFOp) { return e.neg(x[0]); })
      .Case<arith::MinSIOp, arith::MinimumFOp>([&](auto) { return e.make<MinOp>(x[0], x[1]); })
      .Case<arith::MaxSIOp, arith::MaximumFOp>([&](auto) { return e.make<MaxOp>(x[0], x[1]); })
      .Case([&](arith::MinUIOp) {
        Type type = x[0].getType();
        return e.make<BitcastOp>(type, e.make<MinOp>(asUnsigned(x[0]), asUnsigned(x[1])));
      })
      .Case([&](arith::AndIOp) { return e.make<AndOp>(x[0], x[1]); })
      .Case([&](arith::OrIOp) { return e.make<OrOp>(x[0], x[1]); })
      .Case([&](arith::XOrIOp) { return e.make<XorOp>(x[0], x[1]); })
      .Case([&](arith::ShLIOp) { return e.make<ShiftLeftOp>(x[0], x[1]); })
      .Case([&](arith::ShRUIOp) { return e.make<ShiftRightLogicalOp>(x[0], x[1]); })
      .Case([&](arith::ShRSIOp) { return e.make<ShiftRightArithmeticOp>(x[0], x[1]); })
      .Case([&](arith::SelectOp) { return e.make<SelectOp>(x[0], x[1], x[2]); })
      .Case([&](arith::BitcastOp) { return e.make<BitcastOp>(typeOf(op.getResult(0).getType()), x[0]); })
      .Case([&](arith::CmpFOp of) { return compared(of.getPredicate(), x[0], x[1]); })
      .Case([&](arith::CmpIOp of) { return compared(of.getPredicate(), x[0], x[1]); })
      .Case<arith::SIToFPOp, arith::FPToSIOp, arith::ExtSIOp, arith::TruncIOp, arith::ExtFOp, arith::TruncFOp>(
          [&](auto) { return convertTo(op, x[0]); })
      .Case(
          [&](arith::ExtUIOp of) { return convertTo(op, of.getIn().getType().isInteger(1) ? x[0] : asUnsigned(x[0])); })
      .Case([&](math::FloorOp) { return e.make<FloorOp>(x[0]); })
      .Case([&](math::CeilOp) { return e.make<CeilOp>(x[0]); })
      .Case([&](math::AbsFOp) { return e.make<AbsOp>(x[0]); })
      .Case([&](math::SqrtOp) { return e.make<SqrtOp>(x[0]); })
      .Case([&](math::CopySignOp) { return e.make<CopysignOp>(x[0], x[1]); })
      .Default([](Operation *) { return Value(); });
}

LogicalResult Arrays::loop(scf::WhileOp op) {
  bool isKnown = true;
  // Whether each element goes on, and the values that it goes on with.
  auto before = [&](Algebra &inner, ValueRange carries) {
    IRMapping known = env;
    known.map(op.getBefore().getArguments(), carries);
    FailureOr<Algebra::Values> found = Arrays(inner, like, known).run(*op.getBeforeBody());
    isKnown &= succeeded(found);
    return isKnown ? *found : Algebra::Values(carries.size() + 1, carries[0]);
  };
  Algebra::Values results = e.repeat(
      at(op.getInits()), [&](Algebra &inner, ValueRange carries) { return inner.any(before(inner, carries)[0]); },
      [&](Algebra &inner, ValueRange carries) {
        Algebra::Values found = before(inner, carries), next;
        IRMapping known = env;
        known.map(op.getAfter().getArguments(), ArrayRef(found).drop_front());
        FailureOr<Algebra::Values> stepped = Arrays(inner, like, known).run(*op.getAfterBody());
        isKnown &= succeeded(stepped);
        if (!isKnown)
          return Algebra::Values(carries);
        for (auto [after, carry] : llvm::zip_equal(*stepped, carries))
          next.push_back(inner.make<SelectOp>(found[0], after, carry));
        return next;
      });
  env.map(op.getResults(), results);
  return success(isKnown);
}

LogicalResult Arrays::emit(Operation &op) {
  if (auto repeated = dyn_cast<scf::WhileOp>(op))
    return loop(repeated);
  Value made = valueOf(op, at(op.getOperands()));
  if (!made)
    return emitError(e.loc) << "scalar code must have counterparts on arrays, got: '" << op.getName() << "'";
  env.map(op.getResult(0), made);
  return success();
}

FailureOr<Value> onArrays(PointwiseOpInterface op, Algebra &e) {
  Region code;
  Block &block = code.emplaceBlock();
  IRMapping env;
  for (Value operand : op->getOperands())
    env.map(block.addArgument(Algebra::elementOf(operand), e.loc), operand);
  OpBuilder inside(op.getContext());
  inside.setInsertionPointToEnd(&block);
  scalar::ScalarBuilder builder(e.loc, inside, Algebra::elementOf(op->getOperand(0)));
  Value result = op.emitScalar(builder, block.getArguments());
  Arrays arrays(e, op->getOperand(0), env);
  for (Operation &each : block)
    if (failed(arrays.emit(each)))
      return failure();
  return arrays.at(result);
}

} // namespace dovetail

// Updates of rows of an array by the threads of a GPU: each makes those of single elements. Where several may replace
// one row, each update claims its row before, and the last to do so in the order of updates makes it.
#include "RowUpdates.h"
#include "ComputedElements.h"
#include "GpuThreads.h"
#include "cpp/iree/Ops.h"
#include "cpp/tensors/Builders.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace dovetail {

namespace {

/// How threads see elements: as `number` numbers of a type.
struct Parts {
  Type type;
  int64_t number;
};

/// What replaces elements moves their bytes; sums of complex numbers are those of their parts.
std::optional<Parts> partsOf(const RowUpdate &update, Type element) {
  auto complex = dyn_cast<ComplexType>(element);
  if (update.kind == RowUpdate::Replace) {
    Type part = complex ? complex.getElementType() : element;
    return Parts{IntegerType::get(element.getContext(), 8 * bytesOfElement(part)), complex ? 2 : 1};
  }
  Type part = complex ? complex.getElementType() : element;
  // Numbers of a few bits are not numbers in memory; no instruction exchanges floats of a byte.
  unsigned width = part.getIntOrFloatBitWidth();
  if (width % 8 != 0 || (isa<FloatType>(part) && width == 8) || (complex && update.kind == RowUpdate::Step))
    return std::nullopt;
  return Parts{part, complex ? 2 : 1};
}

Value groupsFor(ImplicitLocOpBuilder &b, Value items) {
  Value needed = arith::CeilDivUIOp::create(b, items, arith::ConstantIndexOp::create(b, kThreadsOfGroup));
  return arith::MinUIOp::create(b, needed, arith::ConstantIndexOp::create(b, kMaxGroups));
}

/// Numbers of rows, or updates, one for each of some items: computed where they are used, or read.
struct Items {
  Value array;
  /// The type that they are read as.
  Type type;
  std::optional<Executable::Binding> binding = {};
};

/// An executable whose threads share `numUpdates * perUpdate` items.
struct RowKernel {
  ImplicitLocOpBuilder &b;
  /// The array that it changes.
  Value changed;
  Executable executable = {};
  SmallVector<Value> sizes = {};
  ComputedElements computed = {b, executable, changed};
  bool isComputed = false;

  RowKernel(ImplicitLocOpBuilder &b, Value changed) : b(b), changed(changed) {}

  Executable::Binding change() {
    SmallVector<Value> dynamic = dynamicSizes(b, changed);
    Executable::Binding input = executable.addInput(changed, dynamic);
    return executable.addOutput(cast<RankedTensorType>(changed.getType()), dynamic, input.index);
  }
  Executable::Binding read(Value array) { return executable.addInput(array, dynamicSizes(b, array)); }
  Items items(Value array, Type type) {
    if (getElementTypeOrSelf(array.getType()) == type && computed.canCompute(array)) {
      isComputed = true;
      return {array, type};
    }
    return {array, type, read(array)};
  }

  /// Calls the executable of that name, whose code `body` writes, with the numbers that are given; inside it they are
  /// values of type `index`. The first two are `numUpdates` and `perUpdate`. One that computes has a name of its own.
  using Body = function_ref<void(ImplicitLocOpBuilder &, ValueRange given)>;
  Value run(std::string name, ArrayRef<OpFoldResult> given, Body body) {
    for (OpFoldResult number : given)
      executable.addConstant(sizes.emplace_back(asValue(b, number)));
    executable.addUnknown(b);
    Value items = arith::MulIOp::create(b, sizes[0], sizes[1]);
    auto program = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
    if (isComputed)
      name = freeName(program, name + "_");
    if (!SymbolTable::lookupSymbolIn(program, name))
      executable.addTo(
          program, name, write(Target(program), body), /*workloadSize=*/1,
          [](ImplicitLocOpBuilder &inside, ValueRange workload) { return groupsFor(inside, workload.front()); });
    return executable.call(b, name, items).front();
  }

  OwningOpRef<ModuleOp> write(const Target &target, Body body) {
    OwningOpRef<ModuleOp> code = ModuleOp::create(b.getLoc());
    ImplicitLocOpBuilder inner = ImplicitLocOpBuilder::atBlockEnd(b.getLoc(), code->getBody());
    auto function = func::FuncOp::create(inner, "run", inner.getFunctionType({}, {}));
    setThreads(function, target);
    inner.setInsertionPointToStart(function.addEntryBlock());
    computed.setEntry(inner.getInsertionBlock());
    SmallVector<Value> given;
    for (unsigned constant = 0; constant < sizes.size(); ++constant)
      given.push_back(
          arith::IndexCastUIOp::create(inner, inner.getIndexType(), executable.load(inner, constant)).getResult());
    body(inner, given);
    func::ReturnOp::create(inner);
    return code;
  }

  Value view(ImplicitLocOpBuilder &inner, Executable::Binding binding, Type type, Value size) {
    return executable.view(inner, binding, MemRefType::get(ShapedType::kDynamic, type), size);
  }
  /// The memory of items that are read.
  Value view(ImplicitLocOpBuilder &inner, const Items &items, Value size) {
    return items.binding ? view(inner, *items.binding, items.type, size) : Value();
  }
  Value itemAt(ImplicitLocOpBuilder &inner, const Items &items, Value memory, Value number) {
    return memory ? memref::LoadOp::create(inner, memory, number).getResult()
                  : computed.element(inner, items.array, number);
  }

  /// Code for each item of a thread whose update is kept. `body` gets the number of the update, and its row.
  void forKept(ImplicitLocOpBuilder &b, const Items &rows, Value numUpdates, Value perUpdate,
               function_ref<void(ImplicitLocOpBuilder &, Value item, Value update, Value row)> body) {
    Value memory = view(b, rows, numUpdates);
    Value threads = arith::ConstantIndexOp::create(b, kThreadsOfGroup),
          items = arith::MulIOp::create(b, numUpdates, perUpdate);
    Value first = arith::AddIOp::create(b, arith::MulIOp::create(b, numberOfGroup(b), threads), numberOfThread(b));
    Value stride = arith::MulIOp::create(b, groupsFor(b, items), threads);
    forEach(b, first, items, stride, [&](ImplicitLocOpBuilder &each, Value item) {
      Value update = arith::DivUIOp::create(each, item, perUpdate);
      Value row = itemAt(each, rows, memory, update);
      Value zero = arith::ConstantOp::create(each, each.getIntegerAttr(row.getType(), 0));
      Value isKept = arith::CmpIOp::create(each, arith::CmpIPredicate::sge, row, zero);
      scf::IfOp::create(each, isKept, [&](OpBuilder &inside, Location where) {
        ImplicitLocOpBuilder kept(where, inside);
        body(kept, item, update, arith::IndexCastOp::create(kept, kept.getIndexType(), row));
        scf::YieldOp::create(kept);
      });
    });
  }
};

/// For each row the number of the last update of it, or -1.
Value lastUpdates(ImplicitLocOpBuilder &b, Value rows, OpFoldResult numUpdates, OpFoldResult numRows) {
  Type i32 = b.getI32Type(), number = getElementTypeOrSelf(rows.getType());
  Value none = arith::ConstantOp::create(b, b.getI32IntegerAttr(-1));
  RowKernel kernel(b, filled(b, {numRows}, none));
  Executable::Binding result = kernel.change();
  Items places = kernel.items(rows, number);
  return kernel.run(std::string("rows_claim_by_") + (number.isInteger(32) ? "i32" : "i64"),
                    {numUpdates, b.getIndexAttr(1), numRows}, [&](ImplicitLocOpBuilder &inner, ValueRange given) {
                      Value last = kernel.view(inner, result, i32, given[2]);
                      kernel.forKept(inner, places, given[0], given[1],
                                     [&](ImplicitLocOpBuilder &each, Value, Value update, Value row) {
                                       Value own = arith::IndexCastOp::create(each, i32, update);
                                       memref::AtomicRMWOp::create(each, arith::AtomicRMWKind::maxs, own, last, row);
                                     });
                    });
}

Value stepped(const RowUpdate &update, OpBuilder &b, Location loc, Value old, Value by) {
  if (update.kind == RowUpdate::Step)
    return update.step(b, loc, old, by);
  if (isa<FloatType>(old.getType()))
    return arith::AddFOp::create(b, loc, old, by);
  return arith::AddIOp::create(b, loc, old, by);
}

void changeElement(const RowUpdate &update, ImplicitLocOpBuilder &b, Value memory, Value place, Value by) {
  if (update.kind == RowUpdate::Replace) {
    memref::StoreOp::create(b, by, memory, place);
  } else if (update.isUnique) {
    Value old = memref::LoadOp::create(b, memory, place);
    memref::StoreOp::create(b, stepped(update, b, b.getLoc(), old, by), memory, place);
  } else if (update.kind == RowUpdate::Add) {
    auto kind = isa<FloatType>(by.getType()) ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
    memref::AtomicRMWOp::create(b, kind, by, memory, place);
  } else {
    auto changed = memref::GenericAtomicRMWOp::create(b, memory, place);
    OpBuilder inner = OpBuilder::atBlockEnd(&changed.getRegion().front());
    memref::AtomicYieldOp::create(inner, b.getLoc(), stepped(update, inner, b.getLoc(), changed.getCurrentValue(), by));
  }
}

} // namespace

bool mayUpdateInThreads(ImplicitLocOpBuilder &b, const RowUpdate &update, Type element) {
  Target target(b.getInsertionBlock()->getParentOp());
  std::optional<Parts> parts = partsOf(update, element);
  // See Quirks.h.
  return target.isGpu() && parts &&
         (update.kind == RowUpdate::Replace || update.isUnique || !target.isSpirv() ||
          (update.kind == RowUpdate::Add && parts->type.isInteger(32)));
}

Value updateRowsInThreads(ImplicitLocOpBuilder &b, const RowUpdate &update, Value x, Value rows, Value updates,
                          OpFoldResult numRows, OpFoldResult perRow) {
  Parts parts = *partsOf(update, getElementTypeOrSelf(x.getType()));
  Type number = getElementTypeOrSelf(rows.getType());
  SmallVector<OpFoldResult> perUpdate = sizesOf(b, updates), all = sizesOf(b, x);
  OpFoldResult ofElement = b.getIndexAttr(parts.number);
  OpFoldResult numUpdates = std::exchange(perUpdate[0], ofElement);
  all.push_back(ofElement);

  RowKernel kernel(b, x);
  Executable::Binding result = kernel.change();
  Items places = kernel.items(rows, number), values = kernel.items(updates, parts.type);
  std::optional<Executable::Binding> fromLast;
  if (update.kind == RowUpdate::Replace && !update.isUnique)
    fromLast = kernel.read(lastUpdates(b, rows, numUpdates, numRows));
  std::string name;
  llvm::raw_string_ostream(name) << "rows_" << update.name << (update.isUnique ? "_unique_" : "_") << parts.type
                                 << "_by_" << number;
  return kernel.run(
      name, {numUpdates, productOf(b, perUpdate), productOf(b, {perRow, ofElement}), productOf(b, all), numRows},
      [&](ImplicitLocOpBuilder &inner, ValueRange given) {
        Value items = arith::MulIOp::create(inner, given[0], given[1]);
        Value memory = kernel.view(inner, result, parts.type, given[3]), from = kernel.view(inner, values, items), last;
        if (fromLast)
          last = kernel.view(inner, *fromLast, inner.getI32Type(), given[4]);
        auto change = [&](ImplicitLocOpBuilder &each, Value item, Value row) {
          Value begin = arith::MulIOp::create(each, row, given[2]);
          Value within = arith::RemUIOp::create(each, item, given[1]);
          changeElement(update, each, memory, arith::AddIOp::create(each, begin, within),
                        kernel.itemAt(each, values, from, item));
        };
        kernel.forKept(inner, places, given[0], given[1],
                       [&](ImplicitLocOpBuilder &each, Value item, Value own, Value row) {
                         if (!last)
                           return change(each, item, row);
                         Value winner = memref::LoadOp::create(each, last, row);
                         Value isLast = arith::CmpIOp::create(each, arith::CmpIPredicate::eq, winner,
                                                              arith::IndexCastOp::create(each, each.getI32Type(), own));
                         scf::IfOp::create(each, isLast, [&](OpBuilder &inside, Location where) {
                           ImplicitLocOpBuilder chosen(where, inside);
                           change(chosen, item, row);
                           scf::YieldOp::create(chosen);
                         });
                       });
      });
}

} // namespace dovetail

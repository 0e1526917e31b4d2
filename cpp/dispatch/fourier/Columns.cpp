// Kernels for transforms that fit into the first-level cache: Stockham's algorithm on vectors of columns.
#include "Columns.h"
#include "Roots.h"
#include "Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dovetail::fourier {

/// The longest straight-line transform.
constexpr int64_t kLongestButterfly = 16;

/// From this length on, the transform of a few rows is faster in two steps.
constexpr int64_t kFewColumns = 64;

/// The number of complex numbers that are enough work for a workgroup of a CPU.
constexpr int64_t kGroupWork = 8192;

namespace {

/// The columns that are neighbours in a vector.
enum class Lanes {
  /// Columns that differ in `i`, or a single one.
  inner,
  /// Columns that differ in `k`, where `inner` is 1: neighbours in x, but far apart in the result.
  rest,
  /// Columns of different rows, with one column each.
  rows
};

/// The layout of a step.
struct Layout {
  Lanes lanes = Lanes::inner;
  int64_t width = 1;

  static Layout of(const Step &step, const Kernels &kernels) {
    if (!kernels.isForCpu())
      return {};
    int64_t most = kernels.vectorBytes() * 8 / step.element.getIntOrFloatBitWidth();
    auto upTo = [&](int64_t count) { return std::min<int64_t>(most, llvm::bit_floor(static_cast<uint64_t>(count))); };
    if (step.inner > 1) {
      int64_t width = upTo(step.inner), half = width / 2;
      // Twice as many vectors are better than one that repeats columns.
      return {Lanes::inner, step.inner % width != 0 && step.inner % half == 0 ? half : width};
    }
    if (step.rest > 1)
      return {Lanes::rest, upTo(step.rest)};
    auto rows = getConstantIntValue(step.rows);
    if (rows && *rows < most / 2)
      return {};
    return {Lanes::rows, step.length < 4 ? most : upTo(step.length)};
  }
};

/// The code for one item: a vector of columns.
class Columns {
public:
  Columns(const Step &step, const Layout &layout) : step(step), layout(layout) {
    type = layout.width > 1 ? VectorType::get({layout.width}, step.element) : Type(step.element);
    radices = balancedFactors(step.length, kLongestButterfly);
    llvm::sort(radices, std::greater<>());
  }

  bool isTwiddled() const { return step.rest > 1; }
  /// Whether the columns of a vector are apart, so that they are moved one by one.
  bool gathers() const { return layout.lanes == Lanes::rows; }
  bool scatters() const { return layout.lanes != Lanes::inner; }
  int64_t itemsPerRow() const {
    if (layout.lanes == Lanes::rows)
      return 1;
    if (layout.lanes == Lanes::rest)
      return llvm::divideCeil(step.rest, layout.width);
    return step.rest * llvm::divideCeil(step.inner, layout.width);
  }
  int64_t rowsPerItem() const { return layout.lanes == Lanes::rows ? layout.width : 1; }
  Roots roots() const { return {step.length * step.rest, step.inverse}; }

  std::string name() const;
  SmallVector<std::complex<long double>> passTable() const;
  SmallVector<std::complex<long double>> laneTable() const;
  int64_t stackBytes() const {
    return numBuffers() * 2 * step.length * layout.width * step.element.getIntOrFloatBitWidth() / 8;
  }
  void allocate(ImplicitLocOpBuilder &b);
  void emit(ImplicitLocOpBuilder &b, ValueRange memory, Value item, Value rows);

private:
  struct Buffer {
    Value re, im;
  };
  using Load = llvm::function_ref<Complex(Value)>;
  using Store = llvm::function_ref<void(Value, Complex)>;

  Value index(int64_t value) { return arith::ConstantIndexOp::create(*b, value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(*b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(*b, x, y); }
  Value mul(Value x, int64_t y) { return y == 1 ? x : mul(x, index(y)); }
  Arithmetic arithmetic() { return {*b, type}; }
  int64_t numBuffers() const;

  void loop(int64_t count, llvm::function_ref<void(Value)> body);
  Value read(Value from, Value place);
  void write(Value value, Value into, Value place);
  Complex loadFrom(const Buffer &buffer, Value k);
  void storeTo(const Buffer &buffer, Value j, Complex x);
  Complex loadInput(Value k);
  void storeResult(Value j, Complex x);
  Complex finished(Value j, Complex x);
  void forBlocks(llvm::function_ref<void(Value)> body);
  void gather(const Buffer &into);
  void gatherBlocks(const Buffer &into);
  void scatter(const Buffer &from);
  void scatterBlocks(const Buffer &from);
  void locate(Value item);
  void pass(int64_t number, int64_t before, Load load, Store store);

  Step step;
  Layout layout;
  Type type;
  SmallVector<int64_t> radices;
  SmallVector<Buffer> buffers;

  /// Values of the item under construction.
  ImplicitLocOpBuilder *b = nullptr;
  Value x, ans, passRoots, tableOfRoots, tableOfLanes, rows;
  /// The beginnings of columns in x and the result, in elements, for each separate lane.
  SmallVector<Value> starts, ends;
  Value k;
};

} // namespace

std::string Columns::name() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto known = getConstantIntValue(step.rows);
  out << "fft_" << step.element << "_" << step.length << "_" << step.rest << "_" << step.inner << "_"
      << (known ? std::to_string(*known) : "n") << (step.inverse ? "_inverse" : "")
      << (step.from == Parts::real ? "_from_real" : "") << (step.to == Parts::real ? "_to_real" : "");
  if (step.scale != 1.0)
    out << "_scale" << std::to_string(llvm::bit_cast<uint64_t>(step.scale));
  return text;
}

/// For each pass except the last, exp(-2 pi i p j / (radix * m)) for all p < m and 0 < j < radix.
SmallVector<std::complex<long double>> Columns::passTable() const {
  SmallVector<std::complex<long double>> values;
  int64_t left = step.length;
  for (int64_t radix : radices) {
    int64_t m = left / radix;
    for (int64_t p = 0; m > 1 && p < m; ++p)
      for (int64_t j = 1; j < radix; ++j)
        values.push_back(root(step.inverse ? left - p * j : p * j, left));
    left = m;
  }
  return values;
}

/// For each j, exp(-2 pi i j l / n) of all lanes l: the real parts, then the imaginary parts, as pairs.
SmallVector<std::complex<long double>> Columns::laneTable() const {
  SmallVector<long double> floats;
  int64_t n = step.length * step.rest;
  for (int64_t j = 0; j < step.length; ++j)
    for (bool isImaginary : {false, true})
      for (int64_t l = 0; l < layout.width; ++l) {
        std::complex<long double> w = root(step.inverse ? n - j * l : j * l, n);
        floats.push_back(isImaginary ? w.imag() : w.real());
      }
  SmallVector<std::complex<long double>> pairs;
  for (size_t i = 0; i < floats.size(); i += 2)
    pairs.emplace_back(floats[i], floats[i + 1]);
  return pairs;
}

//===- Memory ------------------------------------------------------------------===//

int64_t Columns::numBuffers() const {
  int64_t places = radices.size() - 1 + (gathers() ? 1 : 0) + (scatters() && layout.width > 1 ? 1 : 0);
  return std::min<int64_t>(places, 2);
}

void Columns::allocate(ImplicitLocOpBuilder &b) {
  auto memory = MemRefType::get({step.length * layout.width}, step.element);
  auto plane = [&]() -> Value { return memref::AllocaOp::create(b, memory); };
  for (int64_t i = 0; i < numBuffers(); ++i) {
    Value re = plane(), im = plane();
    buffers.push_back({re, im});
  }
}

void Columns::loop(int64_t count, llvm::function_ref<void(Value)> body) {
  if (count == 1)
    return body(index(0));
  scf::ForOp::create(*b, index(0), index(count), index(1), ValueRange(),
                     [&](OpBuilder &inner, Location loc, Value i, ValueRange) {
                       ImplicitLocOpBuilder each(loc, inner);
                       ImplicitLocOpBuilder *outer = std::exchange(b, &each);
                       body(i);
                       b = outer;
                       scf::YieldOp::create(each);
                     });
}

Value Columns::read(Value from, Value place) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector::LoadOp::create(*b, vector, from, place);
  return memref::LoadOp::create(*b, from, place);
}

void Columns::write(Value value, Value into, Value place) {
  if (isa<VectorType>(type))
    vector::StoreOp::create(*b, value, into, place);
  else
    memref::StoreOp::create(*b, value, into, place);
}

Complex Columns::loadFrom(const Buffer &buffer, Value k) {
  Value place = mul(k, layout.width);
  return {read(buffer.re, place), read(buffer.im, place)};
}

void Columns::storeTo(const Buffer &buffer, Value j, Complex x) {
  Value place = mul(j, layout.width);
  write(x.re, buffer.re, place);
  write(x.im, buffer.im, place);
}

Complex Columns::loadInput(Value k) {
  return loadComplex(arithmetic(), x, add(starts[0], mul(k, step.rest * step.inner)), step.from);
}

/// Element j of the transform, in the order of the result.
Complex Columns::finished(Value j, Complex x) {
  Arithmetic arithmetic = this->arithmetic();
  if (isTwiddled()) {
    x = arithmetic.mul(x, roots().at(arithmetic, tableOfRoots, mul(j, k)));
    if (layout.lanes == Lanes::rest && layout.width > 1) {
      Value place = mul(j, 2 * layout.width);
      x = arithmetic.mul(x, {read(tableOfLanes, place), read(tableOfLanes, add(place, index(layout.width)))});
    }
  }
  return arithmetic.scale(x, step.scale);
}

void Columns::storeResult(Value j, Complex value) {
  value = finished(j, value);
  if (scatters() && layout.width > 1)
    return storeTo(buffers[(radices.size() - (gathers() ? 0 : 1)) % buffers.size()], j, value);
  storeComplex(arithmetic(), value, ans, add(ends[0], mul(j, step.inner)), step.to);
}

/// Calls `body` for the first of each `layout.width` elements; the last call may repeat some.
void Columns::forBlocks(llvm::function_ref<void(Value)> body) {
  int64_t width = layout.width;
  loop(llvm::divideCeil(step.length, width),
       [&](Value block) { body(arith::MinUIOp::create(*b, mul(block, width), index(step.length - width))); });
}

/// Gathers columns that are apart.
void Columns::gather(const Buffer &into) {
  if (step.length >= layout.width)
    return gatherBlocks(into);
  loop(step.length, [&](Value k) {
    for (auto [lane, start] : llvm::enumerate(starts)) {
      Complex value = loadComplex({*b, step.element}, x, add(start, k), step.from);
      Value place = add(mul(k, layout.width), index(lane));
      memref::StoreOp::create(*b, value.re, into.re, place);
      memref::StoreOp::create(*b, value.im, into.im, place);
    }
  });
}

void Columns::gatherBlocks(const Buffer &into) {
  forBlocks([&](Value k) {
    SmallVector<Value> re, im;
    for (Value start : starts) {
      Complex lane = loadComplex(arithmetic(), x, add(start, k), step.from);
      re.push_back(lane.re);
      im.push_back(lane.im);
    }
    re = transposed(*b, re);
    im = transposed(*b, im);
    for (int64_t i = 0; i < layout.width; ++i)
      storeTo(into, add(k, index(i)), {re[i], im[i]});
  });
}

/// Moves neighbouring columns to their positions in the result.
void Columns::scatter(const Buffer &from) {
  if (step.length >= layout.width)
    return scatterBlocks(from);
  loop(step.length, [&](Value j) {
    for (auto [lane, end] : llvm::enumerate(ends)) {
      Value place = add(mul(j, layout.width), index(lane));
      Complex value = {memref::LoadOp::create(*b, from.re, place), memref::LoadOp::create(*b, from.im, place)};
      storeComplex({*b, step.element}, value, ans, add(end, j), step.to);
    }
  });
}

void Columns::scatterBlocks(const Buffer &from) {
  forBlocks([&](Value j) {
    SmallVector<Value> re, im;
    for (int64_t i = 0; i < layout.width; ++i) {
      Complex value = loadFrom(from, add(j, index(i)));
      re.push_back(value.re);
      im.push_back(value.im);
    }
    re = transposed(*b, re);
    im = transposed(*b, im);
    for (auto [lane, end] : llvm::enumerate(ends))
      storeComplex(arithmetic(), {re[lane], im[lane]}, ans, add(end, j), step.to);
  });
}

//===- The transform -----------------------------------------------------------===//

/// The positions of an item's columns.
void Columns::locate(Value item) {
  starts.clear();
  ends.clear();
  if (layout.lanes == Lanes::rows) {
    Value first = mul(item, layout.width), last = arith::SubIOp::create(*b, rows, index(1));
    for (int64_t lane = 0; lane < layout.width; ++lane) {
      // If there are no more rows, the last one is repeated.
      Value row = arith::MinUIOp::create(*b, add(first, index(lane)), last);
      starts.push_back(mul(row, step.length));
    }
    ends = starts;
    return;
  }
  Value perRow = index(itemsPerRow());
  Value row = itemsPerRow() == 1 ? item : arith::DivUIOp::create(*b, item, perRow).getResult();
  Value place = itemsPerRow() == 1 ? index(0) : arith::RemUIOp::create(*b, item, perRow).getResult();
  // The last vector, which must not extend further, repeats some columns.
  auto within = [&](Value vector, int64_t count) -> Value {
    return arith::MinUIOp::create(*b, mul(vector, layout.width), index(count - layout.width));
  };
  int64_t n = step.length;
  if (layout.lanes == Lanes::rest) {
    k = within(place, step.rest);
    starts.push_back(add(mul(row, n * step.rest), k));
    for (int64_t lane = 0; lane < layout.width; ++lane)
      ends.push_back(mul(add(mul(row, step.rest), add(k, index(lane))), n));
    return;
  }
  int64_t vectors = llvm::divideCeil(step.inner, layout.width);
  k = vectors == 1 ? place : arith::DivUIOp::create(*b, place, index(vectors)).getResult();
  Value i = vectors == 1 ? index(0) : within(arith::RemUIOp::create(*b, place, index(vectors)), step.inner);
  starts.push_back(add(mul(add(mul(row, n * step.rest), k), step.inner), i));
  ends.push_back(add(mul(add(mul(row, step.rest), k), n * step.inner), i));
}

/// One pass of Stockham's algorithm: element q + s (p + m l) for all l < radix becomes q + s (radix p + j) for j <
/// radix.
void Columns::pass(int64_t number, int64_t before, Load load, Store store) {
  int64_t radix = radices[number], s = 1;
  for (int64_t earlier : ArrayRef(radices).take_front(number))
    s *= earlier;
  int64_t m = step.length / (s * radix);
  loop(m, [&](Value p) {
    SmallVector<Complex> twiddles;
    Arithmetic outer = arithmetic();
    for (int64_t j = 1; m > 1 && j < radix; ++j)
      twiddles.push_back(tableEntry(outer, passRoots, add(mul(p, radix - 1), index(before + j - 1))));
    loop(s, [&](Value q) {
      Arithmetic arithmetic = this->arithmetic();
      Value from = add(q, mul(p, s)), to = add(q, mul(p, s * radix));
      SmallVector<Complex> values;
      for (int64_t l = 0; l < radix; ++l)
        values.push_back(load(add(from, index(s * m * l))));
      values = arithmetic.transform(values, step.inverse);
      for (auto [j, value] : llvm::enumerate(values)) {
        if (j > 0 && m > 1)
          value = arithmetic.mul(value, twiddles[j - 1]);
        store(add(to, index(s * j)), value);
      }
    });
  });
}

void Columns::emit(ImplicitLocOpBuilder &builder, ValueRange memory, Value item, Value numRows) {
  b = &builder;
  rows = numRows;
  auto next = memory.begin();
  x = *next++;
  if (radices.size() > 1)
    passRoots = *next++;
  if (isTwiddled()) {
    tableOfRoots = *next++;
    if (layout.lanes == Lanes::rest && layout.width > 1)
      tableOfLanes = *next++;
  }
  ans = *next++;
  locate(item);
  size_t place = 0;
  auto buffer = [&](size_t number) -> Buffer & { return buffers[number % buffers.size()]; };
  if (gathers())
    gather(buffer(place++));
  int64_t before = 0, left = step.length;
  for (auto [number, radix] : llvm::enumerate(radices)) {
    bool isFirst = number == 0 && !gathers(), isLast = number + 1 == radices.size();
    auto load = [&](Value k) { return isFirst ? loadInput(k) : loadFrom(buffer(place - 1), k); };
    auto store = [&](Value j, Complex value) { isLast ? storeResult(j, value) : storeTo(buffer(place), j, value); };
    pass(number, before, load, store);
    left /= radix;
    before += left > 1 ? left * (radix - 1) : 0;
    ++place;
  }
  if (scatters() && layout.width > 1)
    scatter(buffer(place - 1));
}

SmallVector<Step> stepsOf(FloatType element, OpFoldResult rows, int64_t length, int64_t inner, bool inverse,
                          double scale, bool isForCpu) {
  SmallVector<Step> steps;
  int64_t rest = length;
  // With few rows, vectors are only within them.
  auto known = getConstantIntValue(rows);
  bool isFew = inner == 1 && kFewColumns <= length && length <= kLongestOnCpu && known && *known < 4;
  SmallVector<int64_t> factors = balancedFactors(length, isForCpu && !isFew ? kLongestOnCpu : kLongestElsewhere);
  // Later steps have vectors of columns, as many as the product of the previous factors.
  llvm::stable_sort(factors, [](int64_t x, int64_t y) { return (x & -x) > (y & -y); });
  for (int64_t factor : factors) {
    rest /= factor;
    steps.push_back({element, rows, factor, rest, inner, inverse});
    steps.back().mayOverwrite = steps.size() > 1;
    inner *= factor;
  }
  steps.back().scale = scale;
  return steps;
}

Stage stageOf(ImplicitLocOpBuilder &b, const Kernels &kernels, const Step &step) {
  Layout layout = Layout::of(step, kernels);
  auto columns = std::make_shared<Columns>(step, layout);
  int64_t perRow = step.length * step.rest * step.inner;
  // Overlapping vectors would read what they wrote.
  bool isInPlace = step.rest == 1 && step.mayOverwrite && step.from == step.to && step.inner % layout.width == 0;
  Stage stage = {{columns->name(), step.element, step.rows, columns->itemsPerRow(), columns->rowsPerItem(),
                  std::max<int64_t>(1, kGroupWork / (step.length * layout.width)), isInPlace},
                 floatsOf(perRow, step.from),
                 floatsOf(perRow, step.to),
                 {},
                 [columns](ImplicitLocOpBuilder &inner) { columns->allocate(inner); },
                 columns->stackBytes(),
                 [columns](ImplicitLocOpBuilder &inner, ValueRange memory, Value item, Value rows) {
                   columns->emit(inner, memory, item, rows);
                 }};
  SmallVector<std::complex<long double>> passes = columns->passTable();
  if (!passes.empty())
    stage.tables.push_back(sharedTable(b, step.element, passes));
  if (columns->isTwiddled()) {
    stage.tables.push_back(columns->roots().table(b, step.element));
    if (layout.lanes == Lanes::rest && layout.width > 1)
      stage.tables.push_back(sharedTable(b, step.element, columns->laneTable()));
  }
  return stage;
}

} // namespace dovetail::fourier

// Handlers of XLA's FFI that tests call, compiled with XLA's own headers.
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

// Root-mean-square normalization of rows.
static ffi::Error RmsNormImpl(float eps, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  auto dims = x.dimensions();
  if (dims.size() == 0)
    return ffi::Error::InvalidArgument("RmsNorm input must be an array");
  int64_t size = dims.back();
  for (int64_t begin = 0; begin < static_cast<int64_t>(x.element_count()); begin += size) {
    const float *row = x.typed_data() + begin;
    float sum = 0;
    for (int64_t i = 0; i < size; ++i)
      sum += row[i] * row[i];
    float scale = 1 / std::sqrt(sum / size + eps);
    for (int64_t i = 0; i < size; ++i)
      y->typed_data()[begin + i] = row[i] * scale;
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    RmsNorm, RmsNormImpl,
    ffi::Ffi::Bind().Attr<float>("eps").Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>());

// All kinds of attributes, summed up.
static ffi::Error AttributesImpl(int32_t number, std::string_view text, ffi::Span<const int64_t> array,
                                 ffi::Dictionary inner, ffi::ResultBufferR0<ffi::F64> result) {
  double sum = number + static_cast<double>(text.size());
  for (int64_t each : array)
    sum += each;
  auto deep = inner.get<double>("deep");
  if (deep.has_error())
    return deep.error();
  *result->typed_data() = sum + *deep;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Attributes, AttributesImpl,
                              ffi::Ffi::Bind()
                                  .Attr<int32_t>("number")
                                  .Attr<std::string_view>("text")
                                  .Attr<ffi::Span<const int64_t>>("array")
                                  .Attr<ffi::Dictionary>("inner")
                                  .Ret<ffi::BufferR0<ffi::F64>>());

// States of all stages ------------------------------------------------------------------------------------------------

static std::atomic<int> living = 0;

struct Counter {
  static ffi::TypeId id;
  explicit Counter(int64_t start) : count(start) { ++living; }
  ~Counter() { --living; }
  std::atomic<int64_t> count;
};
ffi::TypeId Counter::id = {};

struct Step {
  static ffi::TypeId id;
  int64_t by;
};
ffi::TypeId Step::id = {};

XLA_FFI_DECLARE_TYPE_ID_SYMBOL(CounterId) { return &Counter::id; }
XLA_FFI_DECLARE_TYPE_ID_SYMBOL(StepId) { return &Step::id; }
XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(CounterInfo) {
  static constexpr auto info = ffi::MakeTypeInfo<Counter>();
  return &info;
}
XLA_FFI_DECLARE_TYPE_INFO_SYMBOL(StepInfo) {
  static constexpr auto info = ffi::MakeTypeInfo<Step>();
  return &info;
}
extern "C" int LivingCounters() { return living; }

static ffi::ErrorOr<std::unique_ptr<Counter>> MakeCounter(int64_t start) {
  if (start < 0)
    return ffi::Unexpected(ffi::Error(ffi::ErrorCode::kOutOfRange, "start must not be negative"));
  return std::make_unique<Counter>(start);
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInstantiate, MakeCounter, ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));

static ffi::ErrorOr<std::unique_ptr<Step>> PrepareStep() { return std::make_unique<Step>(Step{10}); }
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountPrepare, PrepareStep, ffi::Ffi::BindPrepare());

static ffi::ErrorOr<std::unique_ptr<Step>> InitializeStep(Step *prepared) {
  return std::make_unique<Step>(Step{prepared->by + 1});
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(CountInitialize, InitializeStep,
                              ffi::Ffi::BindInitialize().Ctx<ffi::Prepared<Step>>());

static ffi::Error CountImpl(Counter *counter, Step *step, ffi::ResultBufferR0<ffi::S32> result) {
  *result->typed_data() = static_cast<int32_t>(counter->count += step->by);
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Count, CountImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::State<Counter>>()
                                  .Ctx<ffi::Initialized<Step>>()
                                  .Ret<ffi::BufferR0<ffi::S32>>());

// Memory and threads --------------------------------------------------------------------------------------------------

// The sum of the argument, by tasks of the thread pool that write to scratch memory.
static ffi::Error ParallelSumImpl(ffi::ScratchAllocator scratch, ffi::ThreadPool threads, ffi::Buffer<ffi::F32> x,
                                  ffi::ResultBufferR0<ffi::F32> result) {
  constexpr int kTasks = 7;
  std::optional<void *> memory = scratch.Allocate(kTasks * sizeof(float), 128);
  if (!memory || reinterpret_cast<uintptr_t>(*memory) % 128 != 0 || threads.num_threads() < 1)
    return ffi::Error::Internal("no memory, or no threads");
  auto *sums = static_cast<float *>(*memory);
  std::mutex mutex;
  std::condition_variable done;
  int left = kTasks;
  for (int task = 0; task < kTasks; ++task)
    threads.Schedule([&, task] {
      sums[task] = 0;
      for (size_t i = task; i < x.element_count(); i += kTasks)
        sums[task] += x.typed_data()[i];
      std::lock_guard lock(mutex);
      if (--left == 0)
        done.notify_one();
    });
  std::unique_lock lock(mutex);
  done.wait(lock, [&] { return left == 0; });
  float sum = 0;
  for (int task = 0; task < kTasks; ++task)
    sum += sums[task];
  *result->typed_data() = sum;
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(ParallelSum, ParallelSumImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::BufferR0<ffi::F32>>());

// Goes on in the background.
static ffi::Future LaterImpl(ffi::ThreadPool threads, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  ffi::Promise promise;
  ffi::Future future(promise);
  threads.Schedule([promise = std::move(promise), x, y]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (x.typed_data()[0] < 0)
      return promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "too late"));
    y->typed_data()[0] = x.typed_data()[0];
    promise.SetAvailable();
  });
  return future;
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Later, LaterImpl,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());

// Any arrays: the numbers of their types and their sizes.
static ffi::Error DescribeImpl(ffi::RemainingArgs args, ffi::RemainingRets rets) {
  auto result = rets.get<ffi::Buffer<ffi::S32>>(0);
  if (result.has_error())
    return result.error();
  int32_t *out = (*result)->typed_data();
  for (size_t i = 0; i < args.size(); ++i) {
    auto arg = args.get<ffi::AnyBuffer>(i);
    *out++ = static_cast<int32_t>(arg->element_type());
    for (int64_t size : arg->dimensions())
      *out++ = static_cast<int32_t>(size);
  }
  return ffi::Error::Success();
}
XLA_FFI_DEFINE_HANDLER_SYMBOL(Describe, DescribeImpl, ffi::Ffi::Bind().RemainingArgs().RemainingRets());

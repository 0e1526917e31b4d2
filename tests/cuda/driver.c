// A CUDA driver whose device is the CPU: the functions of libcuda that IREE's runtime calls. A module's kernels are
// translated to C and compiled when it is loaded.
//
// Streams have threads, so that the host finds out whether it waits for what it needs. Before each operation, they
// sleep for at most DOVETAIL_CUDA_DELAY microseconds. Memory is full of a large negative number when it is allocated,
// and of another one after it was freed. Graphs of commands are not supported: IREE does not use them by default.
//
// Source of the interface: NVIDIA, CUDA Driver API 12.4.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Set by the build: who translates, and with which Python.
#ifndef TRANSLATOR
#define TRANSLATOR "translate.py"
#define PYTHON "python3"
#endif

enum { SUCCESS, OUT_OF_MEMORY = 2, INVALID_PTX = 218, NOT_FOUND = 500, NOT_READY = 600, NOT_SUPPORTED = 801 };
typedef int Result;
typedef uint64_t Address;

//===- Streams and events ------------------------------------------------------===//

/// How often an event was recorded by the host, and by streams that have come to it.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t asked, done;
} Event;

typedef struct {
  void (*run)(char *params, const uint32_t *dimensions, uint32_t shared);
  /// The bytes of each parameter, and a 0.
  const int *sizes;
} Function;

/// An operation in a stream, which frees what `owned` points to.
typedef struct Operation {
  struct Operation *next;
  void (*run)(struct Operation *self);
  union {
    struct {
      Function *function;
      uint32_t dimensions[6], shared;
    } launch;
    struct {
      Address to, from;
      size_t size;
    } copy;
    struct {
      Address to;
      uint32_t value;
      size_t width, count;
    } fill;
    struct {
      Event *event;
      uint64_t count;
    } signal;
    struct {
      void (*function)(void *data);
      void *data;
    } call;
    Address freed;
  };
  char *owned;
} Operation;

typedef struct {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  Operation *first, *last;
  int runs, ends;
} Stream;

static Stream *default_stream;

static void *work(void *data) {
  Stream *stream = data;
  const char *delay = getenv("DOVETAIL_CUDA_DELAY");
  for (;;) {
    pthread_mutex_lock(&stream->lock);
    stream->runs = 0;
    pthread_cond_broadcast(&stream->changed);
    while (!stream->first && !stream->ends)
      pthread_cond_wait(&stream->changed, &stream->lock);
    Operation *operation = stream->first;
    if (operation) {
      stream->first = operation->next, stream->runs = 1;
      if (!stream->first)
        stream->last = NULL;
    }
    pthread_mutex_unlock(&stream->lock);
    if (!operation)
      return NULL;
    if (delay && atoi(delay))
      usleep(rand() % atoi(delay));
    operation->run(operation);
    free(operation->owned);
    free(operation);
  }
}

Result cuStreamCreate(Stream **out, unsigned flags) {
  Stream *stream = *out = calloc(1, sizeof *stream);
  pthread_mutex_init(&stream->lock, NULL);
  pthread_cond_init(&stream->changed, NULL);
  pthread_create(&stream->thread, NULL, work, stream);
  return SUCCESS;
}

static Operation *operation(void (*run)(Operation *)) {
  Operation *made = calloc(1, sizeof *made);
  made->run = run;
  return made;
}

static Result enqueue(Stream *stream, Operation *operation) {
  if (!stream) {
    if (!default_stream)
      cuStreamCreate(&default_stream, 0);
    stream = default_stream;
  }
  pthread_mutex_lock(&stream->lock);
  if (stream->last)
    stream->last->next = operation;
  else
    stream->first = operation;
  stream->last = operation;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  return SUCCESS;
}

Result cuStreamSynchronize(Stream *stream) {
  stream = stream ? stream : default_stream;
  if (!stream)
    return SUCCESS;
  pthread_mutex_lock(&stream->lock);
  while (stream->first || stream->runs)
    pthread_cond_wait(&stream->changed, &stream->lock);
  pthread_mutex_unlock(&stream->lock);
  return SUCCESS;
}

Result cuStreamDestroy(Stream *stream) {
  pthread_mutex_lock(&stream->lock);
  stream->ends = 1;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->lock);
  pthread_join(stream->thread, NULL);
  free(stream);
  return SUCCESS;
}

Result cuEventCreate(Event **out, unsigned flags) {
  Event *event = *out = calloc(1, sizeof *event);
  pthread_mutex_init(&event->lock, NULL);
  pthread_cond_init(&event->changed, NULL);
  return SUCCESS;
}
// Streams may still come to it.
Result cuEventDestroy(Event *event) { return SUCCESS; }
Result cuEventElapsedTime(float *milliseconds, Event *start, Event *end) {
  *milliseconds = 0;
  return SUCCESS;
}
Result cuEventQuery(Event *event) {
  pthread_mutex_lock(&event->lock);
  Result result = event->done >= event->asked ? SUCCESS : NOT_READY;
  pthread_mutex_unlock(&event->lock);
  return result;
}

static void wait_for(Event *event, uint64_t count) {
  pthread_mutex_lock(&event->lock);
  while (event->done < count)
    pthread_cond_wait(&event->changed, &event->lock);
  pthread_mutex_unlock(&event->lock);
}
static void run_record(Operation *self) {
  Event *event = self->signal.event;
  pthread_mutex_lock(&event->lock);
  if (event->done < self->signal.count)
    event->done = self->signal.count;
  pthread_cond_broadcast(&event->changed);
  pthread_mutex_unlock(&event->lock);
}
static void run_wait(Operation *self) { wait_for(self->signal.event, self->signal.count); }
static Operation *signal_of(Event *event, void (*run)(Operation *), int more) {
  Operation *made = operation(run);
  pthread_mutex_lock(&event->lock);
  event->asked += more;
  made->signal.event = event, made->signal.count = event->asked;
  pthread_mutex_unlock(&event->lock);
  return made;
}

Result cuEventSynchronize(Event *event) {
  pthread_mutex_lock(&event->lock);
  uint64_t asked = event->asked;
  pthread_mutex_unlock(&event->lock);
  wait_for(event, asked);
  return SUCCESS;
}
Result cuEventRecord(Event *event, Stream *stream) { return enqueue(stream, signal_of(event, run_record, 1)); }
Result cuStreamWaitEvent(Stream *stream, Event *event, unsigned flags) {
  return enqueue(stream, signal_of(event, run_wait, 0));
}

static void run_call(Operation *self) { self->call.function(self->call.data); }
Result cuLaunchHostFunc(Stream *stream, void (*function)(void *), void *data) {
  Operation *made = operation(run_call);
  made->call.function = function, made->call.data = data;
  return enqueue(stream, made);
}

//===- Memory ------------------------------------------------------------------===//

enum { ALIGNMENT = 256, UNWRITTEN = 0xFB, FREED = 0xF7 };
/// What is in front of an allocation.
typedef struct {
  size_t size;
  char *begin;
} Allocation;

static Result allocate(Address *out, size_t size) {
  char *begin = malloc(size + 2 * ALIGNMENT);
  if (!begin)
    return OUT_OF_MEMORY;
  *out = ((Address)begin + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  ((Allocation *)*out)[-1] = (Allocation){size, begin};
  memset((void *)*out, UNWRITTEN, size);
  return SUCCESS;
}
static void release(Address memory) {
  Allocation allocation = ((Allocation *)memory)[-1];
  memset((void *)memory, FREED, allocation.size);
  free(allocation.begin);
}
static void run_free(Operation *self) { release(self->freed); }

Result cuMemAlloc_v2(Address *out, size_t size) { return allocate(out, size); }
Result cuMemAllocManaged(Address *out, size_t size, unsigned flags) { return allocate(out, size); }
Result cuMemHostAlloc(void **out, size_t size, unsigned flags) { return allocate((Address *)out, size); }
Result cuMemFree_v2(Address memory) {
  cuStreamSynchronize(NULL);
  if (memory)
    release(memory);
  return SUCCESS;
}
Result cuMemFreeHost(void *memory) { return cuMemFree_v2((Address)memory); }
Result cuMemHostRegister_v2(void *memory, size_t size, unsigned flags) { return SUCCESS; }
Result cuMemHostUnregister(void *memory) { return SUCCESS; }
Result cuMemHostGetDevicePointer_v2(Address *out, void *memory, unsigned flags) {
  *out = (Address)memory;
  return SUCCESS;
}
Result cuMemPrefetchAsync(Address memory, size_t size, int device, Stream *stream) { return SUCCESS; }

Result cuMemPoolCreate(void **out, void *properties) {
  *out = malloc(1);
  return SUCCESS;
}
Result cuMemPoolDestroy(void *pool) {
  free(pool);
  return SUCCESS;
}
Result cuMemPoolSetAccess(void *pool, void *access, size_t count) { return SUCCESS; }
Result cuMemPoolGetAttribute(void *pool, int attribute, uint64_t *value) {
  *value = 0;
  return SUCCESS;
}
Result cuMemPoolSetAttribute(void *pool, int attribute, void *value) { return SUCCESS; }
Result cuMemPoolTrimTo(void *pool, size_t size) { return SUCCESS; }
Result cuMemAllocFromPoolAsync(Address *out, size_t size, void *pool, Stream *stream) { return allocate(out, size); }
Result cuMemFreeAsync(Address memory, Stream *stream) {
  Operation *made = operation(run_free);
  made->freed = memory;
  return enqueue(stream, made);
}

static void run_fill(Operation *self) {
  for (size_t i = 0; i < self->fill.count; ++i)
    memcpy((char *)self->fill.to + i * self->fill.width, &self->fill.value, self->fill.width);
}
static Result fill(Address to, uint32_t value, size_t width, size_t count, Stream *stream) {
  Operation *made = operation(run_fill);
  made->fill.to = to, made->fill.value = value, made->fill.width = width, made->fill.count = count;
  return enqueue(stream, made);
}
Result cuMemsetD32Async(Address to, unsigned value, size_t count, Stream *s) { return fill(to, value, 4, count, s); }
Result cuMemsetD16Async(Address to, unsigned short v, size_t count, Stream *s) { return fill(to, v, 2, count, s); }
Result cuMemsetD8Async(Address to, unsigned char v, size_t count, Stream *s) { return fill(to, v, 1, count, s); }

static void run_copy(Operation *self) { memmove((void *)self->copy.to, (void *)self->copy.from, self->copy.size); }
Result cuMemcpyAsync(Address to, Address from, size_t size, Stream *stream) {
  Operation *made = operation(run_copy);
  made->copy.to = to, made->copy.from = from, made->copy.size = size;
  return enqueue(stream, made);
}
// From memory that the caller may change at once.
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t size, Stream *stream) {
  Operation *made = operation(run_copy);
  made->owned = memcpy(malloc(size), from, size);
  made->copy.to = to, made->copy.from = (Address)made->owned, made->copy.size = size;
  return enqueue(stream, made);
}

//===- Modules -----------------------------------------------------------------===//

Result cuModuleLoadDataEx(void **out, const char *image, unsigned count, int *options, void **values) {
  char folder[] = "/tmp/dovetail-cuda-XXXXXX", source[sizeof folder + 8], library[sizeof folder + 8], command[1024];
  if (!mkdtemp(folder))
    return INVALID_PTX;
  snprintf(source, sizeof source, "%s/m.ptx", folder);
  snprintf(library, sizeof library, "%s/m.so", folder);
  FILE *file = fopen(source, "w");
  fputs(image, file);
  fclose(file);
  snprintf(command, sizeof command, "'%s' '%s' %s %s >&2", PYTHON, TRANSLATOR, source, library);
  Result result = system(command) ? INVALID_PTX : SUCCESS;
  if (result == SUCCESS && !(*out = dlopen(library, RTLD_NOW)))
    result = INVALID_PTX;
  if (!getenv("DOVETAIL_CUDA_KEEP")) {
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command))
      return INVALID_PTX;
  }
  return result;
}
// Its kernels may still be in a stream.
Result cuModuleUnload(void *module) { return SUCCESS; }
Result cuModuleGetGlobal_v2(Address *out, size_t *size, void *module, const char *name) { return NOT_FOUND; }

static void *symbol(void *library, const char *prefix, const char *name) {
  char text[1024];
  snprintf(text, sizeof text, "%s%s", prefix, name);
  for (char *letter = text; *letter; ++letter)
    if (*letter == '$' || *letter == '.')
      *letter = '_';
  return dlsym(library, text);
}
Result cuModuleGetFunction(Function **out, void *module, const char *name) {
  Function *function = *out = calloc(1, sizeof *function);
  function->run = symbol(module, "run_", name);
  function->sizes = symbol(module, "sizes_", name);
  return function->run ? SUCCESS : NOT_FOUND;
}
Result cuFuncSetAttribute(Function *function, int attribute, int value) { return SUCCESS; }

static void run_launch(Operation *self) {
  self->launch.function->run(self->owned, self->launch.dimensions, self->launch.shared);
}
Result cuLaunchKernel(Function *function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
                      unsigned shared, Stream *stream, void **params, void **extra) {
  Operation *made = operation(run_launch);
  uint32_t dimensions[] = {gx, gy, gz, x, y, z};
  memcpy(made->launch.dimensions, dimensions, sizeof dimensions);
  made->launch.function = function, made->launch.shared = shared;
  int count = 0;
  while (function->sizes[count])
    ++count;
  made->owned = calloc(count + 1, 8);
  for (int i = 0; i < count; ++i)
    memcpy(made->owned + 8 * i, params[i], function->sizes[i]);
  return enqueue(stream, made);
}

//===- The device --------------------------------------------------------------===//

static int context;

Result cuInit(unsigned flags) { return SUCCESS; }
Result cuGetErrorName(Result result, const char **out) {
  *out = "CUDA_ERROR";
  return SUCCESS;
}
Result cuGetErrorString(Result result, const char **out) {
  *out = "an error of the driver for CPUs";
  return SUCCESS;
}
Result cuDriverGetVersion(int *version) {
  *version = 12040;
  return SUCCESS;
}
Result cuCtxCreate_v2(void **out, unsigned flags, int device) {
  *out = &context;
  return SUCCESS;
}
Result cuCtxDestroy_v2(void *of) { return SUCCESS; }
Result cuDevicePrimaryCtxRetain(void **out, int device) { return cuCtxCreate_v2(out, 0, device); }
Result cuDevicePrimaryCtxRelease_v2(int device) { return SUCCESS; }
Result cuCtxSetCurrent(void *of) { return SUCCESS; }
Result cuCtxPushCurrent_v2(void *of) { return SUCCESS; }
Result cuCtxPopCurrent_v2(void **out) { return out ? cuCtxCreate_v2(out, 0, 0) : SUCCESS; }
Result cuDeviceGet(int *device, int number) {
  *device = number;
  return SUCCESS;
}
Result cuDeviceGetCount(int *count) {
  *count = 1;
  return SUCCESS;
}
Result cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, size, "CPU as a CUDA device");
  return SUCCESS;
}
Result cuDeviceGetUuid(char *uuid, int device) {
  memset(uuid, 1, 16);
  return SUCCESS;
}
Result cuDeviceGetAttribute(int *value, int attribute, int device) {
  // Block sizes; compute capability 8.0; the largest shared memory; pools.
  static const int known[][2] = {{2, 1024}, {3, 1024}, {4, 64}, {75, 8}, {76, 0}, {97, 166912}, {115, 1}};
  *value = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (known[i][0] == attribute)
      *value = known[i][1];
  return SUCCESS;
}

static Result not_supported(void) { return NOT_SUPPORTED; }

Result cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
  static void *self;
  Dl_info info;
  if (!self && dladdr((void *)cuGetProcAddress, &info))
    self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  char newer[256];
  snprintf(newer, sizeof newer, "%s_v2", name);
  if (!(*out = dlsym(self, newer)) && !(*out = dlsym(self, name)))
    *out = (void *)not_supported;
  return SUCCESS;
}

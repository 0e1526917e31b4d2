// What C code that was translated from PTX calls: operations that C has not, and threads of a block that wait for each
// other.
//
// The threads of a block take turns, and so do blocks; where they may, in the order that DOVETAIL_CUDA_ORDER states:
// "forward" (the default), "backward" or "random". What depends on an order is a fault. With RACES defined, an access
// is reported that no barrier separates from another thread's to the same memory, if one of them writes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>
#include <ucontext.h>

//===- Numbers -----------------------------------------------------------------===//

#define AS_BITS(name, type, bits)                                                                                      \
  static inline type name##_of(bits x) {                                                                               \
    type number;                                                                                                       \
    memcpy(&number, &x, sizeof x);                                                                                     \
    return number;                                                                                                     \
  }                                                                                                                    \
  static inline bits of_##name(type x) {                                                                               \
    bits number;                                                                                                       \
    memcpy(&number, &x, sizeof x);                                                                                     \
    return number;                                                                                                     \
  }
AS_BITS(single, float, uint32_t)
AS_BITS(double, double, uint64_t)
AS_BITS(stored, _Float16, uint16_t)

static inline float half_of(uint16_t x) { return stored_of(x); }
static inline uint16_t of_half(double x) { return of_stored(x); }
static inline float bfloat_of(uint16_t x) { return single_of((uint32_t)x << 16); }
static inline uint16_t of_bfloat(float x) {
  uint32_t bits = of_single(x);
  return x != x ? 0x7fff : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

// A number before NaN, unless asked for otherwise; -0 is less than 0.
#define least(x, y) ((x) == (y) ? (signbit(x) ? (x) : (y)) : fmin(x, y))
#define greatest(x, y) ((x) == (y) ? (signbit(x) ? (y) : (x)) : fmax(x, y))
#define least_or_nan(x, y) ((x) != (x) || (y) != (y) ? NAN : least(x, y))
#define greatest_or_nan(x, y) ((x) != (x) || (y) != (y) ? NAN : greatest(x, y))
#define saturated(x) fmin(fmax(x, 0.0f), 1.0f)

#define CONVERSIONS(name, type, low, high)                                                                             \
  static inline type to_##name(double x) {                                                                             \
    return x != x ? 0 : x <= (double)low ? low : x >= (double)high ? high : (type)x;                                   \
  }                                                                                                                    \
  static inline type clamped_##name(__int128 x) { return x < low ? low : x > high ? high : (type)x; }
CONVERSIONS(s8, int8_t, INT8_MIN, INT8_MAX)
CONVERSIONS(s16, int16_t, INT16_MIN, INT16_MAX)
CONVERSIONS(s32, int32_t, INT32_MIN, INT32_MAX)
CONVERSIONS(s64, int64_t, INT64_MIN, INT64_MAX)
CONVERSIONS(u8, uint8_t, 0, UINT8_MAX)
CONVERSIONS(u16, uint16_t, 0, UINT16_MAX)
CONVERSIONS(u32, uint32_t, 0, UINT32_MAX)
CONVERSIONS(u64, uint64_t, 0, UINT64_MAX)

// Shifts by more than the width, and division by 0, have results.
#define INTEGERS(n)                                                                                                    \
  static inline uint##n##_t shl_u##n(uint##n##_t x, uint32_t by) { return by >= n ? 0 : x << by; }                     \
  static inline uint##n##_t shr_u##n(uint##n##_t x, uint32_t by) { return by >= n ? 0 : x >> by; }                     \
  static inline int##n##_t shr_s##n(int##n##_t x, uint32_t by) { return x >> (by >= n ? n - 1 : by); }                 \
  static inline uint##n##_t div_u##n(uint##n##_t x, uint##n##_t y) { return y ? x / y : (uint##n##_t) - 1; }           \
  static inline uint##n##_t rem_u##n(uint##n##_t x, uint##n##_t y) { return y ? x % y : x; }                           \
  static inline int##n##_t div_s##n(int##n##_t x, int##n##_t y) {                                                      \
    return y == 0 ? -1 : y == -1 ? (int##n##_t)(0 - (uint##n##_t)x) : x / y;                                           \
  }                                                                                                                    \
  static inline int##n##_t rem_s##n(int##n##_t x, int##n##_t y) { return y == 0 ? x : y == -1 ? 0 : x % y; }
INTEGERS(16)
INTEGERS(32)
INTEGERS(64)

static inline uint32_t popc32(uint32_t x) { return __builtin_popcount(x); }
static inline uint32_t popc64(uint64_t x) { return __builtin_popcountll(x); }
static inline uint32_t clz32(uint32_t x) { return x ? __builtin_clz(x) : 32; }
static inline uint32_t clz64(uint64_t x) { return x ? __builtin_clzll(x) : 64; }
static inline uint64_t brev64(uint64_t x) {
  uint64_t reversed = 0;
  for (int i = 0; i < 64; ++i)
    reversed |= (x >> i & 1) << (63 - i);
  return reversed;
}
static inline uint32_t brev32(uint32_t x) { return brev64(x) >> 32; }

static inline uint32_t prmt_b32(uint32_t x, uint32_t y, uint32_t chosen) {
  uint64_t bytes = (uint64_t)y << 32 | x;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    uint32_t byte = bytes >> 8 * (chosen >> 4 * i & 7) & 255;
    if (chosen >> 4 * i & 8)
      byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * i;
  }
  return result;
}
static inline uint32_t lop3_b32(uint32_t x, uint32_t y, uint32_t z, uint32_t table) {
  uint32_t result = 0;
  for (int i = 0; i < 32; ++i)
    result |= (table >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i;
  return result;
}
static inline uint32_t shf_l_wrap_b32(uint32_t low, uint32_t high, uint32_t by) {
  return ((uint64_t)high << 32 | low) << (by & 31) >> 32;
}
static inline uint32_t shf_r_wrap_b32(uint32_t low, uint32_t high, uint32_t by) {
  return ((uint64_t)high << 32 | low) >> (by & 31);
}
static inline uint32_t bfe_u32(uint32_t x, uint32_t from, uint32_t count) {
  return shr_u32(x, from & 255) & ~shl_u32(~0u, count & 255);
}
static inline uint32_t bfi_b32(uint32_t x, uint32_t into, uint32_t at, uint32_t count) {
  uint32_t mask = shl_u32(~shl_u32(~0u, count & 255), at & 255);
  return (into & ~mask) | (shl_u32(x, at & 255) & mask);
}

//===- Threads -----------------------------------------------------------------===//

enum { LANES = 32, MOST_WARPS = 32, STACK = 1 << 16 };
typedef enum { READY, AT_BLOCK, AT_WARP, ENDED } State;

typedef struct Block Block;
typedef struct {
  uint32_t tid[3], ntid[3], ctaid[3], nctaid[3];
  Block *block;
  /// Its number within the block, and the barriers that it has passed.
  uint32_t number, epoch;
  State state;
  /// What it shows to its warp.
  uint32_t shown;
  ucontext_t context;
  void *stack;
} Thread;

struct Block {
  uint32_t number, size;
  Thread *threads;
  /// What the lanes of each warp have shown.
  uint32_t seen[MOST_WARPS][LANES];
  ucontext_t scheduler;
};

typedef void Body(Thread *thread, char *params, char *shared);

static inline uint32_t lane(Thread *thread) { return thread->number % LANES; }

static void die(Thread *thread, const char *kernel, const char *why) {
  fprintf(stderr, "%s: block %u, thread %u: %s\n", kernel, thread->block->number, thread->number, why);
  abort();
}

static void wait_at(Thread *thread, State state) {
  thread->state = state;
  swapcontext(&thread->context, &thread->block->scheduler);
}
static void meet_block(Thread *thread) { wait_at(thread, AT_BLOCK); }
static void meet_warp(Thread *thread, uint32_t shown) {
  thread->shown = shown;
  wait_at(thread, AT_WARP);
}

static uint32_t shuffled(Thread *thread, uint32_t shown, int from, int ok) {
  meet_warp(thread, shown);
  return thread->block->seen[thread->number / LANES][ok ? from : (int)lane(thread)];
}
// The limits are the last lane, and in bits 8 to 12 those bits of a lane's number that stay.
#define SHUFFLE(mode, lane_from, holds)                                                                                \
  static uint32_t shuffle_##mode(Thread *thread, uint32_t shown, uint32_t by, uint32_t limits, uint8_t *ok) {          \
    int own = lane(thread), kept = limits >> 8 & 31, first = own & kept, last = first | (limits & 31 & ~kept);         \
    by &= 31;                                                                                                          \
    int from = lane_from;                                                                                              \
    *ok = holds;                                                                                                       \
    return shuffled(thread, shown, from, *ok);                                                                         \
  }
SHUFFLE(up, own - (int)by, from >= last)
SHUFFLE(down, own + (int)by, from <= last)
SHUFFLE(bfly, own ^ (int)by, from <= last)
SHUFFLE(idx, first | ((int)by & ~kept), from <= last)

#define OVER_WARP(name, type, start, combined)                                                                         \
  static type name(Thread *thread, uint32_t shown) {                                                                   \
    meet_warp(thread, shown);                                                                                          \
    uint32_t warp = thread->number / LANES;                                                                            \
    type result = start;                                                                                               \
    for (uint32_t i = 0; i < LANES && warp * LANES + i < thread->block->size; ++i) {                                   \
      type x = thread->block->seen[warp][i];                                                                           \
      result = combined;                                                                                               \
    }                                                                                                                  \
    return result;                                                                                                     \
  }
OVER_WARP(vote_ballot, uint32_t, 0, result | (x != 0) << i)
OVER_WARP(vote_any, uint32_t, 0, result || x)
OVER_WARP(vote_all, uint32_t, 1, result &&x)
OVER_WARP(reduce_add_s32, int32_t, 0, result + x)
OVER_WARP(reduce_add_u32, uint32_t, 0, result + x)
OVER_WARP(reduce_min_s32, int32_t, INT32_MAX, x < result ? x : result)
OVER_WARP(reduce_max_s32, int32_t, INT32_MIN, x > result ? x : result)
OVER_WARP(reduce_min_u32, uint32_t, UINT32_MAX, x < result ? x : result)
OVER_WARP(reduce_max_u32, uint32_t, 0, x > result ? x : result)
OVER_WARP(reduce_and_b32, uint32_t, ~0u, result &x)
OVER_WARP(reduce_or_b32, uint32_t, 0, result | x)
OVER_WARP(reduce_xor_b32, uint32_t, 0, result ^ x)

//===- Memory ------------------------------------------------------------------===//

static void copy_padded(char *to, const char *from, uint32_t size, uint32_t count) {
  memcpy(to, from, count);
  memset(to + count, 0, size - count);
}

#define check(thread, place, size)                                                                                     \
  if ((place) % (size))                                                                                                \
  die(thread, KERNEL, "an access is not aligned to its size")

#ifdef RACES
#define note_read(thread, place, size) note(thread, place, size, 0, KERNEL)
#define note_write(thread, place, size) note(thread, place, size, 1, KERNEL)

/// The last accesses to 4 bytes of memory in a launch.
typedef struct {
  uint64_t place;
  uint32_t launch;
  struct {
    uint32_t block, thread, epoch, clock;
    int any;
  } last[2];
} Cell;
enum { CELLS = 1 << 22, TRIES = 64, MOST_REPORTS = 20 };
static Cell *cells;
static uint32_t launch, reports;
static char *shared_begin, *shared_end;

static Cell *cell_of(uint64_t place) {
  if (!cells)
    cells = calloc(CELLS, sizeof *cells);
  for (uint32_t i = 0, hash = place * 0x9E3779B97F4A7C15ull >> 42; i < TRIES; ++i) {
    Cell *cell = &cells[(hash + i) % CELLS];
    if (cell->launch != launch)
      *cell = (Cell){.place = place, .launch = launch};
    if (cell->place == place)
      return cell;
  }
  return NULL;
}

/// The fences of the device, and the number of the last one of each thread: accesses of other blocks before such a
/// fence come before what a thread does behind a later one of its own, if it knows, by an atomic instruction, that it
/// is later.
static uint32_t fences, *last_fence;
static uint64_t fence_count;

static uint32_t *fence_of(uint32_t block, uint32_t thread) {
  uint64_t place = (uint64_t)block * LANES * MOST_WARPS + thread;
  if (place >= fence_count) {
    uint64_t count = 2 * place + 1;
    last_fence = realloc(last_fence, count * sizeof *last_fence);
    memset(last_fence + fence_count, 0, (count - fence_count) * sizeof *last_fence);
    fence_count = count;
  }
  return &last_fence[place];
}

static void fence_device(Thread *thread) { *fence_of(thread->block->number, thread->number) = ++fences; }

static void note(Thread *thread, uint64_t place, int size, int writes, const char *kernel) {
  uint64_t own = place >= (uint64_t)shared_begin && place < (uint64_t)shared_end ? thread->block->number + 1ull : 0;
  for (int i = 0; i < size; i += 4) {
    Cell *cell = cell_of((place + i) / 4 ^ own << 48);
    // Bytes beside each other may be of several threads.
    for (int kind = !writes; cell && size >= 4 && kind < 2; ++kind) {
      uint32_t block = cell->last[kind].block, other = cell->last[kind].thread;
      int before =
          block == thread->block->number && (other == thread->number || cell->last[kind].epoch < thread->epoch);
      uint32_t fence = *fence_of(block, other);
      before |= fence > cell->last[kind].clock && fence < *fence_of(thread->block->number, thread->number);
      if (cell->last[kind].any && !before && reports++ < MOST_REPORTS)
        fprintf(stderr, "RACE in %s: block %u, thread %u %s at %lx what block %u, thread %u %s\n", kernel,
                thread->block->number, thread->number, writes ? "writes" : "reads", (unsigned long)place, block, other,
                kind ? "wrote" : "read");
    }
    if (cell) {
      cell->last[writes].block = thread->block->number, cell->last[writes].thread = thread->number;
      cell->last[writes].epoch = thread->epoch, cell->last[writes].any = 1;
      cell->last[writes].clock = fences;
    }
  }
}
#else
#define note_read(thread, place, size)
#define note_write(thread, place, size)
#define fence_device(thread)
#endif

//===- Launches ----------------------------------------------------------------===//

static struct {
  Body *body;
  char *params, *shared;
} running;

static void start(unsigned low, unsigned high) {
  Thread *thread = (Thread *)((uint64_t)high << 32 | low);
  running.body(thread, running.params, running.shared);
  wait_at(thread, ENDED);
}

/// Numbers in an order in which they may take turns.
static void put_in_order(uint32_t *order, uint32_t count) {
  const char *how = getenv("DOVETAIL_CUDA_ORDER");
  char kind = how ? *how : 'f';
  for (uint32_t i = 0; i < count; ++i)
    order[i] = kind == 'b' ? count - 1 - i : i;
  for (uint32_t i = count; kind == 'r' && i > 1; --i) {
    uint32_t j = rand() % i, last = order[i - 1];
    order[i - 1] = order[j], order[j] = last;
  }
}

/// Lets threads of which all that can have arrived go on; returns whether there are any.
static int release(Thread *threads, uint32_t count, State where, uint32_t *seen) {
  uint32_t alive = 0, here = 0;
  for (uint32_t i = 0; i < count; ++i)
    alive += threads[i].state != ENDED, here += threads[i].state == where;
  if (!here || here != alive)
    return 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (seen)
      seen[i] = threads[i].shown;
    if (threads[i].state == where)
      threads[i].state = READY, threads[i].epoch += where == AT_BLOCK;
  }
  return 1;
}

/// Runs the threads of a block that wait for each other.
static void run_together(Block *block, uint32_t *order) {
  for (uint32_t i = 0; i < block->size; ++i) {
    Thread *thread = &block->threads[i];
    if (!thread->stack)
      thread->stack = malloc(STACK);
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK;
    makecontext(&thread->context, (void (*)(void))start, 2, (unsigned)(uint64_t)thread, (uint64_t)thread >> 32);
  }
  for (;;) {
    int any = 0, alive = 0;
    put_in_order(order, block->size);
    for (uint32_t i = 0; i < block->size; ++i)
      if (block->threads[order[i]].state == READY) {
        any = 1;
        swapcontext(&block->scheduler, &block->threads[order[i]].context);
      }
    for (uint32_t i = 0; i < block->size; ++i)
      alive |= block->threads[i].state != ENDED;
    if (!alive)
      return;
    for (uint32_t first = 0; first < block->size; first += LANES) {
      uint32_t count = block->size - first < LANES ? block->size - first : LANES;
      any |= release(block->threads + first, count, AT_WARP, block->seen[first / LANES]);
    }
    any |= release(block->threads, block->size, AT_BLOCK, NULL);
    if (!any)
      die(block->threads, "a kernel", "threads wait at a barrier that others do not reach");
  }
}

/// Runs a kernel: `dimensions` are the numbers of blocks and of threads, three each, `size` the shared memory's.
static void run(Body *body, int meets, char *params, const uint32_t *dimensions, uint32_t size) {
  const uint32_t *grid = dimensions, *shape = dimensions + 3;
  uint32_t count = grid[0] * grid[1] * grid[2], threads = shape[0] * shape[1] * shape[2];
  Block block = {.size = threads, .threads = calloc(threads, sizeof(Thread))};
  uint32_t *blocks = malloc(count * sizeof *blocks), *order = malloc(threads * sizeof *order);
  char *shared = aligned_alloc(128, (size + 255) / 128 * 128);
  running.body = body, running.params = params, running.shared = shared;
#ifdef RACES
  ++launch, shared_begin = shared, shared_end = shared + size;
#endif
  put_in_order(blocks, count);
  for (uint32_t b = 0; b < count; ++b) {
    block.number = blocks[b];
    // NaNs, for who reads what nobody has written.
    memset(shared, 0xFF, size);
    for (uint32_t i = 0; i < threads; ++i) {
      Thread *thread = &block.threads[i];
      thread->block = &block, thread->number = i, thread->epoch = 0, thread->state = READY;
      for (uint32_t d = 0, of_thread = i, of_block = block.number; d < 3; ++d) {
        thread->ntid[d] = shape[d], thread->nctaid[d] = grid[d];
        thread->tid[d] = of_thread % shape[d], of_thread /= shape[d];
        thread->ctaid[d] = of_block % grid[d], of_block /= grid[d];
      }
    }
    if (meets) {
      run_together(&block, order);
      continue;
    }
    put_in_order(order, threads);
    for (uint32_t i = 0; i < threads; ++i)
      body(&block.threads[order[i]], params, shared);
  }
  for (uint32_t i = 0; i < threads; ++i)
    free(block.threads[i].stack);
  free(block.threads), free(blocks), free(order), free(shared);
}

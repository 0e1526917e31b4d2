// Functions of dovetail/ffi.h that tests call.
#include <dovetail/ffi.h>
#include <stdio.h>
#include <stdlib.h>

// y = by * x, of any shape.
int32_t scale(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  static const int32_t types[] = {DOVETAIL_FLOAT32, DOVETAIL_FLOAT32};
  if (dovetail_expect(call, 1, 1, types))
    return 1;
  (void)sizes;
  const float *x = arrays[0];
  float *y = arrays[1];
  double by = dovetail_number(call, "by", 1.0);
  int64_t count = 1;
  for (int32_t d = 0; d < call->arrays[0].rank; ++d)
    count *= call->arrays[0].sizes[d];
  for (int64_t i = 0; i < count; ++i)
    y[i] = (float)(by * x[i]);
  return 0;
}

// The product of two matrices.
int32_t products(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  static const int32_t types[] = {DOVETAIL_FLOAT32, DOVETAIL_FLOAT32, DOVETAIL_FLOAT32};
  if (dovetail_expect(call, 2, 1, types))
    return 1;
  (void)sizes;
  const float *x = arrays[0], *y = arrays[1];
  float *z = arrays[2];
  int64_t rows = call->arrays[0].sizes[0], inner = call->arrays[0].sizes[1], columns = call->arrays[1].sizes[1];
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      z[i * columns + j] = 0;
      for (int64_t k = 0; k < inner; ++k)
        z[i * columns + j] += x[i * inner + k] * y[k * columns + j];
    }
  return 0;
}

// Rows of x times a vector, and their number.
int32_t times_rows(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)call;
  const double *x = arrays[0], *v = arrays[1];
  double *y = arrays[2];
  for (int64_t i = 0; i < sizes[0]; ++i) {
    y[i] = 0;
    for (int64_t j = 0; j < sizes[1]; ++j)
      y[i] += x[i * sizes[1] + j] * v[j];
  }
  *(int32_t *)arrays[3] = (int32_t)sizes[0];
  return 0;
}

// The sizes of all arrays, of which the last is the result.
int32_t shapes(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  int32_t *result = arrays[call->num_arguments];
  int64_t n = 0;
  for (int32_t i = 0; i < call->num_arguments; ++i)
    for (int32_t d = 0; d < call->arrays[i].rank; ++d)
      result[n] = (int32_t)sizes[n], ++n;
  return 0;
}

// Adds 1 to the result, which is the argument.
int32_t increment(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  if (arrays[0] != arrays[1])
    return dovetail_fail(call, "the result must be in the memory of the argument");
  for (int64_t i = 0; i < sizes[0]; ++i)
    ++((float *)arrays[1])[i];
  // A second result says where the memory is.
  if (call->num_results > 1)
    *(int32_t *)arrays[2] = (int32_t)((uintptr_t)arrays[1] >> 6);
  return 0;
}

// The first argument, in whose memory the result is, plus the second one backwards; of four bytes an element.
int32_t add_turned(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  if (arrays[0] != arrays[2] || arrays[0] == arrays[1])
    return dovetail_fail(call, "the result must be in the memory of the first argument alone");
  int64_t last = sizes[0] - 1;
  for (int64_t i = 0; i <= last; ++i) {
    if (call->arrays[0].type == DOVETAIL_INT32)
      ((int32_t *)arrays[2])[i] += ((const int32_t *)arrays[1])[last - i];
    else
      ((float *)arrays[2])[i] += ((const float *)arrays[1])[last - i];
  }
  return 0;
}

// 1 if all arrays are aligned.
int32_t aligned(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)sizes;
  int32_t *result = arrays[call->num_arguments];
  *result = 1;
  for (int32_t i = 0; i <= call->num_arguments; ++i)
    *result &= (uintptr_t)arrays[i] % 64 == 0;
  return 0;
}

// Where the arguments are, in lines of 64 bytes.
int32_t places(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)sizes;
  for (int32_t i = 0; i < call->num_arguments; ++i)
    ((int32_t *)arrays[call->num_arguments])[i] = (int32_t)((uintptr_t)arrays[i] >> 6);
  return 0;
}

static int64_t calls = 0;

// Counts its calls, and appends to a text if it gets one.
int32_t count(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)sizes;
  ++calls;
  if (call->num_results)
    *(int32_t *)arrays[call->num_arguments] = (int32_t)calls;
  return 0;
}

int64_t number_of_calls(void) { return calls; }

// The first elements of the arguments of its calls.
static float seen[64];
static int64_t num_seen = 0;

int32_t observe(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)sizes, (void)call;
  if (num_seen < 64)
    seen[num_seen++] = *(const float *)arrays[0];
  return 0;
}

int64_t observed(float *to) {
  int64_t count = num_seen;
  memcpy(to, seen, sizeof(float) * (size_t)count);
  num_seen = 0;
  return count;
}

int32_t fails(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  if (*(const float *)arrays[0] < 0)
    return dovetail_fail(call, dovetail_text(call, "message", "x must not be negative"));
  int64_t count = 1;
  for (int32_t d = 0; d < call->arrays[0].rank; ++d)
    count *= sizes[d];
  memcpy(arrays[1], arrays[0], sizeof(float) * (size_t)count);
  return 0;
}

int32_t returns_seven(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)arrays, (void)sizes, (void)call;
  return 7;
}

int32_t crashes(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)sizes;
  if (strcmp(dovetail_text(call, "how", ""), "abort") == 0)
    abort();
  volatile int *nowhere = (int *)8;
  *(int32_t *)arrays[0] = *nowhere;
  return 0;
}

static int64_t describe(const dovetail_attribute *attributes, int64_t count, char *to, int64_t size) {
  int64_t n = 0;
  for (int64_t i = 0; i < count; ++i) {
    const dovetail_attribute *each = &attributes[i];
    n += snprintf(to + n, (size_t)(size - n), "%s:%d:%d:%d", each->name, each->kind, each->type, (int)each->count);
    if (each->kind == DOVETAIL_DICTIONARY) {
      n += snprintf(to + n, (size_t)(size - n), "{");
      n += describe(each->data, each->count, to + n, size - n);
      n += snprintf(to + n, (size_t)(size - n), "}");
    } else if (each->kind == DOVETAIL_STRING) {
      n += snprintf(to + n, (size_t)(size - n), "=%s", (const char *)each->data);
    } else if (each->type == DOVETAIL_INT64) {
      for (int64_t k = 0; k < each->count; ++k)
        n += snprintf(to + n, (size_t)(size - n), "=%d", (int)((const int64_t *)each->data)[k]);
    } else if (each->type == DOVETAIL_FLOAT32) {
      for (int64_t k = 0; k < each->count; ++k)
        n += snprintf(to + n, (size_t)(size - n), "=%g", ((const float *)each->data)[k]);
    }
    n += snprintf(to + n, (size_t)(size - n), " ");
  }
  return n;
}

// Attributes as text, of which the result, uint8, has the beginning.
int32_t attributes(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  char text[1024] = {0};
  describe(call->attributes, call->num_attributes, text, sizeof(text));
  strncpy(arrays[0], text, (size_t)sizes[0]);
  return 0;
}

// Does nothing, for timing.
int32_t nothing(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
  (void)arrays, (void)sizes, (void)call;
  return 0;
}

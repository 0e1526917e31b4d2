/* Functions in C that programs of Dovetail call.
 *
 * A function gets the memory of its arrays, and their sizes: those of the arguments, then those of the results, each in
 * order. Arrays are dense and row-major, aligned to 64 bytes, and never null; the arguments must not be written to, unless
 * a result was declared to overwrite one. It returns 0, or dovetail_fail(call, "…") if it fails. Threads may call it at
 * the same time.
 *
 *   #include <dovetail/ffi.h>
 *
 *   int32_t scale(void *const *arrays, const int64_t *sizes, const dovetail_call *call) {
 *     const float *x = arrays[0];
 *     float *y = arrays[1];
 *     double by = dovetail_number(call, "by", 1.0);
 *     for (int64_t i = 0; i < sizes[0]; ++i)
 *       y[i] = by * x[i];
 *     return 0;
 *   }
 *
 * Compile it to a shared library, with -I$(python -c "import dovetail.ffi as f; print(f.include_dir())").
 */
#ifndef DOVETAIL_INCLUDE_FFI_H
#define DOVETAIL_INCLUDE_FFI_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of elements; a complex number is two floats. Integers of less than 8 bits are bytes. */
typedef enum dovetail_type {
  DOVETAIL_BOOL = 1,
  DOVETAIL_INT8 = 2,
  DOVETAIL_INT16 = 3,
  DOVETAIL_INT32 = 4,
  DOVETAIL_INT64 = 5,
  DOVETAIL_UINT8 = 6,
  DOVETAIL_UINT16 = 7,
  DOVETAIL_UINT32 = 8,
  DOVETAIL_UINT64 = 9,
  DOVETAIL_FLOAT16 = 10,
  DOVETAIL_FLOAT32 = 11,
  DOVETAIL_FLOAT64 = 12,
  DOVETAIL_COMPLEX64 = 15,
  DOVETAIL_BFLOAT16 = 16,
  DOVETAIL_COMPLEX128 = 18,
  DOVETAIL_FLOAT8_E5M2 = 19,
  DOVETAIL_FLOAT8_E4M3FN = 20
} dovetail_type;

/* An array, as far as the function's own two arguments leave it open. */
typedef struct dovetail_array {
  int32_t type; /* a dovetail_type, or a number of XLA's for one that is not listed */
  int32_t rank;
  const int64_t *sizes;
  void *data;
} dovetail_array;

typedef enum dovetail_kind {
  DOVETAIL_ARRAY = 1,      /* count elements of a type */
  DOVETAIL_DICTIONARY = 2, /* count dovetail_attributes */
  DOVETAIL_SCALAR = 3,     /* one element of a type */
  DOVETAIL_STRING = 4      /* count characters, and a zero */
} dovetail_kind;

/* A keyword argument of the call. */
typedef struct dovetail_attribute {
  const char *name;
  int32_t kind; /* a dovetail_kind */
  int32_t type; /* of arrays and scalars */
  int64_t count;
  const void *data;
} dovetail_attribute;

/* One call. Later versions may add members at the end. */
typedef struct dovetail_call dovetail_call;
struct dovetail_call {
  int64_t struct_size;
  const char *target; /* the name under which the function was registered */
  int32_t num_arguments, num_results;
  const dovetail_array *arrays; /* the arguments, then the results */
  int64_t num_attributes;
  const dovetail_attribute *attributes; /* sorted by name */
  int32_t (*fail)(const dovetail_call *call, const char *message);
};

typedef int32_t dovetail_function(void *const *arrays, const int64_t *sizes, const dovetail_call *call);

/* Ends the call with an error, whose message is copied: return dovetail_fail(call, "x must be positive"); */
static inline int32_t dovetail_fail(const dovetail_call *call, const char *message) {
  return call->fail(call, message);
}

/* 0 if the call has that many arguments and results, with elements of these types; otherwise ends it with an error:
 *   static const int32_t types[] = {DOVETAIL_FLOAT32, DOVETAIL_FLOAT32};
 *   if (dovetail_expect(call, 1, 1, types)) return 1; */
static inline int32_t dovetail_expect(const dovetail_call *call, int32_t num_arguments, int32_t num_results,
                                      const int32_t *types) {
  char message[128];
  if (call->num_arguments != num_arguments || call->num_results != num_results) {
    snprintf(message, sizeof(message), "it must get %d arguments and return %d results, got: %d and %d", num_arguments,
             num_results, call->num_arguments, call->num_results);
    return dovetail_fail(call, message);
  }
  for (int32_t i = 0; i < num_arguments + num_results; ++i)
    if (call->arrays[i].type != types[i]) {
      snprintf(message, sizeof(message), "%s %d must have elements of type %d, got: %d",
               i < num_arguments ? "argument" : "result", i < num_arguments ? i : i - num_arguments, types[i],
               call->arrays[i].type);
      return dovetail_fail(call, message);
    }
  return 0;
}

/* The attribute of that name; null if there is none. */
static inline const dovetail_attribute *dovetail_find(const dovetail_call *call, const char *name) {
  for (int64_t i = 0; i < call->num_attributes; ++i)
    if (strcmp(call->attributes[i].name, name) == 0)
      return &call->attributes[i];
  return 0;
}

/* A scalar attribute of type bool, int32, int64, float32 or float64, as a double; `otherwise` if there is none. */
static inline double dovetail_number(const dovetail_call *call, const char *name, double otherwise) {
  const dovetail_attribute *found = dovetail_find(call, name);
  if (!found || found->kind != DOVETAIL_SCALAR)
    return otherwise;
  switch (found->type) {
  case DOVETAIL_BOOL:
    return *(const uint8_t *)found->data;
  case DOVETAIL_INT32:
    return *(const int32_t *)found->data;
  case DOVETAIL_INT64:
    return (double)*(const int64_t *)found->data;
  case DOVETAIL_FLOAT32:
    return *(const float *)found->data;
  case DOVETAIL_FLOAT64:
    return *(const double *)found->data;
  default:
    return otherwise;
  }
}

/* A text; `otherwise` if there is none. */
static inline const char *dovetail_text(const dovetail_call *call, const char *name, const char *otherwise) {
  const dovetail_attribute *found = dovetail_find(call, name);
  return found && found->kind == DOVETAIL_STRING ? (const char *)found->data : otherwise;
}

#ifdef __cplusplus
}
#endif

#endif /* DOVETAIL_INCLUDE_FFI_H */

/* The binary interface of XLA's FFI, version 0.3: the layout of what a handler and its caller exchange.
 *
 * A handler that was compiled with XLA's own headers and one that is written with this header are called alike. Names
 * differ from those of XLA's headers, so that a file can include both. Structures begin with their size in bytes and a
 * list of extensions. Enumerations are the size of an int.
 */
#ifndef DOVETAIL_INCLUDE_XLA_FFI_H
#define DOVETAIL_INCLUDE_XLA_FFI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { XFFI_MAJOR = 0, XFFI_MINOR = 3 };

/* What is passed -------------------------------------------------------------------------------------------------- */

/* Of error codes; the others are those of gRPC. */
enum { XFFI_OK = 0, XFFI_UNKNOWN = 2, XFFI_INVALID_ARGUMENT = 3, XFFI_UNIMPLEMENTED = 12, XFFI_INTERNAL = 13 };

/* Types of elements have the numbers that ffi.h lists. */
enum { XFFI_ATTRIBUTE_ARRAY = 1, XFFI_ATTRIBUTE_DICTIONARY = 2, XFFI_ATTRIBUTE_SCALAR = 3, XFFI_ATTRIBUTE_STRING = 4 };

enum { XFFI_INSTANTIATE = 0, XFFI_PREPARE = 1, XFFI_INITIALIZE = 2, XFFI_EXECUTE = 3, XFFI_NUM_STAGES = 4 };

typedef struct xffi_error xffi_error;
typedef struct xffi_context xffi_context;
typedef struct xffi_future xffi_future;
typedef struct xffi_api xffi_api;

typedef struct xffi_extension {
  size_t struct_size;
  int type; /* 1: metadata */
  struct xffi_extension *next;
} xffi_extension;

typedef struct xffi_bytes {
  const char *data;
  size_t size;
} xffi_bytes;

typedef struct xffi_buffer {
  size_t struct_size;
  xffi_extension *extensions;
  int type;
  void *data;
  int64_t rank;
  int64_t *sizes;
} xffi_buffer;

typedef struct xffi_scalar {
  int type;
  void *data;
} xffi_scalar;

typedef struct xffi_array {
  int type;
  size_t count;
  void *data;
} xffi_array;

/* Arguments, and results. */
typedef struct xffi_buffers {
  size_t struct_size;
  xffi_extension *extensions;
  int64_t count;
  int *kinds; /* 1: a buffer */
  void **values;
} xffi_buffers;

/* Attributes, sorted by name. A dictionary among them is such a structure, too. */
typedef struct xffi_attributes {
  size_t struct_size;
  xffi_extension *extensions;
  int64_t count;
  int *kinds;
  xffi_bytes **names;
  void **values;
} xffi_attributes;

typedef struct xffi_frame {
  size_t struct_size; /* without `future` */
  xffi_extension *extensions;
  const xffi_api *api;
  xffi_context *context;
  int stage;
  xffi_buffers arguments;
  xffi_buffers results;
  xffi_attributes attributes;
  xffi_future *future; /* set by a handler that goes on in the background */
} xffi_frame;

/* Returns null if it succeeds. */
typedef xffi_error *xffi_handler(xffi_frame *frame);

typedef struct xffi_bundle {
  xffi_handler *stages[XFFI_NUM_STAGES];
} xffi_bundle;

typedef struct xffi_version {
  size_t struct_size;
  xffi_extension *extensions;
  int major, minor;
} xffi_version;

/* What a handler says of itself when a frame has the extension. */
typedef struct xffi_metadata {
  size_t struct_size;
  xffi_version version;
  uint32_t traits;
  int64_t state_type;
} xffi_metadata;

typedef struct xffi_metadata_extension {
  xffi_extension extension;
  xffi_metadata *metadata;
} xffi_metadata_extension;

typedef struct xffi_type_id {
  int64_t number; /* 0 if it is unknown */
} xffi_type_id;

typedef struct xffi_type_info {
  size_t struct_size;
  xffi_extension *extensions;
  void (*destroy)(void *object);
} xffi_type_info;

/* What a handler can ask for -------------------------------------------------------------------------------------- */

typedef struct xffi_create_error {
  size_t struct_size;
  xffi_extension *extensions;
  const char *message;
  int code;
} xffi_create_error;

typedef struct xffi_error_message {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_error *error;
  const char *message; /* out */
} xffi_error_message;

typedef struct xffi_destroy_error {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_error *error;
} xffi_destroy_error;

typedef struct xffi_register_handler {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_bytes name, platform;
  xffi_bundle bundle;
  uint32_t traits;
} xffi_register_handler;

typedef struct xffi_get_stream {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  void *stream; /* out */
} xffi_get_stream;

typedef struct xffi_register_type {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_bytes name;
  xffi_type_id *id; /* in and out */
  const xffi_type_info *info;
} xffi_register_type;

typedef struct xffi_get_data {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  xffi_type_id *id;
  void *data; /* out */
} xffi_get_data;

/* Sets the state, or gets it. */
typedef struct xffi_state {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  int stage;
  xffi_type_id *id;
  void *state;
} xffi_state;

typedef struct xffi_allocate {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  size_t size, alignment;
  void *data; /* out */
} xffi_allocate;

typedef struct xffi_free {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  size_t size;
  void *data;
} xffi_free;

typedef struct xffi_schedule {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  void (*task)(void *data);
  void *data;
} xffi_schedule;

typedef struct xffi_num_threads {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  int64_t *count; /* out */
} xffi_num_threads;

typedef struct xffi_create_future {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_future *future; /* out */
} xffi_create_future;

typedef struct xffi_set_available {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_future *future;
} xffi_set_available;

typedef struct xffi_set_error {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_future *future;
  xffi_error *error; /* given away */
} xffi_set_error;

typedef struct xffi_get_run_id {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  int64_t run_id; /* out */
} xffi_get_run_id;

typedef struct xffi_get_device_ordinal {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_context *context;
  int32_t ordinal; /* out */
} xffi_get_device_ordinal;

struct xffi_api {
  size_t struct_size;
  xffi_extension *extensions;
  xffi_version version;
  const void *internal;
  xffi_error *(*create_error)(xffi_create_error *);
  void (*error_message)(xffi_error_message *);
  void (*destroy_error)(xffi_destroy_error *);
  xffi_error *(*register_handler)(xffi_register_handler *);
  xffi_error *(*get_stream)(xffi_get_stream *);
  xffi_error *(*register_type)(xffi_register_type *);
  xffi_error *(*get_data)(xffi_get_data *);
  xffi_error *(*set_state)(xffi_state *);
  xffi_error *(*get_state)(xffi_state *);
  xffi_error *(*allocate)(xffi_allocate *);
  xffi_error *(*free)(xffi_free *);
  xffi_error *(*schedule)(xffi_schedule *);
  xffi_error *(*num_threads)(xffi_num_threads *);
  xffi_error *(*create_future)(xffi_create_future *);
  xffi_error *(*set_available)(xffi_set_available *);
  xffi_error *(*set_error)(xffi_set_error *);
  xffi_error *(*get_run_id)(xffi_get_run_id *);
  xffi_error *(*get_device_ordinal)(xffi_get_device_ordinal *);
};

#ifdef __cplusplus
}
#endif

#endif /* DOVETAIL_INCLUDE_XLA_FFI_H */

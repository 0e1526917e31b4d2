// Handlers of XLA's FFI that tests call, written with dovetail/xla_ffi.h.
#include <dovetail/xla_ffi.h>
#include <string.h>

static xffi_error *error(xffi_frame *frame, const char *message) {
  xffi_create_error args = {sizeof(args), 0, message, XFFI_INVALID_ARGUMENT};
  return frame->api->create_error(&args);
}

/* Says which version the handler is of, if it is asked. */
static int answers(xffi_frame *frame, int minor) {
  if (!frame->extensions || frame->extensions->type != 1)
    return 0;
  xffi_metadata *metadata = ((xffi_metadata_extension *)frame->extensions)->metadata;
  metadata->version.major = XFFI_MAJOR;
  metadata->version.minor = minor;
  return 1;
}

static void *find(const xffi_attributes *attributes, const char *name) {
  for (int64_t i = 0; i < attributes->count; ++i)
    if (attributes->names[i]->size == strlen(name) &&
        memcmp(attributes->names[i]->data, name, attributes->names[i]->size) == 0)
      return attributes->values[i];
  return 0;
}

/* y = x + by, in float64. */
xffi_error *Shift(xffi_frame *frame) {
  if (answers(frame, XFFI_MINOR))
    return 0;
  if (frame->arguments.count != 1 || frame->results.count != 1)
    return error(frame, "Shift takes one array and returns one");
  xffi_buffer *x = frame->arguments.values[0], *y = frame->results.values[0];
  if (x->type != 12)
    return error(frame, "Shift takes float64");
  xffi_scalar *by = find(&frame->attributes, "by");
  if (!by)
    return error(frame, "Shift needs `by`");
  int64_t count = 1;
  for (int64_t d = 0; d < x->rank; ++d)
    count *= x->sizes[d];
  for (int64_t i = 0; i < count; ++i)
    ((double *)y->data)[i] = ((const double *)x->data)[i] + *(const double *)by->data;
  return 0;
}

/* Of a later version of the interface. */
xffi_error *FromTheFuture(xffi_frame *frame) {
  answers(frame, XFFI_MINOR + 1);
  return 0;
}

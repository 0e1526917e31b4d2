// Calls a function of a module file through IREE's C API: no Python, and no compiler.
//
// The function takes one vector of floats and returns one, as the one that export_scale.py exports.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iree/runtime/api.h"

// Makes the array that the function gets, on the device that the session uses.
static iree_status_t make_vector(iree_runtime_session_t *session, const float *values, iree_host_size_t count,
                                 iree_hal_buffer_view_t **vector) {
  const iree_hal_dim_t shape[] = {count};
  const iree_hal_buffer_params_t params = {
      .type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      .access = IREE_HAL_MEMORY_ACCESS_ALL,
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT,
  };
  return iree_hal_buffer_view_allocate_buffer_copy(
      iree_runtime_session_device(session), iree_runtime_session_device_allocator(session), IREE_ARRAYSIZE(shape),
      shape, IREE_HAL_ELEMENT_TYPE_FLOAT_32, IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, params,
      iree_make_const_byte_span(values, count * sizeof(*values)), vector);
}

// Copies the result to this program's memory, and prints it.
static iree_status_t print_vector(iree_runtime_session_t *session, iree_hal_buffer_view_t *vector) {
  iree_device_size_t size = iree_hal_buffer_view_byte_length(vector);
  float *values = (float *)malloc((size_t)size);
  if (!values)
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "no memory for the result");
  iree_status_t status =
      iree_hal_device_transfer_d2h(iree_runtime_session_device(session), iree_hal_buffer_view_buffer(vector), 0, values,
                                   size, IREE_HAL_TRANSFER_BUFFER_FLAG_DEFAULT, iree_infinite_timeout());
  if (iree_status_is_ok(status))
    for (size_t i = 0; i < size / sizeof(*values); ++i)
      printf("%g\n", values[i]);
  free(values);
  return status;
}

static iree_status_t call_function(iree_runtime_session_t *session, const char *function, const float *values,
                                   iree_host_size_t count) {
  // Functions are named after their module, which Dovetail calls "module".
  char name[256];
  snprintf(name, sizeof(name), "module.%s", function);
  iree_runtime_call_t call;
  IREE_RETURN_IF_ERROR(iree_runtime_call_initialize_by_name(session, iree_make_cstring_view(name), &call));
  iree_hal_buffer_view_t *argument = NULL, *result = NULL;
  iree_status_t status = make_vector(session, values, count, &argument);
  if (iree_status_is_ok(status))
    status = iree_runtime_call_inputs_push_back_buffer_view(&call, argument);
  if (iree_status_is_ok(status))
    status = iree_runtime_call_invoke(&call, /*flags=*/0);
  if (iree_status_is_ok(status))
    status = iree_runtime_call_outputs_pop_front_buffer_view(&call, &result);
  if (iree_status_is_ok(status))
    status = print_vector(session, result);
  iree_hal_buffer_view_release(result);
  iree_hal_buffer_view_release(argument);
  iree_runtime_call_deinitialize(&call);
  return status;
}

static iree_status_t run(iree_runtime_instance_t *instance, char **arguments, int count) {
  const char *path = arguments[0], *device_name = arguments[1], *function = arguments[2];
  iree_hal_device_t *device = NULL;
  IREE_RETURN_IF_ERROR(
      iree_runtime_instance_try_create_default_device(instance, iree_make_cstring_view(device_name), &device));
  // A session has one module and its state; calls share it.
  iree_runtime_session_options_t options;
  iree_runtime_session_options_initialize(&options);
  iree_runtime_session_t *session = NULL;
  iree_status_t status = iree_runtime_session_create_with_device(
      instance, &options, device, iree_runtime_instance_host_allocator(instance), &session);
  iree_hal_device_release(device);
  if (iree_status_is_ok(status))
    status = iree_runtime_session_append_bytecode_module_from_file(session, path);
  int length = count - 3;
  float *values = (float *)malloc(sizeof(float) * (size_t)(length + 1));
  if (iree_status_is_ok(status) && values) {
    for (int i = 0; i < length; ++i)
      values[i] = strtof(arguments[3 + i], NULL);
    status = call_function(session, function, values, (iree_host_size_t)length);
  }
  free(values);
  iree_runtime_session_release(session);
  return status;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: %s module.vmfb device function [number…]\n", argv[0]);
    return 2;
  }
  iree_runtime_instance_options_t options;
  iree_runtime_instance_options_initialize(&options);
  iree_runtime_instance_options_use_all_available_drivers(&options);
  iree_runtime_instance_t *instance = NULL;
  iree_status_t status = iree_runtime_instance_create(&options, iree_allocator_system(), &instance);
  if (iree_status_is_ok(status))
    status = run(instance, argv + 1, argc - 1);
  iree_runtime_instance_release(instance);
  int code = (int)iree_status_code(status);
  if (!iree_status_is_ok(status)) {
    iree_status_fprint(stderr, status);
    iree_status_ignore(status);
  }
  return code;
}

// Calls a function of a module file through IREE's C API: no Python, and no compiler.
//
//   deploy [--parameters=model=weights.irpa] [--library=libdovetail_ffi.so] module.vmfb device function [2x3=1,2,3,4 …]
//
// A module that calls functions of native libraries needs Dovetail's library, by which it finds them. The environment
// variable DOVETAIL_FFI_TARGETS says where they are: "rms_norm=xla:RmsNorm:./librms_norm.so;…", with `c` instead of `xla`
// for functions of dovetail/ffi.h. Arguments are arrays of float32, in the order in which `dovetail inspect` lists them. Results are printed in theirs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include("iree/base/tooling/flags.h")
#include "iree/base/tooling/flags.h"
#else
#include "iree/base/internal/flags.h"
#endif
#include "iree/io/formats/parser_registry.h"
#include "iree/io/parameter_index_provider.h"
#include "iree/modules/io/parameters/module.h"
#include "iree/runtime/api.h"

enum { kMaxRank = 8 };

// Arrays -------------------------------------------------------------------------------------------------------------

// Reads the shape and the values of an array. The caller frees the values, also after an error.
static iree_status_t read_array(const char *text, iree_hal_dim_t *shape, iree_host_size_t *rank, float **values,
                                iree_host_size_t *count) {
  *rank = 0, *count = 1, *values = NULL;
  char *end = (char *)text;
  while (*end && *end != '=') {
    long long size = strtoll(text, &end, 10);
    if (end == text || size < 0 || size > (1 << 28) || *rank == kMaxRank || (*end != 'x' && *end != '='))
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "an argument must be a shape and values, 2x3=1,2,…");
    shape[(*rank)++] = (iree_hal_dim_t)size;
    *count *= (iree_host_size_t)size;
    if (*count > (1 << 28))
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE, "an argument must have less than 2^28 elements");
    text = end + (*end == 'x');
  }
  if (*end != '=')
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "an argument must be a shape and values, 2x3=1,2,…");
  *values = (float *)malloc(sizeof(float) * (*count + 1));
  if (!*values)
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "no memory for an argument");
  for (iree_host_size_t i = 0; i < *count; ++i) {
    text = end + 1;
    (*values)[i] = strtof(text, &end);
    if (end == text || *end != (i + 1 < *count ? ',' : '\0'))
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "an argument must have %zu values", (size_t)*count);
  }
  return iree_ok_status();
}

// Copies an array to the device, and adds it to the arguments of a call.
static iree_status_t push_argument(iree_runtime_session_t *session, iree_runtime_call_t *call, const char *text) {
  iree_hal_dim_t shape[kMaxRank];
  iree_host_size_t rank, count;
  float *values;
  iree_status_t status = read_array(text, shape, &rank, &values, &count);
  const iree_hal_buffer_params_t params = {
      .type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      .access = IREE_HAL_MEMORY_ACCESS_ALL,
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT,
  };
  iree_hal_buffer_view_t *view = NULL;
  if (iree_status_is_ok(status))
    status = iree_hal_buffer_view_allocate_buffer_copy(
        iree_runtime_session_device(session), iree_runtime_session_device_allocator(session), rank, shape,
        IREE_HAL_ELEMENT_TYPE_FLOAT_32, IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, params,
        iree_make_const_byte_span(values, count * sizeof(*values)), &view);
  free(values);
  if (iree_status_is_ok(status))
    status = iree_runtime_call_inputs_push_back_buffer_view(call, view);
  iree_hal_buffer_view_release(view);
  return status;
}

// Copies a result to this program's memory, and prints its shape and its values.
static iree_status_t print_result(iree_runtime_session_t *session, iree_hal_buffer_view_t *view) {
  if (iree_hal_buffer_view_element_type(view) != IREE_HAL_ELEMENT_TYPE_FLOAT_32)
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED, "this program prints float32 only");
  iree_device_size_t size = iree_hal_buffer_view_byte_length(view);
  float *values = (float *)malloc((size_t)size + 1);
  if (!values)
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED, "no memory for a result");
  iree_status_t status =
      iree_hal_device_transfer_d2h(iree_runtime_session_device(session), iree_hal_buffer_view_buffer(view), 0, values,
                                   size, IREE_HAL_TRANSFER_BUFFER_FLAG_DEFAULT, iree_infinite_timeout());
  if (iree_status_is_ok(status)) {
    for (iree_host_size_t i = 0; i < iree_hal_buffer_view_shape_rank(view); ++i)
      printf("%s%zu", i ? "x" : "", (size_t)iree_hal_buffer_view_shape_dim(view, i));
    for (size_t i = 0; i < size / sizeof(*values); ++i)
      printf("%c%.9g", i ? ',' : '=', values[i]);
    printf("\n");
  }
  free(values);
  return status;
}

// Modules ------------------------------------------------------------------------------------------------------------

// Makes a file of parameters known to the session, under the scope by which modules name it.
static iree_status_t append_parameters(iree_runtime_session_t *session, iree_string_view_t scope,
                                       iree_string_view_t path) {
  iree_allocator_t allocator = iree_runtime_session_host_allocator(session);
  iree_vm_instance_t *instance = iree_runtime_instance_vm_instance(iree_runtime_session_instance(session));
  iree_io_parameter_index_t *index = NULL;
  iree_io_file_handle_t *file = NULL;
  iree_io_parameter_provider_t *provider = NULL;
  iree_vm_module_t *module = NULL;
  iree_status_t status = iree_io_parameter_index_create(allocator, &index);
  if (iree_status_is_ok(status))
    status = iree_io_file_handle_open(IREE_IO_FILE_MODE_READ | IREE_IO_FILE_MODE_SHARE_READ | IREE_IO_FILE_MODE_ASYNC,
                                      path, allocator, &file);
  // The path's ending says which format it is: .irpa, .safetensors or .gguf.
  if (iree_status_is_ok(status))
    status = iree_io_parse_file_index(path, file, index, allocator);
  if (iree_status_is_ok(status))
    status = iree_io_parameter_index_provider_create(
        scope, index, IREE_IO_PARAMETER_INDEX_PROVIDER_DEFAULT_MAX_CONCURRENT_OPERATIONS, allocator, &provider);
  if (iree_status_is_ok(status))
    status = iree_io_parameters_module_create(instance, 1, &provider, allocator, &module);
  if (iree_status_is_ok(status))
    status = iree_runtime_session_append_module(session, module);
  iree_vm_module_release(module);
  iree_io_parameter_provider_release(provider);
  iree_io_file_handle_release(file);
  iree_io_parameter_index_release(index);
  return status;
}

static iree_status_t call_function(iree_runtime_session_t *session, const char *function, char **arguments, int count) {
  // Functions are named after their module, which Dovetail calls "module".
  char name[256];
  snprintf(name, sizeof(name), "module.%s", function);
  iree_runtime_call_t call;
  IREE_RETURN_IF_ERROR(iree_runtime_call_initialize_by_name(session, iree_make_cstring_view(name), &call));
  iree_status_t status = iree_ok_status();
  for (int i = 0; iree_status_is_ok(status) && i < count; ++i)
    status = push_argument(session, &call, arguments[i]);
  if (iree_status_is_ok(status))
    status = iree_runtime_call_invoke(&call, /*flags=*/0);
  while (iree_status_is_ok(status) && iree_vm_list_size(iree_runtime_call_outputs(&call))) {
    iree_hal_buffer_view_t *result = NULL;
    status = iree_runtime_call_outputs_pop_front_buffer_view(&call, &result);
    if (iree_status_is_ok(status))
      status = print_result(session, result);
    iree_hal_buffer_view_release(result);
  }
  iree_runtime_call_deinitialize(&call);
  return status;
}

// arguments: module.vmfb device function [array…]
static iree_status_t run(iree_runtime_instance_t *instance, const char *parameters, char **arguments, int count) {
  iree_hal_device_t *device = NULL;
  IREE_RETURN_IF_ERROR(
      iree_runtime_instance_try_create_default_device(instance, iree_make_cstring_view(arguments[1]), &device));
  // A session has a module, what it needs, and its state; calls share it.
  iree_runtime_session_options_t options;
  iree_runtime_session_options_initialize(&options);
  iree_runtime_session_t *session = NULL;
  iree_status_t status = iree_runtime_session_create_with_device(
      instance, &options, device, iree_runtime_instance_host_allocator(instance), &session);
  iree_hal_device_release(device);
  if (iree_status_is_ok(status) && parameters) {
    iree_string_view_t scope, path;
    if (iree_string_view_split(iree_make_cstring_view(parameters), '=', &scope, &path) == -1)
      status = iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "--parameters must be scope=file");
    else
      status = append_parameters(session, scope, path);
  }
  if (iree_status_is_ok(status))
    status = iree_runtime_session_append_bytecode_module_from_file(session, arguments[0]);
  if (iree_status_is_ok(status))
    status = call_function(session, arguments[2], arguments + 3, count - 3);
  iree_runtime_session_release(session);
  return status;
}

// Lets programs on the CPU import functions from a library, an executable plugin of IREE.
static iree_status_t use_library(char *program, const char *library) {
  static char flag[1024]; // IREE keeps its address.
  snprintf(flag, sizeof(flag), "--executable_plugin=%s", library);
  char *arguments[] = {program, flag, NULL}, **rest = arguments;
  int count = 2;
  return iree_flags_parse(IREE_FLAGS_PARSE_MODE_DEFAULT, &count, &rest);
}

// The value of an option, if an argument is one.
static const char *value_of(const char *option, const char *argument) {
  size_t size = strlen(option);
  return strncmp(argument, option, size) == 0 ? argument + size : NULL;
}

int main(int argc, char **argv) {
  const char *parameters = NULL, *library = NULL;
  int first = 1;
  for (; first < argc; ++first) {
    const char *file = value_of("--parameters=", argv[first]), *plugin = value_of("--library=", argv[first]);
    if (!file && !plugin)
      break;
    parameters = file ? file : parameters;
    library = plugin ? plugin : library;
  }
  if (argc - first < 3) {
    fprintf(stderr,
            "usage: %s [--parameters=scope=file] [--library=libdovetail_ffi.so] module.vmfb device function "
            "[2x3=1,2,3,4,5,6 …]\n",
            argv[0]);
    return 2;
  }
  iree_runtime_instance_options_t options;
  iree_runtime_instance_options_initialize(&options);
  iree_runtime_instance_options_use_all_available_drivers(&options);
  iree_runtime_instance_t *instance = NULL;
  iree_status_t status = library ? use_library(argv[0], library) : iree_ok_status();
  if (iree_status_is_ok(status))
    status = iree_runtime_instance_create(&options, iree_allocator_system(), &instance);
  if (iree_status_is_ok(status))
    status = run(instance, parameters, argv + first, argc - first);
  iree_runtime_instance_release(instance);
  if (iree_status_is_ok(status))
    return 0;
  iree_status_fprint(stderr, status);
  iree_status_ignore(status);
  return 1;
}

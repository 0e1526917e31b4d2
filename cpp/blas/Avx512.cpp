// For processors with AVX-512.
#define DOVETAIL_VARIANT avx512
#include "NarrowKernel.h"
#include "RowsKernel.h"

// For processors with AVX2.
#define DOVETAIL_VARIANT avx2
#include "NarrowKernel.h"
#include "RowsKernel.h"

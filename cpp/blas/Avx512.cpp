// For processors with AVX-512.
#define DOVETAIL_VARIANT avx512
#include "Vectors.h"

#include "ChirpKernel.h"
#include "ColumnsKernel.h"
#include "NarrowKernel.h"
#include "RowsKernel.h"
#include "SortKernel.h"
#include "TransposeKernel.h"

// By squares of TransposeKernel.h.
#include "RunningKernel.h"

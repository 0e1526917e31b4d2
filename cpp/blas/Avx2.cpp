// For processors with AVX2.
#define DOVETAIL_VARIANT avx2
#include "Vectors.h"

#include "ChirpKernel.h"
#include "ColumnsKernel.h"
#include "NarrowKernel.h"
#include "RowsKernel.h"
#include "SortKernel.h"
#include "TransposeKernel.h"

// By squares of TransposeKernel.h.
#include "RunningKernel.h"

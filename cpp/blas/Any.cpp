// For every processor of the architecture.
#define DOVETAIL_VARIANT any
#include "Vectors.h"

#include "ChirpKernel.h"
#include "ColumnsKernel.h"
#include "NarrowKernel.h"
#include "RowsKernel.h"
#include "SortKernel.h"
#include "TransposeKernel.h"

// By squares of TransposeKernel.h.
#include "RunningKernel.h"

// For every processor of the architecture.
#define DOVETAIL_VARIANT any
#include "NarrowKernel.h"
#include "RowsKernel.h"

// Narrow products for every processor of the architecture.
#define DOVETAIL_VARIANT any
#include "NarrowKernel.h"

// The interfaces by which ops state their counterparts.
#include "Exporter.h"

#include "cpp/stablehlo/Translate.cpp.inc"

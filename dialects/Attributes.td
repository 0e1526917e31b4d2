// All attributes of the dialect, which are generated and registered together.
#ifndef DOVETAIL_ATTRIBUTES_TD
#define DOVETAIL_ATTRIBUTES_TD

include "Pointwise.td"
include "Sharding.td"

#endif // DOVETAIL_ATTRIBUTES_TD

// Functions of the parts of arrays that devices hold.
#ifndef DOVETAIL_SHARD_MAP_H
#define DOVETAIL_SHARD_MAP_H

#include "Dialect.h"

#define GET_OP_CLASSES
#include "dialects/ShardMap.h.inc"

#endif // DOVETAIL_SHARD_MAP_H

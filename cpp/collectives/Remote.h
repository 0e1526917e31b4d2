// What members of a group exchange with other processes.
#ifndef DOVETAIL_COLLECTIVES_REMOTE_H
#define DOVETAIL_COLLECTIVES_REMOTE_H

#include "Communicator.h"
#include "Reduce.h"

namespace dovetail::collectives {

/// Fetches what this process' members need of the operands of others, which then are in its memory, at the positions
/// they have in those: if it has one member, in the result where the bytes belong there. One member of the process
/// calls it. False if others were not reached.
bool fetchOperands(Communicator &communicator, Group &group);

/// Combines arrays of all processes of the group, in their order, of which this one's is `own`; likewise.
bool reduceAcross(Communicator &communicator, Group &group, Reduce reduce, size_t elements, size_t bytes,
                  const char *own, char *result);

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_REMOTE_H

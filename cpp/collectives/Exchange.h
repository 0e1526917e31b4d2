// The exchange of data in a group whose members have all come.
#ifndef DOVETAIL_COLLECTIVES_EXCHANGE_H
#define DOVETAIL_COLLECTIVES_EXCHANGE_H

namespace dovetail::collectives {

class Communicator;
class Group;
struct Arrival;

/// Asks for large pages for a result, before anyone writes to it: of a new array, most of the time goes into pages.
void prepareResult(const Arrival &mine, int size);

/// Computes the result of the member at `place`, from the others' operands where they are. When it returns, nobody uses
/// this member's memory any more. False if other processes were not reached.
bool exchange(Communicator &communicator, Group &group, int place);

} // namespace dovetail::collectives

#endif // DOVETAIL_COLLECTIVES_EXCHANGE_H

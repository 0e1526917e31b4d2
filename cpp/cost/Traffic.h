// What the devices of a mesh exchange when they run a program.
#ifndef DOVETAIL_COST_TRAFFIC_H
#define DOVETAIL_COST_TRAFFIC_H

#include "Cost.h"

namespace dovetail {

/// A collective of the program of one device.
struct Traffic {
  mlir::Operation *op;
  /// The number of devices that take part together.
  int64_t devices;
  /// How often it runs; a loop of unknown length has the assumed one, and every branch is taken.
  double runs;
  /// In each run: the bytes of the operand, and the least that a device must receive.
  double bytes, received;
  /// How often a device waits for others in a run, at least, if each sends to one at a time.
  double steps;
};

/// The collectives of the function `main` of a module with the attribute `dovetail.mesh`.
llvm::SmallVector<Traffic> trafficOf(mlir::ModuleOp module);

/// For each op of `main`, the bytes of arguments, results and values that are alive while it runs, without fusion or
/// reuse.
llvm::SmallVector<double> aliveBytesOf(mlir::ModuleOp module);
/// The most bytes of the arguments, results and values of `main` that are alive at a time, without fusion or reuse.
double peakBytesOf(mlir::ModuleOp module);

/// Attaches the traffic of collectives.
void attachTraffic(mlir::MLIRContext *context);

} // namespace dovetail

#endif // DOVETAIL_COST_TRAFFIC_H

// Minimum vertex cuts.
#ifndef DOVETAIL_TRANSFORMS_MINCUT_H
#define DOVETAIL_TRANSFORMS_MINCUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <limits>

namespace dovetail {

/// A directed graph whose vertices have costs of removal. Dinic's algorithm (Y. Dinitz, 1970) finds the maximum flow
/// through vertices of these capacities, and with it the cheapest set of vertices on all paths from sources to sinks.
class VertexCut {
public:
  /// The cost of a vertex that is never removed.
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() / 4;

  /// Adds a vertex; returns its number.
  unsigned addVertex(int64_t cost);
  void addEdge(unsigned from, unsigned to);
  void addSource(unsigned vertex);
  void addSink(unsigned vertex);

  /// The cheapest vertices on all paths from sources to sinks; of several such sets, the one closest to the sinks.
  llvm::SmallVector<unsigned> solve();

private:
  // A vertex is two nodes, connected by an edge with its cost as capacity.
  struct Edge {
    unsigned to;
    int64_t capacity;
  };
  static constexpr unsigned kSource = 0, kSink = 1;
  static unsigned entry(unsigned vertex) { return 2 + 2 * vertex; }
  static unsigned exit(unsigned vertex) { return 3 + 2 * vertex; }

  void connect(unsigned from, unsigned to, int64_t capacity);
  /// Computes distances from the source along edges with residual capacity; returns false if the sink is unreachable.
  bool findLevels();
  /// Pushes flow along shortest paths until there is none.
  void saturate();

  // Edge 2i + 1 is the reverse of edge 2i.
  llvm::SmallVector<Edge> edges;
  llvm::SmallVector<llvm::SmallVector<unsigned>> leaving = {{}, {}};
  llvm::SmallVector<unsigned> levels, next;
  unsigned numVertices = 0;
};

} // namespace dovetail

#endif // DOVETAIL_TRANSFORMS_MINCUT_H

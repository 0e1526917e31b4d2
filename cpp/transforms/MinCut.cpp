// Minimum vertex cuts.
#include "MinCut.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

namespace dovetail {

constexpr unsigned kUnreached = ~0u;

unsigned VertexCut::addVertex(int64_t cost) {
  unsigned vertex = numVertices++;
  leaving.resize(2 + 2 * numVertices);
  connect(entry(vertex), exit(vertex), std::min(cost, kUnbounded));
  return vertex;
}

void VertexCut::addEdge(unsigned from, unsigned to) { connect(exit(from), entry(to), kUnbounded); }
void VertexCut::addSource(unsigned vertex) { connect(kSource, entry(vertex), kUnbounded); }
void VertexCut::addSink(unsigned vertex) { connect(exit(vertex), kSink, kUnbounded); }

void VertexCut::connect(unsigned from, unsigned to, int64_t capacity) {
  leaving[from].push_back(edges.size());
  edges.push_back({to, capacity});
  leaving[to].push_back(edges.size());
  edges.push_back({from, 0});
}

bool VertexCut::findLevels() {
  levels.assign(leaving.size(), kUnreached);
  levels[kSource] = 0;
  llvm::SmallVector<unsigned> queue = {kSource};
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned number : leaving[queue[i]])
      if (const Edge &edge = edges[number]; edge.capacity > 0 && levels[edge.to] == kUnreached) {
        levels[edge.to] = levels[queue[i]] + 1;
        queue.push_back(edge.to);
      }
  return levels[kSink] != kUnreached;
}

void VertexCut::saturate() {
  next.assign(leaving.size(), 0);
  // The edges of the path from the source; a loop instead of recursion, as programs may be deep.
  llvm::SmallVector<unsigned> path;
  unsigned at = kSource;
  while (true) {
    if (at == kSink) {
      int64_t amount = kUnbounded;
      for (unsigned number : path)
        amount = std::min(amount, edges[number].capacity);
      for (unsigned number : path) {
        edges[number].capacity -= amount;
        edges[number ^ 1].capacity += amount;
      }
      // Continues from the first saturated edge.
      size_t full = llvm::find_if(path, [&](unsigned number) { return edges[number].capacity == 0; }) - path.begin();
      at = edges[path[full] ^ 1].to;
      path.resize(full);
      continue;
    }
    if (next[at] == leaving[at].size()) {
      if (path.empty())
        return;
      at = edges[path.pop_back_val() ^ 1].to;
      ++next[at];
      continue;
    }
    unsigned number = leaving[at][next[at]];
    const Edge &edge = edges[number];
    if (edge.capacity > 0 && levels[edge.to] == levels[at] + 1) {
      path.push_back(number);
      at = edge.to;
    } else {
      ++next[at];
    }
  }
}

llvm::SmallVector<unsigned> VertexCut::solve() {
  while (findLevels())
    saturate();
  // Nodes from which the sink is still reachable.
  llvm::SmallBitVector reaches(leaving.size());
  reaches.set(kSink);
  llvm::SmallVector<unsigned> queue = {kSink};
  for (size_t i = 0; i < queue.size(); ++i)
    for (unsigned number : leaving[queue[i]])
      if (unsigned from = edges[number].to; edges[number ^ 1].capacity > 0 && !reaches.test(from)) {
        reaches.set(from);
        queue.push_back(from);
      }
  llvm::SmallVector<unsigned> cut;
  for (unsigned vertex = 0; vertex < numVertices; ++vertex)
    if (!reaches.test(entry(vertex)) && reaches.test(exit(vertex)))
      cut.push_back(vertex);
  return cut;
}

} // namespace dovetail

// Python's view of what devices exchange.
#include "Traffic.h"
#include "Context.h"
#include "FlatBody.h"
#include "Function.h"
#include "cpp/cost/Traffic.h"
#include "dialects/Dialect.h"
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

using namespace mlir;
namespace nb = nanobind;
using namespace nb::literals;

namespace dovetail {

namespace {
struct TrafficHandle {
  std::string op;
  std::vector<std::string> axes;
  Traffic traffic;
  SourceLocation place;
};
} // namespace

static std::vector<TrafficHandle> collectivesOf(const std::shared_ptr<Module> &module) {
  std::vector<TrafficHandle> found;
  for (const Traffic &traffic : trafficOf(*module->op)) {
    std::vector<std::string> axes;
    for (Attribute axis : cast<NamedAxesOpInterface>(traffic.op).getAxes())
      axes.push_back(cast<StringAttr>(axis).str());
    found.push_back(
        {traffic.op->getName().stripDialect().str(), std::move(axes), traffic, sourceLocationOf(traffic.op->getLoc())});
  }
  return found;
}

void bindTraffic(nb::module_ &m) {
  nb::class_<TrafficHandle>(m, "Traffic", "A collective of the program of one device.")
      .def_ro("op", &TrafficHandle::op, "The op's name.")
      .def_ro("axes", &TrafficHandle::axes, "The axes of the mesh over which it is.")
      .def_ro("place", &TrafficHandle::place, "Where it is in the user's program.")
      .def_prop_ro(
          "devices", [](const TrafficHandle &self) { return self.traffic.devices; },
          "The number of devices that take part together.")
      .def_prop_ro(
          "runs", [](const TrafficHandle &self) { return self.traffic.runs; }, "How often it runs.")
      .def_prop_ro(
          "bytes", [](const TrafficHandle &self) { return self.traffic.bytes; },
          "The bytes of a device's operand in a run.")
      .def_prop_ro(
          "received", [](const TrafficHandle &self) { return self.traffic.received; },
          "The least bytes that a device must receive in a run.")
      .def_prop_ro(
          "steps", [](const TrafficHandle &self) { return self.traffic.steps; },
          "How often a device waits for another in a run, at least.");
  m.def("traffic", &collectivesOf, "module"_a, "The collectives of the program of one device.");
  m.def(
      "alive_bytes",
      [](const std::shared_ptr<Module> &module) {
        SmallVector<double> alive = aliveBytesOf(*module->op);
        return std::vector<double>(alive.begin(), alive.end());
      },
      "module"_a, "For each op of `main`, the bytes of values that are alive while it runs, without fusion or reuse.");
  m.def(
      "peak_bytes", [](const std::shared_ptr<Module> &module) { return peakBytesOf(*module->op); }, "module"_a,
      "The most bytes of a program's values that are alive at a time, without fusion or reuse.");
}

} // namespace dovetail

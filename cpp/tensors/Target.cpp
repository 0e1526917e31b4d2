// What a target's processor can do.
#include "Target.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace dovetail {

/// Whether every processor of an architecture fuses; none for what is no architecture.
static std::optional<bool> fusesEverywhere(StringRef architecture) {
  Triple::ArchType type = Triple(architecture, "", "").getArch();
  if (type == Triple::UnknownArch)
    return std::nullopt;
  return type != Triple::x86_64 && type != Triple::x86;
}

static bool fusesHere() {
  static const bool fuses = fusesEverywhere(Triple(sys::getProcessTriple()).getArchName()).value_or(false) ||
                            sys::getHostCPUFeatures().lookup("fma");
  return fuses;
}

bool Target::fusesMultiplyAdd() const {
  auto [backend, model] = name.split(':');
  if (backend == "cpu-generic")
    return fusesEverywhere(Triple(sys::getProcessTriple()).getArchName()).value_or(false);
  if (backend != "cpu")
    return false;
  if (model.empty())
    return fusesHere();
  auto [architecture, rest] = model.split(':');
  std::optional<bool> everywhere = fusesEverywhere(architecture);
  if (everywhere.value_or(false))
    return true;
  StringRef processor = everywhere ? rest : model;
  if (X86::parseArchX86(processor) == X86::CK_None)
    return false;
  SmallVector<StringRef> features;
  X86::getFeaturesForCPU(processor, features);
  return is_contained(features, "fma");
}

} // namespace dovetail

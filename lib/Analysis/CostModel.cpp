//===- CostModel.cpp - How long an op takes -------------------------------===//

#include "ckpt/Analysis/CostModel.h"

#include "ckpt/Analysis/StepGraph.h"
#include "ckpt/IR/Locations.h"
#include "ckpt/Interfaces/CostOpInterface.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/Support/GlobPattern.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace ckpt;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// From NVIDIA's data sheets of each product (SXM where there are several).
static const TargetModel presets[] = {
    {"h200", 141'000'000'000, 4.8e12, 989e12, 989e12, 494e12, 67e12, 34e12,
     2000},
    {"h100", 80'000'000'000, 3.35e12, 989e12, 989e12, 494e12, 67e12, 34e12,
     2000},
    {"a100", 80'000'000'000, 2.039e12, 312e12, 312e12, 156e12, 19.5e12, 9.7e12,
     2000},
    {"l4", 24'000'000'000, 0.3e12, 121e12, 121e12, 60e12, 30.3e12, 0.47e12,
     2000},
};

const TargetModel *ckpt::lookupTarget(StringRef name) {
  for (const TargetModel &preset : presets)
    if (name == preset.name)
      return &preset;
  return nullptr;
}

std::vector<StringRef> ckpt::getTargetNames() {
  std::vector<StringRef> names;
  for (const TargetModel &preset : presets)
    names.push_back(preset.name);
  return names;
}

static std::optional<double> readNumber(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return static_cast<double>(integer.getInt());
  if (auto real = dyn_cast<FloatAttr>(attribute))
    return real.getValueAsDouble();
  return std::nullopt;
}

FailureOr<TargetModel> ckpt::readTarget(ModuleOp module,
                                        const TargetModel &fallback) {
  TargetModel target = fallback;
  // The name under which the DLTI dialect attaches it.
  auto specs = module->getAttrOfType<TargetSystemSpecInterface>(
      "dlti.target_system_spec");
  if (!specs)
    return target;
  auto device = specs.getDeviceSpecForDeviceID(
      StringAttr::get(module.getContext(), "GPU"));
  if (!device)
    return target;

  const std::pair<StringRef, double *> rates[] = {
      {"ckpt.memory_bandwidth", &target.memoryBandwidth},
      {"ckpt.launch_cost", &target.launchCost},
      {"ckpt.peak_bf16", &target.peakBF16},
      {"ckpt.peak_f16", &target.peakF16},
      {"ckpt.peak_tf32", &target.peakTF32},
      {"ckpt.peak_f32", &target.peakF32},
      {"ckpt.peak_f64", &target.peakF64},
  };
  for (DataLayoutEntryInterface entry : device->getEntries()) {
    auto key = dyn_cast<StringAttr>(entry.getKey());
    if (!key || !key.getValue().starts_with("ckpt."))
      continue;
    std::optional<double> number = readNumber(entry.getValue());
    if (!number || !(*number > 0) || !std::isfinite(*number))
      return emitError(module.getLoc())
             << "target specification: " << key << " must be a positive number";
    if (key == "ckpt.memory_capacity") {
      target.memoryCapacity = static_cast<int64_t>(*number);
      continue;
    }
    const auto *rate = llvm::find_if(rates, [&](const auto &known) {
      return known.first == key.getValue();
    });
    if (rate == std::end(rates))
      return emitError(module.getLoc())
             << "target specification: unknown key " << key;
    *rate->second = *number;
  }
  target.name = "module";
  return target;
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

FailureOr<CostProfile> CostProfile::read(StringRef path, std::string &error) {
  auto fail = [&](const Twine &message) {
    error = (path + ": " + message).str();
    return failure();
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return fail(file.getError().message());
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*file)->getBuffer());
  if (!json)
    return fail(llvm::toString(json.takeError()));
  const llvm::json::Object *root = json->getAsObject();
  const llvm::json::Array *times = root ? root->getArray("times") : nullptr;
  if (!times)
    return fail("expected an object with an array \"times\"");

  CostProfile profile;
  for (const llvm::json::Value &element : *times) {
    const llvm::json::Object *entry = element.getAsObject();
    std::optional<StringRef> match =
        entry ? entry->getString("match") : std::nullopt;
    std::optional<double> time = entry ? entry->getNumber("ns") : std::nullopt;
    if (!match || !time || !(*time >= 0) || !std::isfinite(*time))
      return fail("expected each entry to have a string \"match\" and a "
                  "non-negative number \"ns\"");
    if (llvm::Expected<llvm::GlobPattern> glob =
            llvm::GlobPattern::create(*match);
        !glob)
      return fail("malformed glob '" + *match +
                  "': " + llvm::toString(glob.takeError()));
    profile.entries.push_back({match->str(), *time});
  }
  return profile;
}

std::optional<double> CostProfile::lookup(Operation *op) const {
  if (entries.empty())
    return std::nullopt;
  SmallVector<StringRef> names = getNames(op->getLoc());
  names.push_back(op->getName().getStringRef());
  for (const Entry &entry : entries) {
    llvm::Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(entry.pattern);
    assert(glob && "compiled when it was read");
    if (llvm::any_of(names, [&](StringRef name) { return glob->match(name); }))
      return entry.nanoseconds;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// CostModel
//===----------------------------------------------------------------------===//

/// Rate of arithmetic on `type`, of contractions if `contraction`.
static double getPeak(const TargetModel &target, Type type, bool contraction) {
  if (type.isF64())
    return target.peakF64;
  if (contraction && type.isBF16())
    return target.peakBF16;
  if (contraction && type.isF16())
    return target.peakF16;
  return target.peakF32;
}

int64_t ckpt::CostModel::getTime(Operation *op) const {
  if (std::optional<double> measured = profile.lookup(op))
    return std::max<int64_t>(1, std::llround(*measured * 1e3));

  double bytes = 0;
  Type widest;
  auto touch = [&](Type type) {
    bytes += static_cast<double>(getTensorBytes(type).value_or(0));
    Type element = getElementTypeOrSelf(type);
    if (isa<FloatType>(element) &&
        (!widest ||
         element.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth()))
      widest = element;
  };
  for (Value operand : op->getOperands())
    touch(operand.getType());
  for (Type type : op->getResultTypes())
    touch(type);

  auto cost = dyn_cast<CostOpInterface>(op);
  Type contracted = cost ? cost.getContractionType() : Type();
  Type type = contracted ? contracted : widest;
  double peak = type ? getPeak(target, type, static_cast<bool>(contracted))
                     : target.peakF32;
  double arithmetic = static_cast<double>(getFlops(op)) / peak;
  double seconds = std::max(arithmetic, bytes / target.memoryBandwidth) +
                   target.launchCost * 1e-9;
  // Far below the sum that a planner may hold, whatever the shapes.
  return std::max<int64_t>(1, std::llround(std::min(seconds, 1e5) * 1e12));
}

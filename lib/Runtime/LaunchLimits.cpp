//===- LaunchLimits.cpp - What a launch may ask for -----------------------===//

#include "ckpt/Runtime/Device.h"

using namespace ckpt::runtime;

static Status checkExtent(const char *kernel, const char *what, uint32_t value,
                          uint32_t limit) {
  if (value >= 1 && value <= limit)
    return Status();
  return Status::error("kernel '" + std::string(kernel) + "': " + what +
                       " is " + std::to_string(value) + ", must be 1 to " +
                       std::to_string(limit));
}

Status ckpt::runtime::checkLaunch(const char *kernel,
                                  const LaunchConfig &config,
                                  const LaunchLimits &limits) {
  const struct {
    const char *what;
    uint32_t value;
    uint32_t limit;
  } extents[] = {{"grid size x", config.grid.x, limits.grid.x},
                 {"grid size y", config.grid.y, limits.grid.y},
                 {"grid size z", config.grid.z, limits.grid.z},
                 {"block size x", config.block.x, limits.block.x},
                 {"block size y", config.block.y, limits.block.y},
                 {"block size z", config.block.z, limits.block.z}};
  for (const auto &extent : extents)
    if (Status status =
            checkExtent(kernel, extent.what, extent.value, extent.limit);
        !status.ok())
      return status;
  if (config.block.count() > limits.threadsPerBlock)
    return Status::error("kernel '" + std::string(kernel) + "': a block of " +
                         std::to_string(config.block.count()) +
                         " threads, must be at most " +
                         std::to_string(limits.threadsPerBlock));
  if (config.sharedBytes > limits.sharedBytes)
    return Status::error("kernel '" + std::string(kernel) +
                         "': " + std::to_string(config.sharedBytes) +
                         " bytes of dynamic shared memory, must be at most " +
                         std::to_string(limits.sharedBytes));
  return Status();
}

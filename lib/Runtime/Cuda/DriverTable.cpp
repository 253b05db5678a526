//===- DriverTable.cpp - The CUDA driver, looked up at run time -----------===//

#include "DriverTable.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace ckpt;
using namespace ckpt::cuda;
using runtime::Status;

static constexpr char defaultLibrary[] = "libcuda.so.1";
static constexpr char libraryVariable[] = "CKPT_CUDA_DRIVER";

/// CUDA 11.0, the first that knows compute capability 8.0.
static constexpr int oldestVersion = 11000;

static std::string versionText(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

template <typename Function>
static bool lookup(void *library, const char *symbol, Function *&function) {
  function = reinterpret_cast<Function *>(dlsym(library, symbol));
  return function != nullptr;
}

Status DriverTable::open(std::unique_ptr<DriverTable> &table) {
  const char *named = std::getenv(libraryVariable);
  const std::string path = named && *named ? named : defaultLibrary;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return Status::error("no CUDA driver: " +
                         std::string(reason ? reason : path.c_str()));
  }
  std::unique_ptr<DriverTable> opened(new DriverTable);
#define CKPT_CUDA_SYMBOL(member, symbol, parameters)                           \
  if (!lookup(library, #symbol, opened->member))                               \
    return Status::error("the CUDA driver '" + path +                          \
                         "' has no function " #symbol                          \
                         "; it is too old or no CUDA driver");
#define CKPT_CUDA_OPTIONAL(member, symbol, parameters)                         \
  lookup(library, #symbol, opened->member);
#include "DriverSymbols.def"

  int version = 0;
  if (Status status = opened->check("asking the CUDA driver for its version",
                                    opened->driverGetVersion(&version));
      !status.ok())
    return status;
  if (version < oldestVersion)
    return Status::error("the CUDA driver is for CUDA " + versionText(version) +
                         ", at least " + versionText(oldestVersion) +
                         " is needed");
  if (Status status = opened->check("initialising the CUDA driver",
                                    opened->init(/*flags=*/0));
      !status.ok())
    return status;
  table = std::move(opened);
  return Status();
}

Status DriverTable::error(const std::string &what, CUresult result) const {
  const char *name = nullptr;
  const char *text = nullptr;
  if (getErrorName(result, &name) != CUDA_SUCCESS || !name)
    name = "unknown";
  if (getErrorString(result, &text) != CUDA_SUCCESS || !text)
    text = "unknown error";
  return Status::error(what + ": " + text + " (" + name + ", " +
                       std::to_string(result) + ")");
}

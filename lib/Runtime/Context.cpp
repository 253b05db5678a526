//===- Context.cpp - State behind the C ABI -------------------------------===//

#include "Context.h"
#include "GeneratedCode.h"

#include <sstream>

using namespace ckpt::runtime;

static std::string hex(const void *address) {
  std::ostringstream text;
  text << "0x" << std::hex << reinterpret_cast<uintptr_t>(address);
  return text.str();
}

CkptContext::CkptContext(std::unique_ptr<Device> opened)
    : device(std::move(opened)), limits(device->limits()),
      name(device->name()) {}

std::unique_ptr<CkptContext> CkptContext::open(const char *name, uint64_t seed,
                                               std::string &error) {
  if (!name) {
    error = "no device name";
    return nullptr;
  }
  std::unique_ptr<Device> device = openDevice(name, seed, error);
  if (!device)
    return nullptr;
  std::unique_ptr<CkptContext> context(new CkptContext(std::move(device)));
  // The status word serves the runtime: neither a step nor the caller pays.
  if (Status status =
          context->device->allocate(sizeof(int32_t), context->statusAddress);
      !status.ok()) {
    error = status.message();
    return nullptr;
  }
  return context;
}

CkptContext::~CkptContext() {
  // The device may be beyond use after an error: nothing to report it to.
  for (Owner owner : {Owner::Step, Owner::Caller})
    for (void *address : accounting.addresses(owner))
      (void)device->free(address);
  if (statusAddress)
    (void)device->free(statusAddress);
}

void CkptContext::fail(std::string message) {
  if (!failed())
    firstError = std::move(message);
}

bool CkptContext::check(const Status &status) {
  if (!status.ok())
    fail(status.message());
  return status.ok();
}

void *CkptContext::allocate(int64_t bytes, Owner owner) {
  if (failed())
    return nullptr;
  const char *what = owner == Owner::Step ? "arena" : "buffer";
  if (bytes < 0) {
    fail("cannot allocate a" + std::string(owner == Owner::Step ? "n " : " ") +
         what + " of " + std::to_string(bytes) + " bytes");
    return nullptr;
  }
  void *address = nullptr;
  if (!check(device->allocate(bytes, address)))
    return nullptr;
  accounting.add(address, bytes, owner);
  return address;
}

void CkptContext::release(void *address, Owner owner) {
  if (failed())
    return;
  const char *what = owner == Owner::Step ? "arena" : "buffer";
  if (!accounting.remove(address, owner))
    return fail("cannot release " + hex(address) + ": no live " + what +
                " of this context starts there (released twice, or not its "
                "own)");
  check(device->free(address));
}

bool CkptContext::checkCopy(const char *what, const void *deviceAddress,
                            const void *host, int64_t bytes) {
  if (failed())
    return false;
  std::string prefix =
      "cannot " + std::string(what) + " " + std::to_string(bytes) + " bytes: ";
  if (bytes < 0) {
    fail(prefix + "the size is negative");
    return false;
  }
  if (!host && bytes > 0) {
    fail(prefix + "the host address is null");
    return false;
  }
  if (!accounting.containing(deviceAddress, bytes)) {
    fail(prefix + "they are not inside one live buffer of this context at " +
         hex(deviceAddress));
    return false;
  }
  return true;
}

void CkptContext::upload(void *deviceAddress, const void *host, int64_t bytes) {
  if (checkCopy("upload", deviceAddress, host, bytes) && bytes > 0)
    check(device->upload(deviceAddress, host, bytes));
}

void CkptContext::download(void *host, const void *deviceAddress,
                           int64_t bytes) {
  if (checkCopy("download", deviceAddress, host, bytes) && bytes > 0)
    check(device->download(host, deviceAddress, bytes));
}

void CkptContext::loadImage(const void *data, int64_t size) {
  if (failed())
    return;
  if (!data || size <= 0)
    return fail("cannot load an empty kernel image");
  imageLoaded = check(device->loadImage(data, size));
}

void CkptContext::launch(const char *kernel, const LaunchConfig &config,
                         int32_t stream, void **params, int32_t numParams) {
  if (failed())
    return;
  if (!kernel)
    return fail("cannot launch a kernel without a name");
  std::string prefix = "kernel '" + std::string(kernel) + "': ";
  if (!imageLoaded)
    return fail(prefix + "no kernel image is loaded");
  if (stream != 0)
    return fail(prefix + "stream " + std::to_string(stream) +
                " does not exist; 0 is the compute stream");
  if (numParams < 0 || (numParams > 0 && !params))
    return fail(prefix + "no parameters given");
  for (int32_t i = 0; i < numParams; ++i)
    if (!params[i])
      return fail(prefix + "parameter " + std::to_string(i) +
                  " has no value (a null pointer to it)");
  if (!check(checkLaunch(kernel, config, limits)))
    return;
  if (check(device->launch(kernel, config, params, numParams)))
    accounting.countLaunch();
}

void *CkptContext::statusWord() { return failed() ? nullptr : statusAddress; }

bool CkptContext::checkBuffers(const char *what, const CkptBufferInfo *infos,
                               int32_t count, void *const *buffers) {
  for (int32_t i = 0; i < count; ++i) {
    int64_t bytes = infos[i].bytes;
    std::string prefix = std::string(what) + " " + std::to_string(i) + ": ";
    if (bytes < 0) {
      fail(prefix + "the step declares a negative size");
      return false;
    }
    if (!accounting.containing(buffers[i], bytes)) {
      fail(prefix + std::to_string(bytes) + " bytes at " + hex(buffers[i]) +
           " are not inside one live buffer of this context");
      return false;
    }
  }
  return true;
}

bool CkptContext::checkStep(const CkptStepInfo *step, void *const *buffers) {
  if (!step) {
    fail("cannot run a null step");
    return false;
  }
  if (step->abiVersion != CKPT_ABI_VERSION) {
    fail("the step was compiled for version " +
         std::to_string(step->abiVersion) +
         " of the runtime's ABI, this runtime has version " +
         std::to_string(CKPT_ABI_VERSION));
    return false;
  }
  if (!step->run || step->numArguments < 0 || step->numResults < 0 ||
      step->numMessages < 0 || (step->numArguments > 0 && !step->arguments) ||
      (step->numResults > 0 && !step->results) ||
      (step->numMessages > 0 && !step->messages)) {
    fail("the step's description is incomplete");
    return false;
  }
  if (!buffers && (step->numArguments > 0 || step->numResults > 0)) {
    fail("cannot run a step without its buffers");
    return false;
  }
  return checkBuffers("argument", step->arguments, step->numArguments,
                      buffers) &&
         checkBuffers("result", step->results, step->numResults,
                      buffers + step->numArguments);
}

bool CkptContext::reclaimStepMemory() {
  bool clean = true;
  for (void *address : accounting.addresses(Owner::Step)) {
    clean = false;
    accounting.remove(address, Owner::Step);
    if (Status status = device->free(address); !status.ok())
      fail(status.message());
  }
  return clean;
}

void CkptContext::reportStatusWord(const CkptStepInfo &step) {
  int32_t word = 0;
  if (!check(device->download(&word, statusAddress, sizeof(word))) || word == 0)
    return;
  if (word < 0 || word > step.numMessages)
    return fail("a check of the program failed with an unknown id, " +
                std::to_string(word));
  fail(step.messages[word - 1]);
}

CKPT_CALLS_GENERATED_CODE
void CkptContext::run(const CkptStepInfo *step, void *const *buffers) {
  if (failed() || !checkStep(step, buffers))
    return;
  const int32_t zero = 0;
  if (!check(device->upload(statusAddress, &zero, sizeof(zero))))
    return;
  int32_t code = step->run(this, buffers);
  if (!failed())
    check(device->synchronize());
  if (!failed())
    reportStatusWord(*step);
  if (!failed() && code != 0)
    fail("the step returned error " + std::to_string(code));
  if (!reclaimStepMemory())
    fail("the step ended without releasing its arena");
}

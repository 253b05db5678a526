//===- Execution.h - Running a compiled step ------------------*- C++ -*-===//

#ifndef CKPT_TOOLS_CKPTRUN_EXECUTION_H
#define CKPT_TOOLS_CKPTRUN_EXECUTION_H

#include "ckpt/Runtime/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace ckpt {

struct ContextCloser {
  void operator()(CkptContext *context) const { ckptClose(context); }
};
using DeviceContext = std::unique_ptr<CkptContext, ContextCloser>;

/// Opens a device (see ckptOpen()).
llvm::Expected<DeviceContext> openDevice(const std::string &name,
                                         uint64_t seed);

/// The bytes of one buffer, in C order.
using HostBuffer = std::vector<char>;

/// The arguments of a step: from DIR/argK.npy where there is such a file, else
/// drawn from `seed`: floats uniform in [-0.5, 0.5), integers 0 or 1. Fails
/// where a file is malformed or has another shape or type than the argument. An
/// empty `directory` means that there are no files.
llvm::Expected<std::vector<HostBuffer>>
loadArguments(const CkptStepInfo &info, const std::string &directory,
              uint64_t seed);

/// Writes DIR/<stem>K.npy for buffer K; makes DIR. bf16 is written as uint16
/// bit patterns.
llvm::Error saveBuffers(llvm::ArrayRef<CkptBufferInfo> infos,
                        llvm::ArrayRef<HostBuffer> buffers,
                        const std::string &directory, llvm::StringRef stem);

struct Execution {
  std::vector<HostBuffer> results;
  CkptCounters counters = {};
  double seconds = 0;
};

/// Runs the step once on `context`, whose image is `image`.
llvm::Expected<Execution> execute(CkptContext *context,
                                  const CkptStepInfo &info,
                                  llvm::ArrayRef<char> image,
                                  llvm::ArrayRef<HostBuffer> arguments);

/// The number of the first result whose bytes differ, or -1.
int64_t findDifference(llvm::ArrayRef<HostBuffer> a,
                       llvm::ArrayRef<HostBuffer> b);

} // namespace ckpt

#endif // CKPT_TOOLS_CKPTRUN_EXECUTION_H

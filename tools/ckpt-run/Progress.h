//===- Progress.h - Says what takes long ----------------------*- C++ -*-===//

#ifndef CKPT_TOOLS_CKPTRUN_PROGRESS_H
#define CKPT_TOOLS_CKPTRUN_PROGRESS_H

#include "llvm/ADT/StringRef.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace ckpt {

/// Prints a line to standard error while a stage takes over a second, and
/// another one every ten seconds, from a thread of its own.
class Progress {
public:
  Progress();
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// A stage begins, and the one before has ended; an empty name: none is at
  /// work.
  void begin(llvm::StringRef stage);

private:
  void watch();

  std::mutex mutex;
  std::condition_variable changed;
  std::string current;
  /// Counts stages, so that the watcher sees when one has ended.
  unsigned generation = 0;
  bool stopping = false;
  std::thread watcher;
};

} // namespace ckpt

#endif // CKPT_TOOLS_CKPTRUN_PROGRESS_H

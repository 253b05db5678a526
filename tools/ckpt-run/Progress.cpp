//===- Progress.cpp - Says what takes long --------------------------------===//

#include "Progress.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace ckpt;

Progress::Progress() : watcher([this] { watch(); }) {}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_one();
  watcher.join();
}

void Progress::begin(llvm::StringRef stage) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = stage.str();
    ++generation;
  }
  changed.notify_one();
}

void Progress::watch() {
  std::unique_lock<std::mutex> lock(mutex);
  while (!stopping) {
    unsigned watched = generation;
    auto ended = [&] { return stopping || generation != watched; };
    if (current.empty()) {
      changed.wait(lock, ended);
      continue;
    }
    std::chrono::seconds elapsed(0), pause(1);
    while (!changed.wait_for(lock, pause, ended)) {
      elapsed += pause;
      pause = std::chrono::seconds(10);
      llvm::errs() << "ckpt-run: " << current << ": over " << elapsed.count()
                   << " s\n";
    }
  }
}

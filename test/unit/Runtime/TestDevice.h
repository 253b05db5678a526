//===- TestDevice.h - A device and its buffers in a test --------*- C++ -*-===//
#ifndef CKPT_TEST_UNIT_RUNTIME_TESTDEVICE_H
#define CKPT_TEST_UNIT_RUNTIME_TESTDEVICE_H

#include "ckpt/Runtime/Runtime.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace ckpt::test {

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// A context that is closed at the end of the test.
class TestDevice {
public:
  explicit TestDevice(const char *device, uint64_t seed = 0) {
    char error[512] = {};
    context = ckptOpen(device, seed, error, sizeof(error));
    openError = error;
  }
  TestDevice(const TestDevice &) = delete;
  TestDevice &operator=(const TestDevice &) = delete;
  ~TestDevice() { ckptClose(context); }

  operator CkptContext *() const { return context; }
  std::string error() const { return ckptLastError(context); }

  void load(const std::string &image) {
    ckptLoadImage(context, image.data(), int64_t(image.size()));
  }

  template <typename T>
  void *buffer(const std::vector<T> &values) {
    const int64_t bytes = int64_t(values.size() * sizeof(T));
    void *address = ckptAllocate(context, bytes);
    ckptUpload(context, address, values.data(), bytes);
    return address;
  }

  template <typename T>
  std::vector<T> read(const void *address, size_t count) {
    std::vector<T> values(count);
    ckptDownload(context, values.data(), address, int64_t(count * sizeof(T)));
    return values;
  }

  /// Launches with the addresses of the arguments, as compiled code does.
  template <typename... Args>
  int32_t launch(const char *kernel, Grid grid, Grid block,
                 uint32_t sharedBytes, Args... args) {
    void *params[] = {&args..., nullptr};
    return ckptLaunch(context, kernel, grid.x, grid.y, grid.z, block.x, block.y,
                      block.z, sharedBytes, /*stream=*/0, params,
                      int32_t(sizeof...(args)));
  }

  std::string openError;

private:
  CkptContext *context = nullptr;
};

} // namespace ckpt::test

#endif // CKPT_TEST_UNIT_RUNTIME_TESTDEVICE_H

//===- DriverTable.h - The CUDA driver, looked up at run time ---*- C++ -*-===//
#ifndef CKPT_LIB_RUNTIME_CUDA_DRIVERTABLE_H
#define CKPT_LIB_RUNTIME_CUDA_DRIVERTABLE_H

#include "DriverApi.h"
#include "ckpt/Runtime/Device.h"

#include <memory>
#include <string>

namespace ckpt::cuda {

/// The driver's functions. The library is libcuda.so.1, or the one that the
/// environment variable CKPT_CUDA_DRIVER names; it stays loaded.
class DriverTable {
public:
  /// Opens and initialises the driver. The error says what is missing: the
  /// library, one of its functions, or a version that is new enough.
  static runtime::Status open(std::unique_ptr<DriverTable> &table);

  /// The error of a call: "<what>: <text> (<name>)".
  runtime::Status error(const std::string &what, CUresult result) const;
  /// Success, or error(what, result).
  runtime::Status check(const std::string &what, CUresult result) const {
    return result == CUDA_SUCCESS ? runtime::Status() : error(what, result);
  }

#define CKPT_CUDA_SYMBOL(member, symbol, parameters)                           \
  CUresult(*member) parameters = nullptr;
#define CKPT_CUDA_OPTIONAL(member, symbol, parameters)                         \
  CUresult(*member) parameters = nullptr;
#include "DriverSymbols.def"

private:
  DriverTable() = default;
};

} // namespace ckpt::cuda

#endif // CKPT_LIB_RUNTIME_CUDA_DRIVERTABLE_H

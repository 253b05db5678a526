//===- Effort.h - When to stop ----------------------------------*- C++ -*-===//
#ifndef CKPT_LIB_PLANNER_EFFORT_H
#define CKPT_LIB_PLANNER_EFFORT_H

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ckpt::planner {

/// A wall-clock limit. Without one the clock is never read, so that results
/// cannot depend on it.
class Deadline {
public:
  using Clock = std::chrono::steady_clock;

  Deadline() = default;
  /// `seconds` from now; 0 means never.
  explicit Deadline(double seconds) : start(Clock::now()), seconds(seconds) {}

  bool limited() const { return seconds > 0; }
  double limit() const { return seconds; }
  /// Seconds since the start; 0 where there is no limit.
  double elapsed() const {
    if (!limited())
      return 0;
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  bool passed() const { return limited() && elapsed() >= seconds; }
  /// Seconds that are left; many where there is no limit.
  double left() const {
    return limited() ? std::max(0.0, seconds - elapsed()) : 1e18;
  }
  /// The same start, but so much earlier.
  Deadline earlier(double by) const {
    Deadline result = *this;
    if (limited())
      result.seconds = std::max(1e-9, seconds - by);
    return result;
  }
  /// The same start, a fraction of the time.
  Deadline fraction(double part) const {
    Deadline result = *this;
    result.seconds *= part;
    return result;
  }
  /// From now on, one of `parts` equal parts of the time that is left.
  Deadline slice(int parts) const {
    if (!limited())
      return {};
    double left = std::max(0.0, seconds - elapsed()) / parts;
    return Deadline(std::max(left, 1e-9));
  }

private:
  Clock::time_point start;
  double seconds = 0;
};

} // namespace ckpt::planner

#endif // CKPT_LIB_PLANNER_EFFORT_H

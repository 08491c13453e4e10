// SPDX-License-Identifier: MIT
// Rings many bells at the same interval, spread evenly over it.
// Threads: one of its own, on which bells ring; every call from any other.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace baton::bench {

class bells {
public:
  explicit bells(std::chrono::milliseconds interval);
  ~bells();
  bells(const bells&) = delete;
  bells& operator=(const bells&) = delete;

  /// `ring` must be quick: it keeps the others waiting.
  std::uint64_t add(std::function<void()> ring);
  /// It rings no more once this returns.
  void remove(std::uint64_t bell);

private:
  using clock = std::chrono::steady_clock;

  void run();

  const clock::duration interval_;
  std::mutex lock_;
  std::condition_variable changed_;
  bool ending_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, clock::time_point> due_;
  std::map<std::pair<clock::time_point, std::uint64_t>, std::function<void()>>
    queue_;
  std::thread ringer_;
};

} // namespace baton::bench

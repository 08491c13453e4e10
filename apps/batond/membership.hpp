// SPDX-License-Identifier: MIT
// Whether this worker has a coordinator: told by its link, asked by the gateway
// and by whoever waits for the first join.
// Threads: every call from any thread.
#pragma once

#include "messages/result.hpp"

#include <chrono>
#include <mutex>

namespace baton {

class membership {
public:
  void set(const status& now);

  /// ok: joined; else why not.
  status get() const;

  /// Joined, or refused for good: get() tells which. Another node of our name
  /// is put up with for `patience`: it may be our own former life, whose end
  /// nobody has noticed yet.
  bool settled(std::chrono::milliseconds patience) const;

private:
  mutable std::mutex lock_;
  status now_ = make_status(errc::unavailable, "not joined yet; try again");
  std::chrono::steady_clock::time_point in_use_since_{};
};

} // namespace baton

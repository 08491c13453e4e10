// SPDX-License-Identifier: MIT
// A live viewer of one run, which notes when the first entry of each epoch
// arrived.
// Guarantees: sees every entry behind `from` once and in order, or says that
// the log was broken.
// Threads: one of its own; every call from any other.
#pragma once

#include "apps/baton/http_client.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace baton::bench {

class log_watch {
public:
  using clock = std::chrono::steady_clock;

  log_watch(const cli::client_options& server, const std::string& run,
            std::uint64_t from);
  ~log_watch();
  log_watch(const log_watch&) = delete;
  log_watch& operator=(const log_watch&) = delete;

  /// The newest entry's.
  std::uint64_t epoch() const;
  std::uint64_t seq() const;
  /// Until that many entries more have come.
  bool wait_for_entries(std::uint64_t more, std::chrono::seconds patience);
  /// When the first entry of an epoch above `epoch` came.
  std::optional<clock::time_point>
  wait_for_epoch_above(std::uint64_t epoch, std::chrono::seconds patience);
  /// Empty as long as nothing was missing and nothing came twice.
  std::string broken() const;

private:
  void read(const std::string& run);
  bool take(const std::string& data);

  cli::client_options server_;
  int wake_ = -1;
  mutable std::mutex lock_;
  std::condition_variable changed_;
  std::uint64_t seq_;
  std::uint64_t epoch_ = 0;
  std::map<std::uint64_t, clock::time_point> first_;
  std::string broken_;
  std::thread reader_;
};

} // namespace baton::bench

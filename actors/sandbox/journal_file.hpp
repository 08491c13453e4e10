// SPDX-License-Identifier: MIT
// A journal that is a file of this host.
//
// Guarantees: bytes come from the one file that was first found; when it is
// cut, removed or replaced, reading ends with errc::journal_damaged instead of
// with other bytes.
// Threads: as journal_source says.
// Costs: one descriptor, one inotify watch, some hundred bytes; nothing is
// buffered.
#pragma once

#include "actors/sandbox/journal_watcher.hpp"
#include "actors/sandbox/provider.hpp"
#include "actors/sandbox/unique_fd.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace baton::sandbox {

class journal_file : public journal_source {
public:
  /// `watcher` may be absent: then `on_change` is never called.
  journal_file(std::string path, std::shared_ptr<journal_watcher> watcher,
               std::function<void()> on_change);

  result<std::size_t> read(position from, std::span<char> out) override;
  result<position> size() override;

private:
  /// False when the file does not exist yet.
  result<bool> open();
  /// The size, once it is sure that this still is the journal.
  result<position> inspect();
  status damaged(const std::string& what) const;

  std::string path_;
  std::shared_ptr<journal_watcher> watcher_;
  std::function<void()> on_change_;
  unique_fd fd_;
  /// A call is out and nothing was read since: growth needs no other.
  std::atomic<bool> told_{false};
  /// Last, so that it ends first: its callback uses the members above.
  std::unique_ptr<journal_watcher::watch> watch_;
};

} // namespace baton::sandbox

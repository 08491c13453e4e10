// SPDX-License-Identifier: MIT
// Tells when journals change: one inotify descriptor and one thread for all of
// a provider's journals.
//
// Guarantees: after watch() returned an armed watch, every later change of the
// file is followed by a call; calls coalesce.
// Threads: every call from any thread. Callbacks run on the watcher's thread;
// they must not block, nor end a watch.
// Failure: where the kernel's inotify limits are reached, watches stay unarmed
// and their owners poll.
#pragma once

#include "actors/sandbox/unique_fd.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace baton::sandbox {

enum class journal_event : std::uint8_t {
  /// Bytes were added.
  grew,
  /// A writer closed it, it was removed, or events were lost: look closely.
  changed,
};

class journal_watcher : public std::enable_shared_from_this<journal_watcher> {
public:
  using callback = std::function<void(journal_event)>;

  /// Observes until destroyed; no callback runs after that.
  class watch {
  public:
    watch(std::shared_ptr<journal_watcher> owner, int wd, std::uint64_t id,
          callback f);
    ~watch();
    watch(const watch&) = delete;
    watch& operator=(const watch&) = delete;

  private:
    friend class journal_watcher;
    struct target;

    std::shared_ptr<journal_watcher> owner_;
    int wd_;
    std::uint64_t id_;
    std::shared_ptr<target> target_;
  };

  static std::shared_ptr<journal_watcher> make();

  ~journal_watcher();

  /// Nothing when the file does not exist or limits are reached.
  std::unique_ptr<watch> observe(const std::string& file, callback f);

private:
  using target_ptr = std::shared_ptr<watch::target>;

  journal_watcher();

  void run();
  void deliver(const char* events, std::size_t bytes);
  void forget(int wd, std::uint64_t id);

  unique_fd inotify_;
  unique_fd stop_;
  std::mutex mutex_;
  std::uint64_t next_id_ = 1;
  /// By inotify's number, which two watches of one file share.
  std::map<int, std::map<std::uint64_t, target_ptr>> targets_;
  std::thread thread_;
};

} // namespace baton::sandbox

// SPDX-License-Identifier: MIT
#include "actors/sandbox/journal_watcher.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <cerrno>
#include <utility>

namespace baton::sandbox {
namespace {

constexpr std::uint32_t wanted_events =
  IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;

/// A few hundred events: enough that a busy journal costs one wake-up, not one
/// per line.
constexpr std::size_t buffer_bytes = 16384;

} // namespace

/// What a watch calls. The mutex is held during the call, so that the end of
/// a watch waits for it.
struct journal_watcher::watch::target {
  std::mutex mutex;
  callback call;
  bool ended = false;
};

// -- watches ------------------------------------------------------------------

journal_watcher::watch::watch(std::shared_ptr<journal_watcher> owner, int wd,
                              std::uint64_t id, callback f)
  : owner_(std::move(owner)),
    wd_(wd),
    id_(id),
    target_(std::make_shared<target>()) {
  target_->call = std::move(f);
}

journal_watcher::watch::~watch() {
  owner_->forget(wd_, id_);
  std::unique_lock guard{target_->mutex};
  target_->ended = true;
}

// -- the watcher --------------------------------------------------------------

std::shared_ptr<journal_watcher> journal_watcher::make() {
  return std::shared_ptr<journal_watcher>{new journal_watcher};
}

journal_watcher::journal_watcher()
  : inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
    stop_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (inotify_.ok() && stop_.ok())
    thread_ = std::thread{[this] { run(); }};
}

journal_watcher::~journal_watcher() {
  if (!thread_.joinable())
    return;
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(stop_.get(), &one, sizeof(one));
  thread_.join();
}

std::unique_ptr<journal_watcher::watch>
journal_watcher::observe(const std::string& file, callback f) {
  if (!thread_.joinable())
    return nullptr;
  // Under the lock: the number must not be given up by another watch of the
  // same file between these two steps.
  std::unique_lock guard{mutex_};
  auto wd = ::inotify_add_watch(inotify_.get(), file.c_str(), wanted_events);
  if (wd < 0)
    return nullptr;
  auto id = next_id_++;
  auto out = std::make_unique<watch>(shared_from_this(), wd, id, std::move(f));
  targets_[wd].emplace(id, out->target_);
  return out;
}

void journal_watcher::forget(int wd, std::uint64_t id) {
  std::unique_lock guard{mutex_};
  auto at = targets_.find(wd);
  if (at == targets_.end())
    return;
  at->second.erase(id);
  if (at->second.empty()) {
    targets_.erase(at);
    ::inotify_rm_watch(inotify_.get(), wd);
  }
}

void journal_watcher::run() {
  alignas(inotify_event) char buffer[buffer_bytes];
  for (;;) {
    pollfd watched[2] = {{inotify_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}};
    if (::poll(watched, 2, -1) < 0 && errno != EINTR)
      return;
    if (watched[1].revents != 0)
      return;
    auto n = ::read(inotify_.get(), buffer, sizeof(buffer));
    if (n > 0)
      deliver(buffer, static_cast<std::size_t>(n));
  }
}

void journal_watcher::deliver(const char* events, std::size_t bytes) {
  // The strongest event of each watch in this bunch.
  std::map<int, journal_event> heard;
  bool lost = false;
  for (std::size_t at = 0; at < bytes;) {
    const auto* event = reinterpret_cast<const inotify_event*>(events + at);
    at += sizeof(inotify_event) + event->len;
    lost = lost || (event->mask & IN_Q_OVERFLOW) != 0;
    auto what =
      event->mask == IN_MODIFY ? journal_event::grew : journal_event::changed;
    auto& kept = heard.emplace(event->wd, what).first->second;
    kept = std::max(kept, what);
  }
  std::vector<std::pair<target_ptr, journal_event>> calls;
  {
    std::unique_lock guard{mutex_};
    if (lost)
      for (const auto& [wd, by_id] : targets_)
        heard[wd] = journal_event::changed;
    for (const auto& [wd, event] : heard)
      if (auto at = targets_.find(wd); at != targets_.end())
        for (const auto& [id, target] : at->second)
          calls.emplace_back(target, event);
  }
  for (const auto& [target, event] : calls) {
    std::unique_lock guard{target->mutex};
    if (!target->ended)
      target->call(event);
  }
}

} // namespace baton::sandbox

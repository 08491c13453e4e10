// SPDX-License-Identifier: MIT
#include "apps/baton_bench/log_watch.hpp"

#include "apps/baton/sse_parser.hpp"
#include "apps/baton_bench/daemon.hpp"

#include <boost/json/parse.hpp>

#include <sys/eventfd.h>
#include <unistd.h>

namespace baton::bench {

log_watch::log_watch(const cli::client_options& server, const std::string& run,
                     std::uint64_t from)
  : server_(server), wake_(::eventfd(0, EFD_CLOEXEC)), seq_(from) {
  server_.wake_fd = wake_;
  reader_ = std::thread{[this, run] { read(run); }};
}

log_watch::~log_watch() {
  ::eventfd_write(wake_, 1);
  reader_.join();
  ::close(wake_);
}

std::uint64_t log_watch::epoch() const {
  std::lock_guard guard{lock_};
  return epoch_;
}

std::uint64_t log_watch::seq() const {
  std::lock_guard guard{lock_};
  return seq_;
}

std::string log_watch::broken() const {
  std::lock_guard guard{lock_};
  return broken_;
}

bool log_watch::wait_for_entries(std::uint64_t more,
                                 std::chrono::seconds patience) {
  std::unique_lock guard{lock_};
  return changed_.wait_for(
    guard, patience, [this, until = seq_ + more] { return seq_ >= until; });
}

std::optional<log_watch::clock::time_point>
log_watch::wait_for_epoch_above(std::uint64_t epoch,
                                std::chrono::seconds patience) {
  std::unique_lock guard{lock_};
  if (!changed_.wait_for(guard, patience, [&] { return epoch_ > epoch; }))
    return {};
  return first_.upper_bound(epoch)->second;
}

void log_watch::read(const std::string& run) {
  cli::sse_parser parser;
  auto got = cli::http_client{server_}.stream(
    {"GET",
     "/v1/runs/" + run + "/events?live=1&from=" + std::to_string(seq_),
     {{"Accept", "text/event-stream"}},
     {}},
    std::chrono::seconds{30}, [&](std::string_view bytes) {
      return parser.feed(bytes, [this](const cli::sse_event& x) {
        return x.name == "entry" && take(x.data);
      });
    });
  if (got
      && (got->end == cli::stream_end::woken
          || got->end == cli::stream_end::stopped))
    return;
  std::lock_guard guard{lock_};
  if (broken_.empty())
    broken_ = "the viewer lost its stream: "
              + (got ? got->why + got->error_body : got.error().message);
}

bool log_watch::take(const std::string& data) {
  auto entry = json::parse(data).as_object();
  auto seq = number(entry, "seq");
  auto epoch = number(entry, "epoch");
  auto now = clock::now();
  std::lock_guard guard{lock_};
  if (seq != seq_ + 1)
    broken_ = "expected entry " + std::to_string(seq_ + 1) + ", found "
              + std::to_string(seq);
  seq_ = seq;
  epoch_ = epoch;
  first_.emplace(epoch, now);
  changed_.notify_all();
  return broken_.empty();
}

} // namespace baton::bench

// SPDX-License-Identifier: MIT
#include "tests/cluster/watcher.hpp"

#include <stdexcept>
#include <utility>

namespace baton::test {

watcher::watcher(const daemon& d, std::string run)
  : node_(&d), run_(std::move(run)) {
  resume();
}

void watcher::resume() {
  stream_.reset();
  taken_ = 0;
  auto headers = seen_.empty()
                   ? std::string{}
                   : "Last-Event-ID: " + std::to_string(last()) + "\r\n";
  try {
    stream_.emplace(node_->port(), daemon::path(run_, "/events"), headers);
  } catch (const std::runtime_error&) {
    // That node is down; the next look tries again.
  }
}

void watcher::move_to(const daemon& d) {
  node_ = &d;
  if (!ended_)
    resume();
}

void watcher::pump(millis patience) {
  if (ended_)
    return;
  if (!stream_) {
    if (patience > 0ms)
      test::pause(patience);
    return resume();
  }
  stream_->pump(patience);
  while (taken_ < stream_->events().size())
    take(stream_->events()[taken_++]);
  if (ended_ || !stream_->ended())
    return;
  // 503 is what a node without a coordinator says.
  if (stream_->status() != 200 && stream_->status() != 503
      && stream_->status() != 0)
    complain("an answer " + std::to_string(stream_->status()) + " "
             + stream_->text());
  if (stream_->status() == 200)
    breaks_ += 1;
  stream_.reset();
}

void watcher::take(const sse_event& x) {
  if (x.type == "end") {
    ended_ = true;
    return;
  }
  if (ended_)
    complain("'" + x.type + "' behind the end");
  if (x.type != "entry")
    return complain("an event '" + x.type + "': " + x.data);
  auto entry = parse_entry(x.data);
  if (x.id != std::to_string(last() + 1) || entry.seq != last() + 1)
    complain("entry " + x.id + " behind " + std::to_string(last()));
  if (entry.epoch < last_epoch())
    complain("epoch " + std::to_string(entry.epoch) + " behind "
             + std::to_string(last_epoch()));
  seen_.push_back(std::move(entry));
}

void watcher::complain(const std::string& what) {
  if (fault_.empty())
    fault_ = "a viewer of '" + run_ + "' got " + what;
}

bool watcher::pump_until(const std::function<bool()>& condition,
                         millis patience) {
  return pump_all({this}, condition, patience);
}

bool watcher::pump_to_end(millis patience) {
  return pump_until([this] { return ended_; }, patience);
}

bool pump_all(const std::vector<watcher*>& viewers,
              const std::function<bool()>& condition, millis patience) {
  auto until = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    for (auto* x : viewers)
      x->pump(2ms);
  }
  return true;
}

} // namespace baton::test

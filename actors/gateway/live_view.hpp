// SPDX-License-Identifier: MIT
// One viewer of a live run: an actor of its own, which the channel counts, and
// the one page it has asked for.
// Guarantees: never more than one request open and one page held, so nothing
// queues up for a reader that does not read; leaves the channel when it ends.
// Threads: the I/O thread.
#pragma once

#include "actors/gateway/service.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace baton::http {

class live_view : public std::enable_shared_from_this<live_view> {
public:
  live_view(service& s, caf::actor channel);
  ~live_view();

  /// Counts us and notices when the channel ends. Call once.
  void open();

  /// Asks for what is behind `after`, unless a request is open or a page held.
  void ask(seq after);

  /// Waits until there is a page, the client is gone, or `d` has passed.
  asio::awaitable<void> wait(std::chrono::milliseconds d);

  /// The page that came, or the error in its place.
  std::optional<result<entry_page>> take();

  /// The client is gone.
  void leave();
  bool is_left() const noexcept { return left_; }

private:
  void arrive(result<entry_page> page);

  asker asker_;
  caf::actor channel_;
  asio::steady_timer wake_;
  std::optional<result<entry_page>> page_;
  bool asked_ = false;
  bool left_ = false;
};

} // namespace baton::http

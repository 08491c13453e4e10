// SPDX-License-Identifier: MIT
#include "actors/gateway/live_view.hpp"

#include "actors/gateway/page_limits.hpp"

#include <boost/asio/redirect_error.hpp>

namespace baton::http {

live_view::live_view(service& s, caf::actor channel)
  : asker_(s.system, s.box), channel_(std::move(channel)), wake_(s.io) {}

live_view::~live_view() {
  asker_.send(channel_, leave_channel{});
}

void live_view::open() {
  asker_.watch(channel_, [weak = weak_from_this()] {
    if (auto self = weak.lock())
      self->arrive(make_status(
        errc::unavailable, "the run's channel has ended; read on from the last "
                           "entry"));
  });
}

void live_view::ask(seq after) {
  if (asked_ || page_)
    return;
  asked_ = true;
  // No timeout: an idle run may say nothing for days. Should the channel end,
  // we are told.
  asker_.ask_then<entry_page>(
    channel_, next_entries{after, page_entries_max, page_bytes_max},
    caf::duration{caf::infinite},
    [weak = weak_from_this()](result<entry_page> page) {
      if (auto self = weak.lock())
        self->arrive(std::move(page));
    });
}

asio::awaitable<void> live_view::wait(std::chrono::milliseconds d) {
  if (page_ || left_)
    co_return;
  boost::system::error_code ignored;
  wake_.expires_after(d);
  co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

std::optional<result<entry_page>> live_view::take() {
  auto out = std::move(page_);
  page_.reset();
  return out;
}

void live_view::leave() {
  left_ = true;
  wake_.cancel();
}

void live_view::arrive(result<entry_page> page) {
  asked_ = false;
  page_ = std::move(page);
  wake_.cancel();
}

} // namespace baton::http

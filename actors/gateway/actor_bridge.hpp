// SPDX-License-Identifier: MIT
// Between the gateway's I/O thread and actors. Requests go out through a small
// actor that runs closures; answers come back as callbacks on the I/O thread.
// Guarantees: no Asio object ever lives on CAF's side: what is pending there
// knows a number and a reply_box, which outlives both and, once closed, drops
// what still comes. So gateway and actor system may end in any order.
// Threads: reply_box::deliver and close from any thread, all else on the I/O
// thread.
#pragma once

#include "messages/caf_types.hpp"
#include "messages/result.hpp"

#include <utility> // Boost's awaitable.hpp lacks it

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace baton::http {

using actor_job = std::function<void(caf::event_based_actor*)>;

} // namespace baton::http

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(baton::http::actor_job)

namespace baton::http {

namespace asio = boost::asio;

/// Answers on their way to the I/O thread.
class reply_box : public std::enable_shared_from_this<reply_box> {
public:
  using callback = std::function<void(const std::shared_ptr<void>&)>;

  explicit reply_box(asio::io_context& io) : io_(&io) {}

  /// The number under which one answer is awaited.
  std::uint64_t expect(callback f);

  /// Nobody waits for it any more.
  void forget(std::uint64_t number);

  /// Runs the callback of that number, if still awaited, on the I/O thread.
  void deliver(std::uint64_t number, std::shared_ptr<void> answer);

  /// From now on nothing is delivered. Drops all callbacks.
  void close();

private:
  std::mutex lock_;
  asio::io_context* io_;

  std::unordered_map<std::uint64_t, callback> waiting_;
  std::uint64_t next_ = 1;
};

/// An actor of ours that asks others. Ends with this object, and with it what
/// it watches and the answer to what it asked last.
class asker {
public:
  asker(caf::actor_system& system, std::shared_ptr<reply_box> box);
  ~asker();
  asker(const asker&) = delete;
  asker& operator=(const asker&) = delete;

  /// Calls `f(result<Reply>)` once, on the I/O thread.
  template <class Reply, class Request, class F>
  void ask_then(const caf::actor& whom, Request request, caf::duration timeout,
                F f) {
    auto number = asked_ =
      box_->expect([f](const std::shared_ptr<void>& answer) mutable {
        f(std::move(*std::static_pointer_cast<result<Reply>>(answer)));
      });
    run([box = box_, number, whom, timeout,
         request = std::move(request)](caf::event_based_actor* self) {
      self->request(whom, timeout, request)
        .then(
          [box, number](Reply& x) {
            box->deliver(number, std::make_shared<result<Reply>>(std::move(x)));
          },
          [box, number](caf::error& e) {
            box->deliver(number, std::make_shared<result<Reply>>(to_status(e)));
          });
    });
  }

  /// The same for coroutines.
  template <class Reply, class Request>
  asio::awaitable<result<Reply>> ask(caf::actor whom, Request request,
                                     caf::duration timeout) {
    auto start = [this, &whom, &request, timeout](auto handler) {
      auto shared = std::make_shared<decltype(handler)>(std::move(handler));
      ask_then<Reply>(whom, std::move(request), timeout,
                      [shared](result<Reply> x) { (*shared)(std::move(x)); });
    };
    co_return co_await asio::async_initiate<const asio::use_awaitable_t<>&,
                                            void(result<Reply>)>(
      start, asio::use_awaitable);
  }

  /// Calls `f()` once, on the I/O thread, when `whom` is gone.
  void watch(const caf::actor& whom, std::function<void()> f);

  /// Sends without expecting an answer, from this actor.
  template <class Message>
  void send(const caf::actor& whom, Message message) {
    run([whom, message = std::move(message)](caf::event_based_actor* self) {
      self->send(whom, message);
    });
  }

private:
  void run(actor_job job);

  std::shared_ptr<reply_box> box_;
  caf::actor actor_;
  std::uint64_t asked_ = 0;
  std::uint64_t watched_ = 0;
};

} // namespace baton::http

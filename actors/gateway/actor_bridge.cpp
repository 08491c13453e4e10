// SPDX-License-Identifier: MIT
#include "actors/gateway/actor_bridge.hpp"

#include <caf/behavior.hpp>
#include <caf/exit_reason.hpp>

namespace baton::http {
namespace {

caf::behavior runs_jobs(caf::event_based_actor* self) {
  return {[self](actor_job& job) { job(self); }};
}

} // namespace

// -- reply_box ----------------------------------------------------------------

std::uint64_t reply_box::expect(callback f) {
  auto number = next_++;
  waiting_.emplace(number, std::move(f));
  return number;
}

void reply_box::forget(std::uint64_t number) {
  waiting_.erase(number);
}

void reply_box::deliver(std::uint64_t number, std::shared_ptr<void> answer) {
  std::lock_guard guard{lock_};
  if (!io_)
    return;
  asio::post(*io_,
             [self = shared_from_this(), number, answer = std::move(answer)] {
               auto i = self->waiting_.find(number);
               if (i == self->waiting_.end())
                 return;
               auto f = std::move(i->second);
               self->waiting_.erase(i);
               f(answer);
             });
}

void reply_box::close() {
  {
    std::lock_guard guard{lock_};
    io_ = nullptr;
  }
  // Dropping a callback may end a coroutine that drops others.
  auto dropped = std::move(waiting_);
  waiting_.clear();
}

// -- asker --------------------------------------------------------------------

asker::asker(caf::actor_system& system, std::shared_ptr<reply_box> box)
  : box_(std::move(box)), actor_(system.spawn(runs_jobs)) {}

asker::~asker() {
  box_->forget(asked_);
  box_->forget(watched_);
  caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown);
}

void asker::watch(const caf::actor& whom, std::function<void()> f) {
  auto number = watched_ =
    box_->expect([f = std::move(f)](const auto&) { f(); });
  run([box = box_, number, whom](caf::event_based_actor* self) {
    self->set_down_handler(
      [box, number](caf::down_msg&) { box->deliver(number, nullptr); });
    self->monitor(whom);
  });
}

void asker::run(actor_job job) {
  caf::anon_send(actor_, std::move(job));
}

} // namespace baton::http

// SPDX-License-Identifier: MIT
#include "apps/baton_bench/bells.hpp"

#include <cmath>

namespace baton::bench {
namespace {

/// Multiples of the golden ratio spread any number of bells evenly.
double phase(std::uint64_t n) {
  constexpr double golden = 0.6180339887498949;
  return std::fmod(golden * static_cast<double>(n), 1.0);
}

} // namespace

bells::bells(std::chrono::milliseconds interval)
  : interval_(interval), ringer_([this] { run(); }) {
  // nop
}

bells::~bells() {
  {
    std::lock_guard guard{lock_};
    ending_ = true;
  }
  changed_.notify_all();
  ringer_.join();
}

std::uint64_t bells::add(std::function<void()> ring) {
  std::lock_guard guard{lock_};
  auto bell = ++last_;
  auto first =
    clock::now()
    + std::chrono::duration_cast<clock::duration>(interval_ * phase(bell));
  due_.emplace(bell, first);
  queue_.emplace(std::pair{first, bell}, std::move(ring));
  changed_.notify_all();
  return bell;
}

void bells::remove(std::uint64_t bell) {
  std::lock_guard guard{lock_};
  if (auto i = due_.find(bell); i != due_.end()) {
    queue_.erase({i->second, bell});
    due_.erase(i);
  }
}

void bells::run() {
  std::unique_lock guard{lock_};
  while (!ending_) {
    if (queue_.empty()) {
      changed_.wait(guard);
      continue;
    }
    auto next = queue_.begin()->first.first;
    if (clock::now() < next) {
      changed_.wait_until(guard, next);
      continue;
    }
    auto bell = queue_.extract(queue_.begin());
    bell.mapped()();
    auto again = next + interval_;
    due_[bell.key().second] = again;
    bell.key().first = again;
    queue_.insert(std::move(bell));
  }
}

} // namespace baton::bench

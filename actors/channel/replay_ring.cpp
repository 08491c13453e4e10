// SPDX-License-Identifier: MIT
#include "actors/channel/replay_ring.hpp"

#include "messages/check.hpp"

namespace baton::channel {

void replay_ring::push(shared_entry x) {
  BATON_CHECK(x->seq.value == last_.value + 1, "I8: viewers see no gap");
  last_ = x->seq;
  bytes_ += x->data.size();
  entries_.push_back(std::move(x));
  // The newest entry stays, however large: somebody is about to ask for it.
  while (entries_.size() > 1
         && (entries_.size() > entries_max || bytes_ > bytes_max)) {
    bytes_ -= entries_.front()->data.size();
    entries_.pop_front();
  }
}

shared_entries replay_ring::behind(seq after, std::size_t entries_limit,
                                   std::size_t bytes_limit) const {
  shared_entries out;
  if (after >= last_)
    return out;
  auto missing = last_.value - after.value;
  BATON_CHECK(missing <= entries_.size(), "asked only for what is covered");
  std::size_t bytes = 0;
  for (auto i = entries_.size() - missing; i < entries_.size(); ++i) {
    bytes += entries_[i]->data.size();
    if (!out.items.empty()
        && (out.items.size() >= entries_limit || bytes > bytes_limit))
      break;
    out.items.push_back(entries_[i]);
  }
  return out;
}

void replay_ring::clear() {
  std::deque<shared_entry>{}.swap(entries_);
  bytes_ = 0;
}

} // namespace baton::channel

// SPDX-License-Identifier: MIT
#include "messages/entry_alignment.hpp"

#include <utility>

namespace baton {

entry_alignment::entry_alignment(std::vector<entry_fingerprint> stored)
  : stored_(std::move(stored)) {}

status entry_alignment::refuse(std::string_view difference, std::size_t index,
                               std::string_view replayed) {
  const auto& expected = stored_[index].whole;
  auto message = "replay does not reproduce the log at entry "
                 + std::to_string(index) + " (" + std::string{difference}
                 + "): expected " + expected + ", found "
                 + (replayed.empty() ? "the end" : std::string{replayed})
                 + "; check that the same journal is translated the same way";
  failed_ = make_status(errc::mismatch, std::move(message))
              .with("difference", std::string{difference})
              .with("index", static_cast<std::uint64_t>(index))
              .with("stored", expected)
              .with("replayed", std::string{replayed});
  return failed_;
}

result<entry_alignment::action>
entry_alignment::next(const entry_fingerprint& replayed) {
  if (!failed_.ok())
    return failed_;
  for (std::size_t skipped = 0; at_ < stored_.size(); ++skipped, ++at_) {
    const auto& here = stored_[at_];
    if (here.whole == replayed.whole) {
      ++at_;
      return action::suppress;
    }
    if (!here.out_of_band)
      return refuse(here.without_thread == replayed.without_thread ? "thread_id"
                                                                   : "content",
                    at_, replayed.whole);
    if (skipped == out_of_band_max)
      return refuse("out_of_band", at_, replayed.whole);
  }
  return action::append;
}

status entry_alignment::finish() {
  if (!failed_.ok())
    return failed_;
  for (std::size_t skipped = 0; at_ < stored_.size(); ++skipped, ++at_)
    if (!stored_[at_].out_of_band || skipped == out_of_band_max)
      return refuse("short", at_, {});
  return {};
}

} // namespace baton

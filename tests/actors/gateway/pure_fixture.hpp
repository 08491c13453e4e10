// SPDX-License-Identifier: MIT
// Values that the tests of the gateway's pure parts share.
#pragma once

#include "messages/run_messages.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace baton::http::test {

inline entry make_entry(std::uint64_t number, std::uint64_t begin,
                        std::string bytes, bool fragment = false) {
  entry out;
  out.seq = seq{number};
  out.epoch = epoch{2};
  out.begin = position{begin};
  out.end = position{begin + bytes.size()};
  out.at = wall_time{std::chrono::milliseconds{1'700'000'000'042}};
  out.fragment = fragment;
  out.data = std::move(bytes);
  return out;
}

inline run_view make_view(std::string id) {
  run_spec spec;
  spec.id = run_id{std::move(id)};
  spec.thread = thread_id{"t"};
  spec.command.argv = {"echo", "hi"};
  spec.started_at = wall_time{std::chrono::milliseconds{1'700'000'000'042}};
  run_view out;
  out.record.spec = std::make_shared<const run_spec>(std::move(spec));
  return out;
}

} // namespace baton::http::test

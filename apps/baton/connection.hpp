// SPDX-License-Identifier: MIT
// One byte stream to a daemon: Unix socket, TCP or TLS over it.
// Guarantees: every wait ends at its deadline or when the wake descriptor
//   becomes readable; a TCP peer that vanished is noticed within 30 s.
// Threads: not thread-safe. Move-only; closes when it goes.
#pragma once

#include "apps/baton/http_client.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace baton::cli {

using deadline = std::chrono::steady_clock::time_point;

/// Without end.
constexpr deadline never = deadline::max();

enum class io_end : unsigned char { ok, closed, timed_out, woken, failed };

struct io_result {
  io_end end = io_end::ok;
  std::size_t bytes = 0;
  /// For people, when `end` is failed.
  std::string why;
};

class connection {
public:
  /// errc::unavailable, errc::cancelled when woken, errc::malformed for a CA
  /// file that cannot be used.
  static result<connection> open(const client_options& options);

  connection(connection&&) noexcept;
  connection& operator=(connection&&) noexcept;
  ~connection();

  io_result write_all(std::string_view bytes, deadline until);
  io_result read_some(std::span<char> buffer, deadline until);

private:
  struct state;
  explicit connection(std::unique_ptr<state> s);

  std::unique_ptr<state> state_;
};

} // namespace baton::cli

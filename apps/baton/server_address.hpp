// SPDX-License-Identifier: MIT
// Which daemon the CLI talks to: `unix://PATH`, `http://HOST[:PORT]` or
// `https://HOST[:PORT]`.
// Threads: value type.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>

namespace baton::cli {

enum class transport : unsigned char { unix_socket, tcp, tls };

struct server_address {
  transport via = transport::unix_socket;
  /// Of a Unix socket.
  std::string path;
  std::string host;
  std::string port;

  bool operator==(const server_address&) const = default;
};

/// errc::malformed for anything but the three forms.
result<server_address> parse_server(std::string_view text);

/// As the user would write it.
std::string to_text(const server_address& x);

/// True when the daemon shares this machine's file system, so that a path of
/// the caller means something to it.
bool is_local(const server_address& x);

/// For a path segment or query value: every byte but RFC 3986's unreserved
/// ones becomes %XX.
std::string percent_encode(std::string_view text);

} // namespace baton::cli

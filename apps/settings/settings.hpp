// SPDX-License-Identifier: MIT
// What a node was told: flags, then BATON_* variables, then the --config file,
// then defaults; checked as a whole.
// Guarantees: settings that come out of parse_settings are consistent; main
//   needs no further check that does not touch the system.
// Threads: a pure function of its input.
// Failure: errc::malformed with one line for the person; exit with 2.
#pragma once

#include "apps/settings/default_paths.hpp"
#include "messages/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton {

/// A TCP endpoint; port 0 picks a free one when listening.
struct address {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const address&) const = default;
};

/// `HOST:PORT` or `[V6]:PORT`.
result<address> parse_address(std::string_view text);
std::string to_text(const address& x);
/// 127.0.0.0/8, ::1 or localhost.
bool is_loopback(std::string_view host);

enum class node_role : std::uint8_t { coordinator, worker };
std::string_view to_string(node_role x) noexcept;

/// Certificate, key and authority; all empty when TLS is off.
struct tls_files {
  std::string cert;
  std::string key;
  std::string ca;

  bool is_on() const noexcept { return !cert.empty(); }
  bool operator==(const tls_files&) const = default;
};

struct settings {
  /// Empty: the node picks one and keeps it in its data directory.
  std::string node_id;
  std::string data_dir;
  std::string http_host;
  std::uint16_t http_port = 0;
  std::string socket_path;
  /// Absent: no cluster port.
  std::optional<address> cluster;
  std::vector<address> join;
  node_role role = node_role::coordinator;
  /// Empty: the machine id.
  std::string host_label;
  std::chrono::milliseconds lease{};
  std::chrono::milliseconds grace{};
  std::chrono::milliseconds detached_ttl{};
  std::chrono::milliseconds sweep_interval{};
  /// How long runs that ended are kept; 0: for ever.
  std::chrono::milliseconds retain{};
  /// Of the cluster port, mutual.
  tls_files tls;
  /// Of the HTTP port; without authority.
  tls_files http_tls;
  std::string token_file;
  std::size_t line_bytes_max = 0;
  /// trace, debug, info, warn, error or off.
  std::string log_level;
  bool insecure = false;

  bool operator==(const settings&) const = default;
};

struct settings_input {
  /// Without the program's name.
  std::vector<std::string> args;
  env_variables env;
  /// Reads the --config file.
  std::function<result<std::string>(const std::string&)> read_file;
};

struct settings_answer {
  settings values;
  /// When not empty (--help, --version, --print-config): print this and exit
  /// with 0 instead of serving.
  std::string text;
};

result<settings_answer> parse_settings(const settings_input& input);

/// As a --config file that gives the same settings; what is not set is a
/// comment that says what that means.
std::string to_config_text(const settings& x);

/// For settings_input::read_file and the CLI: the file's bytes, or why not.
result<std::string> read_text_file(const std::string& path);

} // namespace baton

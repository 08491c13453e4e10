// SPDX-License-Identifier: MIT
// What every verb needs: the environment, the outputs, the way to the daemon,
// and one way to complain.
#pragma once

#include "apps/baton/http_client.hpp"
#include "apps/baton/output.hpp"
#include "apps/settings/default_paths.hpp"
#include "messages/result.hpp"

#include <string>

namespace baton::cli {

// Exit codes of the contract.
constexpr int exit_done = 0;
/// The thing asked about says no: not found, already over.
constexpr int exit_refused = 1;
constexpr int exit_usage = 2;
/// Cannot reach the daemon, or another failure of baton's own.
constexpr int exit_failed = 125;
constexpr int exit_interrupted = 130;

int exit_code_of(errc code) noexcept;

/// Answered by a node, not made here: it is not ready, or has no coordinator.
bool is_without_coordinator(const status& why);

struct global_options {
  std::string server;
  std::string token_file;
  std::string ca_file;
  bool no_autostart = false;
};

/// Whether a verb may start a daemon when none answers.
enum class start_policy : unsigned char { may_start, never_start };

class context {
public:
  context(env_variables env, global_options options);

  const env_variables& env() const noexcept { return env_; }
  const terminal& term() const noexcept { return term_; }
  const terminal& error_term() const noexcept { return error_term_; }
  output& out() noexcept { return out_; }

  /// A client for the chosen server; the local daemon is started first when
  /// that is allowed and needed.
  result<http_client> connect(start_policy policy = start_policy::may_start,
                              int wake_fd = -1);

  /// `baton: WHAT: WHY` on stderr.
  void complain(const std::string& what, const std::string& why);
  /// Complains and gives the exit code for it.
  int fail(const std::string& what, const status& why);
  /// For the end of a verb that printed: the reader's leaving is no failure, a
  /// full disk is.
  int finish(const std::string& what);

private:
  result<server_address> choose_server(bool& is_default);
  result<std::string> choose_token();

  env_variables env_;
  global_options options_;
  output out_;
  output err_;
  terminal term_;
  terminal error_term_;
};

} // namespace baton::cli

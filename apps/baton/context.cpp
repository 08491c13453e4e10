// SPDX-License-Identifier: MIT
#include "apps/baton/context.hpp"

#include "apps/baton/autostart.hpp"
#include "apps/baton/flag_names.hpp"
#include "apps/baton/text_width.hpp"
#include "apps/settings/settings.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

namespace baton::cli {

int exit_code_of(errc code) noexcept {
  switch (code) {
  case errc::none:
    return exit_done;
  case errc::malformed:
  case errc::empty:
    return exit_usage;
  case errc::unknown_run:
  case errc::unknown_thread:
  case errc::unknown_node:
  case errc::unknown_sandbox:
  case errc::run_id_reused:
  case errc::terminal:
  case errc::not_terminal:
  case errc::not_external:
  case errc::held:
  case errc::no_eligible_node:
  case errc::trimmed:
  case errc::journal_timeout:
    return exit_refused;
  case errc::cancelled:
    return exit_interrupted;
  default:
    return exit_failed;
  }
}

bool is_without_coordinator(const status& why) {
  return why.code == errc::unavailable
         && std::ranges::any_of(why.details,
                                [](const auto& x) { return x.name == "code"; });
}

context::context(env_variables env, global_options options)
  : env_(std::move(env)),
    options_(std::move(options)),
    out_(STDOUT_FILENO),
    err_(STDERR_FILENO),
    term_(look_at(STDOUT_FILENO, env_)),
    error_term_(look_at(STDERR_FILENO, env_)) {}

result<server_address> context::choose_server(bool& is_default) {
  is_default = false;
  auto chosen = options_.server;
  std::string source = "--server";
  if (chosen.empty()) {
    chosen = value_of(env_, "BATON_SERVER");
    source = "BATON_SERVER";
  }
  if (!chosen.empty()) {
    auto server = parse_server(chosen);
    if (!server)
      return {errc::malformed, source + ": " + server.error().message};
    return server;
  }
  is_default = true;
  auto paths = find_local_paths(env_);
  if (!paths)
    return std::move(paths).error();
  return server_address{transport::unix_socket, paths->socket, {}, {}};
}

result<std::string> context::choose_token() {
  auto& file = options_.token_file;
  if (file.empty())
    return value_of(env_, "BATON_TOKEN");
  struct stat facts {};
  if (::stat(file.c_str(), &facts) == 0 && (facts.st_mode & 077) != 0)
    return {errc::forbidden, "--token-file: " + file
                               + " can be read by others (run chmod 600 " + file
                               + ")"};
  auto content = read_text_file(file);
  if (!content)
    return {errc::io_failed, "--token-file: " + content.error().message
                               + " (name a file with a token, or set "
                                 "BATON_TOKEN)"};
  // The daemon's own format: a token a line, perhaps with its scope.
  std::istringstream lines{*content};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string token;
    if (words >> token && token.front() != '#')
      return token;
  }
  return {errc::malformed, "--token-file: expected a token in " + file
                             + ", found none (write one on a line of its own)"};
}

result<http_client> context::connect(start_policy policy, int wake_fd) {
  bool is_default = false;
  auto server = choose_server(is_default);
  if (!server)
    return std::move(server).error();
  auto token = choose_token();
  if (!token)
    return std::move(token).error();
  if (token->find_first_of("\r\n") != std::string::npos)
    return {errc::malformed,
            "the token: expected one line, found a line break in it (set "
            "BATON_TOKEN without it)"};
  client_options options;
  options.server = *server;
  options.token = *token;
  options.ca_file = options_.ca_file;
  options.wake_fd = wake_fd;
  http_client client{options};
  auto may_start =
    is_default && !options_.no_autostart && policy == start_policy::may_start;
  auto is_up = [&] {
    auto answer = client.send({"GET", "/livez", {}, {}});
    // Anybody who answers, or only breaks off later, is there.
    return answer.ok() || answer.error().code != errc::unavailable;
  };
  if (!may_start || is_up())
    return client;
  auto paths = find_local_paths(env_);
  if (!paths)
    return std::move(paths).error();
  autostart_options start;
  start.paths = *paths;
  start.program = find_batond(env_);
  start.is_up = is_up;
  if (auto why = start_daemon(start); !why.ok())
    return why;
  complain("no batond answered", "one was started on " + paths->data_dir);
  return client;
}

void context::complain(const std::string& what, const std::string& why) {
  auto line = without_controls(what + ": " + why);
  ignore_result(err_.write(std::string{"baton: "} + line + "\n"),
                "nobody is left to tell");
}

int context::fail(const std::string& what, const status& why) {
  auto hint = std::string{};
  if (why.code == errc::unauthorized)
    hint = " (set BATON_TOKEN or give --token-file)";
  else if (why.code == errc::forbidden && !why.message.ends_with(')'))
    hint = " (give another token with BATON_TOKEN or --token-file)";
  else if (why.code == errc::unavailable
           && why.message.starts_with("cannot reach")
           && !why.message.ends_with(')'))
    hint = " (is batond running there?)";
  else if (is_without_coordinator(why))
    hint = " (baton status tells why)";
  complain(what, in_flags(why).message + hint);
  return exit_code_of(why.code);
}

int context::finish(const std::string& what) {
  if (out_.error() == 0)
    return exit_done;
  complain(what, std::string{"cannot write to stdout: "}
                   + std::strerror(out_.error()));
  return exit_failed;
}

} // namespace baton::cli

// SPDX-License-Identifier: MIT
// `baton`: the command line of baton.
#include "apps/baton/command_line.hpp"
#include "apps/baton/context.hpp"

#include <signal.h>
#include <unistd.h>

#include <clocale>
#include <string>
#include <vector>

namespace {

baton::env_variables read_environment() {
  baton::env_variables env;
  for (auto pair = environ; *pair != nullptr; ++pair) {
    std::string text{*pair};
    auto equals = text.find('=');
    if (equals != std::string::npos)
      env.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return env;
}

} // namespace

int main(int argc, char** argv) {
  using namespace baton::cli;
  // Widths of characters; nothing else here depends on a locale.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  // A reader who leaves is an answer of write().
  ::signal(SIGPIPE, SIG_IGN);
  auto parsed = parse_command_line({argv + 1, argv + argc});
  auto& invocation = parsed.invocation;
  context c{read_environment(), invocation.global};
  auto& refusal = parsed.refusal;
  if (!refusal.why.ok()) {
    c.complain(refusal.verb.empty() ? "usage" : refusal.verb,
               refusal.why.message);
    // For `run` every code but this may be the agent's.
    return refusal.verb == "run" ? exit_failed : exit_usage;
  }
  if (!invocation.text.empty()) {
    baton::ignore_result(c.out().write(invocation.text), "finish reports it");
    return c.finish("help");
  }
  return invocation.action(c);
}

// SPDX-License-Identifier: MIT
#include "messages/request_difference.hpp"

namespace baton {

namespace {

class differences {
public:
  template <class T>
  void compare(const char* field, const T& a, const T& b) {
    if (!(a == b))
      found_.emplace_back(field);
  }
  std::vector<std::string> found() && { return std::move(found_); }

private:
  std::vector<std::string> found_;
};

} // namespace

std::vector<std::string> differing_fields(const run_spec& a,
                                          const run_spec& b) {
  differences out;
  out.compare("command", a.command, b.command);
  out.compare("cwd", a.cwd, b.cwd);
  out.compare("env", a.env, b.env);
  out.compare("stdin", a.stdin_bytes, b.stdin_bytes);
  out.compare("external", a.external, b.external);
  const auto& x = a.sandbox;
  const auto& y = b.sandbox;
  out.compare("sandbox.provider", x.provider, y.provider);
  out.compare("sandbox.reuse", x.reuse, y.reuse);
  out.compare("sandbox.keep_processes", x.keep_processes, y.keep_processes);
  out.compare("sandbox.network", x.network, y.network);
  out.compare("sandbox.destroy_on_complete", x.destroy_on_complete,
              y.destroy_on_complete);
  out.compare("sandbox.tenant", x.tenant, y.tenant);
  const auto& v = x.workspace;
  const auto& w = y.workspace;
  out.compare("sandbox.workspace.source", v.source, w.source);
  out.compare("sandbox.workspace.install", v.install, w.install);
  out.compare("sandbox.workspace.setup", v.setup, w.setup);
  out.compare("sandbox.workspace.scripts", v.scripts, w.scripts);
  out.compare("sandbox.workspace.secrets", v.secrets, w.secrets);
  out.compare("sandbox.workspace.setup_timeout_ms", v.setup_timeout_ms,
              w.setup_timeout_ms);
  return std::move(out).found();
}

} // namespace baton

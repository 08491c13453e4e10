// SPDX-License-Identifier: MIT
#include "actors/sandbox/bwrap_provider.hpp"

#include "actors/sandbox/agent_environment.hpp"
#include "actors/sandbox/child_command.hpp"
#include "messages/record.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string_view>

namespace baton::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr int try_out_timeout_ms = 10'000;
constexpr std::size_t complaint_bytes_max = 300;

/// Bubblewrap runs outside of the confinement with the agent's environment:
/// what makes a program load code of somebody's choice must not reach it.
constexpr std::array<std::string_view, 3> loader_variables{
  "LD_", "GLIBC_TUNABLES=", "GCONV_PATH="};

bool is_loader_variable(std::string_view assignment) {
  for (auto name : loader_variables)
    if (assignment.starts_with(name))
      return true;
  return false;
}

std::string find_in_path(const std::string& program) {
  auto env = own_environment();
  auto at = env.find("PATH");
  std::string path = at == env.end() ? std::string{default_path} : at->second;
  for (std::size_t begin = 0; begin <= path.size();) {
    auto end = std::min(path.find(':', begin), path.size());
    auto file = path.substr(begin, end - begin) + "/" + program;
    if (file.starts_with('/') && ::access(file.c_str(), X_OK) == 0)
      return file;
    begin = end + 1;
  }
  return {};
}

status check_program(const std::string& bwrap) {
  if (::access(bwrap.c_str(), X_OK) == 0)
    return {};
  return make_status(errc::launch_failed,
                     "there is no bubblewrap "
                       + (bwrap.empty() ? "in PATH" : "at " + bwrap)
                       + "; install the Debian package bubblewrap, or ask for "
                         "the sandbox 'local'");
}

/// Takes them out of the environment, into arguments for the inside.
void move_loader_variables(shim_order& order) {
  std::vector<std::string> kept;
  for (auto& item : order.environment) {
    if (!is_loader_variable(item)) {
      kept.push_back(std::move(item));
      continue;
    }
    auto eq = item.find('=');
    order.confined.insert(order.confined.end(), {"--setenv", item.substr(0, eq),
                                                 item.substr(eq + 1)});
  }
  order.environment = std::move(kept);
}

void split_by_kind(const std::vector<std::string>& paths, confinement& out) {
  std::error_code error;
  for (const auto& path : paths)
    if (fs::is_directory(path, error))
      out.hidden_folders.push_back(path);
    else if (fs::exists(path, error))
      out.hidden_files.push_back(path);
}

/// Without dots and a slash at the end.
std::string plain(const std::string& path) {
  auto out = fs::path{path}.lexically_normal().string();
  while (out.size() > 1 && out.ends_with('/'))
    out.pop_back();
  return out;
}

/// Where it really lies; as given, when it does not exist.
std::string resolved(const std::string& path) {
  std::error_code error;
  auto out = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : out.string();
}

} // namespace

result<std::unique_ptr<bwrap_provider>>
bwrap_provider::open(bwrap_options options) {
  if (auto bad = prepare(options.where); !bad.ok())
    return bad;
  return std::unique_ptr<bwrap_provider>{
    new bwrap_provider{std::move(options)}};
}

bwrap_provider::bwrap_provider(bwrap_options given)
  : local_provider(given.where), bwrap_(std::move(given.bwrap)) {
  if (bwrap_.empty())
    bwrap_ = find_in_path("bwrap");
  given.secret.push_back(options().root);
  for (const auto& path : given.secret)
    secret_.push_back(resolved(path));
}

capabilities bwrap_provider::can() const noexcept {
  auto out = local_provider::can();
  out.background_processes = false;
  out.network_policy = true;
  return out;
}

confinement bwrap_provider::base() const {
  confinement out;
  out.bwrap = bwrap_;
  out.shim = options().shim;
  split_by_kind(secret_, out);
  return out;
}

status bwrap_provider::try_out() const {
  if (auto missing = check_program(bwrap_); !missing.ok())
    return missing;
  auto what = base();
  what.workspace = options().root;
  what.tmp = options().root;
  // What is harder to have is tried.
  what.network = false;
  command_request request;
  request.argv = confine_command(confinement_prefix(what, look_at_host()), "/",
                                 {"/bin/true"});
  request.cwd = "/";
  request.timeout_ms = try_out_timeout_ms;
  auto got = run_command_to_end(request, options().root);
  if (!got)
    return got.error();
  if (got->code == 0)
    return {};
  auto why = printable(got->err.substr(0, complaint_bytes_max));
  return make_status(errc::unsupported,
                     bwrap_ + " cannot confine anything here (it ended with "
                       + std::to_string(got->code) + ": " + why
                       + "); allow unprivileged user namespaces");
}

status bwrap_provider::bind_cwd(const std::string& wanted,
                                const host_system& host,
                                confinement& out) const {
  std::error_code error;
  auto source = fs::canonical(wanted, error);
  // What does not exist is told by the shim, as for every agent. It may exist
  // inside.
  if (error || !fs::is_directory(source, error))
    return {};
  out.cwd = plain(wanted);
  out.cwd_source = source;
  for (const auto& path : {out.cwd_source, out.cwd})
    if (auto why = why_not_bound(path, host, secret_); !why.empty())
      return make_status(errc::launch_failed, why);
  return {};
}

status bwrap_provider::check_workspace(const workspace_spec& x) const {
  std::vector<std::string> read;
  if (auto* path = std::get_if<path_source>(&x.source))
    read.push_back(path->directory);
  for (const auto& [name, from] : x.secrets)
    if (from.from == secret_reference::place::file)
      read.push_back(from.name);
  for (const auto& path : read)
    for (const auto& own : secret_)
      if (auto real = resolved(path); holds(own, real) || holds(real, own))
        return make_status(errc::workspace_failed,
                           path + " would show the agent the daemon's own "
                             + "files in " + own
                             + "; name something apart from it");
  return {};
}

result<shim_order> bwrap_provider::translate(const launch_order& order,
                                             const sandbox_place& place) const {
  if (order.keep_processes)
    return {errc::unsupported,
            "the sandbox 'bwrap' cannot keep processes after the agent's end; "
            "leave keep_processes out, or ask for the sandbox 'local'"};
  if (auto missing = check_program(bwrap_); !missing.ok())
    return missing;
  if (order.workspace)
    if (auto refused = check_workspace(*order.workspace); !refused.ok())
      return refused;
  auto adapted = order;
  adapted.env.emplace("HOME", confined_workspace);
  adapted.env.emplace("TMPDIR", "/tmp");
  auto out = local_provider::translate(adapted, place);
  if (!out)
    return out;
  auto what = base();
  what.workspace = out->workspace && !out->workspace->instance.empty()
                     ? out->workspace->instance + "/" + work_folder
                     : place.file(work_folder);
  what.tmp = place.file(tmp_folder);
  what.network = order.network.value_or(true);
  auto host = look_at_host();
  if (order.cwd.starts_with('/')) {
    if (auto refused = bind_cwd(order.cwd, host, what); !refused.ok())
      return refused;
    out->cwd = plain(order.cwd);
  } else {
    out->cwd = plain(std::string{confined_workspace} + "/" + order.cwd);
  }
  out->confined = confinement_prefix(what, host);
  move_loader_variables(*out);
  return out;
}

} // namespace baton::sandbox

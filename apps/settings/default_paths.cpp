// SPDX-License-Identifier: MIT
#include "apps/settings/default_paths.hpp"

#include <utility>

namespace baton {

namespace {

std::string absolute_value(const env_variables& env, const std::string& name) {
  auto path = value_of(env, name);
  return path.starts_with('/') ? path : std::string{};
}

} // namespace

std::string value_of(const env_variables& env, const std::string& name) {
  auto i = env.find(name);
  return i == env.end() ? std::string{} : i->second;
}

result<std::string> default_data_dir(const env_variables& env) {
  if (auto base = absolute_value(env, "XDG_DATA_HOME"); !base.empty())
    return base + "/baton";
  if (auto home = absolute_value(env, "HOME"); !home.empty())
    return home + "/.local/share/baton";
  return {errc::malformed, "data-dir: expected XDG_DATA_HOME or HOME in the "
                           "environment, found neither (give --data-dir or "
                           "BATON_DATA_DIR)"};
}

std::string default_socket(const env_variables& env,
                           const std::string& data_dir) {
  auto runtime_dir = absolute_value(env, "XDG_RUNTIME_DIR");
  auto usual = default_data_dir(env);
  if (!runtime_dir.empty() && usual.ok() && *usual == data_dir)
    return runtime_dir + "/baton/batond.sock";
  return data_dir + "/batond.sock";
}

result<local_paths> find_local_paths(const env_variables& env) {
  local_paths paths;
  paths.data_dir = value_of(env, "BATON_DATA_DIR");
  if (paths.data_dir.empty()) {
    auto usual = default_data_dir(env);
    if (!usual)
      return std::move(usual).error();
    paths.data_dir = *usual;
  }
  paths.socket = value_of(env, "BATON_SOCKET");
  if (paths.socket.empty())
    paths.socket = default_socket(env, paths.data_dir);
  return paths;
}

} // namespace baton

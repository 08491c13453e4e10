// SPDX-License-Identifier: MIT
#include "actors/sandbox/workspace_launch.hpp"

#include "actors/sandbox/secret_values.hpp"
#include "messages/instance_identity.hpp"
#include "messages/workspace.hpp"

namespace baton::sandbox {

result<std::optional<workspace_order>>
workspace_for_shim(const launch_order& order,
                   const std::map<std::string, std::string>& own) {
  static const workspace_spec nothing;
  const auto& spec = order.workspace ? *order.workspace : nothing;
  if (is_empty(spec) && order.where.shared_id.empty())
    return std::optional<workspace_order>{};
  auto secrets = secret_values(spec.secrets, own);
  if (!secrets)
    return secrets.error();
  auto hash = workspace_hash(definition_of(spec));
  if (!hash)
    return hash.error();
  workspace_order out;
  if (auto* git = std::get_if<git_source>(&spec.source)) {
    out.git_url = git->url;
    out.git_ref = git->ref;
    out.git_depth = git->depth;
  } else if (auto* path = std::get_if<path_source>(&spec.source)) {
    out.copied_folder = path->directory;
  }
  out.install = spec.install;
  out.setup = spec.setup;
  for (const auto& [name, text] : spec.scripts) {
    out.scripts.push_back(name);
    out.scripts.push_back(text);
  }
  out.secrets = *std::move(secrets);
  out.timeout_ms = spec.setup_timeout_ms;
  out.hash = *std::move(hash);
  out.instance = order.where.shared_id;
  return std::optional{std::move(out)};
}

} // namespace baton::sandbox

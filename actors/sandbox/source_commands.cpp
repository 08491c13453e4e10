// SPDX-License-Identifier: MIT
#include "actors/sandbox/source_commands.hpp"

#include "messages/git_url.hpp"

#include <algorithm>
#include <array>

namespace baton::sandbox {
namespace {

using arguments = std::vector<std::string>;

arguments git(const arguments& more) {
  arguments out{"git"};
  for (auto setting :
       {"protocol.allow=never", "protocol.https.allow=always",
        "protocol.ssh.allow=always", "protocol.file.allow=always",
        "core.hooksPath=/dev/null", "init.defaultBranch=main",
        "advice.detachedHead=false", "gc.auto=0"}) {
    out.emplace_back("-c");
    out.emplace_back(setting);
  }
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

arguments with_depth(arguments command, std::uint64_t depth) {
  if (depth > 0)
    command.push_back("--depth=" + std::to_string(depth));
  return command;
}

std::vector<arguments> clone(const workspace_order& x,
                             const std::string& work) {
  arguments command{"clone", "--template=", "--no-recurse-submodules"};
  command = with_depth(std::move(command), x.git_depth);
  if (!x.git_ref.empty())
    command.push_back("--branch=" + x.git_ref);
  command.insert(command.end(), {"--", x.git_url, work});
  return {git(command)};
}

/// A commit is no branch: it has to be asked for by its own name.
std::vector<arguments> fetch(const workspace_order& x,
                             const std::string& work) {
  arguments command{"-C", work, "fetch", "--no-recurse-submodules"};
  command = with_depth(std::move(command), x.git_depth);
  command.insert(command.end(), {"origin", x.git_ref});
  return {git({"init", "--quiet", "--template=", "--", work}),
          git({"-C", work, "remote", "add", "origin", x.git_url}), git(command),
          git({"-C", work, "checkout", "--detach", "FETCH_HEAD"})};
}

std::string_view name_of(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

constexpr std::array<std::string_view, 7> passed_names{
  "PATH",   "HOME",          "USER",          "LOGNAME",
  "TMPDIR", "BATON_SANDBOX", "BATON_INSTANCE"};

} // namespace

std::vector<arguments> source_commands(const workspace_order& order,
                                       const std::string& work) {
  if (!order.copied_folder.empty())
    return {{"cp", "-a", "--", order.copied_folder + "/.", work}};
  if (order.git_url.empty())
    return {};
  return is_git_commit(order.git_ref) ? fetch(order, work) : clone(order, work);
}

arguments source_environment(const arguments& agent) {
  arguments out{"LC_ALL=C",
                "GIT_TERMINAL_PROMPT=0",
                "GIT_CONFIG_NOSYSTEM=1",
                "GIT_CONFIG_GLOBAL=/dev/null",
                "GIT_ASKPASS=/bin/false",
                "GIT_SSH_COMMAND=ssh -oBatchMode=yes"};
  for (const auto& item : agent)
    if (std::ranges::find(passed_names, name_of(item)) != passed_names.end())
      out.push_back(item);
  return out;
}

std::string source_name(const workspace_order& order) {
  if (!order.copied_folder.empty())
    return "the folder " + order.copied_folder;
  auto out = "the repository " + redacted_url(order.git_url);
  return order.git_ref.empty() ? out : out + " at " + order.git_ref;
}

arguments with_variables(arguments set, const arguments& more) {
  for (const auto& item : more) {
    std::erase_if(
      set, [&](const std::string& x) { return name_of(x) == name_of(item); });
    set.push_back(item);
  }
  return set;
}

arguments with_path(arguments set, const std::string& folder) {
  constexpr std::string_view name = "PATH=";
  for (auto& item : set)
    if (item.starts_with(name))
      item = std::string{name} + folder + ":" + item.substr(name.size());
  return set;
}

} // namespace baton::sandbox

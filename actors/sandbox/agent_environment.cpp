// SPDX-License-Identifier: MIT
#include "actors/sandbox/agent_environment.hpp"

#include "actors/sandbox/sandbox_layout.hpp"
#include "messages/record.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

namespace baton::sandbox {
namespace {

constexpr std::array<std::string_view, 11> inherited_names{
  "PATH",     "HOME", "USER",      "LOGNAME", "SHELL", "LANG",
  "LANGUAGE", "TERM", "COLORTERM", "TZ",      "TMPDIR"};

bool holds_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

} // namespace

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> out;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    std::string_view item{*at};
    if (auto eq = item.find('='); eq != std::string_view::npos)
      out.emplace(item.substr(0, eq), item.substr(eq + 1));
  }
  return out;
}

bool is_inherited(std::string_view name) {
  return name.starts_with("LC_")
         || std::find(inherited_names.begin(), inherited_names.end(), name)
              != inherited_names.end();
}

result<std::vector<std::string>>
agent_environment(const std::map<std::string, std::string>& launcher,
                  const std::map<std::string, std::string>& ordered,
                  const std::string& sandbox_directory) {
  std::map<std::string, std::string> all{{"PATH", std::string{default_path}}};
  for (const auto& [name, value] : launcher)
    if (is_inherited(name))
      all[name] = value;
  for (const auto& [name, value] : ordered) {
    if (name.empty() || name.find('=') != std::string::npos || holds_nul(name))
      return {errc::malformed, "the environment name '" + printable(name)
                                 + "' is empty or holds '=' or a zero byte; "
                                   "rename it"};
    if (holds_nul(value))
      return {errc::malformed, "the value of the environment variable "
                                 + printable(name)
                                 + " holds a zero byte; encode it"};
    all[name] = value;
  }
  all[std::string{sandbox_variable}] = sandbox_directory;
  std::vector<std::string> out;
  for (const auto& [name, value] : all)
    out.push_back(name + "=" + value);
  return out;
}

} // namespace baton::sandbox

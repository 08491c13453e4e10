// SPDX-License-Identifier: MIT
#include "apps/baton/flag_names.hpp"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace baton::cli {

namespace {

struct row {
  std::string_view field;
  std::string_view flag;
};

constexpr std::array exact{
  row{"command", "command"},
  row{"run_id", "--id"},
  row{"thread_id", "--thread"},
  row{"node", "--node"},
  row{"cwd", "working directory (--cwd)"},
  row{"env", "--env"},
  row{"labels", "--label"},
  row{"stdin", "--stdin"},
  row{"before", "--before"},
  row{"sandbox", "--sandbox"},
  row{"sandbox.provider", "--sandbox"},
  row{"sandbox.network", "--network"},
  row{"sandbox.reuse", "--reuse"},
  row{"sandbox.workspace.setup", "--setup"},
  row{"sandbox.workspace.source", "--workspace"},
  row{"sandbox.workspace.secrets", "--secret"},
};

constexpr std::string_view source_field = "sandbox.workspace.source.";
constexpr std::string_view step_field = "sandbox.workspace.setup[";
constexpr std::string_view secret_field = "sandbox.workspace.secrets.";
constexpr std::string_view between = ", ";

std::string step_flag(std::string_view index) {
  std::size_t n = 0;
  std::from_chars(index.data(), index.data() + index.size(), n);
  return "--setup number " + std::to_string(n + 1);
}

std::string secret_flag(std::string_view name) {
  // Of a reference that is wrong, the name tells enough.
  for (std::string_view part : {".file", ".env"})
    if (name.ends_with(part))
      name.remove_suffix(part.size());
  return "--secret " + std::string{name};
}

std::string text_of(const status& why, std::string_view name) {
  for (const auto& detail : why.details)
    if (detail.name == name)
      if (const auto* text = std::get_if<std::string>(&detail.value))
        return *text;
  return {};
}

void replace(std::string& text, const std::string& what,
             const std::string& with) {
  if (auto at = text.find(what); !what.empty() && at != text.npos)
    text.replace(at, what.size(), with);
}

/// `a, b and c`, each as a flag where there is one.
std::string listed(std::string_view fields) {
  std::vector<std::string> all;
  for (;;) {
    auto end = fields.find(between);
    auto field = fields.substr(0, end);
    auto flag = flag_of(field);
    all.push_back(flag.empty() ? std::string{field} : flag);
    if (end == fields.npos)
      break;
    fields.remove_prefix(end + between.size());
  }
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i)
    out += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return out;
}

} // namespace

std::string flag_of(std::string_view field) {
  for (const auto& x : exact)
    if (x.field == field)
      return std::string{x.flag};
  if (field.starts_with(source_field))
    return "--workspace";
  if (field.starts_with(step_field))
    return step_flag(field.substr(step_field.size()));
  if (field.starts_with(secret_field))
    return secret_flag(field.substr(secret_field.size()));
  if (field.starts_with("env."))
    return "--env " + std::string{field.substr(4)};
  if (field.starts_with("labels."))
    return "--label " + std::string{field.substr(7)};
  return {};
}

status in_flags(status why) {
  if (auto field = text_of(why, "field"); !field.empty())
    if (auto flag = flag_of(field); !flag.empty())
      replace(why.message, "field '" + field + "'", flag);
  if (auto fields = text_of(why, "differs"); !fields.empty()) {
    replace(why.message, fields, listed(fields));
    replace(why.message, "pick another id", "give another --id");
  }
  return why;
}

} // namespace baton::cli

// SPDX-License-Identifier: MIT
#include "messages/workspace.hpp"

#include "messages/canonical_json.hpp"
#include "messages/git_url.hpp"
#include "messages/record.hpp"
#include "messages/stored.pb.h"
#include "messages/utf8.hpp"

#include <algorithm>

namespace baton {
namespace {

constexpr std::size_t commands_max = 1000;
constexpr std::size_t names_max = 1000;
constexpr std::size_t command_bytes_max = 128 * 1024;
constexpr std::size_t name_bytes_max = 128;
constexpr std::uint64_t timeout_ms_max = 86'400'000;
/// Names the engine gives a meaning to, and the daemon's own settings.
constexpr std::string_view own_prefix = "BATON_";

status wrong(const std::string& field, const std::string& what) {
  return make_status(errc::malformed, "field '" + field + "' " + what)
    .with("field", field);
}

bool has_nul(std::string_view text) {
  return text.find('\0') != text.npos;
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max && !is_digit(name[0])
         && std::ranges::all_of(name, [](char c) {
              return is_letter(c) || is_digit(c) || c == '_';
            });
}

bool is_script_name(std::string_view name) {
  return !name.empty() && name.size() <= name_bytes_max && name[0] != '.'
         && name[0] != '-' && std::ranges::all_of(name, [](char c) {
              return is_letter(c) || is_digit(c) || c == '_' || c == '-'
                     || c == '.';
            });
}

bool is_no_word(std::string_view text) {
  return !is_utf8(text) || std::ranges::any_of(text, [](char c) {
    return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
  });
}

/// `[USER@]HOST:PATH`; `NAME::ADDRESS` would call a helper program of that
/// name.
bool is_scp_like(std::string_view url) {
  auto colon = url.find(':');
  return colon != url.npos && colon > 0 && colon + 1 < url.size()
         && url.find('/') > colon && url[colon + 1] != ':'
         && url.find("://") == url.npos;
}

bool is_git_url(std::string_view url) {
  if (url.empty() || url[0] == '-' || is_no_word(url))
    return false;
  for (std::string_view scheme : {"https://", "ssh://", "file://"})
    if (url.starts_with(scheme))
      return url.size() > scheme.size() && url[scheme.size()] != '-';
  return is_scp_like(url);
}

status check_source(const git_source& x) {
  if (!is_git_url(x.url))
    return wrong("source.git.url",
                 "is '" + printable(redacted_url(x.url))
                   + "', expected https://, ssh:// or file:// and a "
                     "repository, or HOST:PATH");
  if (!x.ref.empty()
      && (x.ref[0] == '-' || is_no_word(x.ref) || x.ref.find("..") != x.ref.npos
          || x.ref.find_first_of("~^:?*[\\") != x.ref.npos))
    return wrong("source.git.ref", "is '" + printable(x.ref)
                                     + "', expected a branch, a tag or a "
                                       "whole commit id");
  return {};
}

status check_source(const path_source& x) {
  if (x.directory.empty() || x.directory[0] != '/' || has_nul(x.directory)
      || !is_utf8(x.directory))
    return wrong("source.path", "is '" + printable(x.directory)
                                  + "', expected an absolute path in UTF-8");
  return {};
}

status check_source(const std::monostate&) {
  return {};
}

status check_command(const std::string& field, const std::string& text) {
  if (text.empty() || has_nul(text) || !is_utf8(text))
    return wrong(field, "is empty, holds a NUL or is not UTF-8, expected a "
                        "shell text");
  if (text.size() > command_bytes_max)
    return wrong(field, "has " + std::to_string(text.size())
                          + " bytes, expected at most "
                          + std::to_string(command_bytes_max)
                          + "; put the text into a file of the source");
  return {};
}

status check_setup(const workspace_spec& x) {
  std::size_t commands = 0;
  for (std::size_t i = 0; i < x.setup.size(); ++i) {
    auto field = "setup[" + std::to_string(i) + "]";
    if (x.setup[i].empty())
      return wrong(field, "is empty, expected at least one command");
    for (const auto& command : x.setup[i])
      if (auto bad = check_command(field, command); !bad.ok())
        return bad;
    commands += x.setup[i].size();
  }
  if (commands > commands_max)
    return wrong("setup", "has " + std::to_string(commands)
                            + " commands, expected at most "
                            + std::to_string(commands_max));
  return {};
}

status check_secret(const std::string& name, const secret_reference& x) {
  auto field = "secrets." + printable(name);
  if (!is_variable_name(name) || name.starts_with(own_prefix))
    return wrong(field, "is no usable name, expected letters, digits and _, "
                        "not beginning with a digit or BATON_");
  if (x.from == secret_reference::place::file) {
    if (x.name.empty() || x.name[0] != '/' || has_nul(x.name))
      return wrong(field + ".file",
                   "is '" + printable(x.name) + "', expected an absolute path");
  } else if (!is_variable_name(x.name) || x.name.starts_with(own_prefix)) {
    return wrong(field + ".env", "is '" + printable(x.name)
                                   + "', expected the name of a variable, not "
                                     "one of baton's own");
  }
  return {};
}

// -- stored form --------------------------------------------------------------

void put(const std::monostate&, stored::Workspace&) {}

void put(const git_source& x, stored::Workspace& out) {
  out.mutable_git()->set_url(x.url);
  out.mutable_git()->set_ref(x.ref);
  out.mutable_git()->set_depth(x.depth);
}

void put(const path_source& x, stored::Workspace& out) {
  out.set_path(x.directory);
}

std::string text_of(const std::monostate&) {
  return "null";
}

std::string text_of(const git_source& x) {
  return "{\"depth\":" + std::to_string(x.depth) + ",\"ref\":"
         + json_quoted(x.ref) + ",\"url\":" + json_quoted(x.url) + "}";
}

std::string text_of(const path_source& x) {
  return json_quoted(x.directory);
}

} // namespace

bool is_empty(const workspace_spec& x) {
  return std::holds_alternative<std::monostate>(x.source) && !x.install
         && x.setup.empty() && x.scripts.empty() && x.secrets.empty();
}

status check(const workspace_spec& x) {
  auto source =
    std::visit([](const auto& s) { return check_source(s); }, x.source);
  if (!source.ok())
    return source;
  if (auto setup = check_setup(x); !setup.ok())
    return setup;
  if (x.scripts.size() > names_max || x.secrets.size() > names_max)
    return wrong(x.scripts.size() > names_max ? "scripts" : "secrets",
                 "has more than " + std::to_string(names_max) + " entries");
  for (const auto& [name, text] : x.scripts) {
    auto field = "scripts." + printable(name);
    if (!is_script_name(name))
      return wrong(field, "is no usable name, expected letters, digits, '.', "
                          "'_' and '-', not beginning with '.' or '-'");
    if (auto bad = check_command(field, text); !bad.ok())
      return bad;
  }
  for (const auto& [name, reference] : x.secrets)
    if (auto bad = check_secret(name, reference); !bad.ok())
      return bad;
  if (x.setup_timeout_ms == 0 || x.setup_timeout_ms > timeout_ms_max)
    return wrong("setup_timeout_ms", "is " + std::to_string(x.setup_timeout_ms)
                                       + ", expected 1 to "
                                       + std::to_string(timeout_ms_max));
  return {};
}

std::string definition_of(const workspace_spec& x) {
  // Sorted by key and without blanks: canonical as it stands.
  std::string out = "{\"install\":";
  out += x.install ? "true" : "false";
  out += ",\"scripts\":{";
  for (const auto& [name, text] : x.scripts)
    out += (out.back() == '{' ? "" : ",") + json_quoted(name) + ":"
           + json_quoted(text);
  out += "},\"setup\":[";
  for (const auto& step : x.setup) {
    out += out.back() == '[' ? "[" : ",[";
    for (const auto& command : step)
      out += (out.back() == '[' ? "" : ",") + json_quoted(command);
    out += "]";
  }
  return out + "],\"source\":"
         + std::visit([](const auto& s) { return text_of(s); }, x.source) + "}";
}

std::string encode(const workspace_spec& x) {
  stored::Workspace out;
  std::visit([&](const auto& s) { put(s, out); }, x.source);
  out.set_install(x.install);
  for (const auto& step : x.setup) {
    auto& to = *out.add_setup();
    for (const auto& command : step)
      to.add_commands(command);
  }
  for (const auto& [name, text] : x.scripts)
    (*out.mutable_scripts())[name] = text;
  for (const auto& [name, reference] : x.secrets) {
    auto& to = (*out.mutable_secrets())[name];
    if (reference.from == secret_reference::place::file)
      to.set_file(reference.name);
    else
      to.set_env(reference.name);
  }
  out.set_setup_timeout_ms(x.setup_timeout_ms);
  return out.SerializeAsString();
}

result<workspace_spec> decode_workspace(std::string_view bytes) {
  stored::Workspace in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return {errc::corrupt, "stored workspace of " + std::to_string(bytes.size())
                             + " bytes cannot be parsed"};
  workspace_spec x;
  if (in.has_git())
    x.source = git_source{in.git().url(), in.git().ref(), in.git().depth()};
  else if (in.has_path())
    x.source = path_source{in.path()};
  x.install = in.install();
  for (const auto& step : in.setup())
    x.setup.emplace_back(step.commands().begin(), step.commands().end());
  x.scripts.insert(in.scripts().begin(), in.scripts().end());
  using place = secret_reference::place;
  for (const auto& [name, reference] : in.secrets())
    x.secrets[name] = reference.has_file()
                        ? secret_reference{place::file, reference.file()}
                        : secret_reference{place::env, reference.env()};
  x.setup_timeout_ms = in.setup_timeout_ms();
  if (auto bad = check(x); !bad.ok())
    return {errc::corrupt, "stored workspace: " + bad.message};
  return x;
}

} // namespace baton

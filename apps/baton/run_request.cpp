// SPDX-License-Identifier: MIT
#include "apps/baton/run_request.hpp"

#include "messages/base64.hpp"
#include "messages/record.hpp"
#include "messages/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <filesystem>

namespace baton::cli {

namespace json = boost::json;

namespace {

/// UUIDv7 (RFC 9562): sorts by time.
std::string mint_id(wall_time now,
                    const std::array<unsigned char, 10>& random) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::array<unsigned char, 16> bytes{};
  auto ms = static_cast<std::uint64_t>(now.time_since_epoch().count());
  for (std::size_t i = 0; i < 6; ++i)
    bytes[i] = static_cast<unsigned char>(ms >> (40 - 8 * i));
  std::copy(random.begin(), random.end(), bytes.begin() + 6);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x70);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10)
      out += '-';
    out += hex[bytes[i] >> 4];
    out += hex[bytes[i] & 15];
  }
  return out;
}

status refuse(const std::string& flag, const std::string& expected,
              const std::string& found) {
  return make_status(errc::malformed, flag + ": expected " + expected
                                        + ", found '" + printable(found) + "'");
}

bool is_variable_name(std::string_view name) {
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name[0])
         && std::all_of(name.begin(), name.end(),
                        [&](char c) { return is_letter(c) || is_digit(c); });
}

/// The name in front of `=`, which a shell could set.
status check_name(const std::string& flag, const std::string& text) {
  auto name = text.substr(0, text.find('='));
  if (is_variable_name(name))
    return {};
  return refuse(flag,
                "a name of letters, digits and _, not beginning with a "
                "digit",
                name);
}

/// `K=V`, or `K` for the caller's own value.
status add_pair(json::object& out, const std::string& flag,
                const std::string& pair, const env_variables* fallback) {
  auto equals = pair.find('=');
  auto name = pair.substr(0, equals);
  auto is_bare = equals == std::string::npos;
  if (name.empty() || (is_bare && !fallback))
    return make_status(errc::malformed,
                       flag + ": expected NAME=VALUE, found '" + pair + "'");
  if (!is_utf8(pair))
    return make_status(errc::malformed, flag + ": expected UTF-8, found '"
                                          + printable(pair) + "'");
  if (!is_bare)
    out[name] = pair.substr(equals + 1);
  else if (auto i = fallback->find(name); i != fallback->end())
    out[name] = i->second;
  return {};
}

status add_pairs(json::object& body, const char* key, const std::string& flag,
                 const std::vector<std::string>& pairs,
                 const env_variables* fallback) {
  json::object out;
  for (auto& pair : pairs)
    if (auto why = add_pair(out, flag, pair, fallback); !why.ok())
      return why;
  if (!out.empty())
    body[key] = std::move(out);
  return {};
}

status check_text(const std::string& what, const std::string& text) {
  if (is_utf8(text))
    return {};
  return make_status(errc::malformed, what + ": expected UTF-8, found '"
                                        + printable(text)
                                        + "' (wrap it in a script)");
}

status check_id(const std::string& flag, const std::string& id) {
  if (is_valid_id(id))
    return {};
  return make_status(errc::malformed,
                     flag
                       + ": expected 1 to 512 bytes of UTF-8 without "
                         "control characters, not '.' or '..', found '"
                       + printable(id) + "'");
}

bool has_workspace(const run_options& o) {
  return o.reuse || !o.workspace.empty() || !o.setup.empty();
}

std::string absolute(const std::string& path, const run_request_input& in) {
  // Another machine's daemon has no use for a directory of this one.
  if (path.starts_with('/') || !in.is_local)
    return path;
  auto full = std::filesystem::path{in.caller_cwd} / path;
  auto text = full.lexically_normal().string();
  if (text.size() > 1 && text.ends_with('/'))
    text.pop_back();
  return text;
}

std::string cwd_of(const run_options& o, const run_request_input& in) {
  // A directory of the workspace's.
  if (has_workspace(o))
    return o.cwd;
  if (o.cwd.empty())
    // Another machine's daemon has no use for a directory of this one.
    return in.is_local ? in.caller_cwd : std::string{};
  return absolute(o.cwd, in);
}

status add_source(json::object& workspace, const std::string& text,
                  const run_request_input& in) {
  constexpr std::string_view git = "git:";
  constexpr std::string_view path = "path:";
  if (text.starts_with(path) && text.size() > path.size()) {
    workspace["source"] =
      json::object{{"path", absolute(text.substr(path.size()), in)}};
    return {};
  }
  if (!text.starts_with(git) || text.size() == git.size())
    return refuse("--workspace", "git:URL[#REF] or path:DIR", text);
  auto url = text.substr(git.size());
  json::object source;
  if (auto at = url.rfind('#'); at != url.npos) {
    source["ref"] = url.substr(at + 1);
    url.resize(at);
  }
  source["url"] = url;
  workspace["source"] = json::object{{"git", std::move(source)}};
  return {};
}

status check_secret_name(const std::string& name) {
  if (auto why = check_name("--secret", name); !why.ok())
    return why;
  if (name == "PATH" || name.starts_with("LD_") || name.starts_with("BATON_"))
    return refuse("--secret",
                  "a name that no program gives a meaning to, as "
                  "PATH, LD_* and BATON_* have",
                  name);
  return {};
}

status add_secrets(json::object& workspace,
                   const std::vector<std::string>& secrets,
                   const run_request_input& in) {
  constexpr std::string_view file = "file:";
  constexpr std::string_view env = "env:";
  json::object out;
  for (const auto& text : secrets) {
    auto equals = text.find('=');
    auto place = equals == text.npos ? "" : text.substr(equals + 1);
    auto name = text.substr(0, equals);
    if (auto why = check_secret_name(name); !why.ok())
      return why;
    if (place.starts_with(file))
      out[name] =
        json::object{{"file", absolute(place.substr(file.size()), in)}};
    else if (place.starts_with(env))
      out[name] = json::object{{"env", place.substr(env.size())}};
    else
      // What stands there may be the secret itself.
      return refuse("--secret", "NAME=file:PATH or NAME=env:NAME",
                    name + (equals == text.npos ? "" : "=..."));
  }
  if (!out.empty())
    workspace["secrets"] = std::move(out);
  return {};
}

status add_sandbox(json::object& body, const run_options& o,
                   const run_request_input& in) {
  json::object workspace;
  for (const auto* all : {&o.setup, &o.secrets})
    for (const auto& text : *all)
      if (auto why = check_text("--setup, --secret", text); !why.ok())
        return why;
  if (auto why = check_text("--workspace", o.workspace); !why.ok())
    return why;
  if (!o.workspace.empty())
    if (auto why = add_source(workspace, o.workspace, in); !why.ok())
      return why;
  if (auto why = add_secrets(workspace, o.secrets, in); !why.ok())
    return why;
  if (!o.setup.empty())
    workspace["setup"] = json::array(o.setup.begin(), o.setup.end());
  if (workspace.empty() && !o.reuse && o.network.empty()) {
    if (!o.sandbox.empty())
      body["sandbox"] = o.sandbox;
    return {};
  }
  json::object sandbox;
  if (!o.sandbox.empty())
    sandbox["provider"] = o.sandbox;
  if (!o.network.empty())
    sandbox["network"] = o.network == "on";
  if (o.reuse)
    sandbox["reuse"] = true;
  if (!workspace.empty())
    sandbox["workspace"] = std::move(workspace);
  body["sandbox"] = std::move(sandbox);
  return {};
}

status add_stdin(json::object& body, const std::string& file,
                 const run_request_input& in) {
  if (file.empty())
    return {};
  auto bytes = in.read_file(file);
  if (!bytes)
    return make_status(errc::malformed, "--stdin: " + bytes.error().message);
  if (is_utf8(*bytes))
    body["stdin"] = *bytes;
  else
    body["stdin"] = json::object{{"base64", base64_encode(*bytes)}};
  return {};
}

} // namespace

status check_flags(const run_options& o) {
  if (o.command.empty())
    return make_status(errc::malformed,
                       "expected a command after --, found none (baton run -- "
                       "CMD ARG...)");
  if (o.reuse && !o.thread)
    return make_status(errc::malformed,
                       "--reuse: expected --thread with it, whose runs share "
                       "the workspace, found none (name the thread)");
  if (o.network == "off" && (o.sandbox.empty() || o.sandbox == "local"))
    return make_status(errc::malformed,
                       "--network off: expected --sandbox bwrap, found local, "
                       "which has the host's network (ask for bwrap)");
  for (const auto& pair : o.env)
    if (auto why = check_name("--env", pair); !why.ok())
      return why;
  return {};
}

result<run_request> make_run_request(const run_options& o,
                                     const run_request_input& in) {
  if (auto why = check_flags(o); !why.ok())
    return why;
  if (o.id)
    if (auto why = check_id("--id", *o.id); !why.ok())
      return why;
  if (o.thread)
    if (auto why = check_id("--thread", *o.thread); !why.ok())
      return why;
  run_request out;
  out.id = o.id ? *o.id : mint_id(in.now, in.random);
  json::object body;
  body["run_id"] = out.id;
  if (o.thread)
    body["thread_id"] = *o.thread;
  json::array command;
  for (auto& arg : o.command) {
    if (auto why = check_text("command", arg); !why.ok())
      return why;
    command.emplace_back(arg);
  }
  body["command"] = std::move(command);
  auto cwd = cwd_of(o, in);
  if (auto why = check_text("--cwd", cwd); !why.ok())
    return why;
  if (!cwd.empty())
    body["cwd"] = cwd;
  if (auto why = add_pairs(body, "env", "--env", o.env, &in.env); !why.ok())
    return why;
  if (auto why = add_pairs(body, "labels", "--label", o.labels, nullptr);
      !why.ok())
    return why;
  if (auto why = add_stdin(body, o.stdin_file, in); !why.ok())
    return why;
  if (auto why = add_sandbox(body, o, in); !why.ok())
    return why;
  if (!o.node.empty())
    body["node"] = o.node;
  out.body = json::serialize(body);
  return out;
}

} // namespace baton::cli

// SPDX-License-Identifier: MIT
#include "actors/gateway/workspace_json.hpp"

#include "messages/git_url.hpp"

#include <limits>

namespace baton::http {
namespace {

constexpr const char* prefix = "sandbox.workspace.";

void read_git(fields& source, const json::value& value, git_source& out,
              status& why) {
  if (auto* s = value.if_string()) {
    out.url = text_of(*s);
    return;
  }
  auto* object = value.if_object();
  if (!object)
    return source.wrong("git", "a URL or an object", value);
  fields inner{*object, std::string{prefix} + "source.git.", why};
  inner.only({"url", "ref", "depth"});
  inner.text("url", out.url);
  inner.text("ref", out.ref);
  std::optional<std::int64_t> depth;
  inner.number("depth", 0, std::numeric_limits<std::int32_t>::max(), depth);
  out.depth = static_cast<std::uint32_t>(depth.value_or(out.depth));
}

void read_source(fields& f, workspace_source& out, status& why) {
  auto* v = f.find("source");
  if (!v || (v->is_string() && text_of(v->get_string()) == "none"))
    return;
  auto* object = v->if_object();
  if (!object)
    return f.wrong("source", "\"none\", {\"git\": ...} or {\"path\": ...}", *v);
  fields inner{*object, std::string{prefix} + "source.", why};
  inner.only({"git", "path"});
  if (object->size() != 1)
    return f.fail("source", "has " + std::to_string(object->size())
                              + " fields, expected one of git and path");
  if (auto* git = inner.find("git")) {
    read_git(inner, *git, out.emplace<git_source>(), why);
  } else {
    inner.text("path", out.emplace<path_source>().directory);
  }
}

void read_setup(fields& f, std::vector<setup_step>& out) {
  auto* v = f.find("setup");
  if (!v)
    return;
  auto* list = v->if_array();
  if (!list)
    return f.wrong("setup", "an array of steps", *v);
  for (const auto& step : *list) {
    auto& commands = out.emplace_back();
    if (auto* s = step.if_string()) {
      commands.emplace_back(text_of(*s));
      continue;
    }
    auto* parallel = step.if_array();
    if (!parallel)
      return f.wrong("setup", "steps that are a command or an array of them",
                     step);
    for (const auto& command : *parallel) {
      if (!command.is_string())
        return f.wrong("setup", "commands that are strings", command);
      commands.emplace_back(text_of(command.get_string()));
    }
  }
}

void read_install(fields& f, bool& out) {
  auto* v = f.find("install");
  if (v && v->is_string() && text_of(v->get_string()) == "auto")
    out = true;
  else
    f.flag("install", out);
}

void read_secrets(fields& f, std::map<std::string, secret_reference>& out,
                  status& why) {
  auto* v = f.find("secrets");
  if (!v)
    return;
  auto* members = v->if_object();
  if (!members)
    return f.wrong("secrets",
                   "an object of {\"file\": PATH} or {\"env\": NAME}", *v);
  for (const auto& [key, value] : *members) {
    std::string name{key.data(), key.size()};
    auto* object = value.if_object();
    // A value that was written here in error must not come back in a message.
    if (!object || object->size() != 1)
      return f.fail("secrets." + name,
                    "is no reference, expected {\"file\": PATH} or {\"env\": "
                    "NAME}");
    fields inner{*object, std::string{prefix} + "secrets." + name + ".", why};
    inner.only({"file", "env"});
    if (name == "PATH" || name.starts_with("LD_"))
      return f.fail("secrets." + name,
                    "is no usable name: it would change how programs are "
                    "found and loaded; take another");
    auto& reference = out[name];
    auto in_file = inner.find("file") != nullptr;
    reference.from =
      in_file ? secret_reference::place::file : secret_reference::place::env;
    inner.text(in_file ? "file" : "env", reference.name);
  }
}

json::value source_value(const std::monostate&) {
  return "none";
}

json::value source_value(const git_source& x) {
  json::object out{{"url", redacted_url(x.url)}};
  if (!x.ref.empty())
    out["ref"] = x.ref;
  return json::object{{"git", std::move(out)}};
}

json::value source_value(const path_source& x) {
  return json::object{{"path", x.directory}};
}

} // namespace

json::object workspace_summary(const workspace_spec& x) {
  json::object out;
  out["source"] =
    std::visit([](const auto& s) { return source_value(s); }, x.source);
  if (x.install)
    out["install"] = "auto";
  out["setup_steps"] = x.setup.size();
  json::array secrets;
  for (const auto& [name, reference] : x.secrets)
    secrets.emplace_back(name);
  if (!secrets.empty())
    out["secrets"] = std::move(secrets);
  return out;
}

void read_workspace(fields& sandbox, const json::value& value,
                    workspace_spec& out, status& why) {
  auto* object = value.if_object();
  if (!object)
    return sandbox.wrong("workspace", "an object", value);
  fields f{*object, prefix, why};
  f.only(
    {"source", "install", "setup", "scripts", "secrets", "setup_timeout_ms"});
  read_source(f, out.source, why);
  read_install(f, out.install);
  read_setup(f, out.setup);
  f.text_map("scripts", out.scripts);
  read_secrets(f, out.secrets, why);
  std::optional<std::int64_t> timeout;
  f.number("setup_timeout_ms", 1, std::numeric_limits<std::int32_t>::max(),
           timeout);
  if (timeout)
    out.setup_timeout_ms = static_cast<std::uint64_t>(*timeout);
  sandbox.take("workspace", check(out));
}

} // namespace baton::http

// SPDX-License-Identifier: MIT
#include "actors/gateway/request_json.hpp"

#include "actors/gateway/json_fields.hpp"
#include "actors/gateway/repeated_key.hpp"
#include "actors/gateway/workspace_json.hpp"
#include "messages/base64.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace baton::http {
namespace {

namespace json = boost::json;

constexpr std::uint64_t ttl_ms_min = 100;
constexpr std::uint64_t ttl_ms_max = 600'000;

result<json::object> parse_object(std::string_view body) {
  json::error_code ec;
  auto value = json::parse({body.data(), body.size()}, ec);
  if (ec)
    return result<json::object>(errc::malformed,
                                "the body is not JSON (" + ec.message()
                                  + "); expected one JSON object");
  if (!value.is_object())
    return result<json::object>(errc::malformed,
                                "the body is " + std::string{kind_name(value)}
                                  + ", expected a JSON object");
  if (auto key = find_repeated_key(body)) {
    auto name = printable(*key);
    return make_status(errc::malformed, "field '" + name
                                          + "' is given more than once; give "
                                            "it once")
      .with("field", name);
  }
  return std::move(value.as_object());
}

bool has_nul(std::string_view text) {
  return text.find('\0') != text.npos;
}

void read_command(fields& f, run_command& out) {
  auto* v = f.find("command");
  if (!v)
    return;
  if (auto* s = v->if_string()) {
    out.shell = true;
    out.argv = {std::string{text_of(*s)}};
  } else if (auto* list = v->if_array()) {
    for (const auto& item : *list) {
      if (!item.is_string())
        return f.wrong("command", "strings only", item);
      out.argv.emplace_back(text_of(item.get_string()));
    }
  } else {
    return f.wrong("command", "an array of strings, or one shell text", *v);
  }
  if (out.argv.empty() || out.argv.front().empty())
    return f.fail("command", "is empty, expected a program");
  if (std::any_of(out.argv.begin(), out.argv.end(), has_nul))
    f.fail("command", "holds a NUL, which no program can be given");
}

void read_stdin(fields& f, std::string& out, status& why) {
  auto* v = f.find("stdin");
  if (!v)
    return;
  if (auto* s = v->if_string()) {
    out = text_of(*s);
    return;
  }
  if (!v->is_object())
    return f.wrong("stdin", "a string or {\"base64\": \"...\"}", *v);
  fields inner{v->get_object(), "stdin.", why};
  inner.only({"base64"});
  std::string text;
  inner.text("base64", text);
  auto bytes = base64_decode(text);
  if (!inner.find("base64") || !bytes)
    return inner.fail("base64", "is missing or is not base64");
  out = *std::move(bytes);
}

/// What of it no provider of that name can do.
void check_sandbox(fields& f, const sandbox_spec& x,
                   const std::vector<std::string>& providers) {
  if (x.provider.empty())
    return f.fail("sandbox", "names no provider; leave it out for 'local'");
  if (std::ranges::find(providers, x.provider) == providers.end()) {
    std::string known;
    for (const auto& name : providers)
      known += (known.empty() ? "'" : ", '") + name + "'";
    return f.fail("sandbox", "is '" + printable(x.provider)
                               + "', which no node can ever offer; known are "
                               + known);
  }
  if (x.provider == "local" && x.network == false)
    f.fail("sandbox.network", "cannot be false with provider 'local', which "
                              "has the host's network; leave it out, or ask "
                              "for 'bwrap'");
  if (x.provider == "bwrap" && x.keep_processes)
    f.fail("sandbox.keep_processes", "cannot be true with provider 'bwrap', "
                                     "where nothing outlives the agent; leave "
                                     "it out, or ask for 'local'");
}

void read_sandbox(fields& f, sandbox_spec& out, status& why) {
  auto* v = f.find("sandbox");
  if (!v)
    return;
  if (auto* s = v->if_string()) {
    out.provider = text_of(*s);
  } else if (auto* object = v->if_object()) {
    fields inner{*object, "sandbox.", why};
    inner.only({"provider", "reuse", "keep_processes", "network",
                "destroy_on_complete", "tenant", "workspace"});
    inner.text("provider", out.provider);
    inner.flag("reuse", out.reuse);
    if (auto* workspace = inner.find("workspace"))
      read_workspace(inner, *workspace, out.workspace, why);
    inner.flag("keep_processes", out.keep_processes);
    inner.flag("destroy_on_complete", out.destroy_on_complete);
    inner.id("tenant", out.tenant);
    if (inner.find("network")) {
      bool network = false;
      inner.flag("network", network);
      out.network = network;
    }
  } else {
    return f.wrong("sandbox", "a provider's name or an object", *v);
  }
}

void check_surroundings(fields& f, const run_spec& spec) {
  for (const auto& [name, value] : spec.env)
    if (name.empty() || name.find('=') != name.npos || has_nul(name)
        || has_nul(value))
      f.fail("env", "has the entry '" + printable(name)
                      + "', expected a name without '=' and no NUL");
  if (spec.cwd.empty())
    return;
  // Relative to the workspace, where there is one.
  auto is_below = spec.cwd.find("..") == spec.cwd.npos
                  && (spec.sandbox.reuse || !is_empty(spec.sandbox.workspace));
  if ((spec.cwd[0] != '/' && !is_below) || has_nul(spec.cwd))
    f.fail("cwd", "is '" + printable(spec.cwd)
                    + "', expected an absolute path, or with a workspace one "
                      "below it");
}

void read_error(fields& f, run_outcome& out, status& why) {
  auto* v = f.find("error");
  if (!v)
    return;
  run_error error{errc::driver_failed, ""};
  if (auto* s = v->if_string()) {
    error.message = text_of(*s);
  } else if (auto* object = v->if_object()) {
    fields inner{*object, "error.", why};
    inner.only({"code", "message"});
    std::string code;
    inner.text("code", code);
    inner.text("message", error.message);
    // A code of the driver's own stays readable in the message.
    if (auto known = errc_from_string(code); known && *known != errc::none)
      error.code = *known;
    else if (!code.empty())
      error.message = code + ": " + error.message;
  } else {
    return f.wrong("error", "a string or {code?, message}", *v);
  }
  out.error = std::move(error);
}

} // namespace

result<run_spec> parse_create(std::string_view body,
                              const std::vector<std::string>& providers) {
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"run_id", "thread_id", "command", "cwd", "env", "stdin", "sandbox",
          "node", "detach_on_disconnect", "labels", "external"});
  run_spec spec;
  std::string run;
  std::string thread;
  std::string node;
  f.id("run_id", run);
  f.id("thread_id", thread);
  f.id("node", node);
  read_command(f, spec.command);
  f.text("cwd", spec.cwd);
  f.text_map("env", spec.env);
  f.text_map("labels", spec.labels);
  f.flag("external", spec.external);
  f.flag("detach_on_disconnect", spec.detach_on_disconnect);
  read_stdin(f, spec.stdin_bytes, why);
  read_sandbox(f, spec.sandbox, why);
  check_sandbox(f, spec.sandbox, providers);
  check_surroundings(f, spec);
  if (spec.command.argv.empty() && !spec.external)
    f.fail("command", "is missing; expected an array of strings, or one shell "
                      "text (or external: true)");
  if (!why.ok())
    return why;
  spec.id = run_id{std::move(run)};
  spec.thread = thread_id{std::move(thread)};
  spec.wanted_node = node_id{std::move(node)};
  return spec;
}

result<claim_body> parse_claim(std::string_view body) {
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"holder", "ttl_ms", "steal"});
  claim_body out;
  f.id("holder", out.holder);
  std::optional<std::int64_t> ttl;
  f.number("ttl_ms", ttl_ms_min, ttl_ms_max, ttl);
  f.flag("steal", out.steal);
  if (!f.find("holder"))
    f.fail("holder", "is missing; expected a name for whoever drives the run");
  if (!why.ok())
    return why;
  out.ttl_ms = static_cast<std::uint64_t>(ttl.value_or(0));
  return out;
}

result<node_id> parse_takeover(std::string_view body) {
  if (body.empty())
    return node_id{};
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"node"});
  std::string node;
  f.id("node", node);
  if (!why.ok())
    return why;
  return node_id{std::move(node)};
}

result<run_outcome> parse_finish(std::string_view body) {
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"status", "exit_code", "error", "usage"});
  run_outcome out;
  std::string name;
  f.text("status", name);
  auto found = run_status_from_string(name);
  if (!found || !is_terminal(*found))
    f.fail("status", "is '" + printable(name)
                       + "', expected completed, failed or aborted");
  std::optional<std::int64_t> code;
  f.number("exit_code", std::numeric_limits<int>::min(),
           std::numeric_limits<int>::max(), code);
  read_error(f, out, why);
  if (auto* usage = f.find("usage")) {
    if (usage->is_object())
      out.usage = json::serialize(*usage);
    else
      f.wrong("usage", "an object", *usage);
  }
  if (!why.ok())
    return why;
  out.status = *found;
  if (code)
    out.exit_code = static_cast<int>(*code);
  return out;
}

result<seq> parse_trim(std::string_view body) {
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"before"});
  std::optional<std::int64_t> before;
  f.number("before", 1, std::numeric_limits<std::int64_t>::max(), before);
  if (!f.find("before"))
    f.fail("before", "is missing; expected the number of the first entry to "
                     "keep");
  if (!why.ok())
    return why;
  return seq{static_cast<std::uint64_t>(*before)};
}

result<bool> parse_gc(std::string_view body) {
  if (body.empty())
    return false;
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields f{*object, "", why};
  f.only({"remove"});
  bool remove = false;
  f.flag("remove", remove);
  if (!why.ok())
    return why;
  return remove;
}

status parse_nothing(std::string_view body) {
  if (body.empty())
    return {};
  auto object = parse_object(body);
  if (!object)
    return object.error();
  status why;
  fields{*object, "", why}.only({});
  return why;
}

} // namespace baton::http

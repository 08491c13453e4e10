// SPDX-License-Identifier: MIT
#include "actors/gateway/record_json.hpp"

#include "actors/gateway/workspace_json.hpp"
#include "messages/utf8.hpp"

#include <boost/json.hpp>

namespace baton::http {
namespace {

namespace json = boost::json;

/// JSON is UTF-8; what a store or an environment held may not be.
json::string text(std::string_view s) {
  auto shown = is_utf8(s) ? std::string{s} : printable(s);
  return json::string{json::string_view{shown.data(), shown.size()}};
}

json::object text_map(const std::map<std::string, std::string>& m) {
  json::object out;
  for (const auto& [key, value] : m)
    out[text(key)] = text(value);
  return out;
}

json::value command_value(const run_command& c) {
  if (c.shell && c.argv.size() == 1)
    return text(c.argv.front());
  json::array out;
  for (const auto& arg : c.argv)
    out.emplace_back(text(arg));
  return out;
}

json::object sandbox_value(const run_view& x) {
  const auto& r = x.record;
  json::object out;
  out["provider"] = text(r.spec->sandbox.provider);
  if (!r.state.sandbox.key.empty())
    out["key"] = text(r.state.sandbox.key.str());
  if (!r.state.sandbox.id.empty())
    out["id"] = text(r.state.sandbox.id);
  if (!r.state.sandbox.shared_id.empty())
    out["shared_id"] = text(r.state.sandbox.shared_id);
  if (r.spec->sandbox.reuse)
    out["reuse"] = true;
  if (r.spec->sandbox.network)
    out["network"] = *r.spec->sandbox.network;
  if (!is_empty(r.spec->sandbox.workspace))
    out["workspace"] = workspace_summary(r.spec->sandbox.workspace);
  // A record that was read past the coordinator does not tell.
  if (x.sandbox != sandbox_stage::none || r.state.sandbox.id.empty())
    out["state"] = std::string{to_string(x.sandbox)};
  return out;
}

/// How far a cancel got: each stage includes the ones before.
std::string_view cancel_stage(const run_view& x) {
  const auto& s = x.record.state;
  if (s.finished_at) {
    auto was_launched = !s.sandbox.id.empty();
    return x.sandbox == sandbox_stage::gone || !was_launched ? "gone"
                                                             : "stopped";
  }
  return s.cancel_delivered_at ? "delivered" : "recorded";
}

void add_cancel(const run_view& x, json::object& out) {
  const auto& s = x.record.state;
  out["cancel_requested"] = s.cancel_requested_at.has_value();
  if (!s.cancel_requested_at)
    return;
  json::object cancel{{"requested_at", to_rfc3339(*s.cancel_requested_at)}};
  if (s.cancel_delivered_at)
    cancel["delivered_at"] = to_rfc3339(*s.cancel_delivered_at);
  if (s.finished_at)
    cancel["stopped_at"] = to_rfc3339(*s.finished_at);
  cancel["stage"] = std::string{cancel_stage(x)};
  out["cancel"] = std::move(cancel);
}

json::object instance_value(const instance_record& x) {
  json::object out{{"key", text(x.key.str())},
                   {"provider", text(x.provider)},
                   {"id", text(x.id)},
                   {"thread_id", text(x.thread.str())}};
  if (!x.run.empty())
    out["run_id"] = text(x.run.str());
  out["host_label"] = text(x.host_label);
  out["state"] = std::string{to_string(x.state)};
  out["created_at"] = to_rfc3339(x.created_at);
  out["attempts"] = x.attempts;
  if (!x.last_error.empty())
    out["last_error"] = text(x.last_error);
  if (x.next_attempt)
    out["next_attempt_at"] = to_rfc3339(*x.next_attempt);
  return out;
}

void add_end(const run_state& s, json::object& out) {
  if (s.finished_at)
    out["finished_at"] = to_rfc3339(*s.finished_at);
  if (s.exit_code)
    out["exit_code"] = *s.exit_code;
  if (s.signal)
    out["signal"] = *s.signal;
  if (s.error)
    out["error"] = json::object{{"code", std::string{to_string(s.error->code)}},
                                {"message", text(s.error->message)}};
  if (!s.usage.empty()) {
    json::error_code ec;
    auto usage = json::parse(s.usage, ec);
    out["usage"] = ec ? json::value(text(s.usage)) : std::move(usage);
  }
}

/// What keeps a run that goes on from being driven; empty: nothing does.
std::string_view waits_for(const run_view& x) {
  const auto& s = x.record.state;
  if (x.record.spec->external || s.status != run_status::running
      || s.cancel_requested_at)
    return {};
  if (s.holder.empty())
    return "node";
  // The one that its thread shares must go first.
  return s.sandbox.id.empty() && x.sandbox == sandbox_stage::must_destroy
           ? "sandbox"
           : "";
}

json::object record_value(const run_view& x) {
  const auto& spec = *x.record.spec;
  const auto& s = x.record.state;
  json::object out;
  out["run_id"] = text(spec.id.str());
  out["thread_id"] = text(spec.thread.str());
  out["status"] = std::string{to_string(s.status)};
  out["command"] = command_value(spec.command);
  if (!spec.cwd.empty())
    out["cwd"] = text(spec.cwd);
  if (spec.external)
    out["external"] = true;
  if (auto what = waits_for(x); !what.empty())
    out["waiting"] = std::string{what};
  out["started_at"] = to_rfc3339(spec.started_at);
  add_end(s, out);
  if (!s.holder.empty())
    out[spec.external ? "holder" : "node"] = text(s.holder);
  out["epoch"] = s.epoch.value;
  out["entries"] = s.last_seq.value;
  if (s.trimmed.value > 0)
    out["trimmed"] = s.trimmed.value;
  out["position"] = s.end.value;
  out["viewers"] = x.viewers;
  if (s.detached_since)
    out["detached_since"] = to_rfc3339(*s.detached_since);
  add_cancel(x, out);
  out["sandbox"] = sandbox_value(x);
  out["labels"] = text_map(spec.labels);
  return out;
}

} // namespace

std::string to_json(const run_view& x) {
  return json::serialize(record_value(x));
}

std::string to_json(const run_page& x) {
  json::array runs;
  for (const auto& view : x.runs)
    runs.emplace_back(record_value(view));
  json::object out{{"runs", std::move(runs)}};
  if (x.next.value != 0)
    out["next_cursor"] = std::to_string(x.next.value);
  return json::serialize(out);
}

std::string to_json(const claim_history& x, seq last) {
  json::array claims;
  for (std::size_t i = 0; i < x.claims.size(); ++i) {
    const auto& c = x.claims[i];
    auto wrote_to = i + 1 < x.claims.size()
                      ? x.claims[i + 1].first_seq.value - 1
                      : last.value;
    json::object out{{"epoch", c.epoch.value},
                     {"holder", text(c.holder)},
                     {"cause", text(c.cause)},
                     {"first_seq", c.first_seq.value}};
    if (wrote_to >= c.first_seq.value)
      out["last_seq"] = wrote_to;
    out["at"] = to_rfc3339(c.at);
    claims.emplace_back(std::move(out));
  }
  return json::serialize(json::object{{"claims", std::move(claims)}});
}

std::string to_json(const node_list& x) {
  json::array nodes;
  for (const auto& n : x.nodes) {
    wall_time since{std::chrono::milliseconds{n.since_ms}};
    nodes.emplace_back(
      json::object{{"node_id", text(n.node.str())},
                   {"role", text(n.role)},
                   {"host_label", text(n.host_label)},
                   {"state", text(n.state)},
                   // Any 64 bits: more than the doubles of
                   // most JSON readers can hold.
                   {"incarnation", std::to_string(n.incarnation.value)},
                   {"address", text(n.address)},
                   {"runs", n.runs},
                   {"since", to_rfc3339(since)}});
  }
  return json::serialize(json::object{{"nodes", std::move(nodes)}});
}

std::string to_json(const sandbox_list& x) {
  json::array sandboxes;
  for (const auto& one : x.sandboxes)
    sandboxes.emplace_back(instance_value(one));
  return json::serialize(json::object{{"sandboxes", std::move(sandboxes)}});
}

std::string to_json(const instance_record& x) {
  return json::serialize(instance_value(x));
}

std::string gone_json(const instance_key& key) {
  return json::serialize(
    json::object{{"key", text(key.str())},
                 {"state", std::string{to_string(sandbox_stage::gone)}}});
}

std::string to_json(const garbage_report& x) {
  json::array found;
  for (const auto& one : x.found)
    found.emplace_back(json::object{{"node", text(one.node.str())},
                                    {"provider", text(one.provider)},
                                    {"id", text(one.id)},
                                    {"fate", text(one.fate)},
                                    {"reason", text(one.reason)}});
  json::array silent;
  for (const auto& node : x.silent)
    silent.emplace_back(text(node.str()));
  return json::serialize(json::object{{"found", std::move(found)},
                                      {"silent_nodes", std::move(silent)}});
}

std::string to_json(const claim_granted& x) {
  return json::serialize(
    json::object{{"epoch", x.epoch.value},
                 {"next_seq", x.next_seq.value},
                 {"position", x.end.value},
                 {"ttl_ms", x.ttl_ms},
                 {"cancel_requested", x.cancel_requested}});
}

std::string to_json(const run_moved& x) {
  return json::serialize(
    json::object{{"epoch", x.epoch.value}, {"node", text(x.node.str())}});
}

std::string to_json(const append_done& x) {
  json::object out{{"last_seq", x.last_seq.value},
                   {"position", x.end.value},
                   {"cancel_requested", x.cancel_requested}};
  if (x.duplicate)
    out["duplicate"] = true;
  return json::serialize(out);
}

std::string error_json(const status& why, const error_facts& facts) {
  json::object error{{"code", std::string{to_string(why.code)}},
                     {"message", text(why.message)}};
  for (const auto& d : why.details) {
    if (auto* number = std::get_if<std::uint64_t>(&d.value))
      error[d.name] = *number;
    else
      error[d.name] = text(std::get<std::string>(d.value));
  }
  for (const auto& [name, holds] : facts)
    error[name] = holds;
  return json::serialize(json::object{{"error", std::move(error)}});
}

} // namespace baton::http

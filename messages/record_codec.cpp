// SPDX-License-Identifier: MIT
#include "messages/record_codec.hpp"

#include "messages/stored.pb.h"

namespace baton {
namespace {

std::int64_t to_ms(wall_time t) {
  return t.time_since_epoch().count();
}

wall_time from_ms(std::int64_t ms) {
  return wall_time{std::chrono::milliseconds{ms}};
}

result<errc> checked_errc(std::uint32_t raw) {
  auto code = static_cast<errc>(raw);
  if (raw > 0xFF || errc_from_string(to_string(code)) != code)
    return {errc::corrupt, "stored error code " + std::to_string(raw)
                             + " is none this version knows"};
  return code;
}

template <class Message>
status parse(std::string_view bytes, Message& out, const char* what) {
  if (out.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return {};
  return make_status(errc::corrupt, std::string{"stored "} + what + " of "
                                      + std::to_string(bytes.size())
                                      + " bytes cannot be parsed");
}

result<run_status> checked_status(std::uint32_t raw) {
  auto x = static_cast<run_status>(raw);
  if (raw > 0xFF || to_string(x).empty())
    return {errc::corrupt, "stored run status " + std::to_string(raw)
                             + " is none this version knows"};
  return x;
}

result<std::optional<run_error>> checked_error(bool present,
                                               const stored::Error& in) {
  if (!present)
    return std::optional<run_error>{};
  auto code = checked_errc(in.code());
  if (!code)
    return code.error();
  return std::optional{run_error{*code, in.message()}};
}

void put(const run_error& x, stored::Error& out) {
  out.set_code(static_cast<std::uint32_t>(x.code));
  out.set_message(x.message);
}

template <class Set, class T>
void set_if(const std::optional<T>& x, Set set) {
  if (x)
    set(*x);
}

} // namespace

std::string encode(const run_spec& x) {
  stored::Spec out;
  out.set_id(x.id.str());
  out.set_thread(x.thread.str());
  out.mutable_command()->set_shell(x.command.shell);
  for (const auto& arg : x.command.argv)
    out.mutable_command()->add_argv(arg);
  out.set_cwd(x.cwd);
  for (const auto& [name, value] : x.env)
    (*out.mutable_env())[name] = value;
  out.set_stdin_bytes(x.stdin_bytes);
  auto& sandbox = *out.mutable_sandbox();
  sandbox.set_provider(x.sandbox.provider);
  sandbox.set_reuse(x.sandbox.reuse);
  sandbox.set_keep_processes(x.sandbox.keep_processes);
  set_if(x.sandbox.network, [&](bool on) { sandbox.set_network(on); });
  sandbox.set_destroy_on_complete(x.sandbox.destroy_on_complete);
  sandbox.set_tenant(x.sandbox.tenant);
  if (x.sandbox.workspace != workspace_spec{})
    sandbox.set_workspace(encode(x.sandbox.workspace));
  out.set_external(x.external);
  out.set_wanted_node(x.wanted_node.str());
  out.set_detach_on_disconnect(x.detach_on_disconnect);
  for (const auto& [name, value] : x.labels)
    (*out.mutable_labels())[name] = value;
  out.set_started_at_ms(to_ms(x.started_at));
  return out.SerializeAsString();
}

std::string encode(const run_state& x) {
  stored::State out;
  out.set_version(x.version);
  out.set_no(x.no.value);
  out.set_status(static_cast<std::uint32_t>(x.status));
  out.set_epoch(x.epoch.value);
  out.set_holder(x.holder);
  out.set_last_seq(x.last_seq.value);
  out.set_end(x.end.value);
  out.set_inside_line(x.inside_line);
  out.set_trimmed(x.trimmed.value);
  out.set_sandbox_key(x.sandbox.key.str());
  out.set_sandbox_id(x.sandbox.id);
  out.set_sandbox_host_label(x.sandbox.host_label);
  out.set_sandbox_shared_id(x.sandbox.shared_id);
  for (const auto& hash : x.nonce_hashes)
    out.add_nonce_hashes(hash);
  set_if(x.cancel_requested_at,
         [&](wall_time t) { out.set_cancel_requested_at_ms(to_ms(t)); });
  set_if(x.cancel_delivered_at,
         [&](wall_time t) { out.set_cancel_delivered_at_ms(to_ms(t)); });
  out.set_cancel_cause(static_cast<std::uint32_t>(x.cancel_cause));
  set_if(x.detached_since,
         [&](wall_time t) { out.set_detached_since_ms(to_ms(t)); });
  out.set_detached_at_uptime_ms(x.detached_at_uptime_ms);
  set_if(x.finished_at, [&](wall_time t) { out.set_finished_at_ms(to_ms(t)); });
  set_if(x.exit_code, [&](int code) { out.set_exit_code(code); });
  set_if(x.signal, [&](int number) { out.set_signal(number); });
  set_if(x.error, [&](const run_error& e) { put(e, *out.mutable_error()); });
  out.set_usage(x.usage);
  return out.SerializeAsString();
}

std::string encode(const run_outcome& x) {
  stored::Outcome out;
  out.set_status(static_cast<std::uint32_t>(x.status));
  set_if(x.exit_code, [&](int code) { out.set_exit_code(code); });
  set_if(x.signal, [&](int number) { out.set_signal(number); });
  set_if(x.error, [&](const run_error& e) { put(e, *out.mutable_error()); });
  out.set_usage(x.usage);
  return out.SerializeAsString();
}

std::string encode(const claim_note& x) {
  stored::ClaimNote out;
  out.set_epoch(x.epoch.value);
  out.set_holder(x.holder);
  out.set_cause(x.cause);
  out.set_first_seq(x.first_seq.value);
  out.set_at_ms(to_ms(x.at));
  return out.SerializeAsString();
}

void encode_to(const entry& x, std::string& out) {
  stored::Entry message;
  message.set_seq(x.seq.value);
  message.set_epoch(x.epoch.value);
  message.set_begin(x.begin.value);
  message.set_end(x.end.value);
  message.set_at_ms(to_ms(x.at));
  message.set_fragment(x.fragment);
  message.set_data(x.data);
  message.AppendToString(&out);
}

result<run_spec> decode_spec(std::string_view bytes) {
  stored::Spec in;
  if (auto bad = parse(bytes, in, "run spec"); !bad.ok())
    return bad;
  run_spec x;
  x.id = run_id{in.id()};
  x.thread = thread_id{in.thread()};
  x.command.shell = in.command().shell();
  x.command.argv.assign(in.command().argv().begin(), in.command().argv().end());
  x.cwd = in.cwd();
  x.env.insert(in.env().begin(), in.env().end());
  x.stdin_bytes = in.stdin_bytes();
  x.sandbox.provider = in.sandbox().provider();
  x.sandbox.reuse = in.sandbox().reuse();
  x.sandbox.keep_processes = in.sandbox().keep_processes();
  if (in.sandbox().has_network())
    x.sandbox.network = in.sandbox().network();
  x.sandbox.destroy_on_complete = in.sandbox().destroy_on_complete();
  x.sandbox.tenant = in.sandbox().tenant();
  if (!in.sandbox().workspace().empty()) {
    auto workspace = decode_workspace(in.sandbox().workspace());
    if (!workspace)
      return workspace.error();
    x.sandbox.workspace = *std::move(workspace);
  }
  x.external = in.external();
  x.wanted_node = node_id{in.wanted_node()};
  x.detach_on_disconnect = in.detach_on_disconnect();
  x.labels.insert(in.labels().begin(), in.labels().end());
  x.started_at = from_ms(in.started_at_ms());
  if (!is_valid_id(x.id.str()))
    return {errc::corrupt, "stored run spec has the unusable id '"
                             + printable(x.id.str()) + "'"};
  return x;
}

result<run_state> decode_state(std::string_view bytes) {
  stored::State in;
  if (auto bad = parse(bytes, in, "run state"); !bad.ok())
    return bad;
  run_state x;
  x.version = in.version();
  x.no = run_no{in.no()};
  auto run_is = checked_status(in.status());
  if (!run_is)
    return run_is.error();
  x.status = *run_is;
  x.epoch = epoch{in.epoch()};
  x.holder = in.holder();
  x.last_seq = seq{in.last_seq()};
  x.end = position{in.end()};
  x.inside_line = in.inside_line();
  x.trimmed = seq{in.trimmed()};
  x.sandbox.key = instance_key{in.sandbox_key()};
  x.sandbox.id = in.sandbox_id();
  x.sandbox.host_label = in.sandbox_host_label();
  x.sandbox.shared_id = in.sandbox_shared_id();
  x.nonce_hashes.assign(in.nonce_hashes().begin(), in.nonce_hashes().end());
  if (in.has_cancel_requested_at_ms())
    x.cancel_requested_at = from_ms(in.cancel_requested_at_ms());
  if (in.has_cancel_delivered_at_ms())
    x.cancel_delivered_at = from_ms(in.cancel_delivered_at_ms());
  auto cause = checked_errc(in.cancel_cause());
  if (!cause)
    return cause.error();
  x.cancel_cause = *cause;
  if (in.has_detached_since_ms())
    x.detached_since = from_ms(in.detached_since_ms());
  x.detached_at_uptime_ms = in.detached_at_uptime_ms();
  if (in.has_finished_at_ms())
    x.finished_at = from_ms(in.finished_at_ms());
  if (in.has_exit_code())
    x.exit_code = in.exit_code();
  if (in.has_signal())
    x.signal = in.signal();
  auto error = checked_error(in.has_error(), in.error());
  if (!error)
    return error.error();
  x.error = *std::move(error);
  x.usage = in.usage();
  if (x.version == 0)
    return {errc::corrupt, "stored run state has version 0"};
  return x;
}

result<claim_note> decode_claim_note(std::string_view bytes) {
  stored::ClaimNote in;
  if (auto bad = parse(bytes, in, "claim note"); !bad.ok())
    return bad;
  return claim_note{epoch{in.epoch()}, in.holder(), in.cause(),
                    seq{in.first_seq()}, from_ms(in.at_ms())};
}

result<run_outcome> decode_outcome(std::string_view bytes) {
  stored::Outcome in;
  if (auto bad = parse(bytes, in, "run outcome"); !bad.ok())
    return bad;
  run_outcome x;
  auto run_is = checked_status(in.status());
  if (!run_is)
    return run_is.error();
  x.status = *run_is;
  if (in.has_exit_code())
    x.exit_code = in.exit_code();
  if (in.has_signal())
    x.signal = in.signal();
  auto error = checked_error(in.has_error(), in.error());
  if (!error)
    return error.error();
  x.error = *std::move(error);
  x.usage = in.usage();
  return x;
}

result<entry> decode_entry(std::string_view bytes) {
  stored::Entry in;
  if (auto bad = parse(bytes, in, "entry"); !bad.ok())
    return bad;
  if (in.begin() > in.end() || in.end() - in.begin() != in.data().size())
    return {errc::corrupt, "stored entry " + std::to_string(in.seq())
                             + " does not cover its source range"};
  entry x;
  x.seq = seq{in.seq()};
  x.epoch = epoch{in.epoch()};
  x.begin = position{in.begin()};
  x.end = position{in.end()};
  x.at = from_ms(in.at_ms());
  x.fragment = in.fragment();
  x.data = std::move(*in.mutable_data());
  return x;
}

} // namespace baton

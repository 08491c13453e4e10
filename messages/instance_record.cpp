// SPDX-License-Identifier: MIT
#include "messages/instance_record.hpp"

#include "messages/stored.pb.h"

namespace baton {
namespace {

std::int64_t to_ms(wall_time t) {
  return t.time_since_epoch().count();
}

wall_time from_ms(std::int64_t ms) {
  return wall_time{std::chrono::milliseconds{ms}};
}

} // namespace

std::string_view to_string(instance_state s) noexcept {
  switch (s) {
  case instance_state::ready:
    return "ready";
  case instance_state::must_destroy:
    return "must_destroy";
  case instance_state::kept:
    return "kept";
  }
  return "unknown";
}

std::string_view to_string(sandbox_stage s) noexcept {
  switch (s) {
  case sandbox_stage::none:
    return "none";
  case sandbox_stage::in_use:
    return "in_use";
  case sandbox_stage::must_destroy:
    return "must_destroy";
  case sandbox_stage::kept:
    return "kept";
  case sandbox_stage::gone:
    return "gone";
  }
  return "unknown";
}

std::string encode(const instance_record& x) {
  stored::Instance out;
  out.set_key(x.key.str());
  out.set_provider(x.provider);
  out.set_id(x.id);
  out.set_thread(x.thread.str());
  out.set_run(x.run.str());
  out.set_host_label(x.host_label);
  out.set_created_at_ms(to_ms(x.created_at));
  out.set_state(static_cast<std::uint32_t>(x.state));
  out.set_last_error(x.last_error);
  out.set_attempts(x.attempts);
  if (x.next_attempt)
    out.set_next_attempt_ms(to_ms(*x.next_attempt));
  return out.SerializeAsString();
}

result<instance_record> decode_instance(std::string_view bytes) {
  stored::Instance in;
  if (!in.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return {errc::corrupt, "stored sandbox instance of "
                             + std::to_string(bytes.size())
                             + " bytes cannot be parsed"};
  if (in.state() < static_cast<std::uint32_t>(instance_state::ready)
      || in.state() > static_cast<std::uint32_t>(instance_state::kept))
    return {errc::corrupt, "stored sandbox instance has state "
                             + std::to_string(in.state())
                             + ", which this version does not know"};
  if (in.key().empty())
    return {errc::corrupt, "stored sandbox instance has no key"};
  instance_record x;
  x.key = instance_key{in.key()};
  x.provider = in.provider();
  x.id = in.id();
  x.thread = thread_id{in.thread()};
  x.run = run_id{in.run()};
  x.host_label = in.host_label();
  x.created_at = from_ms(in.created_at_ms());
  x.state = static_cast<instance_state>(in.state());
  x.last_error = in.last_error();
  x.attempts = in.attempts();
  if (in.has_next_attempt_ms())
    x.next_attempt = from_ms(in.next_attempt_ms());
  return x;
}

} // namespace baton

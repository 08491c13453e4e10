// SPDX-License-Identifier: MIT
#include "storage/commit_check.hpp"

#include "messages/check.hpp"

namespace baton::storage {

run_tip tip_of(const run_state& state) noexcept {
  return {state.version, state.last_seq, state.end, state.trimmed};
}

void check_follows(const run_tip& tip, const commit& c) {
  const auto& next = c.record.state;
  BATON_CHECK(c.record.spec != nullptr, "a commit names its run");
  BATON_CHECK(next.version == tip.version + 1,
              "a commit makes exactly the next version");
  auto last = tip.last_seq.value;
  auto end = tip.end.value;
  for (const auto& e : c.entries) {
    BATON_CHECK(e.seq.value == last + 1, "I2: seqs have no gap");
    BATON_CHECK(e.begin.value == end,
                "I3: an entry begins where the last ends");
    BATON_CHECK(e.end.value - e.begin.value == e.data.size() && !e.data.empty(),
                "I3: an entry holds exactly its source range");
    last = e.seq.value;
    end = e.end.value;
  }
  BATON_CHECK(next.last_seq.value == last, "I2: the state counts the log");
  BATON_CHECK(next.end.value == end, "I3: the state ends where the log ends");
  BATON_CHECK(next.trimmed >= tip.trimmed && next.trimmed <= next.last_seq,
              "I2: what was trimmed stays so, and was there");
  check_instances(c.instances);
}

void check_instances(std::span<const instance_change> changes) {
  for (const auto& x : changes)
    BATON_CHECK(!x.key.empty() && (!x.record || x.record->key == x.key),
                "a sandbox instance stands under its own key");
}

status check_creatable(const run_spec& spec) {
  if (!is_valid_id(spec.id.str()))
    return make_status(errc::malformed, "run id '" + printable(spec.id.str())
                                          + "' is unusable: expected 1 to 512 "
                                            "bytes of UTF-8 without control "
                                            "characters");
  // The thread index ends a thread's name with a NUL.
  if (spec.thread.str().find('\0') != std::string::npos)
    return make_status(errc::malformed, "thread id '"
                                          + printable(spec.thread.str())
                                          + "' is unusable: it contains a NUL");
  return {};
}

status trimmed(const run_id& id, seq gone) {
  auto first = gone.value + 1;
  return make_status(errc::trimmed, "run " + printable(id.str())
                                      + ": entries up to "
                                      + std::to_string(gone.value)
                                      + " were trimmed; what is left of the "
                                        "log begins with entry "
                                      + std::to_string(first))
    .with("first_seq", first);
}

status not_terminal(const run_id& id, run_status found) {
  return make_status(errc::not_terminal,
                     "run " + printable(id.str()) + " is "
                       + std::string{to_string(found)}
                       + "; cancel it and wait for its end before removing it");
}

status stale_removal(const run_id& id, std::uint64_t expected,
                     std::uint64_t found) {
  return make_status(errc::stale, "run " + printable(id.str())
                                    + " is at version " + std::to_string(found)
                                    + ", expected " + std::to_string(expected)
                                    + "; read it again")
    .with("version", found);
}

status unknown_run(const run_id& id) {
  return make_status(errc::unknown_run, "no run '" + printable(id.str()) + "'");
}

} // namespace baton::storage

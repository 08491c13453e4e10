// SPDX-License-Identifier: MIT
// How runs and logs are read back, and what counts as damaged.
#include "messages/check.hpp"
#include "messages/record_codec.hpp"
#include "storage/rocksdb_store.hpp"

namespace baton::storage {
namespace {

status missing(std::string_view what, run_no no) {
  return make_status(errc::corrupt, "run number " + std::to_string(no.value)
                                      + " has no " + std::string{what});
}

status damaged_entry(const run_record& run, seq s, std::string_view why) {
  return make_status(errc::corrupt, "run " + printable(run.id().str())
                                      + ", entry " + std::to_string(s.value)
                                      + ": " + std::string{why})
    .with("seq", s.value);
}

} // namespace

// -- single runs --------------------------------------------------------------

result<std::optional<run_no>> rocksdb_store::number_of(const run_id& id,
                                                       snapshot at) const {
  auto got = db_->get_sealed(key_of(id), at);
  if (!got)
    return got.error();
  if (!*got)
    return std::optional<run_no>{};
  auto no = decode_number(**got);
  if (!no)
    return {errc::corrupt,
            "index entry of run " + printable(id.str()) + " is no number"};
  return std::optional{run_no{*no}};
}

result<run_spec> rocksdb_store::spec_of(run_no no, snapshot at) const {
  auto got = db_->get_sealed(key_of(key_tag::spec, no), at);
  if (!got)
    return got.error();
  if (!*got)
    return missing("spec", no);
  return decode_spec(**got);
}

result<run_state> rocksdb_store::state_of(run_no no, snapshot at) const {
  auto got = db_->get_sealed(key_of(key_tag::state, no), at);
  if (!got)
    return got.error();
  if (!*got)
    return missing("state", no);
  auto state = decode_state(**got);
  if (state && state->no != no)
    return {errc::corrupt, "state of run number " + std::to_string(no.value)
                             + " says it is of number "
                             + std::to_string(state->no.value)};
  return state;
}

result<run_record> rocksdb_store::record_of(run_no no, snapshot at) const {
  auto spec = spec_of(no, at);
  if (!spec)
    return spec.error();
  auto state = state_of(no, at);
  if (!state)
    return state.error();
  return run_record{std::make_shared<const run_spec>(*std::move(spec)),
                    *std::move(state)};
}

result<run_record> rocksdb_store::checked_record_of(run_no no,
                                                    snapshot at) const {
  auto record = record_of(no, at);
  if (!record)
    return record;
  auto back = number_of(record->id(), at);
  if (!back)
    return back.error();
  if (*back != no)
    return {errc::corrupt, "run " + printable(record->id().str())
                             + " is not found under its id"};
  return record;
}

result<run_record> rocksdb_store::load(const run_id& id) const {
  rocksdb_view view{*db_};
  auto no = number_of(id, view.at());
  if (!no)
    return no.error();
  if (!*no)
    return unknown_run(id);
  auto record = record_of(**no, view.at());
  if (record && record->id() != id)
    return {errc::corrupt, "index entry of run " + printable(id.str())
                             + " leads to run "
                             + printable(record->id().str())};
  return record;
}

// -- lists --------------------------------------------------------------------

status rocksdb_store::for_each_number(
  std::string_view prefix, run_no after, snapshot at,
  const std::function<status(run_no, bool&)>& visit) const {
  auto key_at = [&](std::uint64_t no) {
    return std::string{prefix} + encode_number(no);
  };
  // No run has the number beyond the last.
  auto end = key_at(UINT64_MAX);
  auto next = after.value + 1;
  auto go_on = true;
  status failure;
  auto scanned = db_->scan(
    key_at(next), end, at, [&](std::string_view key, std::string_view) {
      // Of another thread whose name begins like this one's key.
      if (key.size() != prefix.size() + sizeof(std::uint64_t))
        return true;
      auto no = last_number(key).value_or(0);
      next = no + 1;
      failure = visit(run_no{no}, go_on);
      return failure.ok() && go_on;
    });
  if (!failure.ok() || (scanned.ok() || scanned.code != errc::corrupt))
    return failure.ok() ? scanned : failure;
  // A damaged block hides its neighbours from a scan: ask for each key alone,
  // and take those that cannot be read for present.
  for (; go_on && next <= last_no_.load(); ++next) {
    auto got = db_->get(key_at(next), at);
    if (!got && got.error().code != errc::corrupt)
      return got.error();
    if (got && !*got)
      continue;
    if (auto bad = visit(run_no{next}, go_on); !bad.ok())
      return bad;
  }
  return {};
}

result<std::vector<run_record>>
rocksdb_store::list(const list_query& query) const {
  rocksdb_view view{*db_};
  std::vector<run_record> out;
  if (query.limit == 0)
    return out;
  std::string prefix{key_of_tag(key_tag::state)};
  if (query.thread)
    prefix = thread_prefix(*query.thread);
  else if (query.status && !is_terminal(*query.status))
    prefix = key_of_tag(key_tag::live);
  auto bad = for_each_number(
    prefix, query.after, view.at(), [&](run_no no, bool& go_on) -> status {
      auto state = state_of(no, view.at());
      if (!state)
        return state.error().code == errc::corrupt ? status{} : state.error();
      if (query.status && state->status != *query.status)
        return {};
      auto spec = spec_of(no, view.at());
      if (!spec)
        return spec.error().code == errc::corrupt ? status{} : spec.error();
      out.push_back({std::make_shared<const run_spec>(*std::move(spec)),
                     *std::move(state)});
      go_on = out.size() < query.limit;
      return {};
    });
  if (!bad.ok())
    return bad;
  return out;
}

result<std::vector<run_record>> rocksdb_store::live() const {
  rocksdb_view view{*db_};
  std::vector<run_record> out;
  auto bad = for_each_number(
    key_of_tag(key_tag::live), {}, view.at(), [&](run_no no, bool&) -> status {
      auto record = checked_record_of(no, view.at());
      if (record && !is_terminal(record->state.status))
        out.push_back(*std::move(record));
      else if (!record && record.error().code != errc::corrupt)
        return record.error();
      return {};
    });
  if (!bad.ok())
    return bad;
  return out;
}

result<std::vector<run_id>> rocksdb_store::corrupt() const {
  rocksdb_view view{*db_};
  std::vector<run_id> out;
  auto bad = for_each_number(key_of_tag(key_tag::live), {}, view.at(),
                             [&](run_no no, bool&) -> status {
                               auto record = checked_record_of(no, view.at());
                               if (record)
                                 return {};
                               if (record.error().code != errc::corrupt)
                                 return record.error();
                               // A run whose id stands nowhere any more cannot
                               // be asked for either.
                               if (auto id = id_of(no, view.at()))
                                 out.push_back(*std::move(id));
                               return {};
                             });
  if (!bad.ok())
    return bad;
  return out;
}

// -- logs ---------------------------------------------------------------------

result<std::vector<entry>> rocksdb_store::read(const run_record& run,
                                               const read_query& query) const {
  std::vector<entry> out;
  const auto& state = run.state;
  // Behind the end of a quarantined log stand its damaged entries.
  auto last = is_terminal(state.status) ? state.last_seq.value : UINT64_MAX;
  auto next = query.after.value + 1;
  if (query.after < state.trimmed)
    return trimmed(run.id(), state.trimmed);
  if (query.entries_max == 0 || query.after.value >= last)
    return out;
  std::size_t bytes = 0;
  status broken;
  auto take = [&](std::string_view key, std::string_view value) {
    auto fail = [&](std::string_view why) {
      broken = damaged_entry(run, seq{next}, why);
      return false;
    };
    if (last_number(key) != next)
      return fail("missing");
    auto e = decode_entry(value);
    if (!e)
      return fail(e.error().message);
    auto begin =
      out.empty() ? (next == 1 ? 0 : e->begin.value) : out.back().end.value;
    if (e->seq.value != next || e->begin.value != begin || e->data.empty())
      return fail("does not follow the entry before it");
    bytes += e->data.size();
    if (!out.empty() && bytes > query.bytes_max)
      return false;
    out.push_back(*std::move(e));
    return next++ != last && out.size() < query.entries_max;
  };
  auto scanned = db_->scan(key_of(key_tag::entry, state.no, next),
                           key_of(key_tag::entry, run_no{state.no.value + 1}),
                           nullptr, take);
  if (!scanned.ok() && scanned.code != errc::corrupt)
    return scanned;
  if (!out.empty())
    return out;
  if (!scanned.ok())
    return damaged_entry(run, seq{next}, scanned.message);
  if (broken.ok() && next <= state.last_seq.value)
    broken = damaged_entry(run, seq{next}, "missing");
  if (broken.ok())
    return out;
  // A run that was removed or trimmed meanwhile is not damaged.
  auto state_there = db_->get(key_of(key_tag::state, state.no));
  if (state_there && !*state_there)
    return out;
  auto now = state_of(state.no, nullptr);
  if (now && query.after < now->trimmed)
    return trimmed(run.id(), now->trimmed);
  return broken;
}

// -- claims and instances -----------------------------------------------------

result<std::vector<claim_note>>
rocksdb_store::claims(const run_record& run) const {
  std::vector<claim_note> out;
  status broken;
  auto scanned =
    db_->scan(key_of(key_tag::claim, run.state.no),
              key_of(key_tag::claim, run_no{run.state.no.value + 1}), nullptr,
              [&](std::string_view key, std::string_view value) {
                auto payload = unseal(key, value);
                if (!payload) {
                  broken = payload.error();
                  return false;
                }
                auto note = decode_claim_note(*payload);
                if (!note) {
                  broken = note.error();
                  return false;
                }
                out.push_back(*std::move(note));
                return true;
              });
  if (!scanned.ok())
    return scanned;
  if (!broken.ok())
    return broken;
  return out;
}

status rocksdb_store::for_each_instance(
  const std::function<void(std::string_view, result<instance_record>)>& visit)
  const {
  auto open = [](std::string_view key,
                 std::string_view value) -> result<instance_record> {
    auto payload = unseal(key, value);
    return payload ? decode_instance(*payload) : payload.error();
  };
  return db_->scan(key_of_tag(key_tag::instance),
                   key_of_tag_behind(key_tag::instance), nullptr,
                   [&](std::string_view key, std::string_view value) {
                     auto x = open(key, value);
                     if (x && key_of(x->key) != key)
                       x = {errc::corrupt, "it stands under another key"};
                     visit(key, std::move(x));
                     return true;
                   });
}

result<std::vector<instance_record>> rocksdb_store::instances() const {
  std::vector<instance_record> out;
  auto bad =
    for_each_instance([&](std::string_view, result<instance_record> x) {
      if (x)
        out.push_back(*std::move(x));
    });
  if (!bad.ok())
    return bad;
  return out;
}

result<std::vector<instance_key>> rocksdb_store::corrupt_instances() const {
  std::vector<instance_key> out;
  auto bad =
    for_each_instance([&](std::string_view key, result<instance_record> x) {
      if (!x)
        out.emplace_back(std::string{key.substr(1)});
    });
  if (!bad.ok())
    return bad;
  return out;
}

} // namespace baton::storage

// SPDX-License-Identifier: MIT
// What is done with a run whose bytes cannot be read back: everything that can
// still be read goes into a terminal record, the rest is kept under `q`.
#include "messages/check.hpp"
#include "messages/record_codec.hpp"
#include "storage/quarantine.hpp"
#include "storage/rocksdb_store.hpp"

#include <algorithm>
#include <utility>

namespace baton::storage {

// -- finding what an index does not tell any more -----------------------------

std::optional<run_no> rocksdb_store::find_number(const run_id& id,
                                                 snapshot at) const {
  std::optional<run_no> out;
  auto visit = [&](run_no no, bool& go_on) -> status {
    if (id_of(no, at) == id) {
      out = no;
      go_on = false;
    }
    return {};
  };
  ignore_result(for_each_number(key_of_tag(key_tag::live), {}, at, visit),
                "whatever is not found is reported as unknown");
  return out;
}

std::optional<run_id> rocksdb_store::id_of(run_no no, snapshot at) const {
  auto live = db_->get_sealed(key_of(key_tag::live, no), at);
  if (live && *live)
    return run_id{**live};
  auto spec = spec_of(no, at);
  if (spec)
    return spec->id;
  std::optional<run_id> out;
  auto visit = [&](std::string_view key, std::string_view value) {
    auto payload = unseal(key, value);
    if (!payload || decode_number(*payload) != no.value)
      return true;
    out = run_id{std::string{key.substr(1)}};
    return false;
  };
  ignore_result(db_->scan(key_of_tag(key_tag::id),
                          key_of_tag_behind(key_tag::id), at, visit),
                "an index that cannot be read does not name the run");
  return out;
}

std::optional<thread_id> rocksdb_store::find_thread(run_no no,
                                                    snapshot at) const {
  std::optional<thread_id> out;
  auto visit = [&](std::string_view key, std::string_view) {
    if (last_number(key) != no.value)
      return true;
    out = thread_id{std::string{thread_of(key)}};
    return false;
  };
  ignore_result(db_->scan(key_of_tag(key_tag::thread),
                          key_of_tag_behind(key_tag::thread), at, visit),
                "an index that cannot be read does not name the thread");
  return out;
}

// -- quarantine ---------------------------------------------------------------

struct rocksdb_store::findings {
  salvage readable;
  /// Keys whose bytes do not decode.
  std::vector<std::string> keys;
};

rocksdb_store::findings rocksdb_store::examine(const run_id& id, run_no no,
                                               snapshot at) const {
  findings out;
  auto& found = out.readable;
  found.id = id;
  found.no = no;
  if (auto spec = spec_of(no, at); spec && spec->id == id) {
    found.spec = *std::move(spec);
    found.thread = found.spec->thread;
  } else {
    out.keys.emplace_back(key_of(key_tag::spec, no));
    found.thread = find_thread(no, at).value_or(thread_id{});
  }
  if (auto state = state_of(no, at))
    found.state = *std::move(state);
  else
    out.keys.emplace_back(key_of(key_tag::state, no));
  if (found.state) {
    found.trimmed = found.last_seq = found.state->trimmed;
    if (found.trimmed == found.state->last_seq)
      found.end = found.state->end;
  }
  auto behind = run_no{no.value + 1};
  auto is_first = true;
  auto visit_entry = [&](std::string_view key, std::string_view value) {
    auto e = decode_entry(value);
    if (e && std::exchange(is_first, false)) {
      // Nothing else tells any more that the log was trimmed, and a damaged
      // entry hides no key.
      if (!found.state && e->seq.value > 0)
        found.trimmed = found.last_seq = seq{e->seq.value - 1};
      // Nor where its first entry begins.
      if (found.trimmed.value > 0)
        found.end = e->begin;
    }
    if (!e || e->seq.value != found.last_seq.value + 1
        || last_number(key) != e->seq.value || e->begin != found.end
        || e->data.empty()) {
      out.keys.emplace_back(key);
      return false;
    }
    found.last_seq = e->seq;
    found.end = e->end;
    found.epoch = std::max(found.epoch, e->epoch);
    found.inside_line = e->fragment && e->data.back() != '\n';
    return true;
  };
  ignore_result(db_->scan(key_of(key_tag::entry, no),
                          key_of(key_tag::entry, behind), at, visit_entry),
                "the log ends where it cannot be read");
  auto visit_claim = [&](std::string_view key, std::string_view value) {
    auto payload = unseal(key, value);
    if (!payload || !decode_claim_note(*payload)) {
      out.keys.emplace_back(key);
      return true;
    }
    found.epoch = std::max(found.epoch, epoch{*last_number(key)});
    return true;
  };
  ignore_result(db_->scan(key_of(key_tag::claim, no),
                          key_of(key_tag::claim, behind), at, visit_claim),
                "what cannot be read is not salvaged");
  return out;
}

void rocksdb_store::keep_damaged(run_no no, std::string_view key) {
  auto raw = db_->get_raw(key);
  put(quarantine_key(no, key), raw.value_or(std::string{}));
}

status rocksdb_store::quarantine(const run_id& id, const std::string& why,
                                 wall_time now) {
  std::scoped_lock guard{write_lock_};
  auto indexed = number_of(id, nullptr);
  if (!indexed && indexed.error().code != errc::corrupt)
    return indexed.error();
  auto no = indexed && *indexed ? *indexed : find_number(id, nullptr);
  if (!no)
    return unknown_run(id);
  batch_.Clear();
  auto found = examine(id, *no, nullptr);
  const auto& old = found.readable.state;
  if (found.readable.spec && old && is_terminal(old->status))
    return make_status(errc::terminal,
                       "run " + printable(id.str()) + " has already ended");
  for (const auto& key : found.keys) {
    keep_damaged(*no, key);
    // Entries behind the log's new end are out of every reader's way; a claim
    // note is not.
    if (key.front() == static_cast<char>(key_tag::claim))
      drop(key);
  }
  if (!indexed)
    keep_damaged(*no, key_of(id));
  auto record = quarantined(found.readable, why, now);
  put_sealed(key_of(key_tag::spec, *no), encode(*record.spec));
  put_sealed(key_of(key_tag::state, *no), encode(record.state));
  put_sealed(key_of(id), encode_number(no->value));
  put(thread_key(record.spec->thread, *no), {});
  drop(key_of(key_tag::live, *no));
  slots_.erase(id);
  return db_->write(batch_);
}

} // namespace baton::storage

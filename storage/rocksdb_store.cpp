// SPDX-License-Identifier: MIT
#include "storage/rocksdb_store.hpp"

#include "messages/check.hpp"
#include "messages/record_codec.hpp"

#include <algorithm>

namespace baton::storage {
namespace {

constexpr std::string_view last_no_name = "last_run_no";
constexpr std::string_view uptime_name = "uptime_ms";
constexpr std::string_view epoch_floor_name = "epoch_floor";

/// Buffers above this are given back after the call: one huge batch must not
/// make the daemon big for good.
constexpr std::size_t kept_buffer_bytes_max = 2 << 20;

} // namespace

rocksdb_store::rocksdb_store(std::shared_ptr<rocksdb_database> db)
  : db_(std::move(db)) {}

rocksdb_store::~rocksdb_store() {
  if (uptime_waits_)
    ignore_result(write_uptime(), "the next life then counts from a bit less");
}

result<std::unique_ptr<store>>
rocksdb_store::open(std::shared_ptr<rocksdb_database> db) {
  std::unique_ptr<rocksdb_store> out{new rocksdb_store{std::move(db)}};
  if (auto bad = out->load_meta(); !bad.ok())
    return bad;
  return std::unique_ptr<store>{std::move(out)};
}

result<std::unique_ptr<store>>
rocksdb_store::open(const rocksdb_options& options) {
  auto db = rocksdb_database::open(options);
  if (!db)
    return db.error();
  return open(*std::move(db));
}

status rocksdb_store::load_meta() {
  auto number = [&](std::string_view name,
                    std::atomic<std::uint64_t>& out) -> status {
    auto got = db_->get_sealed(meta_key(name));
    if (!got)
      return make_status(errc::storage_failed,
                         "store counter " + std::string{name}
                           + " is unreadable (" + got.error().message
                           + "); restore the store from a copy");
    if (*got)
      out = decode_number(**got).value_or(0);
    return {};
  };
  if (auto bad = number(last_no_name, last_no_); !bad.ok())
    return bad;
  if (auto bad = number(epoch_floor_name, epoch_floor_); !bad.ok())
    return bad;
  return number(uptime_name, uptime_ms_);
}

// -- committing ---------------------------------------------------------------

void rocksdb_store::put(std::string_view key, std::string_view value) {
  auto done = batch_.Put(slice(key), slice(value));
  BATON_CHECK(done.ok(), "a write batch without a size limit takes every put");
}

void rocksdb_store::put_sealed(std::string_view key, std::string_view payload) {
  scratch_.clear();
  seal_to(key, payload, scratch_);
  put(key, scratch_);
}

void rocksdb_store::drop(std::string_view key) {
  auto done = batch_.Delete(slice(key));
  BATON_CHECK(done.ok(), "a write batch without a size limit takes a delete");
}

void rocksdb_store::drop_range(std::string_view first, std::string_view end) {
  auto done = batch_.DeleteRange(slice(first), slice(end));
  BATON_CHECK(done.ok(), "a write batch without a size limit takes a delete");
}

result<rocksdb_store::slots::value_type*>
rocksdb_store::slot_of(const run_id& id) {
  if (auto i = slots_.find(id); i != slots_.end())
    return &*i;
  auto no = number_of(id, nullptr);
  if (!no)
    return no.error();
  if (!*no)
    return static_cast<slots::value_type*>(nullptr);
  auto state = state_of(**no, nullptr);
  if (!state)
    return state.error();
  auto [i, is_new] = slots_.emplace(
    id, slot{**no, tip_of(*state), !is_terminal(state->status), nullptr});
  used_.push_back(&*i);
  return &*i;
}

void rocksdb_store::stage_creation(const commit& c, slot& made) {
  made.no = run_no{last_no_.fetch_add(1) + 1};
  const auto& spec = *c.record.spec;
  put_sealed(key_of(key_tag::spec, made.no), encode(spec));
  put_sealed(key_of(spec.id), encode_number(made.no.value));
  put(thread_key(spec.thread, made.no), {});
  put_sealed(meta_key(last_no_name), encode_number(made.no.value));
}

commit_outcome rocksdb_store::stage(const commit& c, status& failure) {
  const auto& id = c.record.id();
  auto known = slot_of(id);
  if (!known) {
    if (known.error().code != errc::corrupt)
      failure = known.error();
    return {known.error().code, 0, {}};
  }
  auto* found = *known;
  auto version = found == nullptr ? 0 : found->second.tip.version;
  if (version != c.expected_version)
    return {errc::stale, version, {}};
  commit_outcome out{errc::none, version + 1, {}};
  if (found == nullptr) {
    if (!check_creatable(*c.record.spec).ok())
      return {errc::malformed, 0, {}};
    check_follows({}, c);
    found = &*slots_.emplace(id, slot{}).first;
    stage_creation(c, found->second);
    out.no = found->second.no;
  } else {
    check_follows(found->second.tip, c);
  }
  auto& s = found->second;
  if (s.staged == nullptr)
    used_.push_back(found);
  s.staged = &c;
  auto old_cut = s.tip.trimmed;
  s.tip = tip_of(c.record.state);
  for (const auto& e : c.entries) {
    scratch_.clear();
    encode_to(e, scratch_);
    put(key_of(key_tag::entry, s.no, e.seq.value), scratch_);
  }
  // Behind the entries: it removes those of this batch, too.
  if (s.tip.trimmed > old_cut)
    drop_range(key_of(key_tag::entry, s.no, old_cut.value + 1),
               key_of(key_tag::entry, s.no, s.tip.trimmed.value + 1));
  if (c.claim)
    put_sealed(key_of(key_tag::claim, s.no, c.claim->epoch.value),
               encode(*c.claim));
  stage_instances(c.instances);
  return out;
}

void rocksdb_store::stage_state(const run_id& id, slot& s) {
  const auto& state = s.staged->record.state;
  BATON_CHECK(state.no == s.no || state.no.value == 0,
              "a commit carries the run's own number");
  auto key = key_of(key_tag::state, s.no);
  if (state.no == s.no) {
    put_sealed(key, encode(state));
  } else {
    auto numbered = state;
    numbered.no = s.no;
    put_sealed(key, encode(numbered));
  }
  auto live = !is_terminal(state.status);
  auto live_key = key_of(key_tag::live, s.no);
  if (live && !s.live)
    put_sealed(live_key, id.str());
  else if (!live && s.live)
    drop(live_key);
  s.live = live;
}

result<std::vector<commit_outcome>>
rocksdb_store::commit_all(std::span<const commit> batch) {
  std::scoped_lock guard{write_lock_};
  batch_.Clear();
  used_.clear();
  std::vector<commit_outcome> out;
  out.reserve(batch.size());
  status failure;
  for (const auto& c : batch) {
    out.push_back(stage(c, failure));
    if (!failure.ok())
      break;
  }
  if (failure.ok()) {
    for (auto* used : used_)
      if (used->second.staged != nullptr) {
        stage_state(used->first, used->second);
        used->second.staged = nullptr;
      }
    if (batch_.Count() > 0) {
      stage_uptime();
      failure = db_->write(batch_);
    }
  }
  if (!failure.ok()) {
    // The slots run ahead of the disk now; nobody may decide by them again.
    slots_.clear();
    return failure;
  }
  std::vector<run_id> ended;
  for (auto* used : used_)
    if (!used->second.live)
      ended.push_back(used->first);
  for (const auto& id : ended)
    slots_.erase(id);
  if (batch_.GetDataSize() > kept_buffer_bytes_max)
    batch_ = rocksdb::WriteBatch{};
  if (scratch_.capacity() > kept_buffer_bytes_max)
    scratch_ = std::string{};
  return out;
}

status rocksdb_store::remove(const run_id& id, std::uint64_t expected_version) {
  std::scoped_lock guard{write_lock_};
  auto no = number_of(id, nullptr);
  if (!no)
    return no.error();
  if (!*no)
    return unknown_run(id);
  auto record = record_of(**no, nullptr);
  if (!record)
    return record.error();
  if (record->state.version != expected_version)
    return stale_removal(id, expected_version, record->state.version);
  if (!is_terminal(record->state.status))
    return not_terminal(id, record->state.status);
  batch_.Clear();
  drop(key_of(id));
  drop(thread_key(record->spec->thread, **no));
  for (auto tag : {key_tag::spec, key_tag::state, key_tag::live})
    drop(key_of(tag, **no));
  auto next = run_no{(*no)->value + 1};
  for (auto tag : {key_tag::entry, key_tag::claim, key_tag::quarantine}) {
    drop_range(key_of(tag, **no), key_of(tag, next));
  }
  slots_.erase(id);
  auto floor = std::max(epoch_floor_.load(), record->state.epoch.value);
  if (floor != epoch_floor_)
    put_sealed(meta_key(epoch_floor_name), encode_number(floor));
  stage_uptime();
  auto done = db_->write(batch_);
  if (done.ok())
    epoch_floor_ = floor;
  return done;
}

result<epoch> rocksdb_store::epoch_floor() const {
  return epoch{epoch_floor_.load()};
}

// -- instances ----------------------------------------------------------------

void rocksdb_store::stage_instances(std::span<const instance_change> changes) {
  for (const auto& x : changes) {
    auto key = key_of(x.key);
    if (x.record)
      put_sealed(key, encode(*x.record));
    else
      drop(key);
  }
}

status
rocksdb_store::change_instances(std::span<const instance_change> changes) {
  check_instances(changes);
  if (changes.empty())
    return {};
  std::scoped_lock guard{write_lock_};
  batch_.Clear();
  stage_instances(changes);
  stage_uptime();
  return db_->write(batch_);
}

// -- uptime -------------------------------------------------------------------

result<std::uint64_t> rocksdb_store::uptime_ms() const {
  return uptime_ms_.load();
}

status rocksdb_store::save_uptime_ms(std::uint64_t ms) {
  std::scoped_lock guard{write_lock_};
  auto has_waited = uptime_waits_;
  uptime_ms_ = ms;
  uptime_waits_ = true;
  return has_waited ? write_uptime() : status{};
}

void rocksdb_store::stage_uptime() {
  if (uptime_waits_)
    put_sealed(meta_key(uptime_name), encode_number(uptime_ms_));
  uptime_waits_ = false;
}

status rocksdb_store::write_uptime() {
  batch_.Clear();
  stage_uptime();
  return db_->write(batch_);
}

} // namespace baton::storage

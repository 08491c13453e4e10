// SPDX-License-Identifier: MIT
#include "storage/store_examination.hpp"

#include <algorithm>

namespace baton::storage {
namespace {

std::vector<std::string> ids(const result<std::vector<run_record>>& runs) {
  std::vector<std::string> out;
  if (runs)
    for (const auto& run : *runs)
      out.push_back(run.id().str());
  return out;
}

} // namespace

void examination::begin(std::string guarantee) {
  guarantee_ = std::move(guarantee);
  store_ = maker_.make();
}

bool examination::expect(bool holds, const std::string& what) {
  if (!holds)
    out_.push_back(guarantee_ + ": " + what);
  return holds;
}

void examination::expect_none(const std::vector<std::string>& findings) {
  for (const auto& x : findings)
    expect(false, x);
}

void examination::expect_stored(const run_script& run) {
  expect_none(differences(it(), run));
}

void examination::expect_instances(const std::vector<instance_record>& wanted) {
  auto got = it().instances();
  if (!expect(got.ok(), "instances failed"))
    return;
  expect(*got == wanted,
         std::to_string(got->size()) + " instances are not exactly the "
           + std::to_string(wanted.size()) + " that were stored, by key");
  auto broken = it().corrupt_instances();
  expect(broken && broken->empty(), "no instance is corrupt");
}

std::vector<commit_outcome>
examination::commit_all(const std::vector<commit>& batch) {
  std::vector<commit_outcome> out;
  if (!expect(is_safe(batch), "the stored log is not the committed one")) {
    out.resize(batch.size(), {errc::storage_failed, 0, {}});
    return out;
  }
  auto got = it().commit_all(batch);
  if (expect(got.ok(), "commit_all failed") && got)
    out = *got;
  expect(out.size() == batch.size(), "one outcome for each commit, in order");
  out.resize(batch.size(), {errc::storage_failed, 0, {}});
  return out;
}

commit_outcome examination::take(const commit& c) {
  auto got = commit_one(c);
  expect(got.code == errc::none, "a commit at the right version was refused as "
                                   + std::string{to_string(got.code)});
  expect(got.version == c.expected_version + 1,
         "the outcome tells the version after the call");
  return got;
}

bool examination::damage(const run_id& id) {
  store_ = maker_.damage(std::move(store_), id);
  return store_ != nullptr;
}

std::vector<std::string> examination::listed(const list_query& query) {
  auto got = it().list(query);
  expect(got.ok(), "list failed");
  return ids(got);
}

std::vector<std::string> examination::live() {
  auto got = it().live();
  expect(got.ok(), "live failed");
  return ids(got);
}

/// An engine that lost or kept too much would stop the process at the next
/// commit, as it should: the kit says so instead.
bool examination::is_safe(const std::vector<commit>& batch) {
  std::vector<run_id> seen;
  for (const auto& c : batch) {
    if (std::ranges::find(seen, c.record.id()) != seen.end())
      continue;
    seen.push_back(c.record.id());
    auto now = it().load(c.record.id());
    if (!now || now->state.version != c.expected_version)
      continue;
    auto added = c.entries.size();
    auto bytes = c.entries.empty()
                   ? 0
                   : c.record.state.end.value - c.entries.front().begin.value;
    if (now->state.last_seq.value + added != c.record.state.last_seq.value
        || now->state.end.value + bytes != c.record.state.end.value
        || now->state.trimmed > c.record.state.trimmed)
      return false;
  }
  return true;
}

instance_record sample_instance(const std::string& key, bool full) {
  instance_record x;
  x.key = instance_key{key};
  x.provider = "local";
  if (!full)
    return x;
  x.id = "box-1";
  x.thread = thread_id{"t"};
  x.run = run_id{"r"};
  x.host_label = "host";
  x.created_at = wall_time{std::chrono::milliseconds{42}};
  x.state = instance_state::must_destroy;
  x.last_error = "refused";
  x.attempts = 3;
  x.next_attempt = wall_time{std::chrono::milliseconds{99}};
  return x;
}

} // namespace baton::storage

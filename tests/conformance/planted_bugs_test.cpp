// SPDX-License-Identifier: MIT
// Goal: the conformance kits can fail. Method: the reference engines, each with
// one bug of the kind engines have, must each be found out.
#include "tests/conformance/store_makers.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace baton;
using namespace baton::storage;
using namespace baton::test;

namespace {

/// Named so that the list of planted bugs is the list of their texts.
using bug = std::string_view;

constexpr bug ignores_the_version = "ignores the expected version";
constexpr bug calls_stale_commits_taken = "calls stale commits taken";
constexpr bug hides_who_is_ahead = "does not tell the version that is ahead";
constexpr bug one_stale_spoils_the_call = "one stale commit spoils its call";
constexpr bug takes_one_commit_a_run = "takes one commit a run in each call";
constexpr bug tears_state_from_entries = "loses the last entry, not its state";
constexpr bug acknowledges_too_early = "acknowledges before it is durable";
constexpr bug reuses_run_numbers = "gives a removed run's number again";
constexpr bug forgets_to_clean_indexes = "leaves a removed run in its indexes";
constexpr bug removes_live_runs = "removes runs that have not ended";
constexpr bug removes_at_any_version = "removes without comparing the version";
constexpr bug lists_out_of_order = "lists out of creation order";
constexpr bug ignores_the_limit = "lists more than the limit";
constexpr bug mistakes_thread_prefixes = "takes a prefix for the thread";
constexpr bug ignores_status_filter = "lists every status";
constexpr bug reads_off_by_one = "reads from `after` on, not behind it";
constexpr bug ignores_bytes_max = "reads past bytes_max";
constexpr bug overshoots_entries_max = "reads one entry too many";
constexpr bug loses_claim_notes = "loses claim notes";
constexpr bug changes_line_ends = "turns CR LF into LF";
constexpr bug forgets_the_spec = "keeps no stdin";
constexpr bug thinks_ended_runs_live = "calls ended runs live";
constexpr bug loses_the_uptime = "loses the uptime";
constexpr bug one_damaged_run_hurts_all = "cannot list beside a damaged run";
constexpr bug quarantine_forgets_epoch = "quarantine starts epochs again";
constexpr bug quarantine_loses_log = "quarantine loses the log";
constexpr bug quarantine_rewrites_ends = "quarantine rewrites an end";
constexpr bug forgets_the_floor = "forgets the epochs of removed runs";

constexpr bug reads_behind_the_cut = "calls the rest of a log the whole";
constexpr bug trims_one_too_many = "trims one entry too many";
constexpr bug trims_nothing = "trims nothing";
constexpr bug stale_commits_trim = "trims for commits that it refuses";
constexpr bug quarantine_forgets_cut = "quarantine forgets what was trimmed";
constexpr bug merges_instances = "keeps old fields of a replaced instance";
constexpr bug fails_without_instance = "fails to remove a missing instance";
constexpr bug lists_instances_reversed = "lists instances out of order";
constexpr bug loses_changed_instances = "loses instances in a crash";
constexpr bug loses_commits_instances = "loses the instances of a commit";
constexpr bug stale_commits_change_them = "refused commits change instances";
constexpr bug applies_half_the_changes = "applies half of the changes";
constexpr bug applies_them_backwards = "applies changes last to first";

constexpr std::array bugs{ignores_the_version,
                          calls_stale_commits_taken,
                          hides_who_is_ahead,
                          one_stale_spoils_the_call,
                          takes_one_commit_a_run,
                          tears_state_from_entries,
                          acknowledges_too_early,
                          reuses_run_numbers,
                          forgets_to_clean_indexes,
                          removes_live_runs,
                          removes_at_any_version,
                          lists_out_of_order,
                          ignores_the_limit,
                          mistakes_thread_prefixes,
                          ignores_status_filter,
                          reads_off_by_one,
                          ignores_bytes_max,
                          overshoots_entries_max,
                          loses_claim_notes,
                          changes_line_ends,
                          forgets_the_spec,
                          thinks_ended_runs_live,
                          loses_the_uptime,
                          one_damaged_run_hurts_all,
                          quarantine_forgets_epoch,
                          quarantine_loses_log,
                          quarantine_rewrites_ends,
                          forgets_the_floor,
                          reads_behind_the_cut,
                          trims_one_too_many,
                          trims_nothing,
                          stale_commits_trim,
                          quarantine_forgets_cut,
                          merges_instances,
                          fails_without_instance,
                          lists_instances_reversed,
                          loses_changed_instances,
                          loses_commits_instances,
                          stale_commits_change_them,
                          applies_half_the_changes,
                          applies_them_backwards};

class planted_store : public memory_store {
public:
  explicit planted_store(bug b) : bug_(b) {}

  result<std::vector<commit_outcome>>
  commit_all(std::span<const commit> batch) override {
    std::vector<commit> changed{batch.begin(), batch.end()};
    before_ = runs_;
    numbers_before_ = numbers_;
    std::vector<commit_outcome> out;
    for (auto& c : changed) {
      spoil(c);
      auto seen = std::ranges::any_of(
        std::span{changed}.first(out.size()),
        [&](const commit& x) { return x.record.id() == c.record.id(); });
      if (is(takes_one_commit_a_run) && seen)
        out.push_back({errc::stale, c.expected_version, {}});
      else
        out.push_back(memory_store::commit_all({&c, 1}).value().front());
      spoil_behind(c, out.back());
    }
    auto stale =
      std::ranges::any_of(out, [](auto& x) { return x.code == errc::stale; });
    if (is(one_stale_spoils_the_call) && stale) {
      runs_ = before_;
      numbers_ = numbers_before_;
      for (auto& x : out)
        x.code = errc::stale;
    }
    for (auto& x : out) {
      if (is(hides_who_is_ahead) && x.code == errc::stale)
        x.version = 0;
      if (is(calls_stale_commits_taken) && x.code == errc::stale)
        x.code = errc::none;
    }
    return out;
  }

  result<epoch> epoch_floor() const override {
    return is(forgets_the_floor) ? epoch{} : memory_store::epoch_floor();
  }

  status remove(const run_id& id, std::uint64_t version) override {
    auto known = numbers_.find(id);
    if (known == numbers_.end())
      return memory_store::remove(id, version);
    auto no = known->second;
    auto kept = runs_.at(no);
    if (is(removes_live_runs))
      runs_.at(no).record.state.status = run_status::failed;
    if (is(removes_at_any_version))
      version = kept.record.state.version;
    auto out = memory_store::remove(id, version);
    if (out.ok() && is(reuses_run_numbers) && no == last_no_)
      last_no_.value -= 1;
    if (out.ok() && is(forgets_to_clean_indexes))
      runs_[no] = kept;
    return out;
  }

  result<std::vector<run_record>> list(const list_query& q) const override {
    if (is(one_damaged_run_hurts_all) && !corrupt().value().empty())
      return {errc::corrupt, "planted"};
    auto query = q;
    if (is(ignores_the_limit))
      query.limit = 1000;
    if (is(ignores_status_filter))
      query.status.reset();
    if (is(mistakes_thread_prefixes) && q.thread) {
      query.thread.reset();
      auto out = memory_store::list(query).value();
      std::erase_if(out, [&](auto& x) {
        return !x.spec->thread.str().starts_with(q.thread->str());
      });
      return out;
    }
    auto out = memory_store::list(query).value();
    if (is(lists_out_of_order))
      std::ranges::sort(out, {}, [](auto& x) { return x.id(); });
    return out;
  }

  result<std::vector<run_record>> live() const override {
    return is(thinks_ended_runs_live) ? memory_store::list({})
                                      : memory_store::live();
  }

  result<std::vector<entry>> read(const run_record& run,
                                  const read_query& q) const override {
    auto query = q;
    auto known = numbers_.find(run.id());
    if (is(reads_behind_the_cut) && known != numbers_.end())
      query.after =
        std::max(query.after, runs_.at(known->second).record.state.trimmed);
    if (is(reads_off_by_one) && query.after.value > 0)
      query.after.value -= 1;
    if (is(ignores_bytes_max))
      query.bytes_max = SIZE_MAX;
    if (is(overshoots_entries_max))
      query.entries_max += 1;
    return memory_store::read(run, query);
  }

  status quarantine(const run_id& id, const std::string& why,
                    wall_time now) override {
    if (is(quarantine_rewrites_ends) && numbers_.contains(id))
      runs_.at(numbers_.at(id)).damaged = true;
    auto out = memory_store::quarantine(id, why, now);
    if (!out.ok())
      return out;
    auto& run = runs_.at(numbers_.at(id));
    if (is(quarantine_forgets_cut))
      run.record.state.trimmed = {};
    if (is(quarantine_forgets_epoch))
      run.record.state.epoch = epoch{};
    if (is(quarantine_loses_log)) {
      run.entries.clear();
      run.record.state.last_seq = seq{};
      run.record.state.end = position{};
    }
    return out;
  }

  status change_instances(std::span<const instance_change> changes) override {
    instances_before_ = instances_;
    std::vector<instance_change> changed{changes.begin(), changes.end()};
    for (const auto& x : changed)
      if (is(fails_without_instance) && !x.record
          && !instances_.contains(x.key))
        return make_status(errc::unknown_sandbox, "planted");
    spoil(changed);
    return memory_store::change_instances(changed);
  }

  result<std::vector<instance_record>> instances() const override {
    auto out = memory_store::instances().value();
    if (is(lists_instances_reversed))
      std::ranges::reverse(out);
    return out;
  }

  void crash() {
    memory_store::crash();
    if (is(loses_changed_instances))
      instances_ = instances_before_;
    if (is(acknowledges_too_early)) {
      runs_ = before_;
      numbers_ = numbers_before_;
    }
    if (is(tears_state_from_entries))
      for (auto& [no, run] : runs_)
        if (!run.entries.empty())
          run.entries.pop_back();
    if (is(loses_the_uptime))
      uptime_ms_ = 0;
  }

private:
  bool is(bug b) const { return bug_ == b; }

  void spoil(commit& c) {
    auto known = numbers_.find(c.record.id());
    if (is(ignores_the_version) && known != numbers_.end()) {
      const auto& now = runs_.at(known->second).record.state;
      if (now.version != c.expected_version) {
        c.expected_version = now.version;
        c.record.state = now;
        c.record.state.version += 1;
        c.entries.clear();
      }
    }
    if (is(loses_claim_notes))
      c.claim.reset();
    if (is(loses_commits_instances))
      c.instances.clear();
    if (is(trims_nothing))
      c.record.state.trimmed = {};
    if (is(stale_commits_change_them))
      ignore_result(memory_store::change_instances(c.instances), "planted");
    spoil(c.instances);
    if (is(changes_line_ends))
      for (auto& e : c.entries)
        if (auto at = e.data.find("\r\n"); at != e.data.npos)
          e.data[at] = ' ';
    if (is(forgets_the_spec)) {
      auto spec = *c.record.spec;
      spec.stdin_bytes.clear();
      c.record.spec = std::make_shared<const run_spec>(spec);
    }
  }

  void spoil(std::vector<instance_change>& changes) const {
    for (auto& x : changes) {
      auto old = instances_.find(x.key);
      if (is(merges_instances) && x.record && old != instances_.end()
          && !x.record->next_attempt)
        x.record->next_attempt = old->second.next_attempt;
    }
    if (is(applies_half_the_changes))
      changes.resize((changes.size() + 1) / 2);
    if (is(applies_them_backwards))
      std::ranges::reverse(changes);
  }

  void spoil_behind(const commit& c, const commit_outcome& x) {
    auto known = numbers_.find(c.record.id());
    if (known == numbers_.end())
      return;
    auto& run = runs_.at(known->second);
    auto cut = c.record.state.trimmed;
    if (is(trims_one_too_many) && cut.value > 0 && !run.entries.empty()
        && run.entries.front().seq.value == cut.value + 1)
      run.entries.erase(run.entries.begin());
    if (is(stale_commits_trim) && x.code == errc::stale
        && cut > run.record.state.trimmed && cut <= run.record.state.last_seq) {
      run.record.state.trimmed = cut;
      std::erase_if(run.entries, [&](auto& e) { return e.seq <= cut; });
    }
  }

  bug bug_;
  std::map<instance_key, instance_record> instances_before_;
  std::map<run_no, stored_run> before_;
  std::unordered_map<run_id, run_no> numbers_before_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(planted_bugs)

BOOST_DATA_TEST_CASE(the_kit_finds_every_planted_bug, bugs, planted) {
  memory_maker<planted_store> maker{
    [&] { return std::make_unique<planted_store>(planted); }};

  auto violations = check_store(maker);

  BOOST_TEST(!violations.empty(), planted << " was not found");
  if (!violations.empty())
    BOOST_TEST_MESSAGE(planted << " -> " << violations.front());
}

BOOST_AUTO_TEST_CASE(an_engine_without_a_planted_bug_passes) {
  memory_maker<planted_store> maker{
    [] { return std::make_unique<planted_store>("none"); }};

  auto violations = check_store(maker);

  BOOST_TEST(violations.empty());
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: MIT
#include "storage/store_conformance.hpp"

#include "storage/memory_store.hpp"
#include "storage/store_examination.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace baton::storage {
namespace {

using names = std::vector<std::string>;

// -- commits ------------------------------------------------------------------

void commits_compare_the_version(examination& x) {
  x.begin("a stale commit changes nothing and says so");
  run_script a{"a"}, b{"b"};
  x.create(a);
  x.create(b);
  x.take(a.claim("node"));
  auto later = a;
  auto stale_append = later.append(3, 20);
  auto again = run_script{"a", "elsewhere"}.create();
  x.take(a.append(2, 10));
  // In one call: two stale ones around one that is not.
  auto got = x.commit_all({stale_append, b.append(1, 9), again});
  x.expect(got[0].code == errc::stale && got[0].version == 3,
           "an old version is refused as stale, and told the current one");
  x.expect(got[1].code == errc::none && got[1].version == 2,
           "other commits of the call are not touched by a stale one");
  x.expect(got[2].code == errc::stale && got[2].version == 3,
           "creating a run that exists is stale");
  auto ahead = a.append(1, 5);
  ahead.expected_version += 1;
  ahead.record.state.version += 1;
  auto rewound = x.commit_one(ahead);
  x.expect(rewound.code == errc::stale && rewound.version == 3,
           "a version that the run has not reached yet is stale too");
  run_script nobody{"nobody"};
  ignore_result(nobody.create(), "never committed");
  auto lost = x.commit_one(nobody.append(1, 5));
  x.expect(lost.code == errc::stale && lost.version == 0,
           "a commit to a run that does not exist is stale at version 0");
  x.expect(x.it().load(nobody.id()).ok() == false, "and creates nothing");
  x.expect_stored(b);
  auto found = x.it().load(run_id{"a"});
  x.expect(found.ok() && found->state.version == 3
             && found->spec->thread.str() == "thread",
           "the refused commits left the record alone");
  if (found)
    x.expect_none(log_violations(x.it(), *found));
}

void commits_of_one_call_see_each_other(examination& x) {
  x.begin("several commits of one call may name one run");
  run_script a{"a"}, b{"b"};
  std::vector<commit> batch{a.create(), b.create(), a.claim("n")};
  batch.push_back(a.append(3, 30));
  batch.push_back(a.append({"x\n"}));
  batch.push_back(b.finish(run_status::aborted));
  batch.push_back(a.claim("m"));
  // Stale within the call: the first commit of `a` has passed.
  batch.push_back(batch[2]);
  batch.push_back(a.finish());
  auto got = x.commit_all(batch);
  for (std::size_t i = 0; i < got.size(); ++i)
    x.expect((got[i].code == errc::none) == (i != 7),
             "commit " + std::to_string(i) + " of the call answered "
               + std::string{to_string(got[i].code)});
  a.numbered(got[0].no);
  b.numbered(got[1].no);
  x.expect(got[0].no < got[1].no, "numbers grow in the order of the call");
  x.expect_stored(a);
  x.expect_stored(b);
  x.crash();
  x.expect_stored(a);
  x.expect_stored(b);
}

void everything_comes_back_as_it_was(examination& x) {
  x.begin("what was committed is read back byte for byte");
  run_script a{"r\xc3\xa4n/../%00", "thread with \xe2\x82\xac"};
  x.create(a);
  x.take(a.claim("first"));
  x.take(a.append({std::string{"nul \0 inside\n", 13}, "\xff\xfe\r\n", "\r\n",
                   "\n", "a piece", " and its end\n", "no newline"}));
  x.take(a.claim("second"));
  x.take(a.claim("third"));
  x.take(a.append(5, 100'000));
  x.expect_stored(a);
  x.take(a.finish(run_status::failed));
  x.expect_stored(a);
  x.reopen();
  x.expect_stored(a);
  x.crash();
  x.expect_stored(a);
}

void acknowledged_commits_survive(examination& x) {
  x.begin("what commit_all() acknowledged survives a power loss");
  std::vector<run_script> runs;
  for (auto i = 0; i < 8; ++i) {
    runs.emplace_back("run-" + std::to_string(i));
    x.create(runs.back());
    x.crash();
    x.take(runs.back().claim("node"));
    for (auto& run : runs)
      x.take(run.append(2, 50));
    x.crash();
    for (const auto& run : runs)
      x.expect_stored(run);
  }
  x.take(runs[3].finish());
  x.crash();
  x.expect_stored(runs[3]);
}

void unusable_ids_are_refused(examination& x) {
  x.begin("a run that could not be read back is refused as malformed");
  for (const auto& id : {std::string{}, std::string{"\xff"},
                         std::string{"a\0b", 3}, std::string(513, 'a')}) {
    auto got = x.commit_one(run_script{id}.create());
    x.expect(got.code == errc::malformed, "id '" + printable(id) + "'");
  }
  auto got = x.commit_one(run_script{"a", std::string{"t\0", 2}}.create());
  x.expect(got.code == errc::malformed, "a thread id with a NUL");
  x.expect(x.listed({}).empty(), "nothing was created");
  run_script longest{std::string(512, 'i'), std::string(512, 't')};
  x.create(longest);
  x.expect_stored(longest);
}

// -- reading ------------------------------------------------------------------

void reads_obey_their_limits(examination& x) {
  x.begin("read() begins behind `after` and ends at its limits");
  run_script a{"a"}, b{"b"};
  x.create(a);
  x.create(b);
  x.take(a.append(10, 100));
  x.take(b.append(10, 100));
  auto seqs = [&](std::uint64_t after, std::size_t entries, std::size_t bytes) {
    auto got = x.it().read(a.record(), {seq{after}, entries, bytes});
    std::vector<std::uint64_t> out;
    if (x.expect(got.ok(), "read failed") && got)
      for (const auto& e : *got)
        out.push_back(e.seq.value);
    return out;
  };
  using numbers = std::vector<std::uint64_t>;
  x.expect(seqs(0, 3, 1 << 20) == numbers{1, 2, 3}, "entries_max is the limit");
  x.expect(seqs(3, 3, 1 << 20) == numbers{4, 5, 6}, "reading goes on behind");
  x.expect(seqs(8, 9, 1 << 20) == numbers{9, 10}, "the log ends");
  x.expect(seqs(10, 9, 1 << 20).empty(), "behind the last entry is nothing");
  x.expect(seqs(99, 9, 1 << 20).empty(), "nor beyond");
  x.expect(seqs(0, 9, 300) == numbers{1, 2, 3}, "bytes_max may be reached");
  x.expect(seqs(0, 9, 299) == numbers{1, 2}, "bytes_max is not exceeded");
  x.expect(seqs(4, 9, 1) == numbers{5}, "but one entry always comes");
  x.take(a.append(1, 100));
  x.expect(seqs(10, 9, 1 << 20) == numbers{11}, "new entries are seen");
}

void lists_are_ordered_and_filtered(examination& x) {
  x.begin("list() gives creation order, filtered, in pages");
  std::vector<run_script> runs;
  // Names sort against creation order; thread names are prefixes.
  for (const auto* thread : {"t", "tt", "t", "t2", "t", "tt"}) {
    auto name = std::string(1, static_cast<char>('z' - runs.size()));
    runs.emplace_back(name, thread);
    x.create(runs.back());
  }
  x.take(runs[2].finish());
  x.take(runs[5].finish(run_status::failed));
  auto look = [&](const std::string& when) {
    x.expect(x.listed({}) == names{"z", "y", "x", "w", "v", "u"},
             "all, in creation order " + when);
    list_query t;
    t.thread = thread_id{"t"};
    x.expect(x.listed(t) == names{"z", "x", "v"}, "one thread's " + when);
    t.status = run_status::running;
    x.expect(x.listed(t) == names{"z", "v"}, "its running ones " + when);
    t.thread = thread_id{"nobody's"};
    x.expect(x.listed(t).empty(), "no thread, no runs " + when);
    list_query done;
    done.status = run_status::completed;
    x.expect(x.listed(done) == names{"x"}, "completed ones " + when);
    done.status = run_status::running;
    x.expect(x.listed(done) == names{"z", "y", "w", "v"}, "running " + when);
    list_query page;
    page.limit = 2;
    x.expect(x.listed(page) == names{"z", "y"}, "the limit is kept " + when);
    page.after = runs[1].record().state.no;
    x.expect(x.listed(page) == names{"x", "w"}, "the next page " + when);
    page.after = runs[5].record().state.no;
    x.expect(x.listed(page).empty(), "behind the last is nothing " + when);
    x.expect(x.live() == names{"z", "y", "w", "v"},
             "live: not terminal, in creation order " + when);
  };
  look("at once");
  x.reopen();
  look("after reopening");
}

void unknown_runs_are_named_so(examination& x) {
  x.begin("a run that does not exist is errc::unknown_run");
  run_id nobody{"nobody"};
  auto got = x.it().load(nobody);
  x.expect(!got && got.error().code == errc::unknown_run, "load");
  x.expect(x.it().remove(nobody, 1).code == errc::unknown_run, "remove");
  x.expect(x.it().quarantine(nobody, "why", {}).code == errc::unknown_run,
           "quarantine");
}

// -- removal ------------------------------------------------------------------

void removal_leaves_nothing(examination& x) {
  x.begin(
    "remove() takes a terminal run with its log, and its number for good");
  run_script a{"a"}, b{"b"}, c{"c"};
  for (auto* run : {&a, &b, &c})
    x.create(*run);
  x.take(c.claim("node"));
  x.take(c.append(4, 40));
  auto version = c.record().state.version;
  x.expect(x.it().remove(c.id(), version).code == errc::not_terminal,
           "a live run is not removed");
  x.take(c.finish());
  x.expect(x.it().remove(c.id(), version).code == errc::stale,
           "an old version is stale");
  x.expect_stored(c);
  x.expect(x.it().remove(c.id(), version + 1).ok(), "removed");
  auto gone = [&](const std::string& when) {
    auto got = x.it().load(c.id());
    x.expect(!got && got.error().code == errc::unknown_run, "load " + when);
    x.expect(x.listed({}) == names{"a", "b"}, "list " + when);
    list_query thread;
    thread.thread = thread_id{"thread"};
    x.expect(x.listed(thread) == names{"a", "b"}, "thread index " + when);
    auto log = x.it().read(c.record(), {});
    x.expect(log && log->empty(), "its log is gone " + when);
    auto notes = x.it().claims(c.record());
    x.expect(notes && notes->empty(), "its claims are gone " + when);
  };
  gone("at once");
  x.crash();
  gone("after a crash");
  run_script again{"c"};
  x.create(again);
  x.expect(c.record().state.no < again.record().state.no,
           "its number, the highest so far, is not given again");
  x.expect_stored(again);
  x.expect_stored(a);
  x.expect_stored(b);
}

// -- damage -------------------------------------------------------------------

void damage_stays_with_its_run(examination& x) {
  x.begin("a corrupt run is named, quarantined, and hurts no other");
  run_script a{"a"}, b{"b"}, c{"c"};
  for (auto* run : {&a, &b, &c}) {
    x.create(*run);
    x.take(run->claim("node"));
    x.take(run->append(3, 30));
  }
  x.take(c.finish());
  x.expect(x.it().quarantine(c.id(), "why", {}).code == errc::terminal,
           "a readable end stays what it is (I5)");
  x.expect_stored(c);
  if (!x.damage(b.id()))
    return;
  auto got = x.it().load(b.id());
  x.expect(!got && got.error().code == errc::corrupt, "load names it");
  x.expect(x.listed({}) == names{"a", "c"}, "list leaves it out");
  x.expect(x.live() == names{"a"}, "live leaves it out");
  auto broken = x.it().corrupt();
  x.expect(broken && *broken == std::vector<run_id>{b.id()},
           "corrupt lists exactly it");
  auto late = b;
  auto mixed = x.commit_all({late.append(1, 5), a.append(1, 5)});
  x.expect(mixed[0].code == errc::corrupt, "a commit to it is refused");
  x.expect(mixed[1].code == errc::none, "its neighbour in the call is not");
  wall_time now{std::chrono::milliseconds{1'800'000'000'000}};
  x.expect(x.it().quarantine(b.id(), "because", now).ok(), "quarantine");
  auto look = [&](const std::string& when) {
    auto ended = x.it().load(b.id());
    if (!x.expect(ended.ok(), "it is readable " + when))
      return;
    const auto& state = ended->state;
    x.expect(state.status == run_status::failed && state.finished_at == now
               && state.error == run_error{errc::corrupt, "because"},
             "failed, code corrupt, with the reason " + when);
    x.expect(state.no == b.record().state.no, "under its number " + when);
    x.expect(state.epoch >= b.record().state.epoch, "I6 holds " + when);
    x.expect_none(log_violations(x.it(), *ended));
    auto log = read_all(x.it(), *ended);
    x.expect(log && *log == b.log(), "its readable log is kept " + when);
    x.expect(x.live() == names{"a"}, "it is not live " + when);
    auto none = x.it().corrupt();
    x.expect(none && none->empty(), "nothing is corrupt " + when);
    x.expect(x.listed({}) == names{"a", "b", "c"}, "it is listed " + when);
    x.expect_stored(a);
    x.expect_stored(c);
  };
  look("at once");
  x.expect(x.commit_one(late.append(1, 5)).code == errc::stale,
           "commits of the time before are stale");
  x.crash();
  look("after a crash");
  auto ended = x.it().load(b.id());
  if (ended)
    x.expect(x.it().remove(b.id(), ended->state.version).ok(),
             "it can be removed");
  x.expect(x.listed({}) == names{"a", "c"}, "and is gone then");
}

// -- the rest -----------------------------------------------------------------

void the_epoch_floor_rises_with_removals(examination& x) {
  x.begin("no epoch of a removed run lies above the floor (I6)");
  auto is = [&](std::uint64_t wanted, const std::string& when) {
    auto got = x.it().epoch_floor();
    x.expect(got && got->value == wanted, "floor " + when);
  };
  is(0, "at first");
  run_script a{"a"}, b{"b"};
  for (auto* run : {&a, &b}) {
    x.create(*run);
    x.take(run->claim("node"));
  }
  x.take(a.claim("other"));
  x.take(a.claim("node"));
  for (auto* run : {&a, &b})
    x.take(run->finish());
  is(0, "while the runs are there");
  x.expect(x.it().remove(a.id(), a.record().state.version).ok(), "remove a");
  is(3, "behind a removal");
  x.expect(x.it().remove(b.id(), b.record().state.version).ok(), "remove b");
  is(3, "behind the removal of a run with fewer claims");
  x.crash();
  is(3, "after a crash");
}

void uptime_rides_with_commits(examination& x) {
  x.begin("the uptime is 0 at first, then as saved before the last commit");
  auto is = [&](std::uint64_t ms, const std::string& when) {
    auto got = x.it().uptime_ms();
    x.expect(got && *got == ms, "uptime " + when);
  };
  is(0, "at first");
  x.expect(x.it().save_uptime_ms(1234).ok(), "save");
  is(1234, "when saved");
  run_script a{"a"};
  x.create(a);
  x.crash();
  is(1234, "after a commit and a crash");
}

void readers_see_whole_commits(examination& x) {
  x.begin("a reader beside the writer sees whole commits");
  run_script a{"a"};
  x.create(a);
  std::atomic<bool> done{false};
  std::atomic<std::size_t> torn{0};
  std::thread reader{[&] {
    while (!done) {
      auto found = x.it().load(a.id());
      auto log = found ? read_all(x.it(), *found) : found.error();
      if (!log || log->size() < found->state.last_seq.value)
        ++torn;
    }
  }};
  for (auto i = 0; i < 100; ++i)
    x.take(a.append(3, 60));
  done = true;
  reader.join();
  x.expect(torn == 0, "a record ran ahead of its log");
  x.expect_stored(a);
}

void expect_same_lists(examination& x, const memory_store& reference) {
  auto wanted = reference.list({}).value();
  auto got = x.it().list({});
  if (x.expect(got && got->size() == wanted.size(), "as many runs"))
    for (std::size_t i = 0; i < wanted.size(); ++i)
      x.expect((*got)[i].state == wanted[i].state, "the same records");
  x.expect_instances(reference.instances().value());
}

struct seeded_dice {
  std::uint64_t seed;

  std::uint64_t operator()(std::uint64_t sides) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (seed >> 33) % sides;
  }
};

std::vector<instance_change> some_instances(seeded_dice& dice) {
  std::vector<instance_change> out;
  for (auto n = dice(4); n > 0; --n) {
    instance_key key{std::string(1, static_cast<char>('a' + dice(6)))};
    out.push_back({key, std::nullopt});
    if (dice(3) > 0)
      out.back().record = sample_instance(key.str(), dice(2) == 0);
  }
  return out;
}

/// A seeded walk, compared with the reference engine after every step.
void walk_agrees_with_the_reference(examination& x, std::uint64_t seed) {
  x.begin("a random walk (seed " + std::to_string(seed)
          + ") ends where the reference engine ends");
  memory_store reference;
  std::vector<run_script> runs;
  std::uint64_t names_given = 0;
  seeded_dice dice{seed};
  auto both = [&](commit c) {
    c.instances = some_instances(dice);
    auto wanted = reference.commit_all({&c, 1}).value().front();
    auto got = x.commit_one(c);
    x.expect(got.code == wanted.code && got.version == wanted.version
               && got.no == wanted.no,
             "outcome of a commit");
    return got.no;
  };
  for (auto step = 0; step < 200; ++step) {
    auto pick = runs.empty() ? 0 : dice(runs.size());
    auto what = runs.empty() ? 0 : dice(14);
    auto ended = !runs.empty() && is_terminal(runs[pick].record().state.status);
    if (what < 2) {
      runs.emplace_back("w" + std::to_string(names_given++ % 9),
                        "t" + std::to_string(dice(3)));
      auto is_new = !reference.load(runs.back().id()).ok();
      auto no = both(runs.back().create());
      is_new ? runs.back().numbered(no) : runs.pop_back();
    } else if (what == 2) {
      x.crash();
    } else if (what == 3 && ended) {
      auto version = runs[pick].record().state.version - dice(2);
      auto wanted = reference.remove(runs[pick].id(), version).code;
      auto got = x.it().remove(runs[pick].id(), version).code;
      x.expect(got == wanted, "answer of remove");
      if (wanted == errc::none)
        runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(pick));
    } else if (what == 4 && !ended) {
      both(runs[pick].finish(dice(2) == 0 ? run_status::completed
                                          : run_status::failed));
    } else if (what == 5) {
      auto stale = runs[pick];
      ignore_result(stale.claim("skipped"), "makes the next one stale");
      both(stale.append(1 + dice(3), 10));
    } else if (what == 12) {
      both(runs[pick].trim(dice(runs[pick].log().size() + 1)));
    } else if (what == 13) {
      auto changes = some_instances(dice);
      x.expect(reference.change_instances(changes).ok()
                 && x.it().change_instances(changes).ok(),
               "change_instances");
    } else if (what < 9 && !ended) {
      both(runs[pick].claim("n" + std::to_string(dice(4))));
    } else if (!ended) {
      both(runs[pick].append(1 + dice(5), 2 + dice(90)));
    }
  }
  for (const auto& run : runs)
    x.expect_stored(run);
  expect_same_lists(x, reference);
}

} // namespace

std::vector<std::string> check_store(store_maker& maker) {
  std::vector<std::string> out;
  examination x{maker, out};
  commits_compare_the_version(x);
  commits_of_one_call_see_each_other(x);
  everything_comes_back_as_it_was(x);
  acknowledged_commits_survive(x);
  unusable_ids_are_refused(x);
  reads_obey_their_limits(x);
  lists_are_ordered_and_filtered(x);
  unknown_runs_are_named_so(x);
  removal_leaves_nothing(x);
  damage_stays_with_its_run(x);
  the_epoch_floor_rises_with_removals(x);
  uptime_rides_with_commits(x);
  readers_see_whole_commits(x);
  examine_trims(x);
  examine_instances(x);
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    walk_agrees_with_the_reference(x, seed);
  return out;
}

} // namespace baton::storage

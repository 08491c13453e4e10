// SPDX-License-Identifier: MIT
// The conformance kit's chapter on logs whose beginning was removed.
#include "storage/store_examination.hpp"

#include <atomic>
#include <thread>

namespace baton::storage {
namespace {

void a_trim_takes_the_beginning(examination& x) {
  x.begin("a higher `trimmed` removes the log's beginning in the same write");
  run_script a{"a"}, b{"b"};
  for (auto* run : {&a, &b}) {
    x.create(*run);
    x.take(run->claim("node"));
    x.take(run->append(10, 100));
  }
  x.take(a.trim(4));
  auto look = [&] {
    x.expect_stored(a);
    x.expect_stored(b);
  };
  look();
  auto behind = x.it().read(a.record(), {seq{4}, 2, 1 << 20});
  x.expect(behind && behind->size() == 2 && behind->front().seq.value == 5,
           "reading goes on behind the cut");
  x.take(a.append(3, 50));
  x.take(a.trim(1));
  look();
  x.crash();
  look();
  x.take(a.trim(8));
  x.expect(a.log().empty(), "(the script's log is empty)");
  look();
  auto end = x.it().read(a.record(), {a.record().state.last_seq});
  x.expect(end && end->empty(), "behind an emptied log is nothing");
  x.take(a.append(1, 20));
  x.take(a.finish());
  x.take(a.trim(1));
  look();
  x.reopen();
  look();
  auto version = a.record().state.version;
  x.expect(x.it().remove(a.id(), version).ok(), "a trimmed run can be removed");
}

void a_trim_is_part_of_its_commit(examination& x) {
  x.begin("a refused commit trims nothing; one that appends may trim");
  run_script a{"a"}, b{"b"};
  x.create(a);
  x.take(a.append(5, 10));
  auto stale = a;
  ignore_result(stale.claim("skipped"), "makes the next one stale");
  x.expect(x.commit_one(stale.trim(3)).code == errc::stale, "stale");
  x.expect_stored(a);
  // Within one commit, and within one call.
  auto both = a.append(4, 10);
  auto trim = a.trim(7);
  both.record.state.trimmed = trim.record.state.trimmed;
  std::vector<commit> batch{both, trim, a.append(1, 10), a.trim(1)};
  batch.push_back(b.create());
  batch.push_back(b.append(3, 10));
  batch.push_back(b.trim(3));
  for (const auto& got : x.commit_all(batch)) {
    x.expect(got.code == errc::none, "a commit of the call was refused");
    if (got.no.value > 0)
      b.numbered(got.no);
  }
  x.expect_stored(a);
  x.expect_stored(b);
  x.crash();
  x.expect_stored(a);
  x.expect_stored(b);
}

void quarantine_knows_the_cut(examination& x) {
  x.begin("quarantine keeps what a trim left");
  run_script a{"a"};
  x.create(a);
  x.take(a.claim("node"));
  x.take(a.append(6, 30));
  x.take(a.trim(2));
  if (!x.damage(a.id()))
    return;
  x.expect(x.it().quarantine(a.id(), "because", {}).ok(), "quarantine");
  auto ended = x.it().load(a.id());
  if (!x.expect(ended.ok(), "it is readable"))
    return;
  x.expect(ended->state.trimmed.value == 2, "the cut is where it was");
  x.expect_none(log_violations(x.it(), *ended));
  auto log = read_all(x.it(), *ended);
  x.expect(log && *log == a.log(), "its readable log is kept");
}

void readers_see_a_trim_or_none(examination& x) {
  x.begin("a reader beside a trim gets entries without a gap, or is told");
  run_script a{"a"};
  x.create(a);
  x.take(a.append(300, 20));
  auto old = a.record();
  std::atomic<bool> done{false};
  std::atomic<std::size_t> wrong{0};
  std::thread reader{[&] {
    std::uint64_t after = 0;
    while (!done) {
      auto got = x.it().read(old, {seq{after}, 7, 1 << 20});
      if (!got && got.error().code != errc::trimmed)
        ++wrong;
      if (got && !got->empty() && got->front().seq.value != after + 1)
        ++wrong;
      after = got ? (after + 1) % 300 : after + 1;
    }
  }};
  for (auto i = 0; i < 100; ++i)
    x.take(a.trim(3));
  done = true;
  reader.join();
  x.expect(wrong == 0, "a reader with the record of before was misled");
  x.expect_stored(a);
}

} // namespace

void examine_trims(examination& x) {
  a_trim_takes_the_beginning(x);
  a_trim_is_part_of_its_commit(x);
  quarantine_knows_the_cut(x);
  readers_see_a_trim_or_none(x);
}

} // namespace baton::storage

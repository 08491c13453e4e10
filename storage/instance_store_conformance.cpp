// SPDX-License-Identifier: MIT
#include "storage/store_conformance.hpp"

namespace baton::storage {

std::vector<std::string> check_instance_store(instance_store_maker& maker) {
  std::vector<std::string> out;
  auto expect = [&](bool holds, const char* what) {
    if (!holds)
      out.emplace_back(what);
  };
  auto s = maker.make();
  auto is = [&](const instance_record& x) {
    auto got = s->get(x.key);
    return got && *got == x;
  };
  instance_record a;
  a.key = instance_key{"aa"};
  auto absent = s->get(a.key);
  expect(absent && !*absent, "get of an absent key is no error");
  expect(s->remove(a.key).ok(), "remove of a missing key is a no-op");
  expect(s->upsert({}).code == errc::malformed, "a record needs a key");
  a.provider = "local";
  a.id = "box-1";
  a.thread = thread_id{"t"};
  a.run = run_id{"r"};
  a.host_label = "host";
  a.created_at = wall_time{std::chrono::milliseconds{42}};
  a.state = instance_state::must_destroy;
  a.last_error = "refused";
  a.attempts = 3;
  a.next_attempt = wall_time{std::chrono::milliseconds{99}};
  auto b = a;
  b.key = instance_key{"b"};
  expect(s->upsert(b).ok() && s->upsert(a).ok(), "upsert creates");
  expect(is(a) && is(b), "every field round-trips");
  instance_record bare;
  bare.key = a.key;
  bare.provider = "other";
  expect(s->upsert(bare).ok() && is(bare),
         "upsert replaces the whole record: omitted fields are cleared");
  auto all = s->list();
  expect(all && *all == std::vector{bare, b}, "list has all, by key");
  s = maker.crash(std::move(s));
  expect(is(bare) && is(b), "upsert survives a power loss");
  expect(s->remove(b.key).ok(), "remove");
  s = maker.crash(std::move(s));
  auto left = s->list();
  expect(left && *left == std::vector{bare}, "remove survives a power loss");
  auto broken = s->corrupt();
  expect(broken && broken->empty(), "nothing is corrupt");
  return out;
}

} // namespace baton::storage

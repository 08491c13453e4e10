// SPDX-License-Identifier: MIT
// The conformance kit's chapter on sandbox instances.
#include "storage/store_examination.hpp"

namespace baton::storage {
namespace {

instance_change put(const instance_record& x) {
  return {x.key, x};
}

instance_change gone(const std::string& key) {
  return {instance_key{key}, std::nullopt};
}

void instances_change_as_told(examination& x) {
  x.begin("change_instances() puts, replaces and removes, in order, for good");
  auto change = [&](const std::vector<instance_change>& changes) {
    x.expect(x.it().change_instances(changes).ok(), "a change was refused");
  };
  x.expect_instances({});
  change({});
  change({gone("a")});
  x.expect_instances({});
  auto a = sample_instance("aa", true);
  auto b = sample_instance("b", true);
  change({put(b), put(a)});
  x.expect_instances({a, b});
  x.crash();
  x.expect_instances({a, b});
  auto bare = sample_instance("aa", false);
  change({put(bare)});
  x.expect_instances({bare, b});
  x.crash();
  x.expect_instances({bare, b});
  auto c = sample_instance("c", false);
  change({put(c), gone("c"), gone("b"), put(b), put(a)});
  x.expect_instances({a, b});
  change({gone("b")});
  x.expect_instances({a});
  x.crash();
  x.expect_instances({a});
  x.reopen();
  x.expect_instances({a});
}

void instances_ride_with_commits(examination& x) {
  x.begin("the instances of a commit change with it, or not at all");
  run_script a{"a"}, b{"b"};
  auto one = sample_instance("1", true);
  auto two = sample_instance("2", false);
  auto create = a.create();
  create.instances = {put(one)};
  a.numbered(x.take(create).no);
  x.expect_instances({one});
  x.crash();
  x.expect_instances({one});
  x.expect_stored(a);
  auto stale = create;
  stale.instances = {gone("1"), put(two)};
  run_script unusable{""};
  auto malformed = unusable.create();
  malformed.instances = stale.instances;
  auto other = b.create();
  other.instances = {put(sample_instance("3", false))};
  auto got = x.commit_all({stale, malformed, other});
  x.expect(got[0].code == errc::stale && got[1].code == errc::malformed
             && got[2].code == errc::none,
           "two are refused, one is not");
  b.numbered(got[2].no);
  x.expect_instances({one, sample_instance("3", false)});
  x.expect_stored(b);
  auto finish = a.finish();
  finish.instances = {gone("1"), gone("3"), put(two)};
  auto append = b.append(2, 10);
  append.instances = {put(one)};
  for (const auto& outcome : x.commit_all({finish, append}))
    x.expect(outcome.code == errc::none, "a commit of the call was refused");
  x.expect_instances({one, two});
  x.crash();
  x.expect_instances({one, two});
  x.expect_stored(a);
  x.expect_stored(b);
  x.expect(x.it().remove(a.id(), a.record().state.version).ok(), "remove");
  x.expect_instances({one, two});
}

} // namespace

void examine_instances(examination& x) {
  instances_change_as_told(x);
  instances_ride_with_commits(x);
}

} // namespace baton::storage

// SPDX-License-Identifier: MIT
// Goal: keys, seals, checks and faults do what their headers say. Method: small
// values; death is watched from a parent.
#include "messages/instance_record.hpp"
#include "storage/faulty_store.hpp"
#include "storage/memory_store.hpp"
#include "storage/rocksdb_keys.hpp"
#include "storage/run_script.hpp"

#include <boost/test/unit_test.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

using namespace baton;
using namespace baton::storage;

namespace {

bool dies(const std::function<void()>& f) {
  auto pid = ::fork();
  if (pid == 0) {
    std::signal(SIGABRT, SIG_DFL);
    ::close(STDERR_FILENO);
    f();
    ::_exit(0);
  }
  int how = 0;
  ::waitpid(pid, &how, 0);
  return WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT;
}

} // namespace

BOOST_AUTO_TEST_SUITE(small_parts)

BOOST_AUTO_TEST_CASE(keys_have_the_documented_bytes) {
  using namespace std::string_literals;
  BOOST_TEST(std::string{key_of(key_tag::state, run_no{258})}
             == "r\0\0\0\0\0\0\1\2"s);
  BOOST_TEST(std::string{key_of(key_tag::entry, run_no{1}, 2)}
             == "e\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2"s);
  BOOST_TEST(key_of(run_id{"x"}) == "ix");
  BOOST_TEST(thread_key(thread_id{"th"}, run_no{3})
             == "tth\0\0\0\0\0\0\0\0\3"s);
  BOOST_TEST(thread_of(thread_key(thread_id{"th"}, run_no{3})) == "th");
  BOOST_TEST(quarantine_key(run_no{1}, "abc") == "q\0\0\0\0\0\0\0\1abc"s);
  BOOST_TEST(meta_key("n") == "mn");
  BOOST_TEST(key_of(instance_key{"k"}) == "xk");
  BOOST_TEST(last_number(key_of(key_tag::state, run_no{258})).value() == 258U);
}

BOOST_AUTO_TEST_CASE(a_seal_sees_every_flip_and_the_wrong_key) {
  auto sealed = seal("key", "payload");
  BOOST_TEST(unseal("key", sealed).value() == "payload");
  BOOST_TEST(!unseal("kez", sealed).ok());
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    auto flipped = sealed;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    BOOST_TEST(!unseal("key", flipped).ok());
    BOOST_TEST(!unseal("key", std::string_view{sealed}.substr(0, at)).ok());
  }
}

BOOST_AUTO_TEST_CASE(an_instance_record_round_trips) {
  instance_record x;
  x.key = instance_key{"k"};
  x.provider = "local";
  x.id = "\xff";
  x.thread = thread_id{"t"};
  x.run = run_id{"r"};
  x.host_label = "h";
  x.created_at = wall_time{std::chrono::milliseconds{5}};
  x.state = instance_state::must_destroy;
  x.last_error = "e";
  x.attempts = 7;
  BOOST_TEST((decode_instance(encode(x)).value() == x));
  x.next_attempt = wall_time{};
  BOOST_TEST((decode_instance(encode(x)).value() == x));
  BOOST_TEST(!decode_instance("\xff").ok());
  BOOST_TEST(!decode_instance("").ok());
}

BOOST_AUTO_TEST_CASE(a_commit_that_leaves_a_gap_stops_the_process) {
  run_script run{"r"};
  memory_store s;
  BOOST_REQUIRE(s.commit_all(std::vector{run.create()}).ok());
  auto good = run.append(2, 10);
  auto with = [&](auto change) {
    return dies([&] {
      auto c = good;
      change(c);
      ignore_result(s.commit_all(std::vector{c}), "dies before it answers");
    });
  };

  BOOST_TEST(!with([](commit&) {}));
  BOOST_TEST(with([](commit& c) { c.entries[0].seq.value = 2; }));
  BOOST_TEST(with([](commit& c) { c.entries[1].seq.value = 3; }));
  BOOST_TEST(with([](commit& c) { c.entries[1].begin.value += 1; }));
  BOOST_TEST(with([](commit& c) { c.entries[1].data += "x"; }));
  BOOST_TEST(with([](commit& c) { c.record.state.last_seq.value = 1; }));
  BOOST_TEST(with([](commit& c) { c.record.state.end.value += 1; }));
  BOOST_TEST(with([](commit& c) { c.record.state.version += 1; }));
  BOOST_TEST(with([](commit& c) { c.entries.pop_back(); }));
}

BOOST_AUTO_TEST_CASE(a_fault_comes_at_its_call_and_stays) {
  memory_store inner;
  faulty_store s{inner};
  run_script run{"r"};
  s.fail_from(2, fault_moment::before_effect);
  BOOST_TEST(s.commit_all(std::vector{run.create()}).ok());
  auto got = s.commit_all(std::vector{run.claim("n")});
  BOOST_TEST((got.error().code == errc::storage_failed));
  BOOST_TEST(!s.load(run.id()).ok());
  BOOST_TEST(inner.load(run.id()).value().state.version == 1U);
  BOOST_TEST(s.calls() == 3U);
}

BOOST_AUTO_TEST_CASE(a_lost_answer_hides_an_effect) {
  memory_store inner;
  faulty_store s{inner};
  run_script run{"r"};
  s.fail_from(1, fault_moment::after_effect);
  BOOST_TEST(!s.commit_all(std::vector{run.create()}).ok());
  BOOST_TEST(!s.save_uptime_ms(5).ok());
  BOOST_TEST(inner.load(run.id()).ok());
  BOOST_TEST(inner.uptime_ms().value() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

// SPDX-License-Identifier: MIT
// Goal: the command line does what it says, and wrong ones are told in one
// line. Method: the program as a function, its output in files.
#include "actors/sim/command_line.hpp"
#include "actors/sim/program.hpp"
#include "tests/sim/programs.hpp"
#include "tests/storage/temp_dir.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <caf/event_based_actor.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace baton;
using namespace baton::sim;
using namespace baton::test;

namespace {

struct arguments {
  explicit arguments(std::vector<std::string> words) : text(std::move(words)) {
    text.insert(text.begin(), "baton-sim");
    for (auto& x : text)
      raw.push_back(x.data());
    raw.push_back(nullptr);
  }
  int count() const { return static_cast<int>(text.size()); }

  std::vector<std::string> text;
  std::vector<char*> raw;
};

result<command_line> parse(std::vector<std::string> words) {
  arguments x{std::move(words)};
  return parse_command_line(x.count(), x.raw.data(), "baton-sim", false);
}

int run_words(std::vector<std::string> words, const program& what = {}) {
  arguments x{std::move(words)};
  return run_program(x.count(), x.raw.data(), what);
}

std::string file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

/// Whatever goes to that descriptor, until it is gone, in a file.
class diverted {
public:
  diverted(int which, const std::string& path)
    : which_(which), former_(::dup(which)) {
    flush();
    auto to = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    BOOST_REQUIRE(to >= 0);
    ::dup2(to, which_);
    ::close(to);
  }

  diverted(const diverted&) = delete;
  diverted& operator=(const diverted&) = delete;

  ~diverted() {
    flush();
    ::dup2(former_, which_);
    ::close(former_);
  }

private:
  static void flush() {
    std::cout.flush();
    std::fflush(stdout);
  }

  int which_;
  int former_;
};

/// What a run says on stdout and on stderr, and its exit code.
struct said {
  std::string out;
  std::string err;
  int code = 0;
};

said listen(const std::vector<std::string>& words, const program& what = {}) {
  test::temp_dir dir;
  said x;
  {
    diverted out{STDOUT_FILENO, dir / "out"};
    diverted err{STDERR_FILENO, dir / "err"};
    x.code = run_words(words, what);
  }
  x.out = file(dir / "out");
  x.err = file(dir / "err");
  return x;
}

/// A fault that the machine finds, in whatever build.
void touch_forbidden_memory() {
  auto* page =
    ::mmap(nullptr, 4'096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_cast<volatile char*>(page)[0] = 1;
}

/// Deeper than any stack.
int fall(int steps) {
  volatile char room[4'096];
  room[0] = static_cast<char>(steps);
  return steps == 0 ? 0 : fall(steps - 1) + room[0];
}

/// How a process ends in which a driver of the user's own does that at once.
struct ending {
  int by_signal = 0;
  std::string err;
};

ending end_of(const std::function<void()>& deed) {
  test::temp_dir dir;
  auto child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    // None of the test's own handlers, and no core.
    for (auto x : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL})
      std::signal(x, SIG_DFL);
    rlimit none{};
    ::setrlimit(RLIMIT_CORE, &none);
    rlimit stack{8 << 20, 8 << 20};
    ::setrlimit(RLIMIT_STACK, &stack);
    diverted err{STDERR_FILENO, dir / "err"};
    run_words({"--seed", "4294967299", "--runs", "0"},
              with_driver([&](auto*, const auto&) { deed(); }));
    ::_exit(0);
  }
  int how = 0;
  BOOST_REQUIRE(::waitpid(child, &how, 0) == child);
  return {WIFSIGNALED(how) ? WTERMSIG(how) : 0, file(dir / "err")};
}

} // namespace

BOOST_AUTO_TEST_SUITE(sim_program)

BOOST_AUTO_TEST_CASE(what_is_asked_for_is_read) {
  auto x = parse({"--seeds", "3..9", "--nodes", "2", "--runs", "1", "--faults",
                  "cut,slow_disk", "--steps", "10", "--json"});
  BOOST_REQUIRE(x.ok());
  BOOST_TEST(x->first == 3U);
  BOOST_TEST(x->last == 9U);
  BOOST_TEST(x->wishes.nodes == 2U);
  BOOST_TEST(x->wishes.runs == 1U);
  BOOST_TEST(x->wishes.faults->size() == 2U);
  BOOST_TEST(x->steps == 10U);
  BOOST_TEST(x->json);
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_told_in_one_line) {
  const std::vector<std::vector<std::string>> wrong{
    {"--faults", "earthquake"},
    {"--faults", ""},
    {"--faults", "cut,"},
    {"--faults", ","},
    {"--faults", "none,cut"},
    {"--faults="},
    {"--faults"},
    {"--seed"},
    {"--seeds", "--json"},
    {"--seed", "18446744073709551616"},
    {"--seeds", "1..18446744073709551616"},
    {"--seeds", "9..3"},
    {"--seeds", "1..x"},
    {"--seeds", ".."},
    {"--seeds", "1..2", "--seed", "1"},
    {"--seed", "-1"},
    {"--nodes", "0"},
    {"--nodes", "1000"},
    {"--nodes", "1", "--faults", "kill_node"},
    {"--runs", "1000000"},
    {"--store", "paper"},
    {"--report", "/no/such/directory/x.html"},
    {"--report", ""},
    {"--report="},
    {"--seed", "1", "--seed", "2"},
    {"--faults", "cut", "--faults", "slow_disk"},
    {"--json=3"},
    {"--progress=1"},
    {"--version=1"},
    {"--runs", "0", "--faults", "agent_kill"},
    {"--runs", "0", "--faults", "cut,steal_storm"},
    {"--nonsense"},
    {"7"},
  };
  for (const auto& x : wrong)
    BOOST_TEST_CONTEXT(x.front() << " " << x.back()) {
      auto got = parse(x);
      BOOST_REQUIRE(!got.ok());
      BOOST_TEST(!got.error().message.empty());
      BOOST_TEST(got.error().message.find('\n') == std::string::npos);
      BOOST_TEST(run_words(x) == 2);
    }
}

BOOST_AUTO_TEST_CASE(what_is_wrong_is_named_with_a_way_on) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> told{
    {{"--faults", "none,cut"}, "'none' stands alone"},
    {{"--faults", ","}, "a name is missing"},
    {{"--faults="}, "--faults"},
    {{"--seeds"}, "--seeds: a value is missing, as in --seeds 1..1000"},
    {{"--nodes"}, "--nodes: a value is missing, as in --nodes 3"},
    {{"--seed", "18446744073709551616"}, "at most 18446744073709551615"},
    {{"--seeds", "1..18446744073709551616"}, "at most 18446744073709551615"},
    {{"--bogus"}, "'--bogus' is no option; --help lists them"},
    {{"7"}, "--seed N"},
    {{"--seed", "1", "--seed", "2"}, "--seed: given twice"},
    {{"--seed", "1", "--seed", "2", "--seed=3"}, "--seed: given 3 times"},
    {{"--faults", "cut", "--faults", "slow_disk"},
     "--faults: given twice; names stand together, as in --faults "
     "cut,slow_disk"},
    {{"--json=3"}, "--json takes no value"},
    {{"--runs", "0", "--faults", "shim_kill"},
     "--faults shim_kill strikes runs, and --runs 0 has none; take 1 run or "
     "more"},
    {{"--faults", "late_launch,cut", "--runs", "0", "--nodes", "1"},
     "--faults late_launch strikes runs"},
  };
  for (const auto& [words, text] : told)
    BOOST_TEST_CONTEXT(words.front()) {
      auto got = parse(words);
      BOOST_REQUIRE(!got.ok());
      BOOST_TEST(got.error().message.find(text) != std::string::npos,
                 got.error().message);
    }
}

BOOST_AUTO_TEST_CASE(what_strikes_without_runs_is_taken_without_runs) {
  BOOST_TEST(parse({"--runs", "0", "--faults", "cut,sweep_storm"}).ok());
  BOOST_TEST(parse({"--runs", "0"}).ok());
  // Runs of its own are there to be struck.
  arguments x{{"--runs", "0", "--faults", "steal_storm"}};
  BOOST_TEST(parse_command_line(x.count(), x.raw.data(), "mine", true).ok());
  BOOST_TEST(parse({"--json", "--progress", "--seed", "1"})->progress);
}

BOOST_AUTO_TEST_CASE(a_replay_repeats_what_the_story_depends_on) {
  auto x = parse({"--steps", "500", "--seeds", "3", "--store=rocksdb", "--json",
                  "--nodes", "3", "--faults", "none"});
  BOOST_REQUIRE(x.ok());
  BOOST_TEST(x->first == 3U);
  BOOST_TEST(x->last == 3U);
  BOOST_TEST(x->given
             == " --nodes 3 --faults none --store rocksdb --steps 500");
  BOOST_TEST(parse({"--version"})->answered.value_or(9) == 0);
}

BOOST_AUTO_TEST_CASE(what_a_plan_says_of_a_fault_is_true) {
  using std::chrono::seconds;
  planned_fault x{fault_kind::cut, seconds{1}, seconds{9}};
  BOOST_TEST(to_string(x) == "cut at 1.000 s for 9.000 s");
  x.kind = fault_kind::late_launch;
  BOOST_TEST(to_string(x) == "late_launch at 1.000 s for 5.000 s");
  x.kind = fault_kind::agent_kill;
  BOOST_TEST(to_string(x) == "agent_kill at 1.000 s");
  x.kind = fault_kind::kill_coordinator;
  x.detail = 1;
  BOOST_TEST(to_string(x) == "kill_coordinator at 1.000 s, in its next commit");
  shape_wishes none;
  none.faults.emplace();
  BOOST_TEST(to_string(draw_shape(1, none)).ends_with(" faults=none"));
}

BOOST_AUTO_TEST_CASE(a_sound_seed_is_0_and_has_its_picture) {
  test::temp_dir dir;
  BOOST_TEST(run_words({"--seed", "1", "--report", dir / "r.html"}) == 0);
  BOOST_TEST(file(dir / "r.html").find("</svg>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_broken_seed_is_1_and_has_its_picture) {
  test::temp_dir dir;
  BOOST_TEST(
    run_words({"--seeds", "1..50", "--faults", "kill_node,kill_coordinator",
               "--report", dir / "r.html"},
              with_a_planted_bug())
    == 1);
  BOOST_TEST(file(dir / "r.html").find("claimed twice") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_broken_seed_is_1_whatever_becomes_of_its_picture) {
  std::vector<std::string> words{"--seeds", "1..50", "--faults",
                                 "kill_node,kill_coordinator"};
  words.insert(words.end(), {"--report", "/dev/full"});
  auto x = listen(words, with_a_planted_bug());

  BOOST_TEST(x.code == 1);
  BOOST_TEST(x.err == "baton-sim: --report /dev/full: could not be written\n");
  BOOST_TEST(run_words({"--seed", "1", "--report", "/dev/full"}) == 2);
}

BOOST_AUTO_TEST_CASE(what_broke_has_a_name_in_words) {
  auto x =
    listen({"--seeds", "1..50", "--faults", "kill_node"}, with_a_planted_bug());
  BOOST_TEST(has(x.out, " broke check (the program's own) in run r"), x.out);
  auto waits = with_driver([](auto*, const auto&) {});
  x = listen({"--seed", "1", "--faults", "none"}, waits);
  BOOST_TEST(x.code == 1);
  BOOST_TEST(has(x.out, "seed 1 broke I9 (no wedge) in run feed: "), x.out);
  BOOST_TEST(has(listen({"--help"}).out,
                 "I1 to I12 are explained in README.md, \"Invariants\""));
}

BOOST_AUTO_TEST_CASE(a_programs_own_runs_are_counted) {
  auto waits = with_driver([](auto*, const auto&) {});
  waits.drivers.push_back(waits.drivers.front());
  waits.drivers.back().name = "other";
  for (const auto* way : {"--json", "--progress"}) {
    auto x = listen({"--seed", "1", "--steps", "10", way}, waits);
    BOOST_TEST(has(x.out, " own_runs=1 own_drivers=2 own_viewers=1"), x.out);
  }
  BOOST_TEST(!has(listen({"--seed", "1", "--steps", "10"}).out, "own_"));
}

BOOST_AUTO_TEST_CASE(a_driver_that_crashes_names_its_seed_and_dies_of_that) {
  for (auto [what, name] : {std::pair{SIGABRT, "stopped by a check"},
                            {SIGSEGV, "SIGSEGV"},
                            {SIGBUS, "SIGBUS"},
                            {SIGFPE, "SIGFPE"},
                            {SIGILL, "SIGILL"}}) {
    auto x = end_of([what = what] { std::raise(what); });
    BOOST_TEST(x.by_signal == what);
    BOOST_TEST(has(x.err, "seed 4294967299: "), x.err);
    BOOST_TEST(has(x.err, name), x.err);
  }
  for (auto* deed :
       {+[] { touch_forbidden_memory(); }, +[] { fall(1 << 20); }}) {
    auto x = end_of(deed);
    BOOST_TEST(x.by_signal == SIGSEGV);
    BOOST_TEST(has(x.err, "seed 4294967299: "), x.err);
  }
}

BOOST_AUTO_TEST_CASE(a_check_that_stops_the_process_is_told_once) {
  auto x = end_of([] { std::abort(); });
  BOOST_TEST(x.by_signal == SIGABRT);
  BOOST_TEST(x.err == "seed 4294967299: stopped by a check\n");
}

BOOST_AUTO_TEST_CASE(what_others_print_does_not_come_between_objects) {
  auto noisy = with_driver([](caf::event_based_actor* self, const auto&) {
    std::printf("noise by C\n");
    std::cout << "noise by C++" << std::endl;
    self->send(self, std::string{"not expected"});
  });
  auto x = listen({"--seeds", "1..2", "--steps", "500", "--json"}, noisy);

  BOOST_TEST(x.code == 0);
  std::istringstream lines{x.out};
  std::size_t objects = 0;
  for (std::string line; std::getline(lines, line); ++objects) {
    boost::json::error_code bad;
    auto got = boost::json::parse(line, bad);
    BOOST_TEST((!bad && got.is_object()), line);
  }
  BOOST_TEST(objects == 2U);
  for (const auto* noise : {"noise by C\n", "noise by C++\n", "unexpected"})
    BOOST_TEST(has(x.err, noise), noise);
}

BOOST_AUTO_TEST_CASE(without_json_a_program_prints_where_it_prints) {
  auto noisy =
    with_driver([](auto*, const auto&) { std::printf("noise by C\n"); });
  auto x = listen({"--seed", "1", "--steps", "500"}, noisy);

  BOOST_TEST(has(x.out, "noise by C\n"));
  BOOST_TEST(x.err.empty(), x.err);
}

BOOST_AUTO_TEST_SUITE_END()

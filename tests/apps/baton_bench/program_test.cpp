// SPDX-License-Identifier: MIT
// baton-bench from outside: what it refuses, what it prints, what it leaves.
// Its figures are not judged here: that needs a machine with nothing else to
// do.
#include "tests/storage/temp_dir.hpp"
#include "tests/support/proc.hpp"
#include "tests/support/process.hpp"

#include <boost/json/parse.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

using namespace baton::test;

namespace {

process start(std::vector<std::string> args) {
  args.insert(args.begin(), program("baton-bench"));
  return {std::move(args), {}};
}

finished call(std::vector<std::string> args) {
  return start(std::move(args)).wait(240s);
}

void check_nothing_left(const temp_dir& dir) {
  BOOST_TEST(wait_until([&] { return processes_naming(dir.path()).empty(); }));
  BOOST_TEST(wait_until([&] { return processes_of(dir.path()).empty(); }));
}

} // namespace

BOOST_AUTO_TEST_SUITE(bench_program)

BOOST_AUTO_TEST_CASE(what_it_does_not_know_is_refused) {
  BOOST_TEST(call({"no-such-figure"}).exit == 2);
  BOOST_TEST(call({"tail", "--remote"}).exit == 2);
  BOOST_TEST(call({"--help"}).exit == 0);
}

BOOST_AUTO_TEST_CASE(takeover_tells_its_figures_and_leaves_nothing) {
  temp_dir dir;
  auto done =
    call({"takeover", "--rounds", "1", "--json", "--dir", dir.path()});
  BOOST_TEST(done.exit == 0);
  BOOST_TEST(done.err == "");

  std::istringstream lines{done.out};
  std::size_t figures = 0;
  for (std::string line; std::getline(lines, line); ++figures) {
    auto x = boost::json::parse(line).as_object();
    BOOST_TEST(x.at("bench").as_string() == "takeover");
    BOOST_TEST(x.at("baton").to_number<double>() > 0);
  }
  BOOST_TEST(figures == 6U);
  check_nothing_left(dir);
  BOOST_TEST(std::filesystem::is_empty(dir.path()));
}

BOOST_AUTO_TEST_CASE(killed_in_the_middle_it_takes_its_nodes_and_agents_along) {
  temp_dir dir;
  auto bench = start({"takeover", "--dir", dir.path()});
  BOOST_TEST(wait_until(
    [&] {
      auto agents = processes_of(dir.path());
      return std::ranges::any_of(agents, [](pid_t x) {
        return content_of("/proc/" + std::to_string(x) + "/cmdline")
                 .find("print-lines")
               != std::string::npos;
      });
    },
    60s));

  bench.kill9();

  check_nothing_left(dir);
}

BOOST_AUTO_TEST_SUITE_END()

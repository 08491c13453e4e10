// SPDX-License-Identifier: MIT
// Goal: the daemon starts after every kill and every cut of its newest log
// file, and what a viewer was shown is still there (I4, I7, R4; field case
// BR-043). Method: busy runs, kill -9 at drawn moments.
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::string newest_log(const daemon& d) {
  std::string out;
  for (const auto& x : fs::directory_iterator{d.data_dir() + "/store"})
    if (x.path().extension() == ".log" && x.path().string() > out)
      out = x.path();
  return out;
}

void expect_counts(const daemon& d, const std::string& run) {
  auto log = read_log(d, run);
  expect_gap_free(log);
  for (const auto& x : log)
    if (x.data_text != counted(x.seq - 1)) {
      BOOST_ERROR(run << ": entry " << x.seq << " is " << x.data_text);
      return;
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(system_crash)

// BR-043.
BOOST_AUTO_TEST_CASE(ten_busy_runs_survive_kills_and_torn_store_logs) {
  daemon d;
  d.start();
  std::mt19937 random{43};
  std::vector<std::string> runs;
  // All logs are read again in each round: faster agents would give a slow
  // build ever more to read.
  for (int i = 0; i < 10; ++i)
    runs.push_back(d.create(counter(1'000'000, 10, d.file("stop"))));
  for (int round = 0; round < 10; ++round) {
    std::vector<event_stream> viewers;
    for (const auto& run : runs)
      viewers.push_back(d.view(run));
    auto until = std::chrono::steady_clock::now() + millis{50 + random() % 400};
    while (std::chrono::steady_clock::now() < until)
      for (auto& v : viewers)
        v.pump(1ms);
    d.kill9();
    d.restart();
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const auto& seen = viewers[i].events();
      auto log = read_log(d, runs[i]);
      BOOST_TEST_REQUIRE(log.size() >= seen.size());
      if (!seen.empty())
        BOOST_TEST(log[seen.size() - 1].data_text
                   == parse_entry(seen.back().data).data_text);
      expect_counts(d, runs[i]);
    }
  }
  for (std::uintmax_t cut : {1u, 7u, 64u}) {
    BOOST_TEST(d.stop() == 0);
    auto log = newest_log(d);
    if (fs::file_size(log) >= cut)
      fs::resize_file(log, fs::file_size(log) - cut);
    d.restart();
    for (const auto& run : runs)
      expect_counts(d, run);
  }
  write_file(d.file("stop"), "");
  for (const auto& run : runs) {
    auto record = d.wait_for_end(run);
    BOOST_TEST(record.at("exit_code").as_int64() == 0);
    expect_counts(d, run);
    expect_invariants(d, run);
  }
}

BOOST_AUTO_TEST_CASE(a_damaged_store_log_is_refused_in_one_line) {
  daemon d;
  d.start();
  auto run = d.create("echo one; echo two");
  d.wait_for_end(run);
  d.kill9();
  std::string bytes;
  auto log = newest_log(d);
  {
    std::ifstream in{log, std::ios::binary};
    bytes.assign(std::istreambuf_iterator<char>{in}, {});
  }
  bytes.at(bytes.size() / 3) ^= 1;
  write_file(log, bytes);

  auto end = d.start_in_vain({"--http", "127.0.0.1:0"});

  BOOST_TEST(end.exit == 2);
  BOOST_TEST(end.out.empty());
  BOOST_TEST(end.err.starts_with("batond: store "), end.err);
  BOOST_TEST(end.err.find("lost acknowledged writes") != std::string::npos);
  BOOST_TEST(end.err.find(fs::path{log}.filename().string() + " at byte ")
             != std::string::npos);
  BOOST_TEST(std::count(end.err.begin(), end.err.end(), '\n') == 1, end.err);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test

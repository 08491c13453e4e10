// SPDX-License-Identifier: MIT
// Goal: real recordings come through byte for byte. Method: each is replayed by
// the demonstration's agent; skipped where there are none.
#include "tests/messages/shared_data.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/run_log.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

namespace baton::test {

BOOST_AUTO_TEST_SUITE(system_transcripts)

BOOST_AUTO_TEST_CASE(every_recording_comes_through_byte_for_byte) {
  auto folder = test::transcripts();
  if (!folder)
    return;
  daemon d;
  d.start();
  std::vector<std::pair<std::string, std::string>> runs;
  for (const auto& file : std::filesystem::directory_iterator{*folder})
    if (file.is_regular_file() && file.path().extension() != ".md") {
      auto answer = d.create_raw(
        {{"run_id", file.path().filename().string()},
         {"command", json::array{program("baton-demo-agent"), "--replay",
                                 file.path().string(), "--speed", "0"}}});
      BOOST_TEST(answer.status == 201, answer.body);
      runs.emplace_back(file.path().filename(), test::content_of(file.path()));
    }
  BOOST_TEST(!runs.empty());
  for (const auto& [run, bytes] : runs)
    BOOST_TEST_CONTEXT(run) {
      auto record = d.wait_for_end(run, 120s);
      BOOST_TEST(record.at("status").as_string() == "completed");
      BOOST_TEST((read_journal(d, run) == bytes));
      BOOST_TEST((d.cli({"logs", "--raw", run}).out == bytes));
      expect_invariants(d, run);
    }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace baton::test

// SPDX-License-Identifier: MIT
// Goal: what the inner shim says is understood whole, and nothing else is.
// Method: lines, and a pipe that hands them over in pieces.
#include "apps/baton_shim/inner_report.hpp"

#include <boost/test/unit_test.hpp>

#include <fcntl.h>
#include <unistd.h>

namespace baton::shim {
namespace {

using kind = inner_report::what;

BOOST_AUTO_TEST_SUITE(inner_reporting)

BOOST_AUTO_TEST_CASE(reports_come_back_as_they_were) {
  for (const auto& x :
       {inner_report{kind::started, 0, ""}, inner_report{kind::ended, 0, ""},
        inner_report{kind::ended, 0x8f00, ""},
        inner_report{kind::failed, 127, "the command x: not found; check"}}) {
    auto line = encode(x);
    BOOST_REQUIRE(line.ends_with('\n'));
    line.pop_back();
    BOOST_TEST((decode_inner_report(line) == x));
  }
}

BOOST_AUTO_TEST_CASE(a_text_stays_one_line) {
  auto line = encode({kind::failed, 126, "a\nb"});
  BOOST_TEST(line == "failed 126 a b\n");
}

BOOST_AUTO_TEST_CASE(other_lines_are_no_reports) {
  for (auto line : {"", "start", "started ", "ended", "ended ", "ended x",
                    "ended 1 2", "failed", "failed 1", "failed x y"})
    BOOST_TEST(!decode_inner_report(line).has_value(), line);
}

BOOST_AUTO_TEST_CASE(a_report_is_told_once_it_is_whole) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
  inner_reports reports{sandbox::unique_fd{ends[0]}};
  sandbox::unique_fd writer{ends[1]};
  auto write = [&](std::string_view text) {
    BOOST_REQUIRE(::write(writer.get(), text.data(), text.size())
                  == static_cast<ssize_t>(text.size()));
  };

  BOOST_TEST(!reports.next().has_value());
  write("star");
  BOOST_TEST(!reports.next().has_value());
  write("ted\nnonsense\nended 9\nend");
  BOOST_TEST((reports.next() == inner_report{}));
  BOOST_TEST((reports.next() == inner_report{kind::ended, 9, ""}));
  BOOST_TEST(!reports.next().has_value());
  BOOST_TEST(reports.fd() >= 0);
  writer.close();
  BOOST_TEST(!reports.next().has_value());
  BOOST_TEST(reports.fd() == -1);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::shim

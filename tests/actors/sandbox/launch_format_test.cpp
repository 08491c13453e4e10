// SPDX-License-Identifier: MIT
// Goal: an order arrives whole or not at all. Method: every cut of one.
#include "actors/sandbox/launch_format.hpp"

#include <boost/test/unit_test.hpp>

namespace baton::sandbox {
namespace {

shim_order sample() {
  shim_order out;
  out.argv = {"/bin/sh", "-c", "echo 'a\nb'", ""};
  out.environment = {"A=1", "B=\xff\xfe"};
  out.cwd = "/somewhere";
  out.stdin_bytes = std::string{"x\0y", 3};
  out.nonce = "abc";
  out.keep_processes = true;
  workspace_order w;
  w.git_url = "https://h/r";
  w.copied_folder = "/a";
  w.git_ref = "main";
  w.git_depth = 7;
  w.install = true;
  w.setup = {{"a", "b"}, {"c"}};
  w.scripts = {"lint", "run lint"};
  w.secrets = {"K=v"};
  w.timeout_ms = 99;
  w.hash = "ff";
  w.instance = "/i";
  out.workspace = w;
  return out;
}

BOOST_AUTO_TEST_SUITE(sandbox_launch_format)

BOOST_AUTO_TEST_CASE(an_order_comes_back_as_it_was) {
  BOOST_TEST((decode_shim_order(encode(sample())) == sample()));
  auto plain = sample();
  plain.workspace.reset();
  BOOST_TEST((decode_shim_order(encode(plain)) == plain));
}

BOOST_AUTO_TEST_CASE(every_cut_and_every_addition_is_noticed) {
  auto bytes = encode(sample());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    BOOST_TEST(!decode_shim_order(std::string_view{bytes}.substr(0, n)));
  BOOST_TEST(!decode_shim_order(bytes + "x"));
}

BOOST_AUTO_TEST_CASE(huge_lengths_are_refused_and_crash_nothing) {
  auto bytes = encode(sample());
  for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
    auto broken = bytes;
    broken.replace(at, 8, 8, '\xff');
    auto got = decode_shim_order(broken);
    BOOST_TEST((!got || got->argv.size() == 4u));
  }
}

BOOST_AUTO_TEST_CASE(an_order_without_a_command_is_none) {
  auto order = sample();
  order.argv.clear();
  BOOST_TEST(!decode_shim_order(encode(order)));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace baton::sandbox

// SPDX-License-Identifier: MIT
// A sandbox_world whose agents bubblewrap confines, for tests of that alone.
#pragma once

#include "actors/sandbox/bwrap_provider.hpp"
#include "tests/actors/sandbox/sandbox_world.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace baton::sandbox::test {

inline result<std::unique_ptr<bwrap_provider>>
make_bwrap(const std::string& root) {
  bwrap_options options;
  options.where = {root, BATON_BIN_DIR "/baton-shim"};
  return bwrap_provider::open(std::move(options));
}

/// Why there can be no confinement on this machine; empty: there can.
inline std::string why_not_confined() {
  static const std::string why = [] {
    temporary_folder folder;
    auto made = make_bwrap(folder / "root");
    if (!made)
      return made.error().message;
    auto tried = (*made)->try_out();
    return tried.ok() ? std::string{} : tried.message;
  }();
  return why;
}

/// For BOOST_TEST_DECORATOR: without namespaces the test is skipped, and says
/// so.
inline boost::test_tools::assertion_result
can_confine(boost::unit_test::test_unit_id) {
  boost::test_tools::assertion_result out{why_not_confined().empty()};
  out.message() << "no confinement here: " << why_not_confined();
  return out;
}

inline std::string work_of(const launch_order& x) {
  return x.where.id + "/" + work_folder;
}

class confined_world : public sandbox_world {
public:
  confined_world()
    : sandbox_world(
      [](const std::string& root) -> result<std::unique_ptr<provider>> {
        auto made = make_bwrap(root);
        if (!made)
          return made.error();
        return std::unique_ptr<provider>{std::move(*made)};
      }) {}
};

} // namespace baton::sandbox::test

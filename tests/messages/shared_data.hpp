// SPDX-License-Identifier: MIT
// Recorded transcripts, which live outside of the repository: tests that need
// them say so and pass where they are absent.
#pragma once

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace baton::test {

inline std::optional<std::filesystem::path> transcripts() {
  auto* named = std::getenv("BATON_SHARED_DIR");
  auto shared = named != nullptr
                  ? std::filesystem::path{named}
                  : std::filesystem::path{BATON_SOURCE_DIR} / ".." / "shared";
  auto folder = shared / "data" / "transcripts";
  if (std::filesystem::exists(folder / "MANIFEST.md"))
    return folder;
  BOOST_TEST_MESSAGE("skipped: no transcripts at " << folder
                                                   << ", see BATON_SHARED_DIR");
  return std::nullopt;
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace baton::test

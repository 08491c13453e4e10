// SPDX-License-Identifier: MIT
// Every exception from the tidy rules, with its reason. An exception that
// nothing needs any more is itself a finding.
#pragma once

#include <array>
#include <string_view>

namespace baton::tidy {

struct allowance {
  /// A rule's name, for bans followed by the banned text.
  std::string_view rule;
  /// A file, or a folder with its slash.
  std::string_view path;
  std::string_view reason;
};

inline constexpr std::array allowances{
  // -- the edges where time, randomness and environment come in
  // ---------------
  allowance{"ban system_clock::now", "actors/clock.cpp",
            "the one place that asks for calendar time"},
  allowance{"ban RAND_bytes", "actors/clock.cpp",
            "the one place that asks for randomness"},
  allowance{"ban getenv", "messages/crash_point.cpp",
            "crash points are armed from outside the process"},

  // -- layers -----------------------------------------------------------------
  allowance{"layers", "messages/view_messages.hpp",
            "carries actor handles; only actors include it"},

  // -- sources without a test file of their own
  // -------------------------------
  allowance{"mirror", "actors/clock.cpp",
            "hands on what the operating system says"},
  allowance{"mirror", "messages/check.cpp",
            "ends the process; every other test would notice"},
  allowance{"mirror", "messages/crash_point.cpp",
            "ends the process; covered by tests/crash"},
  allowance{"mirror", "messages/errc.cpp", "covered by tests/messages"},
  allowance{"mirror", "messages/record.cpp", "covered by tests/messages"},
  allowance{"mirror", "messages/record_codec.cpp", "covered by tests/messages"},
  allowance{"mirror", "messages/utf8.cpp", "covered by tests/messages"},
  allowance{"mirror", "messages/wall_time.cpp", "covered by tests/messages"},
  allowance{"mirror", "messages/caf_types.cpp", "covered by tests/actors"},
  allowance{"mirror", "actors/gateway/actor_bridge.cpp",
            "covered by api_test: every request crosses it"},
  allowance{"mirror", "actors/gateway/connection.cpp",
            "covered by session_test and stream_test"},
  allowance{"mirror", "actors/gateway/gateway.cpp",
            "covered by every test that listens"},
  allowance{"mirror", "actors/gateway/live_view.cpp",
            "covered by stream_test"},
  allowance{"mirror", "actors/gateway/request_reader.cpp",
            "covered by session_test"},
  allowance{"ban std::thread", "actors/gateway/gateway.cpp",
            "the one I/O thread; stop() joins it"},
};

/// Names that may stand at the top of the tree.
inline constexpr std::array<std::string_view, 14> top_level_names{
  "actors",     "apps",           "cmake",       "messages",       "storage",
  "tests",      "CMakeLists.txt", "README.md",   "LICENSE",        ".ci",
  ".gitignore", ".clang-format",  ".clang-tidy", ".gitattributes",
};

} // namespace baton::tidy

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
  // -- the edges where time, randomness and environment come in ---------------
  allowance{"ban system_clock::now", "actors/clock.cpp",
            "the one place that asks for calendar time"},
  allowance{"ban RAND_bytes", "actors/clock.cpp",
            "the one place that asks for randomness"},
  allowance{"ban getenv", "messages/crash_point.cpp",
            "crash points are armed from outside the process"},

  allowance{"ban std::thread", "actors/gateway/gateway.cpp",
            "the HTTP thread; gateway::stop joins it"},
  allowance{"ban std::thread", "actors/sandbox/journal_watcher.hpp",
            "waits in inotify; the watcher joins it"},
  allowance{"ban std::thread", "actors/sandbox/journal_watcher.cpp",
            "waits in inotify; the watcher joins it"},
  allowance{"ban std::thread", "storage/store_conformance.cpp",
            "races callers on purpose; joined in place"},
  allowance{"ban clock_gettime", "actors/sandbox/process_tree.cpp",
            "deadlines of killing real processes"},
  allowance{"ban getrandom", "actors/sandbox/local_provider.cpp",
            "the root's suffix, drawn once"},
  allowance{"path", "tests/apps/settings/settings_test.cpp",
            "an invented home, no machine's"},

  // -- layers -----------------------------------------------------------------
  allowance{"layers", "messages/view_messages.hpp",
            "carries actor handles; only actors include it"},

  // -- sources without a test file of their own -------------------------------
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
};

/// Names that may stand at the top of the tree.
inline constexpr std::array<std::string_view, 14> top_level_names{
  "actors",     "apps",           "cmake",       "messages",       "storage",
  "tests",      "CMakeLists.txt", "README.md",   "LICENSE",        ".ci",
  ".gitignore", ".clang-format",  ".clang-tidy", ".gitattributes",
};

} // namespace baton::tidy

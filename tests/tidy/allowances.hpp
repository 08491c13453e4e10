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

// -- where what has no test of its own name is tested -------------------------

inline constexpr std::string_view through_a_node =
  "a shell around a tested core: tests/actors/node runs whole nodes";
inline constexpr std::string_view through_its_port =
  "tests/actors/gateway/gateway_*_test.cpp talk to it as clients do";
inline constexpr std::string_view through_processes =
  "tests/actors/sandbox launches, kills and loses real agents with it";
inline constexpr std::string_view through_the_kit =
  "tests/conformance runs the kit on it, tests/storage damages it";
inline constexpr std::string_view through_planted_bugs =
  "tests/conformance plants bugs that it must find";

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
  allowance{"ban std::thread", "actors/sandbox/provider_claims.cpp",
            "races callers on purpose; joined in place"},
  allowance{"ban std::thread", "storage/store_conformance.cpp",
            "races callers on purpose; joined in place"},
  allowance{"ban std::thread", "storage/trim_conformance.cpp",
            "reads beside a trim on purpose; joined in place"},
  allowance{"ban clock_gettime", "actors/sandbox/process_tree.cpp",
            "deadlines of killing real processes"},
  allowance{"ban getrandom", "actors/sandbox/local_provider.cpp",
            "the root's suffix, drawn once"},
  allowance{"path", "tests/apps/settings/settings_test.cpp",
            "an invented home, no machine's"},

  // -- layers -----------------------------------------------------------------
  allowance{"layers", "messages/view_messages.hpp",
            "carries actor handles; only actors include it"},
  allowance{"layers", "messages/greeting.hpp",
            "carries an actor handle; only actors include it"},
  allowance{"layers", "actors/sim/rocksdb_engine.cpp",
            "gives RocksDB a disk that loses power"},

  // -- sources without a test file of their own ------------------------------
  allowance{"mirror", "actors/clock.cpp",
            "hands on what the operating system says"},
  allowance{"mirror", "messages/check.cpp",
            "ends the process; every other test would notice"},
  allowance{"ban using namespace", "tests/crash/world.hpp",
            "literals of durations, for every test of the folder"},
  allowance{"ban using namespace", "tests/support/process.hpp",
            "literals of durations, for every test of the folder"},
  allowance{"mirror", "messages/crash_point.cpp",
            "ends the process; covered by tests/crash"},
  allowance{"mirror", "messages/caf_types.cpp", "covered by tests/actors"},
  allowance{"mirror", "messages/instance_record.cpp",
            "covered by tests/storage/small_parts_test.cpp"},
  allowance{"mirror", "actors/coordinator/claim_coordinator.cpp",
            through_a_node},
  allowance{"mirror", "actors/coordinator/committer.cpp", through_a_node},
  allowance{"mirror", "actors/coordinator/sound_runs.cpp",
            "tests/system/journal/damage_test.cpp damages real stores"},
  allowance{"mirror", "actors/coordinator/instance_table.cpp",
            "covered by claim_table_sandboxes_test.cpp beside it"},
  allowance{"mirror", "actors/coordinator/reader.cpp", through_a_node},
  allowance{"mirror", "actors/journal/journal_follower.cpp", through_a_node},
  allowance{"mirror", "actors/run/run_actor.cpp", through_a_node},
  allowance{"mirror", "actors/sandbox/sandbox_host.cpp", through_a_node},
  allowance{"mirror", "actors/gateway/actor_bridge.cpp", through_its_port},
  allowance{"mirror", "actors/gateway/connection.cpp", through_its_port},
  allowance{"mirror", "actors/gateway/gateway.cpp", through_its_port},
  allowance{"mirror", "actors/gateway/live_view.cpp", through_its_port},
  allowance{"mirror", "actors/gateway/request_reader.cpp", through_its_port},
  allowance{"mirror", "actors/cluster/tls_door.cpp",
            "tests/cluster_tls throws strangers of every kind at it"},
  allowance{"mirror", "actors/sandbox/local_provider.cpp", through_processes},
  allowance{"mirror", "actors/sandbox/process_tree.cpp", through_processes},
  allowance{"mirror", "actors/sandbox/provider_claims.cpp",
            through_planted_bugs},
  allowance{"mirror", "actors/sandbox/provider_conformance.cpp",
            through_planted_bugs},
  allowance{"mirror", "actors/sandbox/provider_ending_claims.cpp",
            through_planted_bugs},
  allowance{"mirror", "actors/sandbox/provider_examination.cpp",
            through_planted_bugs},
  allowance{"mirror", "actors/sandbox/provider_surroundings_claims.cpp",
            through_planted_bugs},
  allowance{"mirror", "actors/sandbox/shim_state.cpp", through_processes},
  allowance{"mirror", "actors/sandbox/child_command.cpp",
            "covered by tests/actors/sandbox/sandbox_handle_test.cpp"},
  allowance{"mirror", "actors/sandbox/journal_watcher.cpp",
            "covered by tests/actors/sandbox/journal_file_test.cpp"},
  allowance{"mirror", "actors/cluster/channel_feed.cpp",
            "covered by tests/actors/cluster/coordinator_link_test.cpp"},
  allowance{"mirror", "actors/cluster/guarded_door.cpp",
            "covered by tests/actors/cluster/dialer_test.cpp"},
  allowance{"mirror", "actors/sim/",
            "tests/sim covers the simulator, tests/support its histories"},
  allowance{"mirror", "storage/commit_check.cpp", through_the_kit},
  allowance{"mirror", "storage/disk_room.cpp",
            "covered by tests/system/runs/start_test.cpp"},
  allowance{"mirror", "storage/memory_store.cpp", through_the_kit},
  allowance{"mirror", "storage/quarantine.cpp", through_the_kit},
  allowance{"mirror", "storage/rocksdb_database.cpp", through_the_kit},
  allowance{"mirror", "storage/rocksdb_store.cpp", through_the_kit},
  allowance{"mirror", "storage/rocksdb_store_quarantine.cpp", through_the_kit},
  allowance{"mirror", "storage/rocksdb_store_read.cpp", through_the_kit},
  allowance{"mirror", "storage/faulty_store.cpp",
            "covered by tests/storage/small_parts_test.cpp"},
  allowance{"mirror", "storage/rocksdb_keys.cpp",
            "covered by tests/storage/small_parts_test.cpp"},
  allowance{"mirror", "storage/instance_conformance.cpp", through_planted_bugs},
  allowance{"mirror", "storage/run_script.cpp", through_planted_bugs},
  allowance{"mirror", "storage/store_conformance.cpp", through_planted_bugs},
  allowance{"mirror", "storage/store_examination.cpp", through_planted_bugs},
  allowance{"mirror", "storage/trim_conformance.cpp", through_planted_bugs},

  // -- sizes and names --------------------------------------------------------
  allowance{"file_lines", "tests/storage/fencing_test.cpp",
            "one table over one state space; its cases share the states"},
  allowance{"ban using namespace", "tests/actors/coordinator/table_harness.hpp",
            "only tests of the coordinator include it"},
};

/// Names that may stand at the top of the tree.
inline constexpr std::array<std::string_view, 14> top_level_names{
  "actors",     "apps",           "cmake",       "messages",       "storage",
  "tests",      "CMakeLists.txt", "README.md",   "LICENSE",        ".ci",
  ".gitignore", ".clang-format",  ".clang-tidy", ".gitattributes",
};

} // namespace baton::tidy

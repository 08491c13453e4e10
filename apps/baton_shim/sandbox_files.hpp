// SPDX-License-Identifier: MIT
// The shim's hold on its sandbox: lock, guard, reserved exit record, journal.
//
// Guarantees:
// - nothing is created unless the sandbox's directory exists;
// - take_guard() succeeds for one shim, ever (I7), and is durable;
// - the exit record can be written on a full disk, and stands before the
//   marker is tried.
#pragma once

#include "actors/sandbox/exit_record.hpp"
#include "actors/sandbox/sandbox_layout.hpp"
#include "actors/sandbox/unique_fd.hpp"
#include "apps/baton_shim/agent_process.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace baton::shim {

enum class take_result : unsigned char { taken, already, failed };

class sandbox_files {
public:
  explicit sandbox_files(sandbox::sandbox_place place);

  /// Locks the sandbox and makes everything ready that can be made ready
  /// without effect. Waits a few seconds for another shim's attempt to end.
  /// `tmp`: the agent gets a /tmp of its own.
  take_result prepare(const std::string& stdin_bytes, bool tmp);

  /// The last step at which the launch can still be a no-op. A guard that
  /// somebody removed is seen by what its agent left.
  take_result take_guard();

  /// Why something failed.
  const std::string& error() const { return error_; }

  const agent_files& for_agent() const { return agent_; }
  void release_agent_files() { agent_ = {}; }

  std::string work_directory() const { return place_.file("work"); }

  // -- what is said beside the journal ----------------------------------------

  /// Makes the file for what source and set-up say, which is no word of the
  /// agent's.
  bool open_setup_output();
  const sandbox::unique_fd& setup_output() const { return setup_output_; }
  std::int64_t setup_output_size() const;
  void append_setup_output(std::string_view text);
  /// At most the last `bytes_max` bytes from `offset` on.
  std::string setup_output_since(std::int64_t offset,
                                 std::size_t bytes_max) const;
  /// Overwrites the values in the ends of that file and of stderr, the parts
  /// that others quote.
  void mask_output(const std::vector<std::string>& secrets);

  // -- while the agent lives --------------------------------------------------

  /// Readable when somebody asks for something.
  int control() const { return control_.get(); }

  /// True when "kill" was among what was asked.
  bool read_kill_request();

  /// Counts the agent's bytes, leaves the record, then the marker, and lets
  /// go of the lock. `keep`: processes may still be writing.
  void finish(sandbox::exit_record record, std::string_view nonce, bool keep);

private:
  take_result fail(const std::string& what);
  bool guard_is_taken() const;
  bool was_launched() const;
  take_result lock();
  void lock_journal();
  bool reserve_exit();
  bool open_output();
  bool open_stdin(const std::string& bytes);
  bool open_control();
  sandbox::unique_fd open_again(const char* name, int access) const;
  void mask(const char* name, const std::vector<std::string>& secrets);
  void write_exit(const sandbox::exit_record& record);
  void write_marker(const sandbox::exit_record& record, std::string_view nonce,
                    bool keep);

  sandbox::sandbox_place place_;
  sandbox::unique_fd directory_;
  sandbox::unique_fd guards_;
  /// The only descriptor of that file: closing any other would drop the lock.
  sandbox::unique_fd alive_;
  sandbox::unique_fd exit_;
  sandbox::unique_fd journal_;
  sandbox::unique_fd control_;
  agent_files agent_;
  sandbox::unique_fd setup_output_;
  std::string error_;
};

} // namespace baton::shim

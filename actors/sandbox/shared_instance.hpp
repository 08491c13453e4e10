// SPDX-License-Identifier: MIT
// A workspace that several runs share, one after another or at once.
//
//   ROOT/instances/NAME/
//     lock    held exclusively while the workspace is made or removed, shared
//             for an agent's life; the kernel lets go of it when a shim dies
//     work/   the workspace
//     ready   names what was made; stands only when all of it was
//
// Guarantees: one shim at a time makes the workspace, on all nodes of a host
// (I10); what was half-made is never used; a change from the exclusive to the
// shared lock lets nobody in between.
// Threads: any. Needs nothing but the standard library.
#pragma once

#include "actors/sandbox/unique_fd.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::sandbox {

constexpr const char* instance_lock_file = "lock";
constexpr const char* ready_file = "ready";
constexpr const char* fresh_ready_file = "ready.new";

/// Names the instance in the environment of everything that runs in it, so that
/// what a killed shim leaves behind can be found.
constexpr std::string_view instance_variable = "BATON_INSTANCE";

struct instance_place {
  /// Absolute: ROOT/instances.
  std::string folder;
  std::string name;

  std::string directory() const { return folder + "/" + name; }
  std::string file(const char* leaf) const { return directory() + "/" + leaf; }
  std::string mark() const {
    return std::string{instance_variable} + "=" + directory();
  }
};

/// Nothing when `id` is not the absolute path, in plain form, of an instance.
std::optional<instance_place> parse_instance_id(std::string_view id);

/// The content of `ready`, for a workspace of that hash.
std::string ready_text(std::string_view workspace_hash);

// -- what to do ---------------------------------------------------------------

enum class lock_mode : std::uint8_t { none, shared, exclusive };

enum class instance_step : std::uint8_t {
  /// Try for the shared lock; when that fails, wait and look again.
  share,
  /// Try for the exclusive one. Nobody waits for it with a shared one in hand:
  /// two that do would wait for each other.
  own,
  /// Go on with what is there, with the lock shared.
  resume,
  /// Make it anew, over whatever is there.
  bootstrap,
};

struct instance_view {
  lock_mode held = lock_mode::none;
  /// `ready` names the wanted workspace.
  bool is_ready = false;
  /// `work` is a folder.
  bool is_usable = false;
};

/// What comes next for who wants to live here. A look without a lock is a hint
/// as to which lock to take; only one under a lock lets go on.
instance_step next_step(const instance_view& seen);

instance_view look_at(const instance_place& place, lock_mode held,
                      std::string_view workspace_hash);

// -- the lock -----------------------------------------------------------------

class instance_lock {
public:
  /// Opens the lock of an instance; makes both when `create`. 0, or an error
  /// number.
  int open(const instance_place& place, bool create);

  /// Without waiting. False, with no lock held and the file closed, when others
  /// hold one that excludes it, or when the instance was removed meanwhile.
  /// From exclusive to shared it is one step.
  bool take(lock_mode mode);

  void let_go();

  lock_mode held() const { return held_; }

private:
  bool is_current() const;

  std::string path_;
  unique_fd fd_;
  lock_mode held_ = lock_mode::none;
};

// -- the end ------------------------------------------------------------------

/// Takes the instance out of sight in one step and removes it. Requires: its
/// lock is held exclusively. 0, or an error number.
int discard(const instance_place& place);

/// Removes what discard() did not come to remove.
int remove_discarded(const instance_place& place);

/// Names of all instances, those discarded and not yet removed included.
std::vector<std::string> instances_in(const std::string& folder);

} // namespace baton::sandbox

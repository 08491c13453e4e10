// SPDX-License-Identifier: MIT
// What a sandbox's files say about its shim.
//
// Guarantees: shim_lock() asks the kernel who holds the lock, and never takes
// it.
// Threads: any.
#pragma once

#include "actors/sandbox/provider.hpp"
#include "actors/sandbox/sandbox_layout.hpp"

#include <sys/types.h>

#include <optional>

namespace baton::sandbox {

struct lock_holder {
  /// 0 when the kernel does not say, as across process namespaces.
  pid_t pid = 0;
};

/// Nothing when neither of the shim's locks is held.
result<std::optional<lock_holder>> shim_lock(const sandbox_place& place);

/// True when the guard is taken, or when its sandbox holds what only a launched
/// agent leaves: guards can be removed by whoever may write there. Fails when
/// there is no place for guards, since then nobody can tell.
result<bool> was_launched(const sandbox_place& place);

/// Takes the guard, so that no launch can. True also when it was taken before.
status take_guard(const sandbox_place& place);

result<probe_report> probe_sandbox(const sandbox_place& place);

} // namespace baton::sandbox

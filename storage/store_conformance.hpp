// SPDX-License-Identifier: MIT
// Whether an engine keeps the promises of store.hpp. For the author of an
// engine: supply a maker, call check_store(), print what comes back. Needs no
// test framework.
//
// Not covered here, because no call shows them: that an engine stops the
// process on a commit that does not follow the log, and that a *real* disk kept
// what crash() kept.
#pragma once

#include "storage/store.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::storage {

/// How the kit gets at an engine. Every call returns a usable store.
class store_maker {
public:
  virtual ~store_maker() = default;

  /// A new, empty store.
  virtual std::unique_ptr<store> make() = 0;

  /// Closes the store in an orderly way and opens what it left.
  virtual std::unique_ptr<store> reopen(std::unique_ptr<store> closing) = 0;

  /// Opens what would be there had the power gone now.
  virtual std::unique_ptr<store> crash(std::unique_ptr<store> dying) = 0;

  /// Makes the run's stored state unreadable, then as reopen(). Null: this
  /// engine cannot be damaged; the checks of quarantine are left out.
  virtual std::unique_ptr<store> damage(std::unique_ptr<store> closing,
                                        const run_id& id) = 0;
};

/// What the engine does against the contract, in words, each beginning with the
/// guarantee it breaks. Empty: it conforms.
std::vector<std::string> check_store(store_maker& maker);

} // namespace baton::storage

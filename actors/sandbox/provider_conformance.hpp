// SPDX-License-Identifier: MIT
// Whether a provider keeps the promises of provider.hpp. For the author of a
// provider: supply a maker, call check_provider(), print what comes back.
// Needs no test framework. Agents are shell texts, so their world needs
// /bin/sh, its usual tools and perl.
//
// Not covered here, because no call shows them: that an agent survives the kill
// of the process that launched it, and that a guard survives a power failure.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <memory>
#include <string>
#include <vector>

namespace baton::sandbox {

/// How the kit gets at a provider. Every call returns a usable one.
class provider_maker {
public:
  virtual ~provider_maker() = default;

  /// One without any sandbox.
  virtual std::unique_ptr<provider> make() = 0;

  /// Another one of the same sandboxes as the last make() gave, as a second
  /// node has it, or a later life of the first.
  virtual std::unique_ptr<provider> again() = 0;

  /// A folder that agents can be ordered to start in and write to, and the kit
  /// too; absolute, and the same path for both.
  virtual std::string shared_folder() = 0;
};

/// The names of the claims, in the order in which they are examined.
std::vector<std::string> provider_claims();

/// What the provider does against the contract, in words, each beginning with
/// the claim it breaks. Empty: it conforms. `only`: those claims; empty: all,
/// which takes about half a minute.
std::vector<std::string>
check_provider(provider_maker& maker,
               const std::vector<std::string>& only = {});

} // namespace baton::sandbox

// SPDX-License-Identifier: MIT
// The claims of provider_conformance, each with the function that examines it.
#pragma once

#include "actors/sandbox/provider_examination.hpp"

#include <string_view>
#include <vector>

namespace baton::sandbox {

struct provider_claim {
  std::string_view name;
  void (*check)(provider_examination&);
};

/// In the order of a run's life.
std::vector<provider_claim> all_provider_claims();

/// Those of all_provider_claims() that are about the agent's surroundings.
std::vector<provider_claim> surroundings_claims();
/// ... about its end.
std::vector<provider_claim> ending_claims();

} // namespace baton::sandbox

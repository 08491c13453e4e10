// SPDX-License-Identifier: MIT
#include "actors/sandbox/provider_conformance.hpp"

#include "actors/sandbox/provider_claims.hpp"

#include <algorithm>

namespace baton::sandbox {

std::vector<std::string> provider_claims() {
  std::vector<std::string> out;
  for (const auto& x : all_provider_claims())
    out.emplace_back(x.name);
  return out;
}

std::vector<std::string> check_provider(provider_maker& maker,
                                        const std::vector<std::string>& only) {
  std::vector<std::string> out;
  for (const auto& x : all_provider_claims()) {
    std::string name{x.name};
    if (!only.empty() && std::ranges::find(only, name) == only.end())
      continue;
    provider_examination e{maker, name, out};
    x.check(e);
  }
  return out;
}

} // namespace baton::sandbox

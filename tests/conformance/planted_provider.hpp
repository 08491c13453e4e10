// SPDX-License-Identifier: MIT
// The local provider with one defect of the kind providers have.
#pragma once

#include "actors/sandbox/provider.hpp"

#include <memory>
#include <string_view>
#include <vector>

namespace baton::sandbox::test {

/// Named so that the list of planted bugs is the list of their texts.
using bug = std::string_view;

struct planted_bug {
  bug what;
  /// The claim that must find it.
  std::string_view claim;
};

const std::vector<planted_bug>& planted_bugs();

std::unique_ptr<provider> plant(bug what, std::unique_ptr<provider> sound);

} // namespace baton::sandbox::test

// SPDX-License-Identifier: MIT
// Completion scripts for shells.
// Threads: a pure function.
// Failure: errc::malformed for a shell that is not known.
#pragma once

#include "apps/baton/command_shape.hpp"
#include "messages/result.hpp"

#include <string>
#include <string_view>

namespace baton::cli {

result<std::string> completion_script(std::string_view shell,
                                      const command_shape& shape);

} // namespace baton::cli

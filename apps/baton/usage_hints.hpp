// SPDX-License-Identifier: MIT
// What is wrong with the words of a command line that the parser did not take.
// Threads: a pure function.
#pragma once

#include "apps/baton/command_line.hpp"
#include "apps/baton/command_shape.hpp"

#include <string>
#include <vector>

namespace baton::cli {

/// Names the command or the flag that is none, and the one that may have been
/// meant; ok when all flags are known. `word`: the first that is no flag.
usage_refusal explain_words(const command_shape& shape,
                            const std::vector<std::string>& args,
                            const std::string& word);

} // namespace baton::cli

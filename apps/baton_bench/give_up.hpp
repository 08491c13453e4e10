// SPDX-License-Identifier: MIT
// The end of a benchmark that cannot measure.
#pragma once

#include <string>

namespace baton::bench {

/// Says why on stderr and exits with 125; what stands for the length of the
/// program (the scratch directory, child processes) is cleaned up.
[[noreturn]] void give_up(const std::string& why);

} // namespace baton::bench

// SPDX-License-Identifier: MIT
// One call of a shim: start it, hand it the order, hear its answer.
//
// Guarantees: the order, with the nonce in it, goes through a socket only.
// Threads: any; blocks for some milliseconds, at most `timeout_ms`.
// Failure: errc::outcome_unknown when the shim may have launched; the caller
// repeats the identical launch, which the guard makes safe.
#pragma once

#include "messages/result.hpp"

#include <string>
#include <string_view>

namespace baton::sandbox {

/// The shim's answer, without its newline.
result<std::string> call_shim(const std::string& shim,
                              const std::string& directory,
                              std::string_view order, int timeout_ms);

} // namespace baton::sandbox

// SPDX-License-Identifier: MIT
// The status of a failed system call.
#pragma once

#include "messages/result.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace baton::sandbox {

/// `what` names the thing and what was tried; the reason is added.
inline status io_status(const std::string& what, int error = errno) {
  return make_status(errc::io_failed,
                     what + ": " + std::generic_category().message(error));
}

} // namespace baton::sandbox

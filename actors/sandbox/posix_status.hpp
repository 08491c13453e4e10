// SPDX-License-Identifier: MIT
// The status of a failed system call.
#pragma once

#include "messages/result.hpp"

#include <cerrno>
#include <string>
#include <system_error>

namespace baton::sandbox {

/// The machine is short of something that others will give back: it says
/// nothing about the thing that was tried.
inline bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM
         || error == ENOBUFS || error == EAGAIN;
}

/// `what` names the thing and what was tried; the reason is added.
inline status io_status(const std::string& what, int error = errno) {
  return make_status(is_shortage(error) ? errc::unavailable : errc::io_failed,
                     what + ": " + std::generic_category().message(error));
}

} // namespace baton::sandbox

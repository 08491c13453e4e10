// SPDX-License-Identifier: MIT
#include "apps/batond/membership.hpp"

namespace baton {

void membership::set(const status& now) {
  std::lock_guard guard{lock_};
  if (now.code == errc::in_use && now_.code != errc::in_use)
    in_use_since_ = std::chrono::steady_clock::now();
  now_ = now;
}

status membership::get() const {
  std::lock_guard guard{lock_};
  return now_;
}

bool membership::settled(std::chrono::milliseconds patience) const {
  std::lock_guard guard{lock_};
  if (now_.code == errc::unavailable)
    return false;
  return now_.code != errc::in_use
         || std::chrono::steady_clock::now() - in_use_since_ > patience;
}

} // namespace baton

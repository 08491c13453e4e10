// SPDX-License-Identifier: MIT
// Whether bytes are UTF-8 (RFC 3629: no surrogates, no overlong forms).
#pragma once

#include <string_view>

namespace baton {

bool is_utf8(std::string_view bytes) noexcept;

} // namespace baton

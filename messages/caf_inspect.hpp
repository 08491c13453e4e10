// SPDX-License-Identifier: MIT
// How types with a stored form cross between nodes: as those bytes.
#pragma once

#include "messages/result.hpp"

#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/none.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <string>
#include <type_traits>

namespace baton {

/// Saves `write()` and loads through `read(bytes) -> status`; a load that
/// fails drops the message, as CAF does for every broken one.
template <class Inspector, class Write, class Read>
typename Inspector::result_type inspect_as_bytes(Inspector& f, const char* name,
                                                 Write write, Read read) {
  if constexpr (Inspector::writes_state) {
    std::string bytes;
    if (auto err = f(bytes))
      return err;
    if (!read(bytes).ok())
      return caf::sec::invalid_argument;
    return caf::none;
  } else if constexpr (std::is_base_of_v<caf::serializer, Inspector>) {
    auto bytes = write();
    return f(bytes);
  } else {
    // Text for people and for the simulator's trace hash.
    auto bytes = write();
    return f(caf::meta::type_name(name), bytes);
  }
}

} // namespace baton

// SPDX-License-Identifier: MIT
// Who this node is when nobody says: a name kept in the data directory, and
// the machine's label.
#pragma once

#include "actors/clock.hpp"
#include "messages/ids.hpp"
#include "messages/result.hpp"

#include <string>

namespace baton {

/// The id in DIR/node-id; made from the host's name and a random suffix, and
/// kept there, when it is absent.
result<node_id> kept_node_id(const std::string& data_dir,
                             const environment& env);

/// /etc/machine-id, else the host's name.
std::string machine_label();

} // namespace baton

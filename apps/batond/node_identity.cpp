// SPDX-License-Identifier: MIT
#include "apps/batond/node_identity.hpp"

#include "messages/hex.hpp"
#include "messages/record.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <unistd.h>

namespace baton {
namespace {

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0')
    return "node";
  return name;
}

} // namespace

result<node_id> kept_node_id(const std::string& data_dir,
                             const environment& env) {
  auto path = data_dir + "/node-id";
  std::string id;
  if (std::ifstream in{path}; in && std::getline(in, id)) {
    if (!is_valid_id(id))
      return {errc::foreign_data, path + ": expected a node id, found '"
                                    + printable(id)
                                    + "'; name the node with --node-id"};
    return node_id{id};
  }
  id = host_name() + "-" + to_hex(env.random_bytes(2));
  std::ofstream out{path};
  out << id << '\n';
  if (!out.flush())
    return {errc::io_failed,
            path + ": cannot be written: " + std::strerror(errno)
              + "; make it writable, or name the node with --node-id"};
  return node_id{id};
}

std::string machine_label() {
  std::string id;
  if (std::ifstream in{"/etc/machine-id"};
      in && std::getline(in, id) && !id.empty())
    return id;
  return host_name();
}

} // namespace baton

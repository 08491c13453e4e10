// SPDX-License-Identifier: MIT
#include "apps/batond/cluster_identity.hpp"

#include "messages/hex.hpp"
#include "messages/record.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace baton {
namespace {

constexpr std::size_t id_bytes = 8;

struct identity {
  std::string cluster;
  std::string role;
};

std::string file_in(const std::string& data_dir) {
  return data_dir + "/cluster";
}

result<std::optional<identity>> load(const std::string& data_dir) {
  std::ifstream in{file_in(data_dir)};
  if (!in)
    return std::optional<identity>{};
  identity out;
  in >> out.cluster >> out.role;
  if (out.cluster.empty()
      || (out.role != "coordinator" && out.role != "worker"))
    return {errc::foreign_data,
            file_in(data_dir) + ": expected a cluster id and a role, found '"
              + printable(out.cluster + " " + out.role)
              + "'; restore the file from a copy"};
  return std::optional{out};
}

/// The file appears whole or not at all.
status save(const std::string& data_dir, const identity& what) {
  auto path = file_in(data_dir);
  auto fresh = path + ".new";
  std::ofstream out{fresh};
  out << what.cluster << ' ' << what.role << '\n';
  out.close();
  if (!out || std::rename(fresh.c_str(), path.c_str()) != 0)
    return make_status(errc::io_failed,
                       path + ": cannot be written: " + std::strerror(errno));
  return {};
}

status wrong(const std::string& data_dir, const std::string& found,
             const std::string& hint) {
  return make_status(errc::foreign_data,
                     "data directory " + data_dir + " " + found + "; " + hint);
}

} // namespace

result<std::string> coordinator_cluster(const std::string& data_dir,
                                        const environment& env) {
  auto found = load(data_dir);
  if (!found)
    return found.error();
  if (!*found)
    return to_hex(env.random_bytes(id_bytes));
  if ((*found)->role != "coordinator")
    return wrong(data_dir, "is a worker's, of cluster " + (*found)->cluster,
                 "start it with --join, or give another --data-dir");
  std::error_code ignored;
  if (!std::filesystem::exists(data_dir + "/store", ignored))
    return wrong(data_dir, "has lost the store of its cluster",
                 "restore it from a copy, or give a new --data-dir and join "
                 "the workers anew");
  return (*found)->cluster;
}

status keep_coordinator_cluster(const std::string& data_dir,
                                const std::string& cluster) {
  auto found = load(data_dir);
  if (!found)
    return found.error();
  return *found ? status{} : save(data_dir, {cluster, "coordinator"});
}

status check_worker_dir(const std::string& data_dir) {
  auto found = load(data_dir);
  if (!found)
    return found.error();
  std::error_code ignored;
  auto is_coordinators =
    *found ? (*found)->role != "worker"
           : std::filesystem::exists(data_dir + "/store", ignored);
  return is_coordinators
           ? wrong(data_dir, "is a coordinator's",
                   "start it without --join, or give another --data-dir")
           : status{};
}

status join_cluster(const std::string& data_dir, const std::string& cluster) {
  if (auto bad = check_worker_dir(data_dir); !bad.ok())
    return bad;
  auto found = load(data_dir);
  if (!found)
    return found.error();
  if (!*found)
    return save(data_dir, {cluster, "worker"});
  if ((*found)->cluster != cluster)
    return wrong(data_dir,
                 "belongs to cluster " + (*found)->cluster
                   + ", this coordinator serves cluster " + printable(cluster),
                 "join the right one, or give an empty --data-dir");
  return {};
}

} // namespace baton

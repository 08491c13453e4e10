// SPDX-License-Identifier: MIT
#include "tests/reclaim/traces.hpp"

#include <boost/json.hpp>

#include <filesystem>

namespace baton::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code gone;
  for (fs::directory_iterator at{folder, gone}, end; !gone && at != end;
       at.increment(gone))
    out.push_back(at->path());
  return out;
}

} // namespace

std::vector<std::string> sandboxes_on(const daemon& d) {
  auto root = d.data_dir() + "/sandboxes";
  auto out = names_in(root + "/instances");
  for (auto& path : names_in(root))
    if (!path.ends_with("/guards") && !path.ends_with("/instances"))
      out.push_back(std::move(path));
  return out;
}

std::vector<std::string> guards_on(const daemon& d) {
  return names_in(d.data_dir() + "/sandboxes/guards");
}

std::optional<json::array> sandboxes_told(const daemon& d) {
  auto got = d.get("/v1/sandboxes");
  if (got.status != 200)
    return std::nullopt;
  return json::parse(got.body).as_object().at("sandboxes").as_array();
}

std::string left_behind(cluster& c) {
  std::string out;
  auto told = sandboxes_told(c.coordinator());
  if (!told)
    out += "the list of sandboxes cannot be had; ";
  else if (!told->empty())
    out += "listed: " + json::serialize(told->front()) + "; ";
  auto live = c.coordinator().cli({"ps", "--json"});
  if (live.exit != 0 || !live.out.empty())
    out += "goes on: " + live.out + "; ";
  for (std::size_t i = 0; i < c.size(); ++i) {
    for (auto pid : c.node(i).agents())
      out += "lives: " + content_of("/proc/" + std::to_string(pid) + "/cmdline")
             + "; ";
    for (const auto& path : sandboxes_on(c.node(i)))
      out += "lies there: " + path + "; ";
  }
  return out;
}

} // namespace baton::test

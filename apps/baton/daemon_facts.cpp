// SPDX-License-Identifier: MIT
#include "apps/baton/daemon_facts.hpp"

#include "apps/baton/api.hpp"

#include <string_view>

namespace baton::cli {

namespace {

/// The value of `label` in the line of `metric`.
std::string label_of(std::string_view page, const std::string& metric,
                     const std::string& label) {
  auto begin = page.find("\n" + metric + "{");
  if (begin == page.npos)
    return {};
  auto line = page.substr(begin + 1);
  line = line.substr(0, line.find('\n'));
  auto key = label + "=\"";
  auto at = line.find(key);
  if (at == line.npos)
    return {};
  std::string out;
  for (at += key.size(); at < line.size() && line[at] != '"'; ++at) {
    // What Prometheus text escapes here.
    if (line[at] == '\\' && at + 1 < line.size())
      ++at;
    out += line[at];
  }
  return out;
}

} // namespace

daemon_identity identity_of_daemon(const http_client& client) {
  auto answer = client.send({"GET", "/metrics", {}, {}});
  if (!answer || answer->head.code != 200)
    return {};
  auto page = "\n" + answer->body;
  return {label_of(page, "baton_build_info", "version"),
          label_of(page, "baton_node_info", "node"),
          label_of(page, "baton_node_info", "http")};
}

status daemon_readiness(const http_client& client) {
  auto answer = client.send({"GET", "/readyz", {}, {}});
  if (!answer)
    return std::move(answer).error();
  return answer->head.code == 200 ? status{}
                                  : to_status(answer->head, answer->body);
}

} // namespace baton::cli

// SPDX-License-Identifier: MIT
#include "actors/gateway/node_metrics.hpp"

#include "actors/gateway/prometheus_text.hpp"

namespace baton::http {

std::string node_metrics(std::string_view node, std::string_view http) {
  std::string out;
  head("node_info", "gauge", "Name and HTTP address of this node.", out);
  return out + "baton_node_info{node=\"" + label(node) + "\",http=\""
         + label(http) + "\"} 1\n";
}

} // namespace baton::http

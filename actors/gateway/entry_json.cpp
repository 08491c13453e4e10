// SPDX-License-Identifier: MIT
#include "actors/gateway/entry_json.hpp"

#include "messages/base64.hpp"
#include "messages/entry_kind.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace baton::http {
namespace {

void append_number(std::string_view name, std::uint64_t value,
                   std::string& out) {
  out += name;
  out += std::to_string(value);
}

void append_line(std::string_view line, std::string& out) {
  switch (classify(line)) {
  case entry_kind::json: {
    out += R"("json","data":)";
    auto from = static_cast<std::ptrdiff_t>(out.size());
    out += line;
    std::replace(out.begin() + from, out.end(), '\r', ' ');
    return;
  }
  case entry_kind::text:
    out += R"("text","data":)";
    out += boost::json::serialize(
      boost::json::string_view{line.data(), line.size()});
    return;
  case entry_kind::bytes:
  case entry_kind::fragment:
    out += R"("bytes","data":")";
    out += base64_encode(line);
    out += '"';
    return;
  }
}

} // namespace

void append_json(const entry& x, std::string& out) {
  std::string_view line{x.data};
  if (!line.empty() && line.back() == '\n')
    line.remove_suffix(1);
  append_number(R"({"seq":)", x.seq.value, out);
  append_number(R"(,"epoch":)", x.epoch.value, out);
  append_number(R"(,"begin":)", x.begin.value, out);
  append_number(R"(,"end":)", x.end.value, out);
  out += R"(,"at":")";
  out += to_rfc3339(x.at);
  out += R"(","kind":)";
  if (x.fragment) {
    out += R"("fragment","data":")";
    out += base64_encode(line);
    out += '"';
  } else {
    append_line(line, out);
  }
  out += '}';
}

} // namespace baton::http

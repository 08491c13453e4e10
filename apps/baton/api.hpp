// SPDX-License-Identifier: MIT
// The HTTP API as the verbs use it: JSON in, JSON or a status out.
// Failure: what http_client gives, or the code and message of the server's
//   error object.
#pragma once

#include "apps/baton/http_client.hpp"
#include "messages/result.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace baton::cli {

struct api_answer {
  int code = 0;
  boost::json::value body;
};

/// Sends and expects a 2xx answer with a JSON body (or none).
result<api_answer> call(const http_client& client, const std::string& method,
                        const std::string& target,
                        const std::string& body = {});

/// The status in an answer that is not 2xx.
status to_status(const http_head& head, std::string_view body);

/// `/v1/runs/{id}` with `rest` behind it.
std::string run_path(const std::string& id, std::string_view rest = {});

/// Every record of `GET /v1/runs?FILTER`, page by page; `take` gives false to
/// stop early.
status each_run(const http_client& client, const std::string& filter,
                const std::function<bool(const boost::json::object&)>& take);

/// The array `key` of an answer, which holds objects only.
result<boost::json::array> list_in(const boost::json::value& body,
                                   std::string_view key);
/// The same of `GET TARGET`.
result<boost::json::array> fetch_list(const http_client& client,
                                      const std::string& target,
                                      std::string_view key);

// -- lenient access: a field that is absent or of another type is a default
// ----

std::string text_at(const boost::json::object& x, std::string_view key);
std::uint64_t number_at(const boost::json::object& x, std::string_view key);
bool is_true_at(const boost::json::object& x, std::string_view key);
std::optional<std::int64_t> integer_at(const boost::json::object& x,
                                       std::string_view key);
/// An empty object unless there is one.
const boost::json::object& object_at(const boost::json::object& x,
                                     std::string_view key);

} // namespace baton::cli

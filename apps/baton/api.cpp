// SPDX-License-Identifier: MIT
#include "apps/baton/api.hpp"

#include <boost/json/parse.hpp>

#include <utility>

namespace baton::cli {

namespace json = boost::json;

namespace {

std::string first_line(std::string_view text) {
  return std::string{
    text.substr(0, std::min(text.find('\n'), std::size_t{200}))};
}

errc code_of(int http_code) {
  switch (http_code) {
  case 401:
    return errc::unauthorized;
  case 403:
    return errc::forbidden;
  case 404:
    return errc::not_found;
  case 405:
    return errc::method_not_allowed;
  case 413:
    return errc::too_large;
  case 429:
    return errc::too_many;
  default:
    return http_code >= 400 && http_code < 500 ? errc::malformed
                                               : errc::unavailable;
  }
}

} // namespace

status to_status(const http_head& head, std::string_view body) {
  boost::system::error_code ec;
  auto parsed = json::parse(json::string_view{body.data(), body.size()}, ec);
  auto code = code_of(head.code);
  if (ec || !parsed.is_object())
    return make_status(
      code, "the server answered " + std::to_string(head.code)
              + (body.empty() ? std::string{} : ": " + first_line(body)));
  auto& error = object_at(parsed.as_object(), "error");
  if (auto known = errc_from_string(text_at(error, "code")))
    code = *known == errc::none ? code : *known;
  auto message = text_at(error, "message");
  auto out = make_status(code, message.empty() ? "the server answered "
                                                   + std::to_string(head.code)
                                               : message);
  for (const auto& [key, value] : error)
    if (const auto* text = value.if_string())
      out.details.push_back({std::string{key.data(), key.size()},
                             std::string{text->data(), text->size()}});
  return out;
}

result<api_answer> call(const http_client& client, const std::string& method,
                        const std::string& target, const std::string& body) {
  http_request request;
  request.method = method;
  request.target = target;
  request.headers = {{"Accept", "application/json"}};
  request.body = body;
  auto answer = client.send(request);
  if (!answer)
    return std::move(answer).error();
  if (answer->head.code / 100 != 2)
    return to_status(answer->head, answer->body);
  api_answer out{answer->head.code, {}};
  if (answer->body.empty())
    return out;
  boost::system::error_code ec;
  out.body = json::parse(answer->body, ec);
  if (ec)
    return make_status(errc::unsupported, "expected JSON from " + method + " "
                                            + target + ", found "
                                            + first_line(answer->body)
                                            + " (is this a baton daemon?)");
  return out;
}

std::string run_path(const std::string& id, std::string_view rest) {
  return "/v1/runs/" + percent_encode(id) + std::string{rest};
}

result<json::array> list_in(const json::value& body, std::string_view key) {
  auto object = body.if_object();
  auto list = object
                ? object->if_contains(json::string_view{key.data(), key.size()})
                : nullptr;
  auto is_list = list && list->is_array();
  if (is_list)
    for (auto& x : list->get_array())
      is_list = is_list && x.is_object();
  if (!is_list)
    return {errc::unsupported, "expected a list of " + std::string{key}
                                 + ", found none (is this a baton daemon?)"};
  return list->get_array();
}

result<json::array> fetch_list(const http_client& client,
                               const std::string& target,
                               std::string_view key) {
  auto answer = call(client, "GET", target);
  if (!answer)
    return std::move(answer).error();
  return list_in(answer->body, key);
}

status each_run(const http_client& client, const std::string& filter,
                const std::function<bool(const json::object&)>& take) {
  std::string cursor;
  do {
    auto target = "/v1/runs?limit=200" + filter
                  + (cursor.empty() ? "" : "&cursor=" + percent_encode(cursor));
    auto page = call(client, "GET", target);
    if (!page)
      return std::move(page).error();
    auto runs = list_in(page->body, "runs");
    if (!runs)
      return std::move(runs).error();
    for (auto& run : *runs)
      if (!take(run.get_object()))
        return {};
    auto next = text_at(page->body.get_object(), "next_cursor");
    // A server that repeats its cursor would keep us here for ever.
    cursor = next == cursor ? "" : next;
  } while (!cursor.empty());
  return {};
}

std::string text_at(const json::object& x, std::string_view key) {
  auto value = x.if_contains(json::string_view{key.data(), key.size()});
  if (!value || !value->is_string())
    return {};
  auto& text = value->get_string();
  return std::string{text.data(), text.size()};
}

std::optional<std::int64_t> integer_at(const json::object& x,
                                       std::string_view key) {
  auto value = x.if_contains(json::string_view{key.data(), key.size()});
  if (!value || !value->is_number())
    return std::nullopt;
  boost::system::error_code ec;
  auto number = value->to_number<std::int64_t>(ec);
  if (ec)
    return std::nullopt;
  return number;
}

std::uint64_t number_at(const json::object& x, std::string_view key) {
  auto number = integer_at(x, key);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

bool is_true_at(const json::object& x, std::string_view key) {
  auto value = x.if_contains(json::string_view{key.data(), key.size()});
  return value && value->is_bool() && value->get_bool();
}

const json::object& object_at(const json::object& x, std::string_view key) {
  static const json::object none;
  auto value = x.if_contains(json::string_view{key.data(), key.size()});
  return value && value->is_object() ? value->get_object() : none;
}

} // namespace baton::cli

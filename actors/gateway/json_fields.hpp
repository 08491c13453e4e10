// SPDX-License-Identifier: MIT
// The fields of one JSON object of a request, read by name and type.
// Guarantees: the first complaint is kept, so a parser is a list of fields.
// Threads: value type; refers to the object and the status it was made with.
// Failure: errc::malformed naming the field, the expected and the found.
#pragma once

#include "messages/record.hpp"
#include "messages/result.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace baton::http {

namespace json = boost::json;

inline std::string_view kind_name(const json::value& v) {
  switch (v.kind()) {
  case json::kind::null:
    return "null";
  case json::kind::bool_:
    return "a boolean";
  case json::kind::int64:
  case json::kind::uint64:
  case json::kind::double_:
    return "a number";
  case json::kind::string:
    return "a string";
  case json::kind::array:
    return "an array";
  case json::kind::object:
    return "an object";
  }
  return "nothing";
}

inline std::string_view text_of(const json::string& s) {
  return {s.data(), s.size()};
}

class fields {
public:
  fields(const json::object& object, std::string prefix, status& why)
    : object_(object), prefix_(std::move(prefix)), why_(why) {}

  /// Complains about every field that is not named here.
  void only(std::initializer_list<std::string_view> known) {
    for (const auto& [key, value] : object_) {
      std::string_view name{key.data(), key.size()};
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail(name, "is not known");
    }
  }

  const json::value* find(std::string_view name) const {
    return object_.if_contains(json::string_view{name.data(), name.size()});
  }

  void text(std::string_view name, std::string& out) {
    auto* v = find(name);
    if (!v)
      return;
    if (auto* s = v->if_string())
      out = text_of(*s);
    else
      wrong(name, "a string", *v);
  }

  void flag(std::string_view name, bool& out) {
    auto* v = find(name);
    if (!v)
      return;
    if (auto* b = v->if_bool())
      out = *b;
    else
      wrong(name, "true or false", *v);
  }

  void number(std::string_view name, std::int64_t min, std::int64_t max,
              std::optional<std::int64_t>& out) {
    auto* v = find(name);
    if (!v)
      return;
    auto* n = v->if_int64();
    if (n && *n >= min && *n <= max)
      out = *n;
    else
      wrong(name,
            "an integer from " + std::to_string(min) + " to "
              + std::to_string(max),
            *v);
  }

  void id(std::string_view name, std::string& out) {
    text(name, out);
    if (find(name) && why_.ok() && !is_valid_id(out))
      fail(name, "is '" + printable(out)
                   + "', expected 1 to 512 bytes without control characters, "
                     "not '.' or '..'");
  }

  void text_map(std::string_view name,
                std::map<std::string, std::string>& out) {
    auto* v = find(name);
    if (!v)
      return;
    auto* members = v->if_object();
    if (!members)
      return wrong(name, "an object of strings", *v);
    for (const auto& [key, value] : *members) {
      auto* s = value.if_string();
      std::string key_text{key.data(), key.size()};
      if (!s)
        return wrong(std::string{name} + "." + key_text, "a string", value);
      out[key_text] = text_of(*s);
    }
  }

  /// Takes over what a value's own check found, whose field lies below `name`.
  void take(std::string_view name, const status& found) {
    if (!why_.ok() || found.ok())
      return;
    std::string below;
    for (const auto& detail : found.details)
      if (auto* field = std::get_if<std::string>(&detail.value))
        below = *field;
    auto message = found.message;
    if (auto at = message.find(below); at != message.npos)
      message.insert(at, prefix_ + std::string{name} + ".");
    why_ = make_status(found.code, std::move(message))
             .with("field", prefix_ + std::string{name} + "." + below);
  }

  void wrong(std::string_view name, std::string_view expected,
             const json::value& found) {
    fail(name, "is " + std::string{kind_name(found)}
                 + (found.is_number() ? " " + json::serialize(found) : "")
                 + ", expected " + std::string{expected});
  }

  void fail(std::string_view name, std::string_view what) {
    if (why_.ok())
      why_ = make_status(errc::malformed, "field '" + prefix_ + printable(name)
                                            + "' " + std::string{what})
               .with("field", prefix_ + printable(name));
  }

private:
  const json::object& object_;
  std::string prefix_;
  status& why_;
};

} // namespace baton::http

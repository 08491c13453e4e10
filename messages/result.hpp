// SPDX-License-Identifier: MIT
// A value, or the status that says why there is none. Expected trouble travels
// as a value; exceptions never leave a function of ours.
#pragma once

#include "messages/check.hpp"
#include "messages/errc.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace baton {

/// A fact that belongs to an error and that programs read: a field of the
/// HTTP error object.
struct error_detail {
  std::string name;
  std::variant<std::uint64_t, std::string> value;

  bool operator==(const error_detail&) const = default;
};

/// What went wrong: the code for programs, the message for people (the thing,
/// the expected, the found, what to do), details for both.
struct [[nodiscard]] status {
  errc code = errc::none;
  std::string message;
  std::vector<error_detail> details;

  bool ok() const noexcept { return code == errc::none; }

  /// Adds a detail and returns the status, for use in a return statement.
  status with(std::string name, std::uint64_t value) && {
    details.push_back({std::move(name), value});
    return std::move(*this);
  }
  status with(std::string name, std::string value) && {
    details.push_back({std::move(name), std::move(value)});
    return std::move(*this);
  }

  bool operator==(const status&) const = default;
};

inline status make_status(errc code, std::string message) {
  return {code, std::move(message), {}};
}

/// Either a `T` or a status that is not ok.
template <class T>
class [[nodiscard]] result {
public:
  result(T value) : content_(std::move(value)) {}
  result(status why) : content_(std::move(why)) {
    BATON_CHECK(!std::get<status>(content_).ok(), "an ok status is no error");
  }
  result(errc code, std::string message)
    : result(make_status(code, std::move(message))) {}

  bool ok() const noexcept { return content_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Requires: ok().
  T& value() & { return std::get<0>(content_); }
  const T& value() const& { return std::get<0>(content_); }
  T&& value() && { return std::get<0>(std::move(content_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Requires: !ok().
  const status& error() const& { return std::get<1>(content_); }
  status&& error() && { return std::get<1>(std::move(content_)); }

private:
  std::variant<T, status> content_;
};

/// Drops a result on purpose; `why` is for the reader and for searching.
template <class T>
void ignore_result(T&&, const char* /*why*/) {}

} // namespace baton

// SPDX-License-Identifier: MIT
// The names and numbers of baton's glossary as types of their own, so that an
// epoch is never passed where a seq is meant.
// Threads: value types.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace baton {

/// A text that means one thing. Comparable, hashable, printable; never
/// converts by itself.
template <class Tag>
class named_text {
public:
  named_text() = default;
  explicit named_text(std::string value) : value_(std::move(value)) {}

  const std::string& str() const noexcept { return value_; }
  bool empty() const noexcept { return value_.empty(); }

  auto operator<=>(const named_text&) const = default;

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f, named_text& x) {
    return f(x.value_);
  }

private:
  std::string value_;
};

/// A counter that means one thing.
template <class Tag>
struct named_number {
  std::uint64_t value = 0;

  auto operator<=>(const named_number&) const = default;

  template <class Inspector>
  friend typename Inspector::result_type inspect(Inspector& f,
                                                 named_number& x) {
    return f(x.value);
  }
};

/// One agent turn, named by its caller.
using run_id = named_text<struct run_id_tag>;
/// The conversation a run belongs to.
using thread_id = named_text<struct thread_id_tag>;
/// A `batond` in the cluster.
using node_id = named_text<struct node_id_tag>;
/// SHA-256 (hex) over what makes two sandboxes the same one.
using instance_key = named_text<struct instance_key_tag>;

/// Fencing token of a claim: grows with every claim of a run, is never reused
/// (I6). 0 means "never claimed".
using epoch = named_number<struct epoch_tag>;
/// Place of an entry in its log, from 1 (I2). 0 means "before the first".
using seq = named_number<struct seq_tag>;
/// Byte offset in a journal.
using position = named_number<struct position_tag>;
/// The store's own short name of a run: its creation order, never reused.
using run_no = named_number<struct run_no_tag>;
/// Distinguishes two lives of a process with the same node id.
using incarnation = named_number<struct incarnation_tag>;

} // namespace baton

template <class Tag>
struct std::hash<baton::named_text<Tag>> {
  std::size_t operator()(const baton::named_text<Tag>& x) const noexcept {
    return std::hash<std::string>{}(x.str());
  }
};

template <class Tag>
struct std::hash<baton::named_number<Tag>> {
  std::size_t operator()(const baton::named_number<Tag>& x) const noexcept {
    return std::hash<std::uint64_t>{}(x.value);
  }
};

// SPDX-License-Identifier: MIT
#include "actors/sim/report_text.hpp"

#include "actors/sim/faults.hpp"
#include "messages/utf8.hpp"

#include <array>
#include <cstdio>

namespace baton::sim {
namespace {

constexpr std::size_t sentence_text_chars_max = 160;
constexpr std::string_view replacement = "\xEF\xBF\xBD";
constexpr std::string_view ellipsis = "\xE2\x80\xA6";
constexpr std::string_view dash = "\xE2\x80\x93";

std::size_t length_by(unsigned char lead) {
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

/// U+202A to U+202E and U+2066 to U+2069 turn text around; U+FFFE and U+FFFF
/// are no characters.
bool is_harmful(std::string_view x) {
  if (x.size() != 3)
    return false;
  auto last = static_cast<unsigned char>(x[2]);
  if (x.starts_with("\xE2\x80"))
    return last >= 0xAA && last <= 0xAE;
  if (x.starts_with("\xE2\x81"))
    return last >= 0xA6 && last <= 0xA9;
  return x.starts_with("\xEF\xBF") && last >= 0xBE;
}

/// The pictures of control characters begin at U+2400; that of DEL is U+2421.
std::string picture_of(unsigned char control) {
  std::string out = "\xE2\x90";
  out += static_cast<char>(0x80 + (control == 0x7F ? 0x21 : control));
  return out;
}

std::string ascii(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  case '\'':
    return "&#39;";
  default:
    break;
  }
  auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F ? picture_of(byte) : std::string(1, c);
}

std::string seqs_of(const report_mark& m) {
  auto first = std::to_string(m.seq_first);
  if (m.seq_first == 0)
    return m.seq_last == 0 ? "" : std::to_string(m.seq_last);
  return m.seq_last <= m.seq_first
           ? first
           : first + std::string{dash} + std::to_string(m.seq_last);
}

std::string_view verb_of(event_kind kind) {
  switch (kind) {
  case event_kind::append:
    return "append";
  case event_kind::commit:
    return "commit";
  case event_kind::ack:
    return "ack";
  case event_kind::viewer_got:
    return "sees";
  default:
    return {};
  }
}

void add(std::string& out, std::string_view words) {
  if (words.empty())
    return;
  if (!out.empty())
    out += ' ';
  out += words;
}

} // namespace

std::string escaped(std::string_view bytes, std::size_t chars_max) {
  std::string out;
  out.reserve(bytes.size());
  std::size_t chars = 0;
  while (!bytes.empty()) {
    if (chars++ == chars_max) {
      out += ellipsis;
      break;
    }
    auto n = length_by(static_cast<unsigned char>(bytes.front()));
    auto x = bytes.substr(0, n);
    if (x.size() < n || !is_utf8(x)) {
      out += replacement;
      bytes.remove_prefix(1);
      continue;
    }
    if (n == 1)
      out += ascii(x.front());
    else
      out += is_harmful(x) ? replacement : x;
    bytes.remove_prefix(n);
  }
  return out;
}

std::string seconds(std::int64_t us, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%lld.%06lld",
                static_cast<long long>(us / 1'000'000),
                static_cast<long long>(us % 1'000'000));
  std::string out{text.data()};
  out.resize(out.size() - static_cast<std::size_t>(6 - digits));
  return out + " s";
}

std::string_view text_of(const event& x) noexcept {
  if (x.kind == event_kind::lost && x.text == "no answer")
    return "no answer by now";
  return x.text;
}

std::string label_of(const trace& story, const report_mark& m,
                     std::size_t chars_max) {
  const auto& e = story.events()[m.first_event];
  std::string plain{verb_of(m.kind)};
  if (m.kind == event_kind::claim) {
    plain = e.run;
    add(plain, "e" + std::to_string(m.epoch));
    add(plain, e.text);
  } else if (!plain.empty()) {
    add(plain, seqs_of(m));
  } else if (m.kind == event_kind::viewer_end) {
    plain = "sees the end";
  } else if (e.text == all_whole) {
    plain = "all whole again"; // Fits into the narrowest column.
  } else {
    plain = m.events > 1 ? std::to_string(m.events) + " times"
                         : std::string{text_of(e)};
    if (plain.empty())
      plain = to_string(m.kind);
    if (m.kind == event_kind::violation && !e.detail.empty())
      plain += ": " + e.detail;
  }
  return escaped(plain, chars_max);
}

std::string sentence_of(const trace& story, const report_layout& where,
                        const report_mark& m) {
  const auto& e = story.events()[m.first_event];
  auto out = seconds(m.from_us, 6);
  if (m.until_us > m.from_us)
    out += " to " + seconds(m.until_us, 6);
  out += ": ";
  out += escaped(story.name_of(m.lane), 80);
  out += ", ";
  out += to_string(m.kind);
  if (m.run)
    out += ", run " + escaped(where.runs.at(*m.run), 60);
  if (m.epoch != 0)
    out += ", epoch " + std::to_string(m.epoch);
  if (auto seqs = seqs_of(m); !seqs.empty())
    out += ", entries " + seqs;
  if (m.events > 1)
    out += ", " + std::to_string(m.events) + " times";
  if (!e.text.empty())
    out += ": " + escaped(text_of(e), sentence_text_chars_max);
  if (!e.detail.empty())
    out += (m.kind == event_kind::violation ? ": " : ", ")
           + escaped(e.detail, sentence_text_chars_max);
  return out;
}

} // namespace baton::sim

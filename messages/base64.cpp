// SPDX-License-Identifier: MIT
#include "messages/base64.hpp"

#include <array>

namespace baton {
namespace {

constexpr std::string_view alphabet =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::uint8_t foreign = 0xFF;

constexpr auto value_of = [] {
  std::array<std::uint8_t, 256> out{};
  out.fill(foreign);
  for (std::size_t i = 0; i < alphabet.size(); ++i)
    out[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  return out;
}();

} // namespace

std::string base64_encode(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto byte = [&](std::size_t k) -> std::uint32_t {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k])
                                  : 0;
    };
    auto quantum = byte(0) << 16 | byte(1) << 8 | byte(2);
    out += alphabet[quantum >> 18];
    out += alphabet[quantum >> 12 & 63];
    out += i + 1 < bytes.size() ? alphabet[quantum >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? alphabet[quantum & 63] : '=';
  }
  return out;
}

status base64_decoder::refuse(std::string why) {
  failed_ = make_status(errc::malformed, "base64 frame, character "
                                           + std::to_string(offset_) + ": "
                                           + std::move(why));
  return failed_;
}

status base64_decoder::feed(std::string_view chunk, std::string& out) {
  if (!failed_.ok())
    return failed_;
  for (char c : chunk) {
    ++offset_;
    if (c == '\n' || c == '\r')
      continue;
    if (ended_)
      return refuse("expected the end after padding, found more");
    auto value = value_of[static_cast<unsigned char>(c)];
    if (c == '=') {
      if (count_ < 2)
        return refuse("padding where a quantum needs data");
      ++padding_;
      value = 0;
    } else if (value == foreign) {
      return refuse("expected the base64 alphabet, found byte "
                    + std::to_string(static_cast<unsigned char>(c)));
    } else if (padding_ != 0) {
      return refuse("data after padding in one quantum");
    }
    bits_ = bits_ << 6 | value;
    if (++count_ < 4)
      continue;
    auto unused = padding_ == 0 ? 0u : padding_ == 1 ? 0xFFu : 0xFFFFu;
    if ((bits_ & unused) != 0)
      return refuse("the last quantum has stray bits");
    out += static_cast<char>(bits_ >> 16 & 0xFF);
    if (padding_ < 2)
      out += static_cast<char>(bits_ >> 8 & 0xFF);
    if (padding_ < 1)
      out += static_cast<char>(bits_ & 0xFF);
    ended_ = padding_ != 0;
    bits_ = 0;
    count_ = 0;
  }
  return {};
}

status base64_decoder::finish() const {
  if (!failed_.ok())
    return failed_;
  if (count_ != 0)
    return make_status(errc::malformed,
                       "base64 frame is cut after character "
                         + std::to_string(offset_)
                         + ", expected whole groups of 4; read it again");
  return {};
}

result<std::string> base64_decode(std::string_view frame) {
  std::string out;
  base64_decoder decoder;
  if (auto bad = decoder.feed(frame, out); !bad.ok())
    return bad;
  if (auto bad = decoder.finish(); !bad.ok())
    return bad;
  return out;
}

} // namespace baton
